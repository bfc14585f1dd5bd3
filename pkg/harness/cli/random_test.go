package cli

import (
	"bytes"
	"flag"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var damages = flag.Int("damages", 200, "how many files TestDamagedAtRandom damages")

// Files of a store, a report, its pages and a grid are damaged at random, one or several at a time. verify and
// report --check name each of them and nothing else, and what it did not name is as it was.
func TestDamagedAtRandom(t *testing.T) {
	dir := folder(t)
	for _, args := range [][]string{
		{"run", "--protocol", "all", "--results", dir},
		{"grid", "toy", "--axis", "step=[0.1,0.3]", "--select", "min first[0]", "--results", dir},
		{"report", "--results", dir},
	} {
		if code, said := quietly(args...); code != 0 {
			t.Fatalf("%v: exit code %d: %s", args, code, said)
		}
	}
	whole := files(t, dir, "")
	names := slices.Sorted(maps.Keys(whole))
	r := rand.New(rand.NewPCG(46, 2026))
	enough, done := *damages, 0
	if testing.Short() {
		enough /= 10
	}
	for done < enough && !t.Failed() {
		hit := map[string]string{}
		for range 1 + r.IntN(3)*r.IntN(2) {
			name := names[r.IntN(len(names))]
			if hit[name] == "" {
				hit[name] = spoil(t, r, filepath.Join(dir, name), whole[name], whole[names[r.IntN(len(names))]])
			}
		}
		done += len(hit)
		code, said := checked(dir)
		for name, how := range hit {
			// An index that is damaged stands for all files that it lists, and records for all that is made of them.
			known := func(index string) bool {
				below := strings.HasPrefix(name, filepath.Dir(index)+"/")
				lists := strings.HasSuffix(index, ".json") && below
				makes := strings.HasSuffix(index, ".parquet") && (below || strings.HasSuffix(name, ".html"))
				return (lists || makes) && strings.Contains(said, filepath.Join(dir, index))
			}
			named := strings.Contains(said, filepath.Join(dir, name))
			if !named && !slices.ContainsFunc(slices.Collect(maps.Keys(hit)), known) {
				t.Errorf("%s was %s, which verify does not name: %s", name, how, said)
			}
		}
		named := strings.Count(said, "\n"+dir) + strings.Count(said[:min(len(said), len(dir))], dir)
		if code != 5 || named > len(hit)+1 { // a file in the place of another may also be foreign
			t.Errorf("%v: exit code %d, %d files named: %s", hit, code, named, said)
		}
		for name := range hit {
			path := filepath.Join(dir, name)
			os.RemoveAll(path)
			must(0, os.WriteFile(path, []byte(whole[name]), 0o666))
		}
	}
	if code, said := checked(dir); code != 0 {
		t.Errorf("after all was restored: exit code %d: %s", code, said)
	}
	t.Logf("%d damages of %d files", done, len(names))
}

// checked reads a store and its report.
func checked(dir string) (code int, said string) {
	code, said = quietly("verify", "--results", dir)
	other, more := quietly("report", "--check", "--results", dir)
	return max(code, other), said + more
}

// spoil damages a file in some way and says which.
func spoil(t *testing.T, r *rand.Rand, path, text, other string) (how string) {
	b := []byte(text)
	ways := []string{"flipped", "cut", "made longer", "removed", "exchanged", "zeroed", "shifted", "linked"}
	switch how = ways[r.IntN(len(ways))]; {
	case how == "flipped":
		b[r.IntN(len(b))] ^= 1 << r.IntN(8)
	case how == "cut":
		b = b[:r.IntN(len(b))]
	case how == "made longer":
		b = append(b, other...)
	case how == "exchanged" && other != text:
		b = []byte(other)
	case how == "zeroed":
		from := r.IntN(len(b))
		b = append(bytes.Clone(b[:from]), make([]byte, len(b)-from)...)
	case how == "shifted":
		b = append([]byte{b[len(b)-1]}, b[:len(b)-1]...)
	case how == "linked":
		elsewhere := filepath.Join(t.TempDir(), "elsewhere")
		must(0, os.WriteFile(elsewhere, b, 0o666))
		os.Remove(path)
		must(0, os.Symlink(elsewhere, path))
		return how
	default:
		how = "removed"
		os.Remove(path)
		return how
	}
	if string(b) == text { // a last newline that was the first byte, say
		b = append(b, 'x')
	}
	must(0, os.WriteFile(path, b, 0o666))
	return how
}
