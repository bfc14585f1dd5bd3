package settings

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// mostSeeds bounds a range: more cannot be computed.
const mostSeeds = 1_000_000

// Seeds reads seeds as a person writes them: 7, 1..20 or 1-20, with commas between.
func Seeds(text string) (out []uint64, err error) {
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(strings.Replace(strings.TrimSpace(part), "-", "..", 1), "..")
		if !isRange {
			high = low
		}
		a, err1 := strconv.ParseUint(low, 10, 64)
		b, err2 := strconv.ParseUint(high, 10, 64)
		if err1 != nil || err2 != nil || b < a || b-a >= mostSeeds {
			return nil, usage.Errorf("the seeds %q: want whole numbers, zero or more, as in 1,2,5..20", text)
		}
		for i := range b - a + 1 {
			out = append(out, a+i)
		}
	}
	return out, nil
}

// ranges reads the seeds of a text, or of a list of numbers and texts, by Seeds.
func ranges(_, to reflect.Type, v any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	if to != reflect.TypeFor[[]uint64]() {
		return v, nil
	}
	var out []uint64
	for _, x := range list {
		seeds, err := Seeds(fmt.Sprint(x))
		if err != nil {
			return nil, err
		}
		out = append(out, seeds...)
	}
	return out, nil
}
