package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// Own is the manifest of a person's own data sets that Add writes and Open reads.
const Own = "datasets/own.yaml"

var notName = regexp.MustCompile(`[^a-z0-9]+`)

// Add makes the table in a file a data set, which is called after the file, and describes it in Own; drop are columns to leave out. A
// file that Own describes already keeps its entry, which may have splits by now. A table that cannot be read is not added.
func (l *Library) Add(path, target string, drop []string) (name string, err error) {
	base := strings.ToLower(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	name = strings.Trim(notName.ReplaceAllString(base, "-"), "-")
	from, err := filepath.Rel(filepath.Dir(Own), path)
	if err != nil { // path is absolute
		from = path
	}
	if old := l.entries[name]; old != nil {
		same := (target == "" || target == old.Target) && (drop == nil || slices.Equal(drop, old.Parse.Drop))
		if same && old.manifest == Own && old.Files[0].Name == from {
			return name, nil
		}
		return "", usage.Errorf("%s: %s describes a data set %s with the target %s: change its entry, or give the file another name", path,
			old.manifest, name, old.Target)
	}
	p, err := guess(path, target, drop)
	if err != nil {
		return "", err
	}
	entry := fmt.Sprintf("  %s:\n    files: [{name: %s}]\n    parse: {separator: %s, header: %t, drop: %s}\n    target: %s\n",
		name, quote(from), p.Separator, p.Header, quote(append([]string{}, drop...)), quote(target))
	if err := l.add([]byte("datasets:\n"+entry), Own); err != nil {
		return "", err
	}
	if _, err := l.Load(name); err != nil {
		return "", err
	}
	before, err := os.ReadFile(Own)
	if os.IsNotExist(err) {
		before, err = []byte("# Data sets of your own: docs/datasets.md describes the keys.\ndatasets:\n"), os.MkdirAll(filepath.Dir(Own), 0o777)
	}
	after := append(before, entry...)
	if err == nil {
		err = (&Library{entries: map[string]*Entry{}}).add(after, Own) // who edited it may have indented otherwise
	}
	if err != nil {
		return "", err
	}
	return name, os.WriteFile(Own, after, 0o666)
}

// quote writes a text, or texts, in YAML.
func quote(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts have a JSON form
	}
	return string(b)
}

// guess finds out from the first two lines how a table is read, and refuses a target that it lacks and columns of text.
func guess(path, target string, drop []string) (Parse, error) {
	p := Parse{Separator: "whitespace"}
	b, err := safe.Read(path, maxFile)
	if err != nil {
		return p, usage.Errorf("%v", err)
	}
	first, _, _ := bytes.Cut(bytes.TrimSpace(b), []byte("\n"))
	for _, name := range []string{"tab", "semicolon", "comma"} {
		if bytes.ContainsRune(first, separators[name]) {
			p.Separator = name
		}
	}
	all, err := lines(path, b, p.Separator)
	if err != nil || len(all) < 2 || !slices.ContainsFunc(all[0].fields, notNumber) {
		return p, err
	}
	p.Header = true
	names := all[0].fields
	if !slices.Contains(names, target) && target != "last" {
		return p, usage.Errorf("%s: target %q: want one of its columns %s", path, target, safe.Text(strings.Join(names, ", ")))
	}
	var texts []string
	for i, field := range all[1].fields {
		_, wrong := number(field)
		if strings.HasSuffix(wrong, "finite number") && i < len(names) && names[i] != target && !slices.Contains(drop, names[i]) {
			texts = append(texts, names[i])
		}
	}
	if texts != nil {
		return p, usage.Errorf("%s:%d: no numbers are in the columns %[3]s: leave them out with --drop %[3]s", path, all[1].number,
			safe.Text(strings.Join(texts, ",")))
	}
	return p, nil
}
