package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDoctor(t *testing.T) {
	x, dir := toy(), t.TempDir()
	code, out, sentence := call(t, dir, x, "doctor", "--json")
	want(t, "doctor", code, 0, sentence)
	var all []finding
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatal(err)
	}
	states := map[string]string{}
	for _, f := range all {
		states[f.What] += f.State + " "
		if f.Text == "" || f.State == bad {
			t.Errorf("%+v", f)
		}
	}
	for _, what := range []string{"program", "kernels", "cores", "memory", "open files", "limits", "results", "store", "data sets", "NumPy", "Slurm"} {
		if states[what] == "" {
			t.Errorf("it says nothing of %s: %s", what, out)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("it left %v (%v)", left, err)
	}

	// in the place of a folder a file; of the results alone
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	code, out, sentence = call(t, dir, x, "doctor", "--results", "file/results", "--store", "store")
	want(t, "a file in the way", code, exitUsage, sentence, "--results file/results", "no folder")
	if !strings.Contains(out, "bad   results") || strings.Contains(out, "bad   store") {
		t.Errorf("a file in the way: %s", out)
	}

	code, _, sentence = call(t, dir, x, "run")
	want(t, "run", code, 0, sentence)
	if err := os.MkdirAll(filepath.Join(dir, "results", "store", quarantine, "damaged"), 0o777); err != nil {
		t.Fatal(err)
	}
	code, out, sentence = call(t, dir, x, "doctor")
	want(t, "with a store", code, 0, sentence)
	if !strings.Contains(out, "trials: 9 toy") || !strings.Contains(out, "verify --repair moved aside") {
		t.Errorf("with a store: %s", out)
	}
}

func TestFileSystems(t *testing.T) {
	for magic, want := range map[uint32]string{0xef53: "ext4|", 0x6969: "nfs|--shard", 0x01021994: "tmpfs|gone", 0xabcd: "0xabcd|"} {
		name, remark := fileSystem(magic)
		a, b, _ := strings.Cut(want, "|")
		if !strings.Contains(name, a) || !strings.Contains(remark, b) || (b == "") != (remark == "") {
			t.Errorf("%#x: %s, %s", magic, name, remark)
		}
	}
}

func TestCompletion(t *testing.T) {
	x, dir := toy(), t.TempDir()
	x.Scores, x.Metrics = []string{"first"}, []string{"second"}
	code, _, sentence := call(t, dir, x, "run")
	want(t, "run", code, 0, sentence)
	keys, err := os.ReadDir(filepath.Join(dir, "results", "store", "toy"))
	if err != nil || len(keys) != 9 {
		t.Fatalf("%v, %d keys", err, len(keys))
	}
	key := keys[0].Name()
	for line, words := range map[string][]string{
		"run ":                        {"toy", "all"},
		"compare --against s":         {"svgd", "sgld", "sifg"},
		"compare --against res":       {"results/"},
		"compare --metric ":           {"first", "second", "all"},
		"run --protocol ":             {"paper", "released", "all"},
		"report --scale ":             {"full", "quick", "smoke"},
		"explain " + key[:6]:          {key},
		"run --trial " + key[:6]:      {key},
		"run --retry ":                {"failed", "none"},
		"comp":                        {"compare", "completion"},
		"run --fail":                  {"--fail-fast"},
		"verify ":                     nil,
		"status --results ":           nil,
		"compare toy --against publi": {"published"},
	} {
		args := append([]string{"__complete"}, strings.Split(line, " ")...)
		code, out, sentence := call(t, dir, x, args...)
		want(t, line, code, 0, sentence)
		var got []string
		for l := range strings.Lines(out) {
			if word, _, _ := strings.Cut(strings.TrimSpace(l), "\t"); !strings.HasPrefix(word, ":") {
				got = append(got, word)
			}
		}
		for _, w := range words {
			if !strings.Contains(" "+strings.Join(got, " ")+" ", " "+w+" ") {
				t.Errorf("%q completes to %v, which lacks %s", line, got, w)
			}
		}
		if words == nil && got != nil {
			t.Errorf("%q completes to %v", line, got)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		code, out, sentence := call(t, dir, x, "completion", shell)
		want(t, shell, code, 0, sentence)
		if !strings.Contains(out, "sifg") {
			t.Errorf("%s: %.100q", shell, out)
		}
	}
}
