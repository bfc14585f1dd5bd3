package claim

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

const header = "dataset,metric,method,mean,std,source,note\n"

func TestReadPublished(t *testing.T) {
	got := ReadPublished(
		[]byte(
			header + "boston,test-rmse,svgd,2.944,0.03,Table 1,\npower,test-rmse,svgd,4.940,0.00,Table 1,\"a, b\"\n",
		),
	)
	want := []Published{{"boston", "test-rmse", "svgd", 2.944, 0.03, 0.01, "Table 1", "2.944 ± 0.03", ""},
		{"power", "test-rmse", "svgd", 4.94, 0, 0.01, "Table 1", "4.940 ± 0.00", "a, b"}}
	if !slices.Equal(got, want) || got[1].AtMost() != 0.005 { // a spread printed as 0.00 is below 0.005
		t.Errorf("%+v, want %+v", got, want)
	}
	for want, text := range map[string]string{
		"row 2":  header + "a,b,c,1,2,d,\na,b,e,1,x,d,\n",
		"fields": header + "a,b\n",
	} {
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.Contains(said, want) {
					t.Errorf("%q: %s, want %q", text, said, want)
				}
			}()
			ReadPublished([]byte(text))
		}()
	}
}

func TestGap(t *testing.T) {
	p := Published{Mean: 2, SD: 0.3, Place: 0.1}
	g := p.Gap([]float64{2.1, 2.5, 2.9}) // mean 2.5, SD 0.4, pooled √((0.16+0.09)/2)
	pooled := math.Sqrt(0.125)
	if math.Abs(g.Difference-0.5) > 1e-12 || math.Abs(g.Share-0.25) > 1e-12 || math.Abs(g.Units-0.5/pooled) > 1e-12 {
		t.Errorf("gap %+v", g)
	}
	for _, c := range []struct {
		g    Gap
		want bool
	}{
		{Gap{Units: -2, Share: 1}, true},
		{Gap{Units: 2.01, Share: 0.031}, false},
		{Gap{Units: -9, Share: -0.03}, true},
		{g, true},
	} {
		if c.g.Agrees() != c.want {
			t.Errorf("%+v agrees: %v", c.g, !c.want)
		}
	}
	if one := p.Gap([]float64{1.4}); math.Abs(one.Units+2) > 1e-12 {
		t.Errorf("one value: %+v, want −2 of the published spreads", one)
	}
	if none := p.Gap(nil); none.Agrees() {
		t.Error("no values are within something")
	}
}
