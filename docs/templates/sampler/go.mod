module example.org/tamed

go 1.26.0

require (
	github.com/semi-implicit/sifg/experiments/gmm v0.0.0
	github.com/semi-implicit/sifg/pkg/harness v0.0.0
	github.com/semi-implicit/sifg/pkg/sifg v0.0.0
)

// The checkout of SIFG is beside this folder.
replace (
	github.com/semi-implicit/sifg/datasets v0.0.0 => ../sifg/datasets
	github.com/semi-implicit/sifg/experiments/gmm v0.0.0 => ../sifg/experiments/gmm
	github.com/semi-implicit/sifg/pkg/harness v0.0.0 => ../sifg/pkg/harness
	github.com/semi-implicit/sifg/pkg/sifg v0.0.0 => ../sifg/pkg/sifg
	github.com/semi-implicit/sifg/pkg/study v0.0.0 => ../sifg/pkg/study
)
