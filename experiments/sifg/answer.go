package main

import (
	"errors"

	"github.com/semi-implicit/sifg/experiments/gmm"
	megica "github.com/semi-implicit/sifg/experiments/meg-ica"
	monomialgamma "github.com/semi-implicit/sifg/experiments/monomial-gamma"
	"github.com/semi-implicit/sifg/experiments/theory"
	ucibnn "github.com/semi-implicit/sifg/experiments/uci-bnn"
	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/study"
)

// answer is the paper's question in one figure.
var answer = harness.Answer{
	Title: "What finds modes, what the network is worth, and how SIFG compares",
	Caption: "Left: what share of the sample the least covered mode of the 2-D mixture has after one total time, by " +
		"the step. Middle: the score that moves SIFG's particles on Concrete, in place of which a network may have " +
		"nothing to learn (blind); bars are 95 % intervals of the difference from the learned score. Right: SIFG " +
		"against the strongest rival of each problem; inside the grey band the difference is too small to count, and " +
		"a hollow mark decides nothing.",
	Draw: drawAnswer,
}

func drawAnswer(by map[string]map[string]*record.Set) (*figure.Figure, error) {
	steps := by["theory"]["paper"]
	if steps == nil {
		return nil, errors.New("theory has no results")
	}
	var scores []study.Verdict
	for _, c := range []struct {
		experiment string
		study.Comparing
	}{
		{"gmm", gmm.Verdict},
		{"monomial-gamma", monomialgamma.Verdict},
		{"meg-ica", megica.Verdict},
		{"uci-bnn", ucibnn.Verdict},
	} {
		scores = append(scores, c.Verdicts(by[c.experiment])...)
	}
	return &figure.Figure{Width: 24, Height: 10, Panels: []figure.Panel{
		theory.StepPanel(steps),
		ucibnn.ScorePanel(by["uci-bnn"]),
		study.StrongestPanel(scores, ucibnn.OneStart.Verdicts(by["uci-bnn"])),
	}}, nil
}
