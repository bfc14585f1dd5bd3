package cli

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg/kernel"
)

// finding is one line of the doctor: bad is what would make a run fail.
type finding struct {
	What string `json:"what"`
	Text string `json:"text"`
	Bad  bool   `json:"bad,omitempty"`
}

func doctorCommand(e *env) *cobra.Command {
	var f folders
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Checks whether runs will go well here: disk, limits, kernels, data sets, other programs",
		Example: "  sifg doctor",
		Args:    arguments("", 0, 0),
		RunE: func(*cobra.Command, []string) error {
			all := examine(e, &f)
			if asJSON {
				return writeJSON(e.out, all)
			}
			w, bad := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0), 0
			for _, x := range all {
				mark := "ok"
				if x.Bad {
					mark = "BAD"
					bad++
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", mark, x.What, x.Text)
			}
			if err := w.Flush(); err != nil || bad == 0 {
				return err
			}
			return exitf(exitFailed, "%d of %d checks found what would make runs fail", bad, len(all))
		},
	}
	f.folderFlags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func examine(e *env, f *folders) []finding {
	m := record.ThisMachine()
	out := []finding{{What: "processor", Text: fmt.Sprintf("%s, %d cores", m.CPU, runtime.GOMAXPROCS(0))}}
	forced, ok := kernel.Forced()
	out = append(out, finding{"kernels", m.Kernel + " of " + strings.Join(kernel.Supported(), ", "), forced != "" && !ok})
	store := f.storeDir()
	out = append(out, disk(store))
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil {
		out = append(out, finding{"open files", fmt.Sprintf("%d at once, 256 are enough", limit.Cur), limit.Cur < 256})
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
	out = append(out, finding{What: "data sets", Text: text})
	for _, p := range []struct{ name, use string }{{"sbatch", "sifg submit slurm"}, {"kubectl", "sifg submit kubernetes"}} {
		text := "not here; only " + p.use + " needs it"
		if path, err := exec.LookPath(p.name); err == nil {
			text = path
		}
		out = append(out, finding{What: p.name, Text: text})
	}
	return out
}

// disk looks at the file system of the store: it must take a file, keep locks, and have room for a full run.
func disk(dir string) finding {
	out := finding{What: "disk"}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return finding{"disk", fmt.Sprintf("%s cannot be made: %v", dir, err), true}
	}
	f, err := os.CreateTemp(dir, ".probe-")
	if err != nil {
		return finding{"disk", fmt.Sprintf("%s cannot be written: %v", dir, err), true}
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		out.Text = fmt.Sprintf("%s knows no locks (%v): let one program at a time use it; ", dir, err)
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return finding{"disk", fmt.Sprintf("%s: %v", dir, err), true}
	}
	free := fs.Bavail * uint64(fs.Bsize)
	const enough = 2 << 30 // of a full run under all protocols
	out.Text += fmt.Sprintf("%s: %.1f GiB free, a full run takes about 2", dir, float64(free)/(1<<30))
	out.Bad = free < enough/20
	return out
}
