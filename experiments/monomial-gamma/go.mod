module github.com/semi-implicit/sifg/experiments/monomial-gamma

go 1.25.0
