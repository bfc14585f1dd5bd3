module github.com/semi-implicit/sifg/pkg/sifg

go 1.26.0

require (
	github.com/sbinet/npyio v0.6.0
	golang.org/x/sys v0.49.0
	gonum.org/v1/gonum v0.17.0
)

require golang.org/x/tools v0.51.0 // indirect
