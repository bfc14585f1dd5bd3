module github.com/semi-implicit/sifg/experiments/gmm

go 1.25.0
