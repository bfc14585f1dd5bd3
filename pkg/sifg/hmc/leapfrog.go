package hmc

// leapfrog moves (y, p) by n steps and returns U(y). g = ∇U(y) before and after. Kicks that meet are made as one.
func leapfrog(d Density, y, p, g, inverse []float64, step float64, n int) (energy float64) {
	kick(p, g, step/2)
	for i := range n {
		for k, m := range inverse {
			y[k] += float64(step * m * p[k])
		}
		energy = d.Grad(g, y)
		if i < n-1 {
			kick(p, g, step)
		}
	}
	kick(p, g, step/2)
	return energy
}

func kick(p, g []float64, step float64) {
	for k, v := range g {
		p[k] -= float64(step * v)
	}
}
