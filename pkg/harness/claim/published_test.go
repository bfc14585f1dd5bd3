package claim

import (
	"math"
	"slices"
	"strings"
	"testing"
)

const header = "dataset,metric,method,mean,std,source,note\n"

func TestReadPublished(t *testing.T) {
	got, err := ReadPublished("file.csv", []byte("\ufeffdataset, note,exclude,method ,metric,mean,std,se,n\r\n"+
		"boston, is a copying error? no,,svgd,test-rmse, 2.944,0.03,,20\npower,a,yes, svgd,cover[3],4.940,,0.00 ,\n"))
	want := []Published{
		{Problem: "boston", Metric: "test-rmse", Method: "svgd", Mean: 2.944, SD: 0.03, N: 20, Place: 0.01,
			Text: "2.944 ± 0.03", Note: "is a copying error? no"},
		{Problem: "power", Metric: "cover[3]", Method: "svgd", Mean: 4.94, IsSE: true, Place: 0.01,
			Text: "4.940 ± 0.00 SE", Note: "a", Excluded: true},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v: %v", got, want, err)
	}
	for text, want := range map[string]string{
		header + "a,b,c,1,2,d,\na,b,e,1,x,d,\n":     `file.csv, row "a,b,e,1,x,d,": want a mean and a`,
		header + "a,b,c,NaN,2,d,\n":                 `found "NaN" and "2"`,
		header + "a,b,c,2.9 ± 0.1,,d,\n":            `found "2.9 ± 0.1" and ""`,
		header + "a,b,c,-,-,d,\n":                   `"a,b,c,-,-,d,": want a mean`,
		header + "a,b,c,0x1p1,1,d,\n":               `found "0x1p1" and "1"`,
		header + "a,b,c,1,-0.00,d,\n":               `and "-0.00"`,
		header + "a,b,c,1e200,1,d,\n":               `found "1e200"`,
		header + "a,b,c,1,0e-9999999999999999,d,\n": `and "0e-9999999999999999"`,
		header + "a,b,c,1,2,d,\na,b,c,3,2,d,\n":     `b of c on a is there twice`,
		header + "\na,b\n":                          `line 3: wrong number of fields`,
		header + "a,\"b\n":                          `line 2`,
		header:                                      `want a first line`,
		"":                                          `want a first line`,

		"dataset;metric;method;mean;std\na;b;c;1;2\n":                  `found ["dataset;metric;method;mean;std"]`,
		"problem,metric,method,mean,std\na,b,c,1,2\n":                  `want a first line with dataset`,
		"dataset,metric,method,mean,mean\na,b,c,1,2\n":                 `"mean" "mean"]`,
		"dataset,metric,method,std\na,b,c,1\n":                         `want a first line`,
		"dataset,metric,method,mean,note\na,b,c,1,2\n":                 `want a first line`,
		"dataset,metric,method,mean,std,se\na,b,c,1,2,3\n":             `want a mean and a standard`,
		"dataset,metric,method,mean,std,n\na,b,c,1,2,0\n":              `the mean is of, found "0"`,
		"dataset,metric,method,mean,std,exclude\na,b,c,1,2,doubtful\n": `exclude is yes or empty, found "doubtful"`,
	} {
		if _, err := ReadPublished("file.csv", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestAtMost: what is printed as zero counts as half a unit of its last digit, a bare 0 as half one of the mean's.
func TestAtMost(t *testing.T) {
	for text, want := range map[string]float64{
		"4.940,0.00": 0.005, "6.2,0.0": 0.05, "6.2,0": 0.05, "2.917,0": 0.0005, "6,0": 0.5, "620,0e1": 0.5,
		"2.9,0e-9": 5e-10, "2.9,4e-2": 0.04,
	} {
		got, err := ReadPublished("", []byte("dataset,metric,method,mean,std\na,b,c,"+text+"\n"))
		if err != nil || math.Abs(got[0].AtMost()-want) > 1e-12*want {
			t.Errorf("%s: %+v, want %g: %v", text, got, want, err)
		}
	}
}

// TestGap: 2.1, 2.5 and 2.9 have mean 2.5 and SD 0.4, so with a printed SD of 0.3 the standard error of the difference
// is √(0.25/3) = 0.289: 0.5 is 1.73 of them.
func TestGap(t *testing.T) {
	p := Published{Mean: 2, SD: 0.3, Place: 0.1}
	if d, se := p.Gap([]float64{2.1, 2.5, 2.9}); math.Abs(d-0.5) > 1e-12 || math.Abs(se-math.Sqrt(0.25/3)) > 1e-12 {
		t.Errorf("difference %g, error %g", d, se)
	}
	if _, one := p.Gap([]float64{1.4}); math.Abs(one-0.3*math.Sqrt2) > 1e-12 {
		t.Errorf("one value: %g, want the published spread for both", one)
	}
	// 20 printed trials: √(0.16/3 + 0.09/20); an error of 0.3 stands for itself: √(0.16/3 + 0.09)
	for want, p := range map[float64]Published{
		math.Sqrt(0.16/3 + 0.09/20): {Mean: 2, SD: 0.3, N: 20},
		math.Sqrt(0.16/3 + 0.09):    {Mean: 2, SD: 0.3, IsSE: true},
	} {
		if _, se := p.Gap([]float64{2.1, 2.5, 2.9}); math.Abs(se-want) > 1e-12 {
			t.Errorf("%+v: error %g, want %g", p, se, want)
		}
	}
	if d, se := p.Gap(nil); d <= se {
		t.Error("no values are within something")
	}
}
