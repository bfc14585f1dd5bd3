package record

// Bench is one row of bench.parquet: one measured speed. NaN stands for what a row does not have.
type Bench struct {
	Group, Name, Shape, Path          string
	Threads                           int
	Value                             float64 // median over repeats
	Unit                              string
	Lo, Hi                            float64 // smallest and largest over repeats
	PercentOfPeak, Ratio, ULP, Allocs float64
	Target, Met                       string
	CPU, Commit, Started              string // the machine, the program, RFC 3339 in UTC
}

// docs/performance.md documents each.
var benchColumns = []column[Bench]{
	{name: "group", text: func(r *Bench) *string { return &r.Group }},
	{name: "name", plain: true, text: func(r *Bench) *string { return &r.Name }},
	{name: "shape", text: func(r *Bench) *string { return &r.Shape }},
	{name: "path", text: func(r *Bench) *string { return &r.Path }},
	{name: "threads", count: func(r *Bench) *int { return &r.Threads }},
	{name: "value", value: func(r *Bench) *float64 { return &r.Value }},
	{name: "unit", text: func(r *Bench) *string { return &r.Unit }},
	{name: "lo", value: func(r *Bench) *float64 { return &r.Lo }},
	{name: "hi", value: func(r *Bench) *float64 { return &r.Hi }},
	{name: "percent_of_peak", value: func(r *Bench) *float64 { return &r.PercentOfPeak }},
	{name: "ratio", value: func(r *Bench) *float64 { return &r.Ratio }},
	{name: "ulp", value: func(r *Bench) *float64 { return &r.ULP }},
	{name: "allocations", value: func(r *Bench) *float64 { return &r.Allocs }},
	{name: "target", text: func(r *Bench) *string { return &r.Target }},
	{name: "met", text: func(r *Bench) *string { return &r.Met }},
	{name: "cpu", text: func(r *Bench) *string { return &r.CPU }},
	{name: "commit", text: func(r *Bench) *string { return &r.Commit }},
	{name: "started", text: func(r *Bench) *string { return &r.Started }},
}

// WriteBench writes bench.parquet as WriteTrials does trials.parquet.
func WriteBench(path string, rows []Bench) error {
	return write(path, "bench", benchColumns, rows)
}

// ReadBench reads bench.parquet as ReadTrials does trials.parquet.
func ReadBench(path, wantSHA256 string) ([]Bench, error) {
	return read(path, wantSHA256, "bench", benchColumns)
}
