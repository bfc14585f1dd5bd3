package claim

import (
	"math"
	"slices"
	"strings"
	"testing"
)

const header = "dataset,metric,method,mean,std,source,note\n"

func TestReadPublished(t *testing.T) {
	got, err := ReadPublished("file.csv", []byte(header+"boston,test-rmse,svgd,2.944,0.03,Table 1,\n"+
		"power,test-rmse,svgd,4.940,0.00,Table 1,\"a copying error, b\"\n"))
	want := []Published{{"boston", "test-rmse", "svgd", 2.944, 0.03, 0.01, "Table 1", "2.944 ± 0.03", "", false},
		{"power", "test-rmse", "svgd", 4.94, 0, 0.01, "Table 1", "4.940 ± 0.00",
			"a copying error, b", true}}
	if err != nil || !slices.Equal(got, want) || got[1].AtMost() != 0.005 { // a spread printed as 0.00 is below 0.005
		t.Errorf("%+v, want %+v: %v", got, want, err)
	}
	for want, text := range map[string]string{
		"file.csv, row 2: want a mean":         header + "a,b,c,1,2,d,\na,b,e,1,x,d,\n",
		"file.csv, row 1: want a mean":         header + "a,b,c,NaN,2,d,\n",
		"row 2: b of c on a is there twice":    header + "a,b,c,1,2,d,\na,b,c,3,2,d,\n",
		"fields":                               header + "a,b\n",
		"file.csv: want the columns dataset,m": "problem,metric,method,mean,std,source,note\na,b,c,1,2,d,\n",
	} {
		if _, err := ReadPublished("file.csv", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestGap: 2.1, 2.5 and 2.9 have mean 2.5 and SD 0.4, so with a printed SD of 0.3 the standard error of the difference
// is √(0.25/3) = 0.289: 0.5 is 1.73 of them.
func TestGap(t *testing.T) {
	p := Published{Mean: 2, SD: 0.3, Place: 0.1}
	if g := p.Gap([]float64{2.1, 2.5, 2.9}); math.Abs(g.Difference-0.5) > 1e-12 ||
		math.Abs(g.Error-math.Sqrt(0.25/3)) > 1e-12 || !g.Agrees() || g.Far() {
		t.Errorf("gap %+v", g)
	}
	for _, c := range []struct {
		difference  float64
		agrees, far bool
	}{{2, true, false}, {-2.01, true, true}, {3.3, true, true}, {-3.31, false, false}} {
		if g := (Gap{c.difference, 1}); g.Agrees() != c.agrees || g.Far() != c.far {
			t.Errorf("%g standard errors apart: agrees %v, far %v", c.difference, g.Agrees(), g.Far())
		}
	}
	if one := p.Gap([]float64{1.4}); math.Abs(one.Error-0.3*math.Sqrt2) > 1e-12 {
		t.Errorf("one value: %+v, want the published spread for both", one)
	}
	if none := p.Gap(nil); none.Agrees() {
		t.Error("no values are within something")
	}
}
