package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// Open removes the folders of dead writers only.
func TestSweep(t *testing.T) {
	s := must(Open(t.TempDir()))
	alive, remove, err := s.temporary()
	must(0, err)
	defer remove()
	old := time.Now().Add(-2 * youngest)
	must(0, errors.Join(
		s.root.Mkdir(".tmp/dead", 0o777),
		s.root.WriteFile(".tmp/dead/"+traceName, nil, 0o666),
		s.root.Mkdir(".tmp/young", 0o777),
		s.root.Chtimes(".tmp/dead", old, old),
		s.root.Chtimes(alive, old, old),
	))
	must(Open(s.dir))
	for name, stays := range map[string]bool{alive: true, ".tmp/young": true, ".tmp/dead": false} {
		if _, err := s.root.Stat(name); (err == nil) != stays {
			t.Errorf("%s: there is %v, want %v", name, err == nil, stays)
		}
	}
}

// The clock may jump by years, either way: what lives stays and can be published, what is dead goes, and what Verify
// moves aside twice keeps two names.
func TestClockJumps(t *testing.T) {
	defer func() { now = time.Now }()
	const decade = 10 * 365 * 24 * time.Hour
	for _, jump := range []time.Duration{-decade, -2 * time.Hour, 2 * time.Hour, decade} {
		now = time.Now
		s := must(Open(t.TempDir()))
		must(put(s, "there", record.StatusOK))
		alive, remove, err := s.temporary()
		dead := filepath.Join(s.dir, tmpName, "dead")
		must(0, errors.Join(err, os.Mkdir(dead, 0o777)))
		stopped := time.Now().Add(jump)
		now = func() time.Time { return stopped } // does not even go on
		must(Open(s.dir))
		if _, err := os.Stat(dead); err == nil {
			t.Errorf("jump by %v: the folder of a dead writer stays", jump)
		}
		if _, err := s.root.Stat(alive); err != nil {
			t.Errorf("jump by %v: the folder of a writer that lives: %v", jump, err)
		}
		remove()
		var moved []string
		for range 2 {
			must(put(s, "k", record.StatusOK))
			must(0, os.Truncate(filepath.Join(folder(s, "k"), traceName), 1))
			for _, d := range must(s.Verify(context.Background(), true)) {
				moved = append(moved, d.Moved)
			}
		}
		if len(moved) != 2 || moved[0] == moved[1] {
			t.Errorf("jump by %v: moved to %v", jump, moved)
		}
		is(t, s, "there", record.StatusOK)
	}
}

// A writer whose folder another machine sweeps, since its lock is not seen there and a clock jumped, writes its trial
// again.
func TestSweptAlive(t *testing.T) {
	s := must(Open(t.TempDir()))
	swept := 0
	defer func() { disk.Before = nil }()
	disk.Before = func(change string) error {
		if strings.HasPrefix(change, "rename "+tmpName) && strings.HasSuffix(change, gmm("k").dir()) && swept < 2 {
			swept++
			for _, n := range must(os.ReadDir(filepath.Join(s.dir, tmpName))) {
				must(0, os.RemoveAll(filepath.Join(s.dir, tmpName, n.Name())))
			}
		}
		return nil
	}
	if _, err := put(s, "k", record.StatusOK); err != nil || swept != 2 {
		t.Errorf("swept %d times: error %v", swept, err)
	}
	is(t, s, "k", record.StatusOK)
	tidy(t, s)
}
