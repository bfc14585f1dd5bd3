module github.com/semi-implicit/sifg/experiments/sifg

go 1.25.0
