package store

import (
	"errors"
	"testing"
	"time"
)

// Open removes the folders of dead writers only.
func TestSweep(t *testing.T) {
	s := must(Open(t.TempDir()))
	alive, remove, err := s.temporary()
	must(0, err)
	defer remove()
	old := time.Now().Add(-2 * youngest)
	must(0, errors.Join(s.root.Mkdir(".tmp/dead", 0o777), s.root.WriteFile(".tmp/dead/"+traceName, nil, 0o666),
		s.root.Mkdir(".tmp/young", 0o777), s.root.Chtimes(".tmp/dead", old, old), s.root.Chtimes(alive, old, old)))
	must(Open(s.dir))
	for name, stays := range map[string]bool{alive: true, ".tmp/young": true, ".tmp/dead": false} {
		if _, err := s.root.Stat(name); (err == nil) != stays {
			t.Errorf("%s: there is %v, want %v", name, err == nil, stays)
		}
	}
}
