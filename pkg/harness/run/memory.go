package run

import (
	"fmt"
	"math"
	"os"

	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// tooLarge says why a trial cannot fit into memory, "" if it may. What the runtime is not given ends the whole program.
func tooLarge(c *settings.Config, dim int) string {
	need, have := need(c, dim), machineMemory()
	if need <= have {
		return ""
	}
	return fmt.Sprintf("%d particles in %d dimensions need at least %.3g GiB of memory, and there are %.3g",
		c.Particles, dim, need/(1<<30), have/(1<<30))
}

// need is a lower bound of the bytes that a trial takes: particles, scores, velocity and a copy; distances of all
// pairs.
func need(c *settings.Config, dim int) float64 {
	n := float64(c.Particles)
	values := 4 * n * float64(dim)
	if s := c.Sampler.Sampler; s == "svgd" || s == "kde-flow" {
		values += n * n
	}
	return 4 * values
}

// machineMemory is the memory of this machine or its container, in bytes; infinite where the system does not tell.
func machineMemory() float64 {
	have := math.Inf(1)
	for file, x := range map[string]struct {
		format string
		unit   float64
	}{"/proc/meminfo": {"MemTotal: %f kB", 1024}, "/sys/fs/cgroup/memory.max": {"%f", 1}} {
		var n float64
		b, _ := os.ReadFile(file)
		if _, err := fmt.Sscanf(string(b), x.format, &n); err == nil {
			have = min(have, n*x.unit)
		}
	}
	return have
}

// resident returns the bytes of memory that a process occupies; 0 where it has ended, or the system has no /proc.
func resident(pid int) int64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	var size, pages int64
	fmt.Sscan(string(b), &size, &pages)
	return pages * int64(os.Getpagesize())
}
