//go:build unix

// Package unix is imported by what needs a Unix system: locks that end with their holder, folders that can be synced,
// process groups and signals. Elsewhere it does not compile, and says so in one sentence.
package unix
