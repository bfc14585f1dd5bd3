package claim

import (
	"math"
	"strings"
	"testing"
)

const header = "dataset,metric,method,mean,std,source,note\n"

func TestReadPublished(t *testing.T) {
	got, err := ReadPublished([]byte(header + "boston,test-rmse,svgd,2.944,0.03,Table 1,\npower,test-rmse,svgd,4.940,0.00,Table 1,\"a, b\"\n"))
	if err != nil || len(got) != 2 {
		t.Fatalf("%v, %v", got, err)
	}
	if p := got[0]; p.Problem != "boston" || p.Metric != "test-rmse" || p.Method != "svgd" || p.Mean != 2.944 || p.AtMost() != 0.03 || p.Source != "Table 1" {
		t.Errorf("first number: %+v", p)
	}
	if p := got[1]; p.SD != 0 || math.Abs(p.AtMost()-0.005) > 1e-15 || p.Note != "a, b" {
		t.Errorf("a spread printed as 0.00 is below 0.005: %+v", p)
	}
	for want, text := range map[string]string{
		"first line must be": "problem,metric,method,mean,std,source,note\n",
		"row 2":              header + "a,b,c,1,2,d,\na,b,e,1,x,d,\n",
		"twice":              header + "a,b,c,1,2,d,\na,b,c,1,2,d,\n",
		"below 0":            header + "a,b,c,1,-2,d,\n",
		"fields":             header + "a,b\n",
	} {
		if _, err := ReadPublished([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
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
	}{{Gap{Units: -2, Share: 1}, true}, {Gap{Units: 2.01, Share: 0.031}, false}, {Gap{Units: -9, Share: -0.03}, true}, {g, true}} {
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
