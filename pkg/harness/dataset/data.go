// Package dataset fetches, checks and reads the data sets that a manifest names.
package dataset

// Data is a data set, read. It must not be changed.
type Data struct {
	Name        string
	Columns     []string  // names; made up where the file has none
	Rows, Cols  int       //
	X           []float64 // Rows×Cols, all columns, the target among them
	Target      int       // its column; −1: none
	Permutation []int     // of the rows, where the authors published one
	Splits      []Split   // where the data set has published ones
}

// Split holds the rows of one division into training and test part.
type Split struct{ Train, Test []int }
