package target

// means2D and means10D are the means that the released scripts draw from 2·N(0, I) under a fixed seed.
var (
	means2D = [][]float64{
		{1.3227043, 0.5338482},
		{0.1233545, 1.2426347},
		{-0.9038119, -0.3322605},
		{-3.0455370, 0.7633678},
		{-2.0552173, -1.1261055},
	}
	means10D = [][]float64{
		{-3.051192, -1.500464, -1.307962, -3.218970, -0.200334, -1.218378, -1.959545, -3.218193, -1.424289, 0.607444},
		{-1.554629, -0.502910, -0.444541, 3.374227, 0.456850, 0.935271, -1.393945, -2.321523, 1.399085, 0.398163},
		{1.731385, 0.488808, -1.325823, 1.614617, 2.203361, -0.351872, -4.491116, -2.892916, 0.122311, -1.235489},
		{-1.596140, -0.263246, 3.758692, -0.144264, 0.132561, -0.874080, 1.525201, 0.883022, 2.330277, 4.030784},
		{0.430365, -1.048387, -0.372002, -1.289279, 3.078492, -1.739175, -6.662307, -1.495744, 2.234699, 0.596271},
	}
)

// GMM2D returns the five-component mixture in two dimensions of the paper's Figures 1 and 2: equal weights, standard
// deviations 0.1 … 0.5, and the means of the released scripts.
func GMM2D() *Mixture { return toyMixture(means2D, 1) }

// GMM10D returns the five-component mixture in ten dimensions of the paper's Figure 3 (left), as GMM2D.
func GMM10D() *Mixture { return toyMixture(means10D, 1) }

// toyMixture has the means times scale, standard deviations 0.1, 0.2, … and equal weights. Half the means are a draw
// from N(0, I), which the paper's appendix says, by the seed of the scripts.
func toyMixture(means [][]float64, scale float64) *Mixture {
	scaled := make([][]float64, len(means))
	for k, mean := range means {
		for _, v := range mean {
			scaled[k] = append(scaled[k], scale*v)
		}
	}
	return must(NewMixture([]float64{0.2, 0.2, 0.2, 0.2, 0.2}, scaled, []float64{0.1, 0.2, 0.3, 0.4, 0.5}))
}
