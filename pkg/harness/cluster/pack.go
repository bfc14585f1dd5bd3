package cluster

import (
	"cmp"
	"container/heap"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
)

// Pack spreads trials over n shards of similar cost and returns their indices: the longest first, each into the shard
// that has least so far (longest-processing-time rule: no shard costs more than 4/3 − 1/(3n) of what the best split
// could do, Graham 1969). The same costs and n give the same shards everywhere, so that a shard's number says it all.
func Pack(seconds []float64, n int) [][]int {
	order := make([]int, len(seconds))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(seconds[b], seconds[a]) })
	shards := make([][]int, n)
	loads := make(loads, n)
	for i := range loads {
		loads[i] = load{shard: i}
	}
	for _, i := range order {
		l := &loads[0]
		shards[l.shard] = append(shards[l.shard], i)
		l.seconds, l.trials = l.seconds+seconds[i], l.trials+1
		heap.Fix(&loads, 0)
	}
	return shards
}

// load is what a shard has so far.
type load struct {
	seconds       float64
	trials, shard int
}

// loads is a heap: least seconds first, then fewest trials, then lowest number.
type loads []load

func (l loads) Len() int      { return len(l) }
func (l loads) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l loads) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(l[i].seconds, l[j].seconds), cmp.Compare(l[i].trials, l[j].trials), cmp.Compare(l[i].shard, l[j].shard)) < 0
}
func (l *loads) Push(any) {}
func (l *loads) Pop() any { return nil }

// Shards returns how many shards of about this much computing a plan makes, not more than limit.
func Shards(seconds []float64, each time.Duration, jobs, limit int) int {
	sum := 0.0
	for _, s := range seconds {
		sum += s
	}
	n := math.Ceil(sum / (each.Seconds() * float64(max(1, jobs))))
	return int(min(max(1, n), float64(limit), float64(max(1, len(seconds)))))
}

// Longest returns the seconds that the longest shard takes with this many trials at once.
func Longest(shards [][]int, seconds []float64, jobs int) float64 {
	longest := 0.0
	for _, shard := range shards {
		sum, most := 0.0, 0.0
		for _, i := range shard {
			sum, most = sum+seconds[i], max(most, seconds[i])
		}
		longest = max(longest, sum/float64(max(1, jobs)), most)
	}
	return longest
}

// indexVariables are the variables from which a worker may take its shard's number, in order.
var indexVariables = []string{"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"}

// mostShards bounds what a slip of the pen allocates; no scheduler has arrays as large.
const mostShards = 1 << 24

// ParseShard reads "i/n", shard i of n counted from 0, or "auto/n", where the scheduler says which.
func ParseShard(s string) (i, n int, err error) {
	bad := func(why string) (int, int, error) {
		return 0, 0, harness.Usagef("--shard %s: %s; want i/n, shard i of n counted from 0, or auto/n, where Slurm or Kubernetes says which", s, why)
	}
	which, of, ok := strings.Cut(s, "/")
	if n, err = strconv.Atoi(of); !ok || err != nil || n < 1 {
		return bad("the number of shards is missing")
	}
	if which == "auto" {
		which = ""
		for _, name := range indexVariables {
			if which = os.Getenv(name); which != "" {
				break
			}
		}
		if which == "" {
			return bad("neither " + strings.Join(indexVariables, " nor ") + " is set")
		}
	}
	if n > mostShards {
		return bad(fmt.Sprintf("there are at most %d shards", mostShards))
	}
	if i, err = strconv.Atoi(which); err != nil {
		return bad(fmt.Sprintf("%q is no number", which))
	}
	if i < 0 || i >= n {
		return bad(fmt.Sprintf("there is no shard %d of %d", i, n))
	}
	return i, n, nil
}

// Indices writes numbers as Slurm does: 0-3,7,9-10.
func Indices(numbers []int) string {
	sorted := slices.Compact(slices.Sorted(slices.Values(numbers)))
	var out []string
	for i := 0; i < len(sorted); {
		j := i
		for j+1 < len(sorted) && sorted[j+1] == sorted[j]+1 {
			j++
		}
		if j == i {
			out = append(out, strconv.Itoa(sorted[i]))
		} else {
			out = append(out, fmt.Sprintf("%d-%d", sorted[i], sorted[j]))
		}
		i = j + 1
	}
	return strings.Join(out, ",")
}

// expand reads what Slurm writes for tasks of an array: 0-3,7,9-15:2%4, also in brackets. What stands behind % is how many
// may run at once.
func expand(s string) ([]int, error) {
	list, _, _ := strings.Cut(strings.Trim(s, "[]"), "%")
	var out []int
	for part := range strings.SplitSeq(list, ",") {
		span, by, stepped := strings.Cut(part, ":")
		from, to, ranged := strings.Cut(span, "-")
		if !ranged {
			to = from
		}
		a, err1 := strconv.Atoi(from)
		b, err2 := strconv.Atoi(to)
		step, err3 := 1, error(nil)
		if stepped {
			step, err3 = strconv.Atoi(by)
		}
		if err1 != nil || err2 != nil || err3 != nil || a < 0 || b < a || step < 1 || b-a > 1<<24 {
			return nil, fmt.Errorf("%q is no list of array tasks", s)
		}
		for i := a; i <= b; i += step {
			out = append(out, i)
		}
	}
	return out, nil
}
