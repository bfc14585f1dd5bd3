package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg/kernel"
)

func doctorCommand(e *env) *cobra.Command {
	var f folders
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Checks whether runs will go well here: processor, kernels, disk, data sets",
		Example: "  sifg doctor",
		Args:    arguments("", 0),
		RunE:    func(*cobra.Command, []string) error { return examine(e, f.storeDir()) },
	}
	f.folderFlags(cmd.Flags())
	return cmd
}

// examine prints what it checks. What would make a run fail is BAD.
func examine(e *env, store string) error {
	m := record.ThisMachine()
	forced, ok := kernel.Forced()
	room, broken := disk(store)
	data := "all data sets are here"
	absent := slices.DeleteFunc(e.data.Names(), func(name string) bool { return e.data.Absent(name) == nil })
	if len(absent) > 0 {
		data = "not here: " + strings.Join(absent, ", ") + " (sifg data fetch)"
	}
	var rows [][]string
	bad := 0
	for _, c := range []struct {
		what, text string
		bad        bool
	}{
		{"processor", fmt.Sprintf("%s, %d cores", m.CPU, runtime.GOMAXPROCS(0)), false},
		{"kernels", m.Kernel + " of " + strings.Join(kernel.Supported(), ", "), forced != "" && !ok},
		{"disk", room, broken},
		{"data sets", data, false},
	} {
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
	return exitf(exitFailed, "%d of %d checks found what would make runs fail", bad, len(rows))
}

// disk looks at the file system of the store: it must take a file, keep locks and have room.
func disk(dir string) (text string, bad bool) {
	for _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir); _, err = os.Stat(dir) {
		dir = filepath.Dir(dir) // where a run would make it
	}
	var stat syscall.Statfs_t
	f, err := os.CreateTemp(dir, ".probe-")
	if err == nil {
		defer os.Remove(f.Name())
		defer f.Close()
		err = errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.Statfs(dir, &stat))
	}
	if err != nil {
		return fmt.Sprintf("%s keeps no files and locks: %v", dir, err), true
	}
	const least = 100 << 20
	free := stat.Bavail * uint64(stat.Bsize)
	return fmt.Sprintf("%s: %.1f GiB free", dir, float64(free)/(1<<30)), free < least
}
