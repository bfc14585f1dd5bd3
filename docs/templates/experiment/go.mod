module example.org/machines

go 1.26.0

require (
	github.com/semi-implicit/sifg/pkg/harness v0.1.0
	github.com/semi-implicit/sifg/pkg/sifg v0.1.0
	github.com/semi-implicit/sifg/pkg/study v0.1.0
)

// The checkout of SIFG is beside this folder. With a published version leave these lines out.
replace (
	github.com/semi-implicit/sifg/datasets => ../sifg/datasets
	github.com/semi-implicit/sifg/pkg/harness => ../sifg/pkg/harness
	github.com/semi-implicit/sifg/pkg/sifg => ../sifg/pkg/sifg
	github.com/semi-implicit/sifg/pkg/study => ../sifg/pkg/study
)
