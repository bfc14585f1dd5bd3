package settings

import (
	"reflect"
	"regexp"

	"github.com/semi-implicit/sifg/pkg/sifg"
)

// Docs says what each setting of a sampler is and what its 0 means, by key.
var Docs = map[string]string{
	"sampler": "a name that sifg list prints",
	"mover": "how particles move: euler (default), adam, rmsprop, adagrad; sgld, psgld and baoab have " +
		"their own",
	"step":           "particle step size h > 0, in time of the flow; 0: 0.01 (svgd 0.1, sgld 0.001)",
	"friction":       "baoab: friction γ > 0, a rate in the time of the flow; 0: 1",
	"divide_by_n":    "velocity divided by n, as the released toy baselines do; euler and adam heed it",
	"sigma":          "initial smoothing σ₀ > 0, in the unit of the coordinates; 0: 0.1",
	"sigma_rule":     "how σ adapts: kl-w (default), kl-eps, kl-mean, dsm-in, dsm-out, none",
	"sigma_rate":     "learning rate η̃ of σ; 0: 0.001",
	"sigma_min":      "lower bound of σ, heeded from the first adaptation on; 0: 0.001",
	"sigma_max":      "upper bound of σ, likewise; 0: none",
	"hidden":         "width of both hidden layers; 0: 32",
	"activation":     "of the network: tanh (default), leaky-relu",
	"inner":          "network steps an outer iteration; 0: 5",
	"warmup":         "network steps before the first iteration; 0: none",
	"optimizer":      "of the network: sgd, nesterov (default) or adam",
	"lr":             "learning rate of the network; 0: 0.001",
	"lr_decay_every": "network steps between decays; 0: never",
	"lr_decay":       "factor of one decay, in (0, 1]; for lr_decay_every, ignored without",
	"redraw":         "noise drawn anew at every network step",
	"independent":    "f and s evaluated at two further independent draws for the update",
	"probe":          "draws of Hutchinson's estimate: rademacher (default), gaussian",
	"p":              "initial exponent p of the Stein loss, above 1 and below 100; 0: 2",
	"p_rule":         "how p adapts: text, toy (default), ica, bnn, none",
	"p_rate":         "learning rate η̃ of p; 0: 5e-7",
	"p_start":        "p adapts in outer iterations whose index, from 0, exceeds this; -1: in all",
	"bandwidth":      "SVGD: kernel exp(−‖x−y‖²/(2·bandwidth)); 0: median heuristic",
}

var words = regexp.MustCompile(`[A-Za-z]+`)

// keyed is the text of an error of sifg.Config with the keys of settings in the place of the names of its fields.
func keyed(err error) string {
	return words.ReplaceAllStringFunc(err.Error(), func(word string) string {
		if f, ok := reflect.TypeFor[sifg.Config]().FieldByName(word); ok {
			return f.Tag.Get("mapstructure")
		}
		return word
	})
}
