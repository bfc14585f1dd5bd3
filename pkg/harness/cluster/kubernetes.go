package cluster

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/template"
)

// An Indexed Job gives each pod the number of its shard in JOB_COMPLETION_INDEX. Pods whose worker says that it cannot
// go on as it is asked (exit codes 2 and 5) or that trials failed (3) are not started again, since they would end the same
// way; one that was stopped with trials missing (75) or lost its node is.
const manifestText = `# Computes the {{.Trials}} trials of plan {{.Plan}} in {{.Shards}} shards. Made by sifg submit kubernetes; edit what you like.
apiVersion: batch/v1
kind: Job
metadata:
  name: {{.Name}}
{{- with .Namespace}}
  namespace: {{.}}
{{- end}}
spec:
  completionMode: Indexed
  completions: {{.Shards}}
  parallelism: {{.AtOnce}}
  backoffLimitPerIndex: 5
  maxFailedIndexes: {{.Shards}}
  podFailurePolicy:
    rules:
      - action: Ignore
        onPodConditions:
          - {type: DisruptionTarget, status: "True"}
      - action: FailIndex
        onExitCodes: {containerName: worker, operator: In, values: [2, 3, 5]}
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: {{.Grace}}
      containers:
        - name: worker
          image: {{.Image}}
          command: {{.Command}}
          workingDir: {{.Work}}
{{- if .Limits}}
          resources: {requests: {{.Limits}}, limits: {{.Limits}}}
{{- end}}
          volumeMounts:
            - {name: shared, mountPath: {{.Mount}}}
      volumes:
        - name: shared
          persistentVolumeClaim: {claimName: {{.Claim}}}
`

var manifest = template.Must(template.New("manifest").Parse(manifestText))

// Manifest returns the Indexed Job that computes a plan. Its folder, its program and the store lie on the volume that the
// claim names, mounted where they are here.
func (s Site) Manifest(p *Plan, x Paths, shards int) string {
	limits := map[string]string{}
	if s.CPUs > 0 {
		limits["cpu"] = fmt.Sprint(s.CPUs)
	}
	if s.Memory != "" {
		limits["memory"] = s.Memory
	}
	text := ""
	if len(limits) > 0 {
		text = asJSON(limits)
	}
	at := shards
	if s.AtOnce > 0 {
		at = min(at, s.AtOnce)
	}
	namespace := ""
	if s.Namespace != "" {
		namespace = asJSON(s.Namespace) // it may be digits alone
	}
	command := x.Worker(fmt.Sprintf("auto/%d", shards))
	var b strings.Builder
	err := manifest.Execute(&b, map[string]any{
		"Trials": p.Trials, "Plan": p.Name(), "Shards": shards, "Name": asJSON("sifg-" + p.Name()), "Namespace": namespace, "AtOnce": at,
		"Grace": int(s.Notice.Seconds()), "Image": asJSON(s.Image), "Command": asJSON(command), "Work": asJSON(x.Work), "Limits": text,
		"Mount": asJSON(s.Mount), "Claim": asJSON(s.Claim),
	})
	if err != nil {
		panic("cluster: " + err.Error())
	}
	return b.String()
}

// asJSON returns v as JSON, which is YAML.
func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("cluster: " + err.Error())
	}
	return string(b)
}
