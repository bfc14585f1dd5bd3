package sifg

// Config names a sampler and holds the settings of its three parts; a setting that the sampler does not have is refused
// by New if it is not zero. The zero value of a field means the default said in its comment.
type Config struct {
	Sampler string `mapstructure:"sampler" json:"sampler"` // sifg, ada-sifg, l2-gf, ada-gwg, svgd, sgld, kde-flow

	// Mover.
	Mover     string  `mapstructure:"mover" json:"mover,omitempty"`             // euler (default), adam, rmsprop, adagrad; of sgld langevin and no other
	Step      float64 `mapstructure:"step" json:"step,omitempty"`               // particle step size h > 0; 0: 0.01 (svgd 0.1, sgld 0.001)
	DivideByN bool    `mapstructure:"divide_by_n" json:"divide_by_n,omitempty"` // velocity divided by n, as the released toy baselines do; euler and adam heed it

	// Noise.
	Sigma     float64 `mapstructure:"sigma" json:"sigma,omitempty"`           // initial smoothing σ₀ > 0; 0: 0.1
	SigmaRule string  `mapstructure:"sigma_rule" json:"sigma_rule,omitempty"` // kl-w (default), kl-eps, kl-mean, dsm-in, dsm-out, none
	SigmaRate float64 `mapstructure:"sigma_rate" json:"sigma_rate,omitempty"` // learning rate η̃ of σ; 0: 0.001
	SigmaMin  float64 `mapstructure:"sigma_min" json:"sigma_min,omitempty"`   // lower bound, heeded from the first adaptation on; 0: 0.001
	SigmaMax  float64 `mapstructure:"sigma_max" json:"sigma_max,omitempty"`   // upper bound, likewise; 0: none

	// Field: score network and its training.
	Hidden       int     `mapstructure:"hidden" json:"hidden,omitempty"`                 // width of both hidden layers; 0: 32
	Activation   string  `mapstructure:"activation" json:"activation,omitempty"`         // tanh (default), leaky-relu
	Inner        int     `mapstructure:"inner" json:"inner,omitempty"`                   // network steps an outer iteration; 0: 5
	Warmup       int     `mapstructure:"warmup" json:"warmup,omitempty"`                 // network steps before the first move; 0: none
	Optimizer    string  `mapstructure:"optimizer" json:"optimizer,omitempty"`           // sgd, momentum, nesterov (default), adam, rmsprop
	LR           float64 `mapstructure:"lr" json:"lr,omitempty"`                         // learning rate of the network; 0: 0.001
	LRDecayEvery int     `mapstructure:"lr_decay_every" json:"lr_decay_every,omitempty"` // network steps between decays; 0: never
	LRDecay      float64 `mapstructure:"lr_decay" json:"lr_decay,omitempty"`             // factor of one decay, in (0, 1]; for lr_decay_every, ignored without
	Redraw       bool    `mapstructure:"redraw" json:"redraw,omitempty"`                 // noise drawn anew at every network step
	Independent  bool    `mapstructure:"independent" json:"independent,omitempty"`       // f and s judged at two further independent draws for the move
	Probe        string  `mapstructure:"probe" json:"probe,omitempty"`                   // rademacher (default), gaussian
	P            float64 `mapstructure:"p" json:"p,omitempty"`                           // initial exponent p of the Stein loss, above 1 and below 100; 0: 2
	PRule        string  `mapstructure:"p_rule" json:"p_rule,omitempty"`                 // toy (default), ica, bnn, none
	PRate        float64 `mapstructure:"p_rate" json:"p_rate,omitempty"`                 // learning rate η̃ of p; 0: 5e-7
	PStart       int     `mapstructure:"p_start" json:"p_start,omitempty"`               // p adapts in outer iterations after this one
	Bandwidth    float64 `mapstructure:"bandwidth" json:"bandwidth,omitempty"`           // SVGD: kernel exp(−‖x−y‖²/(2·bandwidth)); 0: median heuristic
}
