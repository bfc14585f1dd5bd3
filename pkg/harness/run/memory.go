package run

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"

	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// tooLarge says why a trial cannot fit into memory, "" if it may. What the runtime is not given ends the whole program.
func tooLarge(c *settings.Config, dim int) string {
	need, have := need(c, dim), min(float64(debug.SetMemoryLimit(-1)), machineMemory())
	if need <= have {
		return ""
	}
	return fmt.Sprintf("%d particles in %d dimensions need at least %.3g GiB of memory, and there are %.3g",
		c.Particles, dim, need/(1<<30), have/(1<<30))
}

// need is a lower bound of the bytes that a trial takes: particles, scores, velocity and a copy; weights, gradients and hidden
// layers of a network; distances of all pairs. The settings are resolved.
func need(c *settings.Config, dim int) float64 {
	n, d, h := float64(c.Particles), float64(dim), float64(c.Sampler.Hidden)
	values := 4*n*d + 2*(2*d*h+h*h) + 2*n*h
	if s := c.Sampler.Sampler; s == "svgd" || s == "kde-flow" {
		values += n * n
	}
	return 4 * values
}

// machineMemory is the memory of this machine or its container, in bytes; infinite where the system does not tell.
func machineMemory() float64 {
	have := math.Inf(1)
	if b, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if n, err := strconv.ParseFloat(strings.TrimSpace(string(b)), 64); err == nil {
			have = n
		}
	}
	b, _ := os.ReadFile("/proc/meminfo")
	var kib float64
	if _, err := fmt.Sscanf(string(b), "MemTotal: %f kB", &kib); err == nil {
		have = min(have, kib*1024)
	}
	return have
}

// limitMemory makes this process collect garbage harder near the limit, and the kernel refuse what is far above it. In between it
// is up to the process that started this one to see that the limit is exceeded.
func limitMemory(bytes int64) error {
	if bytes == 0 {
		return nil
	}
	debug.SetMemoryLimit(bytes / 10 * 9)
	most := uint64(bytes) + 1<<30 // the runtime takes address space in large pieces
	if err := syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
		return fmt.Errorf("limiting memory: %w", err)
	}
	return nil
}

// resident returns the bytes of memory that a process occupies. It needs /proc.
func resident(pid int) (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, err
	}
	var size, pages int64
	_, err = fmt.Sscan(string(b), &size, &pages)
	return pages * int64(os.Getpagesize()), err
}
