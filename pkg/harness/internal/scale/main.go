// Command scale measures the harness with many trials: it computes that many tiny ones, then runs plan, status and
// report as processes of their own, and prints the time and the peak memory of each beside the goals of
// docs/performance.md. Linux only.
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/cli"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "sifg" {
		os.Exit(cli.Main(os.Args[2:], os.Stdout, os.Stderr, tiny()))
	}
	trials := flag.Int("trials", 100_000, "number of trials")
	in := flag.String("in", "/dev/shm", "folder for the store: one in memory does not wait for a disk")
	flag.Parse()
	if err := measure(*trials, *in); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

// measure makes the store, runs the commands and prints the table.
func measure(trials int, in string) error {
	dir, err := os.MkdirTemp(in, "scale-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	results := filepath.Join(dir, "results")
	work := []string{
		"--results", results, "--set", "seeds=" + seeds(max(1, trials/(len(problems)*len(methods)))),
	}
	fmt.Println("| command | seconds | goal | CPU s | peak memory, MB | goal |")
	fmt.Println("| --- | ---: | ---: | ---: | ---: | ---: |")
	for _, x := range []struct {
		command         string
		seconds, memory string // goals at 100,000 trials
	}{
		{"run", "", ""}, {"plan", "2", "150"}, {"status", "10", ""}, {"report", "60", "1000"},
	} {
		if err := row(x.command, x.seconds, x.memory, work); err != nil {
			return err
		}
	}
	return size(filepath.Join(results, "store"))
}

// row runs a command and prints its row of the table.
func row(command, seconds, memory string, work []string) error {
	cmd := exec.Command(os.Args[0], append([]string{"sifg", command, "-q"}, work...)...)
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = nil, &said
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", command, err, said.String())
	}
	took, state := time.Since(began), cmd.ProcessState
	peak := state.SysUsage().(*syscall.Rusage).Maxrss * 1024 // Linux counts in KiB
	cpu := state.UserTime() + state.SystemTime()
	fmt.Printf("| %s | %.1f | %s | %.1f | %d | %s |\n",
		command, took.Seconds(), seconds, cpu.Seconds(), peak/1e6, memory)
	return nil
}

// seeds is a list of n seeds in YAML.
func seeds(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint(i + 1)
	}
	return "[" + strings.Join(list, ",") + "]"
}

// size prints what a trial takes on the disk.
func size(store string) error {
	var blocks, files, trials int64
	err := filepath.WalkDir(store, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		blocks += info.Sys().(*syscall.Stat_t).Blocks
		if d.IsDir() {
			return nil
		}
		files++
		if d.Name() == "trial.json" {
			trials++
		}
		return nil
	})
	if err != nil || trials == 0 {
		return err
	}
	const block = 512 // bytes, whatever the file system's own
	fmt.Printf("\n%d trials of %.1f KB in %.1f files; goals: 16 KB, 3 files\n",
		trials, float64(blocks*block)/float64(trials)/1024, float64(files)/float64(trials))
	return nil
}
