package dataset

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// parseIndices reads indices of rows, from 0: one a line (written as 7 or 7.0), or an array that PyTorch saved.
func parseIndices(path string, b []byte) ([]int, error) {
	if bytes.HasPrefix(b, []byte("PK")) {
		return parsePyTorch(path, b)
	}
	var out []int
	number := 0
	for text := range strings.Lines(string(bytes.TrimPrefix(b, []byte("\ufeff")))) {
		number++
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || v != float64(int(v)) {
			return nil, faultf("%s:%d: %q is not the index of a row", path, number, text)
		}
		out = append(out, int(v))
	}
	return out, nil
}

// checkIndices refuses an index outside 0..rows-1 or one that is there twice.
func checkIndices(path string, indices []int, rows int, seen []bool) error {
	for i, v := range indices {
		switch {
		case v < 0 || v >= rows:
			return faultf("%s: entry %d is %d: the table has rows 0 to %d", path, i+1, v, rows-1)
		case seen[v]:
			return faultf("%s: entry %d is %d, which is there before, here or in the other part of the split", path, i+1, v)
		}
		seen[v] = true
	}
	return nil
}

// setPermutation checks that p has each row once.
func (d *Data) setPermutation(path string, p []int) error {
	if len(p) != d.Rows {
		return faultf("%s: %d entries, but the table has %d rows", path, len(p), d.Rows)
	}
	d.Permutation = p
	return checkIndices(path, p, d.Rows, make([]bool, d.Rows))
}

// addSplit checks that no row is in both parts or twice in one. Rows may be left out.
func (d *Data) addSplit(trainPath, testPath string, train, test []int) error {
	if len(train) == 0 || len(test) == 0 {
		return faultf("%s, %s: a split needs a row in each part", trainPath, testPath)
	}
	seen := make([]bool, d.Rows)
	if err := checkIndices(trainPath, train, d.Rows, seen); err != nil {
		return err
	}
	if err := checkIndices(testPath, test, d.Rows, seen); err != nil {
		return err
	}
	d.Splits = append(d.Splits, Split{slices.Clip(train), slices.Clip(test)})
	return nil
}
