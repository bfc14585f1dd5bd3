package cluster_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// validate compares YAML with the schema of batch/v1 Job, in which unknown keys are errors.
func validate(t *testing.T, text string) error {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "job.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("job.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("job.json")
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if b, err = json.Marshal(v); err != nil {
		t.Fatal(err)
	}
	if v, err = jsonschema.UnmarshalJSON(bytes.NewReader(b)); err != nil {
		t.Fatal(err)
	}
	return schema.Validate(v)
}

func TestKubernetes(t *testing.T) {
	p := at(t, os.Environ())
	args := append([]string{"submit", "kubernetes"}, smoke...)
	for _, more := range [][]string{{"--shards", "6", "--dry-run"},
		{"--shards", "6", "--dry-run", "--cpus", "4", "--mem", "8Gi", "--at-once", "2", "--namespace", "2026", "--image", "a/b:c", "--claim", "disk"}} {
		if err := validate(t, p.want(0, nil, append(args, more...)...)); err != nil {
			t.Errorf("%v: %v", more, err)
		}
	}
	if entries, _ := os.ReadDir(p.dir); len(entries) != 0 {
		t.Errorf("--dry-run wrote %v", entries)
	}
	p.want(0, []string{"kubectl create -f results/cluster/"}, append(args, "--shards", "6", "--at-once", "2", "--mem", "8Gi")...)
	text := p.read("results/cluster/*/job.yaml")
	if err := validate(t, text); err != nil {
		t.Error(err)
	}
	for _, broken := range [][2]string{{"completions: 6", "completions: six"}, {"parallelism:", "parallelismus:"}, {"action: Ignore", "acton: Ignore"},
		{"mountPath:", "mountpath:"}, {"restartPolicy: Never", "restartPolicy: [Never]"}} {
		if b := strings.Replace(text, broken[0], broken[1], 1); b == text || validate(t, b) == nil {
			t.Errorf("%q in place of %q passes", broken[1], broken[0])
		}
	}
	// Beyond the schema: what the API server wants of such jobs, and what the worker does.
	var job struct {
		Spec struct {
			CompletionMode                                                                 string
			Completions, Parallelism, BackoffLimitPerIndex, MaxFailedIndexes, BackoffLimit int
			PodFailurePolicy                                                               struct {
				Rules []struct {
					Action      string
					OnExitCodes struct{ Values []int }
				}
			}
			Template struct {
				Spec struct {
					RestartPolicy string
					Containers    []struct {
						Command   []string
						Resources struct{ Limits map[string]string }
					}
				}
			}
		}
	}
	b, err := json.Marshal(func() (v any) {
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		return v
	}())
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &job); err != nil { // matches keys whatever their case
		t.Fatal(err)
	}
	s := job.Spec
	if s.CompletionMode != "Indexed" || s.Completions != 6 || s.Parallelism != 2 || s.BackoffLimitPerIndex < 1 || s.MaxFailedIndexes != 6 ||
		s.Template.Spec.RestartPolicy != "Never" || s.BackoffLimit != 0 {
		t.Errorf("an index that fails alone needs Indexed, a limit for each and Never: %+v", s)
	}
	for _, rule := range s.PodFailurePolicy.Rules {
		for _, code := range rule.OnExitCodes.Values {
			if rule.Action == "FailIndex" && (code == 75 || code == 0) {
				t.Errorf("exit code %d ends its index", code)
			}
		}
	}
	c := s.Template.Spec.Containers[0]
	if c.Resources.Limits["memory"] != "8Gi" || !strings.Contains(strings.Join(c.Command, " "), "--shard auto/6") {
		t.Errorf("%+v", c)
	}
	line := strings.Join(append([]string{c.Command[0]}, c.Command[1:]...), " ")
	if code, said := p.run(line, "JOB_COMPLETION_INDEX=5"); code != 0 || !strings.Contains(said, "shard 5 of 6: 4 trials, 4 computed") {
		t.Errorf("the pod's command: %d\n%s", code, said)
	}
	p.want(2, []string{"does not lie under --mount /data"}, append(args, "--mount", "/data", "--dry-run")...)
}
