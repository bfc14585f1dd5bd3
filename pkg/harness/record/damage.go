package record

import (
	"errors"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
)

// ErrDamaged is wrapped by every error that says that a file is not what was written: cut, altered, or not ours.
var ErrDamaged = errors.New("damaged")

// Damage is a file or folder that is not as it was written, or not ours. As an error it wraps ErrDamaged.
type Damage struct {
	Path   string
	Reason string
	Moved  string // where a repair moved it; "" if none did
}

func (d *Damage) Error() string { return safe.Text(d.Path) + ": " + safe.Text(d.Reason) }
func (d *Damage) Unwrap() error { return ErrDamaged }
