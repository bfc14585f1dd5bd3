package cluster

import (
	"fmt"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// Kubernetes says where pods find the working folder.
type Kubernetes struct {
	Image string // needs a shell; the program needs nothing else
	Claim string // persistent volume claim with the working folder
	Mount string // absolute path of the working folder in the pods
}

// Manifest returns the Indexed Job that computes a plan. A pod whose worker stopped early (exit code 75) or lost its
// node is started again. One that would end the same way is not: wrong request (2), failed trials (3), damage (5).
func (j *Job) Manifest(k Kubernetes) (string, error) {
	for _, path := range []string{j.Folder, j.Store} {
		if !filepath.IsLocal(path) {
			return "", usage.Errorf("%s is outside of the working folder, which is all that pods see: give --results "+
				"or --store inside it", path)
		}
	}
	type m = map[string]any
	type list = []any
	container := m{
		"name": "worker", "image": k.Image, "workingDir": k.Mount,
		"command":      list{"/bin/sh", "-c", j.worker("JOB_COMPLETION_INDEX")},
		"volumeMounts": list{m{"name": "shared", "mountPath": k.Mount}},
	}
	need := m{"cpu": fmt.Sprint(j.CPUs)}
	if j.Memory != "" {
		need["memory"] = j.Memory
	}
	container["resources"] = m{"requests": need, "limits": need}
	pod := m{
		"restartPolicy": "Never", "terminationGracePeriodSeconds": notice, "containers": list{container},
		"volumes": list{m{"name": "shared", "persistentVolumeClaim": m{"claimName": k.Claim}}},
	}
	spec := m{
		"completionMode": "Indexed", "completions": j.Shards, "parallelism": j.Shards,
		"backoffLimitPerIndex": 5, "maxFailedIndexes": j.Shards,
		"podFailurePolicy": m{"rules": list{
			m{"action": "Ignore", "onPodConditions": list{m{"type": "DisruptionTarget", "status": "True"}}},
			m{
				"action":      "FailIndex",
				"onExitCodes": m{"containerName": "worker", "operator": "In", "values": list{2, 3, 5}},
			},
		}},
		"template": m{"spec": pod},
	}
	b, err := yaml.Marshal(m{"apiVersion": "batch/v1", "kind": "Job", "metadata": m{"name": j.Name()}, "spec": spec})
	return string(b), err
}

// WriteManifest writes the job's folder with a manifest in it, and returns the path of that.
func (j *Job) WriteManifest(text string) (path string, err error) {
	return j.path(yamlName), j.write(yamlName, text)
}
