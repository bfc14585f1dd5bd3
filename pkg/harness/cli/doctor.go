package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg/kernel"
)

// check is one line of the doctor; bad is what would make a run fail.
type check struct {
	what, text string
	bad        bool
}

func doctorCommand(e *env) *cobra.Command {
	var f folders
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Checks whether runs will go well here: processor, kernels, disk, data sets",
		Example: "  sifg doctor",
		Args:    arguments("", 0),
		RunE: func(*cobra.Command, []string) error {
			all, bad := examine(e, f.storeDir()), 0
			var rows [][]string
			for _, c := range all {
				mark := "ok"
				if c.bad {
					mark = "BAD"
					bad++
				}
				rows = append(rows, []string{mark, c.what, c.text})
			}
			if err := columns(e.out, rows); err != nil || bad == 0 {
				return err
			}
			return exitf(exitFailed, "%d of %d checks found what would make runs fail", bad, len(all))
		},
	}
	f.folderFlags(cmd.Flags())
	return cmd
}

func examine(e *env, store string) []check {
	m := record.ThisMachine()
	forced, ok := kernel.Forced()
	out := []check{
		{"processor", fmt.Sprintf("%s, %d cores", m.CPU, runtime.GOMAXPROCS(0)), false},
		{"kernels", m.Kernel + " of " + strings.Join(kernel.Supported(), ", "), forced != "" && !ok},
		disk(store),
	}
	var absent []string
	for _, name := range e.data.Names() {
		if e.data.Absent(name) != nil {
			absent = append(absent, name)
		}
	}
	text := "all data sets are here"
	if absent != nil {
		text = "not here: " + strings.Join(absent, ", ") + " (sifg data fetch)"
	}
	return append(out, check{"data sets", text, false})
}

// disk looks at the file system of the store: it must take a file, keep locks and have room.
func disk(dir string) check {
	for _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir); _, err = os.Stat(dir) {
		dir = filepath.Dir(dir) // where a run would make it
	}
	bad := func(err error) check { return check{"disk", fmt.Sprintf("%s: %v", dir, err), true} }
	f, err := os.CreateTemp(dir, ".probe-")
	if err != nil {
		return bad(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return bad(fmt.Errorf("it knows no locks: %w", err))
	}
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return bad(err)
	}
	const least = 100 << 20
	free := stat.Bavail * uint64(stat.Bsize)
	return check{"disk", fmt.Sprintf("%s: %.1f GiB free", dir, float64(free)/(1<<30)), free < least}
}
