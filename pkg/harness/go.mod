module github.com/semi-implicit/sifg/pkg/harness

go 1.26.0

require github.com/semi-implicit/sifg/pkg/sifg v0.0.0

replace github.com/semi-implicit/sifg/pkg/sifg => ../sifg
