package hmc

import "embed"

// Source is the code that draws and diagnostics depend on, for the keys of trials.
//
//go:embed adapt.go chain.go config.go diagnose.go draws.go ess.go leapfrog.go run.go state.go summary.go
var Source embed.FS
