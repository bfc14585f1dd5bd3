package run

import (
	"fmt"
	"math"
	"os"

	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// tooLarge says why a trial cannot fit into memory, "" if it may. What the runtime is not given ends the whole program.
func tooLarge(c *settings.Config, dim int) string {
	n := float64(c.Particles)
	values := 4 * n * float64(dim) // at least: particles, scores, velocity and a copy
	if c.Sampler.Sampler == "svgd" && c.Sampler.Bandwidth == 0 {
		values += n * n / 2 // distances of all pairs, for their median
	}
	need, have := 4*values, machineMemory()
	if need <= have {
		return ""
	}
	return fmt.Sprintf("%d particles in %d dimensions need at least %.3g GiB of memory, and there are %.3g",
		c.Particles, dim, need/(1<<30), have/(1<<30))
}

// machineMemory is the memory of this machine or its container, in bytes; infinite where the system does not tell.
func machineMemory() float64 {
	read := func(file, format string) float64 {
		n := math.Inf(1)
		b, _ := os.ReadFile(file)
		fmt.Sscanf(string(b), format, &n)
		return n
	}
	return min(1024*read("/proc/meminfo", "MemTotal: %f kB"), read("/sys/fs/cgroup/memory.max", "%f"))
}
