package harness

import "github.com/semi-implicit/sifg/pkg/harness/usage"

// UsageError is a mistake in what was asked: it ends the program with exit code 2.
type UsageError = usage.Error

// Usagef returns a UsageError.
func Usagef(format string, args ...any) error { return usage.Errorf(format, args...) }

// Unknown returns the UsageError for a name that is none of the valid ones; see usage.Unknown.
func Unknown(kind, name, from string, valid []string) error {
	return usage.Unknown(kind, name, from, valid)
}
