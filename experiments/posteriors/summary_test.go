package posteriors

import (
	"testing"

	"github.com/semi-implicit/sifg/experiments/posteriors/posteriordb"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/diagnose"
)

// TestSummaryOfReference: of a thousand reference draws of the twelve posteriors, in the coordinates of the Laplace
// approximation, nothing looks wrong, with the exceptions below.
func TestSummaryOfReference(t *testing.T) {
	if testing.Short() {
		t.Skip("twelve posteriors: two seconds")
	}
	data := fromPosteriordb(t)
	var alarms []string
	for _, row := range posteriordb.Table {
		tr, err := truthOf(data, row)
		if err != nil {
			t.Fatal(err)
		}
		d := tr.posterior.Dim()
		u, c := make([]float64, d), &sifg.Cloud{Z: sifg.NewBatch(1000, d), Target: newLocal(tr.posterior, tr.laplace)}
		for i := range 1000 {
			tr.u(u, i*tr.draws.N/1000)
			for j, v := range tr.laplace.Back(u) {
				c.Z.Data[i*d+j] = float32(v)
			}
		}
		if s := diagnose.Summarize(c); len(s.Warnings) > 0 {
			alarms = append(alarms, row.Name)
			t.Logf("%s: %q", row.Name, s.Warnings)
		}
	}
	if len(alarms) > 0 {
		t.Errorf("false alarms on %v", alarms)
	}
}
