package posteriordb

import (
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
)

// BenchmarkChains reports the least bulk effective draws a thousand gradients, warm-up included, and a second, of four
// chains of 1000 draws by the No-U-Turn sampler and by adjusted microcanonical dynamics.
func BenchmarkChains(b *testing.B) {
	for _, e := range Table {
		for _, kind := range []string{"NUTS", "microcanonical"} {
			b.Run(e.Name+"/"+kind, func(b *testing.B) {
				var effective, gradients, seconds float64
				for i := range b.N {
					p := load(b, e)
					config := hmc.Config{Warmup: 1000, Microcanonical: kind != "NUTS"}
					start := time.Now()
					r, err := hmc.Sample(b.Context(), p, hmc.Options{Config: config, Seed: uint64(i)})
					if err != nil {
						b.Fatal(err)
					}
					least := r.Summary.Coordinates[0].BulkESS
					for _, c := range r.Summary.Coordinates {
						least = min(least, c.BulkESS)
					}
					seconds += time.Since(start).Seconds()
					effective, gradients = effective+least, gradients+float64(r.Gradients)
				}
				b.ReportMetric(1000*effective/gradients, "ess/kgrad")
				b.ReportMetric(effective/seconds, "ess/s")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
