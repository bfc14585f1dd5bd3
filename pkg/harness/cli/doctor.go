package cli

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/sifg/kernel"
)

// What doctor thinks of something.
const (
	fine = "ok"
	bad  = "bad"  // a run would fail
	odd  = "odd"  // a run would go, perhaps not as hoped
	info = "info" // neither
)

// quarantine is where the store puts what is damaged.
const quarantine = ".quarantine"

// finding is one line of doctor.
type finding struct {
	What  string `json:"what"`
	State string `json:"state"`
	Text  string `json:"text"`
}

// What runs need, and what they need at least to go on without care.
const (
	leastSpace = 200 << 20 // bytes for a trial or two, and a report
	easySpace  = 2 << 30   // bytes for a full run of everything
	leastFiles = 256       // open at once
)

func (a *app) doctor() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Looks whether runs will go well here: disk, limits, file system, kernels, data sets, other programs",
		Long: `Looks whether runs will go well here: disk, limits, file system, kernels, data sets, other programs. It writes nothing but a
file that it removes, and says of each thing ok, odd or bad; with something bad the exit code is 2.`,
		Example: `  sifg doctor
  sifg doctor --results elsewhere --json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			all := a.diagnose()
			if a.opt.json {
				if err := writeJSON(a.out, all); err != nil {
					return err
				}
			} else {
				w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
				for _, f := range all {
					fmt.Fprintf(w, "%s\t%s\t%s\n", f.State, f.What, f.Text)
				}
				if err := w.Flush(); err != nil {
					return err
				}
			}
			var wrong []string
			for _, f := range all {
				if f.State == bad {
					wrong = append(wrong, f.What+": "+f.Text)
				}
			}
			if wrong != nil {
				return harness.Usagef("%s", strings.Join(wrong, "; "))
			}
			return nil
		},
	}
	a.scaleFlag(cmd)
	a.folders(cmd, scaled)
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) diagnose() []finding {
	m := harness.ThisMachine()
	out := []finding{{"program", info, fmt.Sprintf("commit %s, %s %s/%s", m.Commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)}}
	out = append(out, kernels(m), cores(), memory(), openFiles(), otherLimits())
	for _, dir := range []struct{ what, flag, path string }{{"results", "--results", a.resultsDir()}, {"store", "--store", a.storeDir()}} {
		out = append(out, folder(dir.what, dir.flag, dir.path)...)
	}
	return append(append(out, a.stored(), a.dataHere()), clients()...)
}

func kernels(m harness.Machine) finding {
	text := fmt.Sprintf("%s of %s on %s", m.Kernel, strings.Join(kernel.Supported(), ", "), m.CPU)
	if err := kernelWanted(); err != nil {
		return finding{"kernels", bad, err.Error()}
	}
	if m.Kernel == "portable" {
		return finding{"kernels", odd, text + ": many times slower than on processors with AVX2 or AVX-512"}
	}
	return finding{"kernels", fine, text}
}

func cores() finding {
	f := finding{"cores", fine, fmt.Sprintf("%d, of which the program uses %d", runtime.NumCPU(), runtime.GOMAXPROCS(0))}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		one, _, _ := strings.Cut(string(load), " ")
		if v, err := strconv.ParseFloat(one, 64); err == nil {
			f.Text += fmt.Sprintf("; %.1f busy on average over the last minute", v)
			if v > float64(runtime.NumCPU()) {
				f.State, f.Text = odd, f.Text+": others compute here, times will be long"
			}
		}
	}
	return f
}

// memory is what is free, or what the control group allows if that is less.
func memory() finding {
	free := math.Inf(1)
	if file, err := os.Open("/proc/meminfo"); err == nil {
		defer file.Close()
		for s := bufio.NewScanner(file); s.Scan(); {
			if f := strings.Fields(s.Text()); len(f) > 1 && f[0] == "MemAvailable:" {
				if kib, err := strconv.ParseFloat(f[1], 64); err == nil {
					free = kib * 1024
				}
			}
		}
	}
	limit, err := os.ReadFile("/sys/fs/cgroup/memory.max")
	if v, bad := strconv.ParseFloat(strings.TrimSpace(string(limit)), 64); err == nil && bad == nil {
		free = min(free, v)
	}
	switch {
	case math.IsInf(free, 1):
		return finding{"memory", info, "not known here"}
	case free < 512<<20:
		return finding{"memory", odd, fmt.Sprintf("%s free: a large trial may be killed; sifg run --jobs 1", bytesText(int64(free)))}
	}
	return finding{"memory", fine, bytesText(int64(free)) + " free"}
}

func openFiles() finding {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return finding{"open files", info, err.Error()}
	}
	if l.Cur < leastFiles {
		return finding{"open files", bad, fmt.Sprintf("at most %d at once, %d are needed: ulimit -n %d", l.Cur, leastFiles, leastFiles)}
	}
	return finding{"open files", fine, fmt.Sprintf("at most %d at once", l.Cur)}
}

// otherLimits are those of a shell or a scheduler that would end a run.
func otherLimits() finding {
	var set []string
	for _, l := range []struct {
		name     string
		resource int
		unit     string
	}{{"size of a file", syscall.RLIMIT_FSIZE, "bytes"}, {"address space", syscall.RLIMIT_AS, "bytes"}, {"processor time", syscall.RLIMIT_CPU, "seconds"}} {
		var r syscall.Rlimit
		if err := syscall.Getrlimit(l.resource, &r); err == nil && uint64(r.Cur) < 1<<62 {
			set = append(set, fmt.Sprintf("%s %d %s", l.name, r.Cur, l.unit))
		}
	}
	if set != nil {
		return finding{"limits", odd, strings.Join(set, ", ")}
	}
	return finding{"limits", fine, "none on the size of files, address space, processor time"}
}

// folder looks at where results go: the file system, its room, and whether it does what the store relies on.
func folder(what, flag, path string) []finding {
	at := path
	for { // the nearest that is there; nothing is made
		if info, err := os.Stat(at); err == nil {
			if !info.IsDir() {
				return []finding{{what, bad, fmt.Sprintf("%s %s: %s is no folder", flag, path, at)}}
			}
			break
		}
		up := filepath.Dir(at)
		if up == at {
			break
		}
		at = up
	}
	out := []finding{works(what, flag, path, at)}
	var s syscall.Statfs_t
	if err := syscall.Statfs(at, &s); err != nil {
		return append(out, finding{what, info, err.Error()})
	}
	kind, remark := fileSystem(uint32(s.Type))
	room := finding{what, fine, kind}
	if remark != "" {
		room.State, room.Text = odd, kind+": "+remark
	}
	free := float64(s.Bavail) * float64(s.Bsize)
	space := finding{what, fine, bytesText(int64(free)) + " of disk free"}
	switch {
	case free < leastSpace:
		space.State, space.Text = bad, space.Text+": too little for a run"
	case free < easySpace:
		space.State, space.Text = odd, space.Text+": a full run of everything takes about 2 GB with its arrays"
	}
	if s.Files > 0 && s.Ffree < 50_000 {
		space.State, space.Text = odd, space.Text+fmt.Sprintf("; room for %d files, of which a trial takes about ten", s.Ffree)
	}
	return append(out, room, space)
}

// works tries in a folder what the store does: a file that is synced and renamed, and a lock.
func works(what, flag, path, at string) finding {
	wrong := func(doing string, err error) finding {
		return finding{what, bad, fmt.Sprintf("%s %s: %s in %s: %v", flag, path, doing, at, cause(err))}
	}
	f, err := os.CreateTemp(at, ".probe-")
	if err != nil {
		return wrong("a file cannot be written", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if _, err := f.Write(make([]byte, 4096)); err != nil {
		return wrong("a file cannot be written", err)
	}
	if err := f.Sync(); err != nil {
		return wrong("a file cannot be synced", err)
	}
	if err := os.Rename(f.Name(), f.Name()); err != nil {
		return wrong("a file cannot be renamed", err)
	}
	text := fmt.Sprintf("%s can be written, synced and renamed in", at)
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return finding{what, odd, text + fmt.Sprintf("; locks do not work (%v): run one sifg at a time on it", err)}
	}
	return finding{what, fine, text + "; locks work"}
}

// fileSystem names a file system by its number (statfs(2), Linux), and says what to mind with it.
func fileSystem(magic uint32) (name, remark string) {
	const network = "files of other machines appear late; results are safe, but give each machine its own --shard of the trials"
	switch magic {
	case 0xef53:
		return "ext4", ""
	case 0x58465342:
		return "xfs", ""
	case 0x9123683e:
		return "btrfs", ""
	case 0x2fc12fc1:
		return "zfs", ""
	case 0x794c7630:
		return "overlay", ""
	case 0x01021994:
		return "tmpfs", "it is memory, and gone when the machine starts again"
	case 0x6969:
		return "nfs", network
	case 0x0bd00bd0:
		return "lustre", network
	case 0x47504653:
		return "gpfs", network
	case 0xff534d42, 0xfe534d42, 0x517b:
		return "smb", network
	case 0x65735546:
		return "fuse", network
	}
	return fmt.Sprintf("file system %#x", magic), ""
}

// stored looks at what the store has, without reading the trials.
func (a *app) stored() finding {
	s, err := a.open(false)
	if err != nil {
		return finding{"store", bad, err.Error()}
	}
	if s == nil {
		return finding{"store", info, "there is none yet in " + a.storeDir()}
	}
	counts, err := countTrials(s)
	if err != nil {
		return finding{"store", bad, cause(err).Error()}
	}
	var each []string
	for _, c := range counts {
		each = append(each, fmt.Sprintf("%d %s", c.trials, c.experiment))
	}
	f := finding{"store", info, "trials: " + strings.Join(each, ", ") + "; sifg verify reads them all"}
	if aside, err := os.ReadDir(filepath.Join(s.Dir(), quarantine)); err == nil && len(aside) > 0 {
		f.State, f.Text = odd, f.Text+fmt.Sprintf("; %s holds what verify --repair moved aside", quarantine)
	}
	return f
}

// dataHere tells which data sets would have to be fetched, and which only the user can put in place.
func (a *app) dataHere() finding {
	missing, err := a.sets.Missing(a.sets.Names()...)
	if err != nil {
		return finding{"data sets", bad, err.Error()}
	}
	var fetched, own, text []string
	for _, name := range missing {
		e, err := a.sets.Entry(name)
		if err != nil {
			return finding{"data sets", bad, err.Error()}
		}
		if slices.ContainsFunc(e.Files, func(f dataset.File) bool { return f.Source == "" }) {
			own = append(own, name)
		} else {
			fetched = append(fetched, name)
		}
	}
	if n := len(a.sets.Names()) - len(missing); n > 0 {
		text = append(text, fmt.Sprintf("%d are here", n))
	}
	if fetched != nil {
		text = append(text, fmt.Sprintf("not here: %s; sifg run fetches what it needs, sifg data fetch all of them", strings.Join(fetched, ", ")))
	}
	if own != nil {
		text = append(text, fmt.Sprintf("to be put in place by you, where needed: %s (docs/datasets.md)", strings.Join(own, ", ")))
	}
	return finding{"data sets", info, strings.Join(text, "; ")}
}

// clients are other programs that are of use: none is needed.
func clients() []finding {
	var out []finding
	for _, c := range []struct {
		what, absent string
		args         []string
	}{
		{"NumPy", "nothing here reads .npy files with it", []string{"python3", "-c", "import numpy; print(numpy.__version__)"}},
		{"DuckDB", "nothing here queries .parquet files with it", []string{"duckdb", "--version"}},
		{"Slurm", "sifg submit slurm needs it", []string{"sbatch", "--version"}},
		{"kubectl", "sifg submit kubernetes needs it", []string{"kubectl", "version", "--client"}},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		text, err := exec.CommandContext(ctx, c.args[0], c.args[1:]...).Output()
		cancel()
		line, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
		if err != nil {
			out = append(out, finding{c.what, info, "not here: " + c.absent})
		} else {
			out = append(out, finding{c.what, info, string(line)})
		}
	}
	return out
}
