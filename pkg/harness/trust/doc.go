// Package trust holds the tests of what one can rely on whatever happens to the command: processes that are killed,
// full disks, signals, several runs at once. docs/trust.md says which test proves which promise.
package trust
