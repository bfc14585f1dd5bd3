package posteriors

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/cli"
)

// value is what a table says of a value: the mean, and the standard deviation.
type value struct {
	name     string
	mean, sd float64
}

const took = "Use these draws of NUTS. The chains: R-hat at most 1.0"

// wild are models as people have them, in testdata/wild, each built from a public report: the command, what is exported
// for it, the exit code, what is said, and values, of which the mean may be a seventh of a standard deviation off and
// the standard deviation a tenth: five standard errors and more of 1300 effective draws.
var wild = []struct {
	command, env string
	code         int
	says         []string
	values       []value
}{
	{"python 30-lkj_numpyro.py", "", 0, []string{took, // constants: a Cholesky factor, a correlation matrix
		"Left out, for they do not vary or are not finite: L[0,0], L[0,1], L[0,2], L[1,2], R[0,0], R[1,1], R[2,2].",
	}, nil},
	{"python 31-simplex_numpyro.py", "", 0, []string{took}, []value{{"p[0]", 13.0 / 25, math.Sqrt(13*12.0/26) / 25}}},
	{"python 32-discrete_numpyro.py", "", 2, []string{"discrete latent variables"}, nil},
	{"python 33-changepoint_pymc.py", "", 2, []string{"t: discrete, without a gradient"}, nil},
	{"python 34-prints_first.py", "", 2, []string{"what is for people goes to stderr"}, nil},
	{"python 35-mu_deterministic.py", "ROWS=100", 0, []string{took, "mu[99]"}, nil},
	{"python 36-large_offset.py", "", 0, []string{took}, []value{
		{"t0", 2459123.4567, 0.002}, {"period", 3.5247486, 4e-6},
	}},
	{"python 38-wall_jax.py", "", 0, []string{"the posterior has an edge there"}, []value{{"a", 0, 1}}},
	{"python 39-some_points_rejected.py", "", 0, []string{"with care", "the posterior has an edge there"},
		[]value{{"x[0]", -0.216, 0.829}}},
	{"python 40-separated_flat.py", "", 3, []string{"is its sign wrong, or the posterior improper"}, nil},
	{"python 42-captures.py python 45-gauss_nd.py 2", "", 3, []string{"conda run --no-capture-output"}, nil},
	{"python '43 my models/normal.py'", "", 0, []string{took}, []value{{"x[0]", 0, 1}}},
	{"python 44-stan_complex.py", "", 0, []string{took}, []value{
		{"z.real", 0, 1}, {"v[0].imag", 0, 1}, {"pair:1", 0, 1},
	}},
	{"python 45-gauss_nd.py 1", "", 0, []string{took}, []value{{"x[0]", 0, 1e-3}}},
	{"python 46-switching.py", "", 0, []string{"Do not use these draws: 2 modes were found"}, nil},
	{"python 47-float32_overflow.py", "", 0, []string{took}, []value{{"a", 2, 0.0125}, {"b", 0.01, 1.35e-5}}},
	{"python 48-two_modes.py", "", 0, []string{"Do not use these draws: 2 modes were found"}, nil},
	{"python 49-dual_moon.py", "", 0, []string{"Do not use these draws: 2 modes were found"}, nil},
	{"python 50-constant_value.py", "", 0, []string{took, "they do not vary or are not finite: L[0,1]."}, nil},
	{"python 52-stan_print.py", "", 0, []string{took}, nil},
	{"python 53-overflowing_value.py", "", 3, []string{"no value varies and is finite in all draws: ea"}, nil},
}

// TestWildPrograms: no model of these kinds gives a wrong result without a word.
func TestWildPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute of Python")
	}
	python, err := filepath.Abs("../../scripts/python")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(python, ".venv", "bin")+":"+os.Getenv("PATH"))
	t.Setenv("PYTHONPATH", python)
	t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
	t.Setenv("JAX_PLATFORMS", "cpu")
	if out, err := exec.Command("python", "-c", "import numpy, sifg, numpyro, pymc").CombinedOutput(); err != nil {
		t.Skipf("no Python with NumPyro and PyMC (scripts/python/venv.sh makes one): %s", bytes.TrimSpace(out))
	}
	t.Chdir(filepath.Join("testdata", "wild"))
	for _, c := range wild {
		t.Run(c.command, func(t *testing.T) {
			if name, text, exported := strings.Cut(c.env, "="); exported {
				t.Setenv(name, text)
			}
			args := []string{"run", "posteriors", "--scale", "smoke", "--results", t.TempDir(),
				"--program", c.command}
			var out bytes.Buffer
			if code := cli.Main(args, &out, &out, Experiment); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			for _, words := range c.says {
				if !strings.Contains(out.String(), words) {
					t.Errorf("it is not said: %s", words)
				}
			}
			for _, v := range c.values {
				row := regexp.MustCompile(`\| ` + regexp.QuoteMeta(v.name) + ` +\| +(\S+) \|[^|]+\| +(\S+) \|`)
				found := row.FindStringSubmatch(strings.ReplaceAll(out.String(), "−", "-"))
				if found == nil {
					t.Errorf("there is no value %s", v.name)
					continue
				}
				mean, _ := strconv.ParseFloat(found[1], 64)
				sd, _ := strconv.ParseFloat(found[2], 64)
				if math.Abs(mean-v.mean) > v.sd/7 || math.Abs(sd/v.sd-1) > 0.1 {
					t.Errorf("%s is %s ± %s, want %g ± %g", v.name, found[1], found[2], v.mean, v.sd)
				}
			}
			if t.Failed() {
				t.Log(out.String())
			}
		})
	}
}
