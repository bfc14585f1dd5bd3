//go:build !unix

package unix

const _ = The_harness_needs_Linux_macOS_or_another_Unix__on_Windows_it_runs_under_WSL
