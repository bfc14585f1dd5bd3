package cli

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/internal/mapping"
)

// siteFlags are the flags of both clusters.
func siteFlags(s *submitting, f *pflag.FlagSet) {
	f.StringVar(&s.file, "site", "", "YAML `FILE` with settings of the cluster: partition, account, time, extra, … (docs/cluster.md)")
	f.IntVar(&s.maxTasks, "max-tasks", 0, "most shards (default what Slurm's MaxArraySize allows)")
	f.StringVar(&s.Memory, "mem", "", "memory of a shard, by `SIZE` such as 4G")
	f.IntVar(&s.AtOnce, "at-once", 0, "shards that run at once (default as many as there is room for)")
	f.DurationVar(&s.Notice, "notice", 2*time.Minute, "from the signal that announces the end of the time to the end")
}

var (
	memorySize  = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?([kKmMgGtTpPeE]i?[bB]?)?$`)
	batchOption = regexp.MustCompile(`^(--?[A-Za-z][^\s=]*)[^\r\n]*$`)
)

// checkJob refuses a size and options that a scheduler would refuse later, or take for something else.
func checkJob(memory string, extra []string) error {
	if memory != "" && !memorySize.MatchString(memory) {
		return harness.Usagef("--mem %q: want a size such as 4G", memory)
	}
	for _, x := range extra {
		m := batchOption.FindStringSubmatch(x)
		if m == nil {
			return harness.Usagef("--extra %q: want one option of sbatch, such as --constraint=avx512", x)
		}
		if name := m[1]; len(name) > 3 && strings.HasPrefix("--array", name) || strings.HasPrefix(name, "-a") { // sbatch takes short forms
			return harness.Usagef("--extra %q: the array is that of the shards and cannot be another", x)
		}
	}
	return nil
}

// site fills in what the file of --site says, in the texts that stand there, and no flag or variable does.
func (s *submitting) site(cmd *cobra.Command) error {
	text, err := os.ReadFile(s.file)
	if err != nil {
		return harness.Usagef("--site %s: %v", s.file, cause(err))
	}
	doc, err := mapping.Parse(s.file, text)
	if err != nil {
		return harness.Usagef("--site %v", err)
	}
	f, keys := cmd.Flags(), mapping.Keys(doc)
	if len(keys) == 0 && len(doc.Content) > 0 {
		return harness.Usagef("--site %s: want keys with values, such as partition: short", s.file)
	}
	for i, key := range keys {
		flag := f.Lookup(key)
		lines := key == "before" && f.Lookup("partition") != nil // a script of Slurm
		switch {
		case !slices.Contains(siteKeys, key):
			return harness.Unknown("key", key, s.file, siteKeys)
		case slices.Contains(keys[:i], key):
			return harness.Usagef("%s, %s: it is there twice", s.file, key)
		case flag == nil && !lines:
			return harness.Usagef("%s, %s: %s has no such flag", s.file, key, words(cmd))
		}
		_, node := mapping.Entry(doc, key)
		list := key == "before" || key == "extra"
		values := scalars(node, list)
		switch {
		case values == nil && list:
			return harness.Usagef("%s, %s: want a text or a list of texts", s.file, key)
		case values == nil:
			return harness.Usagef("%s, %s: want one value", s.file, key)
		case lines:
			s.Before = values
			continue
		case flag.Changed:
			continue
		}
		for _, value := range values {
			if err := f.Set(key, value); err != nil {
				return valueError(s.file+", "+key+": "+value, err)
			}
		}
	}
	return nil
}

// scalars returns the text of a value as it was written, or, where a list is allowed, of each in it; nil for anything else.
func scalars(n *yaml.Node, list bool) []string {
	nodes := []*yaml.Node{n}
	if list && n.Kind == yaml.SequenceNode {
		nodes = n.Content
	}
	out := []string{}
	for _, x := range nodes {
		if x.Kind != yaml.ScalarNode || x.ShortTag() == "!!null" || x.Value == "" {
			return nil
		}
		out = append(out, strings.TrimSuffix(x.Value, "\n"))
	}
	return out
}

// siteKeys are the keys of the file of --site: flags of the same names, and shell lines before the worker.
var siteKeys = []string{"account", "at-once", "before", "claim", "cpus", "extra", "image", "max-tasks", "mem", "mount", "namespace", "notice",
	"partition", "shard-time", "shards", "time"}
