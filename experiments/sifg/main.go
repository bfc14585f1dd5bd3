// Command sifg runs the experiments and reports what reproduced. See docs/command.md.
package main

import (
	"os"

	"github.com/semi-implicit/sifg/experiments/funnel"
	"github.com/semi-implicit/sifg/experiments/gmm"
	megica "github.com/semi-implicit/sifg/experiments/meg-ica"
	monomialgamma "github.com/semi-implicit/sifg/experiments/monomial-gamma"
	"github.com/semi-implicit/sifg/experiments/posteriors"
	"github.com/semi-implicit/sifg/experiments/svgd"
	"github.com/semi-implicit/sifg/experiments/theory"
	ucibnn "github.com/semi-implicit/sifg/experiments/uci-bnn"
	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/cli"
)

// experiments are those that the command has, in the order of the page.
var experiments = []*harness.Experiment{
	gmm.Experiment,
	monomialgamma.Experiment,
	ucibnn.Experiment,
	megica.Experiment,
	funnel.Experiment,
	theory.Experiment,
	posteriors.Experiment,
	svgd.Experiment,
}

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr, experiments...)) }
