//go:build !race

package slurmtest

const racing = false
