package judge_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/judge"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// Two modes that chains do not pass between: the draws are not to be taken as they are, and are weighed.
func Example() {
	post := target.NewFunc(2, func(x []float64) float64 {
		return math.Log(0.7*math.Exp(-2*(x[0]+4)*(x[0]+4))+0.3*math.Exp(-2*(x[0]-4)*(x[0]-4))+1e-300) - x[1]*x[1]/2
	}, func(dst, x []float64) {
		side := math.Tanh(16*x[0] - math.Log(0.7/0.3)/2)
		dst[0], dst[1] = -4*(x[0]-4*side), -x[1]
	})
	r, err := judge.Run(context.Background(), post, hmc.Options{Names: []string{"a", "b"}, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Trusted(), r.Passes, len(r.Weights))
	fmt.Printf("%.1f and %.1f of the mass\n", r.Share[0], r.Share[1])
	// Output:
	// false 0 8000
	// 0.7 and 0.3 of the mass
}
