# Everything a user or a contributor runs. `make help` lists it.
SCALE    ?= full
PROTOCOL ?=
JOBS     ?=
AUTHORS  ?=
ARGS     ?=

SIFG    := bin/sifg
MODULES := $(shell sed -n 's/^[[:space:]]*\.\/\(.*\)$$/\1/p' go.work)
ALL     := $(MODULES:%=./%/...)
RUN     := $(SIFG) run all --scale $(SCALE) $(if $(PROTOCOL),--protocol $(PROTOCOL)) $(if $(JOBS),--jobs $(JOBS)) $(ARGS)
IMAGE   ?= localhost/sifg
BUILDER ?= buildah
BUILDFLAGS ?=
KILLS   ?= 2000
DAMAGES ?= 5000
PAGES   := README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md CITATION.cff LICENSE docs datasets/README.md datasets/files/posteriordb/LICENSE \
	results $(wildcard experiments/*)
BENCHSTAT   := golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da
ACTIONLINT  := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

# A command in a process group of its own, which is killed when it ends or make does, whatever ends it: nothing that a test
# started is left.
watched = set -m; $(1) & group=$$!; trap 'kill -INT -- -$$group' INT TERM; \
	(while kill -0 $$group && test "$$(ps -o ppid= -p $$$$ | tr -d ' ')" = $$PPID; do sleep 1; done; \
	kill -KILL -- -$$group) 2>/dev/null & wait $$group

.DEFAULT_GOAL := help
packages: # patterns of all packages, for scripts
	@echo $(ALL)

.PHONY: packages help build test torture reproduce quick bench peers authors lint generate bits data site image report clean FORCE

help: ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'
	@echo
	@echo "  SCALE=full|quick|smoke  PROTOCOL=NAME|all  JOBS=n  ARGS='--set key=value …'"

build: $(SIFG) ## bin/sifg, the command

$(SIFG): FORCE
	@mkdir -p bin
	@go build -buildvcs=auto -trimpath -o $(SIFG) ./experiments/sifg

test: SHELL := bash
test: ## all tests; those of the command read documents and results, whose changes Go's cache of tests does not see
	@$(call watched,(go test -count=1 ./experiments/sifg/... & command=$$!; \
		go test $(filter-out ./experiments/sifg/...,$(ALL)); rest=$$?; wait $$command && exit $$rest))

torture: ## KILLS of runs, grids and reports, also with programs, at random moments, DAMAGES of files; some minutes
	go test ./pkg/harness/trust -run AtRandom -count 1 -v -timeout 2h -args -kills $(KILLS) -damages $(DAMAGES) -disk

reproduce: build ## tables and figures of every experiment, at SCALE=full under its default protocol; run again to continue
	-$(SIFG) data fetch
	$(RUN)

quick: build ## the whole page in minutes, at a small scale under all protocols: results/quick/index.html
	$(SIFG) run all --scale quick --protocol all $(if $(JOBS),--jobs $(JOBS)) $(ARGS)

bench: ## speed of kernels and iterations, a few minutes; let nothing else run
	@mkdir -p bin
	go test -run '^$$' -bench 'Products|Functions|Iteration|Score|HMC|Split|Pages' -benchtime 0.2s -count 5 -cpu 1 ./pkg/sifg ./pkg/sifg/hmc ./pkg/sifg/internal/simd | tee bin/bench.txt
	go run $(BENCHSTAT) bin/bench.txt

peers: ## speed beside JAX and PyTorch, some minutes, on Linux; makes a Python environment of its own (some GB)
	@test -x scripts/peers/.venv/bin/python || python3 -m venv scripts/peers/.venv
	scripts/peers/.venv/bin/python -m pip install -q -r scripts/peers/requirements.txt
	@mkdir -p bin
	go test -c -o bin/sifg.test ./pkg/sifg
	scripts/peers/.venv/bin/python scripts/peers/peers.py --ours bin/sifg.test $(ARGS)

authors: ## the authors' released scripts, of a clone AUTHORS=FOLDER; hours, resumable; makes a Python environment of its own (some GB)
	@test -x scripts/authors/.venv/bin/python || python3 -m venv scripts/authors/.venv
	scripts/authors/.venv/bin/python -m pip install -q -r scripts/authors/requirements.txt
	scripts/authors/.venv/bin/python scripts/authors/authors.py $(if $(AUTHORS),--clone '$(AUTHORS)') $(if $(JOBS),--jobs $(JOBS)) $(ARGS)

lint: ## gofmt, go vet, staticcheck, tidy modules at one version, workflows, generated code up to date
	@fmt=$$(gofmt -l datasets docs pkg experiments scripts); if [ -n "$$fmt" ]; then echo "gofmt -w these:"; echo "$$fmt"; exit 1; fi
	go vet $(ALL)
	go run $(STATICCHECK) $(ALL)
	go run ./scripts/release check
	go run $(ACTIONLINT)
	cd pkg/sifg/internal/simd/gen && GOWORK=off go run $(STATICCHECK) . && GOWORK=off go run . -check

generate: ## the assembly of the compute core, from its generator
	cd pkg/sifg/internal/simd/gen && GOWORK=off go run .

bits: ## the digests of what every sampler computes, on each compute path; arm64's where QEMU is. Other lines must not change
	go test ./pkg/sifg -run 'TestBits$$' -count 1 -update-bits
	SIFG_KERNEL=avx2 go test ./pkg/sifg -run 'TestBits$$' -count 1
	go test -tags purego ./pkg/sifg -run 'TestBits$$' -count 1 -update-bits
	@if command -v qemu-aarch64-static >/dev/null; then \
		GOARCH=arm64 go test -exec qemu-aarch64-static ./pkg/sifg -run 'TestBits$$' -count 1 -update-bits; \
	else echo "neon-arm64.txt is as it was: install qemu-user-static"; fi

data: build ## the files of all data sets, into datasets/cache
	$(SIFG) data fetch

site: ## README, documents and the page of results as one static folder, bin/site; by MkDocs, in a Python environment of its own
	@test -x bin/mkdocs/bin/mkdocs || (python3 -m venv bin/mkdocs && bin/mkdocs/bin/pip install -q --require-hashes -r scripts/site/requirements.txt)
	@rm -rf bin/site-src && mkdir -p bin/site-src
	@git ls-files -z $(PAGES) | tar --null -T - -cf - | tar -xf - -C bin/site-src
	@NO_MKDOCS_2_WARNING=1 bin/mkdocs/bin/mkdocs build --quiet --strict --clean --config-file scripts/site/mkdocs.yml

image: ## the image that clusters use; IMAGE names it, BUILDER=buildah, podman or docker builds it
	@mkdir -p bin/image
	CGO_ENABLED=0 GOOS=linux go build -buildvcs=auto -trimpath -o bin/image/sifg ./experiments/sifg
	$(BUILDER) build $(BUILDFLAGS) -f Containerfile -t $(IMAGE) .

report: build ## tables, figures and page of SCALE and PROTOCOL again, from what has been computed
	$(SIFG) report --scale $(SCALE) $(if $(PROTOCOL),--protocol $(PROTOCOL)) $(ARGS)

clean: ## the command and the reports of smaller scales and changed settings; store and grids stay
	rm -rf bin results/quick results/smoke results/custom
