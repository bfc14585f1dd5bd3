#!/usr/bin/env bash
# Lists the places where Go's compiler would fuse a product and a sum into one rounding, in packages that compute results or decide
# verdicts. There are to be none: a build that fuses (arm64, GOAMD64=v3) would give other bits. An explicit conversion,
# float64(a*b) + c, keeps the two apart. The compiler for arm64 fuses more than that for GOAMD64=v3 does, so it is the one to ask.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=$(go list ./pkg/sifg/... ./pkg/study/... ./pkg/harness/stats ./pkg/harness/claim ./pkg/harness/compare $(sed -n 's/^[[:space:]]*\(\.\/experiments\/.*\)$/\1\/.../p' go.work))
# shellcheck disable=SC2086 # a list
found=$(GOARCH=arm64 go build -gcflags=-S $packages 2>&1 | grep -E '[[:space:]]FN?M(ADD|SUB)[SD][[:space:]]' | grep -oE '\([^() ]*\.go:[0-9]+\)' |
	grep semi-implicit | grep -v '/cpu/cpu\.go' | sort -u || true)
[ -z "$found" ] || { printf 'fused products: write float64(a*b) + c\n%s\n' "$found"; exit 1; }
