package main

import (
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
)

type (
	trial      = harness.Trial
	experiment = *harness.Experiment
)

// silent is the progress of a run that nobody looks at.
type silent struct{}

func (silent) Note(string)                               {}
func (silent) Start(*trial)                              {}
func (silent) Step(*trial, int)                          {}
func (silent) End(*trial, string, string, time.Duration) {}
