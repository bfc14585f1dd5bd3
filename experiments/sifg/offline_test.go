package main

import (
	"bytes"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/cli"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// unreachable is a network that has no address. It counts who tries.
type unreachable struct{ tried int }

func (u *unreachable) RoundTrip(*http.Request) (*http.Response, error) {
	u.tried++
	return nil, &net.OpError{Op: "dial", Err: errors.New("not allowed")}
}

// isolated makes an empty folder without network, mirror and cache the current one.
func isolated(t *testing.T) *unreachable {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("SIFG_DATASETS_MIRROR", "")
	u, old := &unreachable{}, http.DefaultTransport
	http.DefaultTransport = u
	t.Cleanup(func() { http.DefaultTransport = old })
	return u
}

// TestTable1Offline: without network, mirror and cache every data set of Table 1 is read, and its plan runs under every
// protocol.
func TestTable1Offline(t *testing.T) {
	long(t, "runs the trials of Table 1")
	network := isolated(t)
	data := must(dataset.Open(dataset.Options{}))
	for _, scale := range settings.Scales {
		p := must(plan.New(plan.Request{
			Experiments: experiments[2:3], Protocols: []string{plan.All}, Scale: scale, Data: data,
		}))
		for _, trial := range p.Trials {
			if _, err := trial.Data(); err != nil {
				t.Fatalf("%s: %v", trial.Name(), err)
			}
		}
	}
	out := command(t, "run", "uci-bnn", "--protocol", "paper,released,tuned", "--scale", "smoke",
		"--methods", "svgd", "--seeds", "1")
	if !strings.Contains(out, "18 trials: 0 already there, 18 computed") || network.tried > 0 {
		t.Errorf("%d addresses were tried; the run said\n%s", network.tried, out)
	}
}

// TestAbsentData: what is not here is said where a run begins and where it ends, and the rest has its report.
func TestAbsentData(t *testing.T) {
	long(t, "runs every experiment whose data are here")
	network := isolated(t)
	var out, errs bytes.Buffer
	args := []string{"run", "all", "--scale", "smoke", "--methods", "svgd", "--seeds", "1"}
	code := cli.Main(args, &out, &errs, experiments...)
	lines := strings.Split(strings.TrimSpace(errs.String()), "\n")
	if code != 75 || network.tried != 0 || strings.Count(errs.String(), "left out because data") != 1 {
		t.Errorf("exit code %d, %d requests; %s", code, network.tried, errs.String())
	}
	const why = "are left out, because the data set meg is not here: sifg data fetch gets it"
	if last := lines[len(lines)-1]; !strings.Contains(last, why) {
		t.Errorf("the last line is %q", last)
	}
	if !strings.Contains(out.String(), "page: ") {
		t.Errorf("no report: %s", out.String())
	}

	// The command that gets it says what to do where there is no network.
	errs.Reset()
	code = cli.Main([]string{"data", "fetch", "meg"}, &out, &errs, experiments...)
	const mirror = "; without a network, SIFG_DATASETS_MIRROR names a folder that has the files\n"
	said := errs.String()
	if code != 75 || !strings.HasPrefix(said, "sifg: data set meg: ") || !strings.HasSuffix(said, mirror) {
		t.Errorf("exit code %d of data fetch: %s", code, said)
	}
}
