module github.com/semi-implicit/sifg/datasets

go 1.26.0
