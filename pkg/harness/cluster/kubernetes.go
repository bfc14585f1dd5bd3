package cluster

import (
	_ "embed"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

var (
	//go:embed job.yaml
	manifestText string

	manifest = template.Must(template.New("job").Parse(manifestText)) // its texts are Go's, which are YAML
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
	var b strings.Builder
	err := manifest.Execute(&b, struct {
		*Job
		Kubernetes
		Worker string
		Notice int
	}{j, k, j.worker("JOB_COMPLETION_INDEX"), notice})
	return b.String(), err
}

// WriteManifest writes the job's folder with a manifest in it, and returns the path of that.
func (j *Job) WriteManifest(text string) (path string, err error) {
	return j.path(yamlName), j.write(yamlName, text)
}
