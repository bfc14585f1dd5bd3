//go:build race

package slurmtest

// racing: what Slurm starts are processes of their own, which share no memory, so that a minute with the race detector
// would find nothing.
const racing = true
