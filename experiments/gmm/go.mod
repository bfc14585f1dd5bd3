module github.com/semi-implicit/sifg/experiments/gmm

go 1.26.0

require (
	github.com/semi-implicit/sifg/pkg/harness v0.0.0
	github.com/semi-implicit/sifg/pkg/sifg v0.0.0
	github.com/semi-implicit/sifg/pkg/study v0.0.0
)
