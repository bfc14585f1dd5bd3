package posteriors

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// paperFile is what paper.yaml has (docs/reproduce.md). Problems are programs or tables. Seeds, problems and methods
// are those of the base of any settings (docs/configuration.md); protocols and scales are theirs.
type paperFile struct {
	Title     string       `yaml:"title"`
	Link      string       `yaml:"link"`
	Summary   string       `yaml:"summary"`
	Default   string       `yaml:"default"`
	Seeds     yaml.Node    `yaml:"seeds"`
	Problems  yaml.Node    `yaml:"problems"`
	Methods   yaml.Node    `yaml:"methods"`
	Protocols yaml.Node    `yaml:"protocols"`
	Scales    yaml.Node    `yaml:"scales"`
	Published string       `yaml:"published"` // CSV, as claim.ReadPublished reads it
	Claims    []paperClaim `yaml:"claims"`
}

// paper is the folder of a paper while it is read.
type paper struct {
	paperFile
	dir, path string // the folder, and paper.yaml in it
	e         *harness.Experiment
	about     map[string][]string // the IDs of the claims on a problem; "": on several

	data   *dataset.Library    // that its tables are added to
	tables *harness.Experiment // that computes on tables; nil: none
	tabled []string            // problems that are tables
}

// Paper reads the folder of a paper as an experiment that has the folder's name. It starts the programs that are its
// problems and samplers, in the folder. Its errors are a person's mistakes.
func Paper(dir string, data *dataset.Library, tables *harness.Experiment) (*harness.Experiment, error) {
	p := &paper{dir: dir, path: filepath.Join(dir, "paper.yaml"), about: map[string][]string{}, data: data,
		tables: tables}
	whole, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(whole)
	if !regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,99}$`).MatchString(name) {
		return nil, usage.Errorf("the folder %s: its name is that of the paper, and has to be of at most 100 "+
			"lower-case letters, digits, '-' and '_'", dir)
	}
	text, err := os.ReadFile(p.path)
	if err != nil {
		return nil, usage.Errorf("%v: a paper is a folder with paper.yaml, as docs/templates/paper", err)
	}
	if err := p.decode(text); err != nil {
		return nil, err
	}
	p.e = &harness.Experiment{
		Name:    name,
		Title:   p.Title,
		Summary: p.Summary,
		Metrics: slices.Clone(words.Metrics),
		Scores:  []string{"energy", "error-sd[1]", "error-mean[1]", "ksd"},
		Grids:   os.DirFS(dir),
	}
	p.compute()
	if p.e.Settings, err = p.settings(); err != nil {
		return nil, err
	}
	file, err := settings.Read(p.path, p.e.Settings)
	if err != nil {
		said := strings.NewReplacer("the settings of ", "", "base.", "", "base of ", "").Replace(err.Error())
		return nil, usage.Errorf("%s", said)
	}
	return p.e, p.results(file)
}

// unknownKey is how a decoder says that a type has no such key.
var unknownKey = regexp.MustCompile(`(line \d+): field (\S+) not found in type posteriors\.(\w+)`)

// decode reads paper.yaml.
func (p *paper) decode(text []byte) error {
	if err := settings.Document(text, &p.paperFile); err != nil {
		if m := unknownKey.FindStringSubmatch(err.Error()); m != nil {
			return usage.Unknown("key", m[2], p.path+", "+m[1], keysOf(m[3]))
		}
		return usage.Errorf("%s: %v", p.path, err)
	}
	switch {
	case strings.TrimSpace(p.Title) == "":
		return usage.Errorf("%s: title is missing: want that of the paper", p.path)
	case p.Link != "" && !strings.HasPrefix(p.Link, "https://") && !strings.HasPrefix(p.Link, "http://"):
		return usage.Errorf("%s: link: %q is no address: want one such as https://arxiv.org/abs/1608.04471", p.path,
			p.Link)
	case p.Problems.Kind != yaml.MappingNode, p.Methods.Kind != yaml.MappingNode,
		len(p.Problems.Content) == 0, len(p.Methods.Content) == 0:
		return usage.Errorf("%s: problems and methods have to name one at least, each with its settings, such as "+
			"banana: {program: \"python banana.py\"} and svgd: {step: 0.1}", p.path)
	}
	return nil
}

// keysOf are the keys of a type of paper.yaml, by its name.
func keysOf(name string) (keys []string) {
	for _, t := range []reflect.Type{reflect.TypeFor[paperFile](), reflect.TypeFor[paperClaim](),
		reflect.TypeFor[smallerRule](), reflect.TypeFor[lowestRule](), reflect.TypeFor[withinRule]()} {
		for i := 0; t.Name() == name && i < t.NumField(); i++ {
			keys = append(keys, t.Field(i).Tag.Get("yaml"))
		}
	}
	return keys
}

// settings returns the settings as those of any experiment, with what identifies the programs in place of commands.
func (p *paper) settings() ([]byte, error) {
	err := each(&p.Methods, func(name string, method *yaml.Node) error {
		command := take(method, "sampler")
		if command == nil {
			return nil
		}
		if _, err := sifg.ByName(command.Value); err == nil { // one of the library under another name
			method.Content = append(method.Content, node("sampler"), command)
			return nil
		}
		x, err := program.Start(context.Background(), p.dir, command.Value)
		if err == nil {
			err = program.Register(name, x)
		}
		if err != nil {
			return usage.Errorf("%s: methods.%s.sampler: %s", p.path, name,
				strings.TrimPrefix(err.Error(), "--sampler "+name+": "))
		}
		return nil
	})
	if err == nil {
		err = each(&p.Problems, p.problem)
	}
	if err != nil {
		return nil, err
	}
	base := map[string]*yaml.Node{"problems": &p.Problems, "methods": &p.Methods}
	if p.Seeds.Kind != 0 {
		base["seeds"] = &p.Seeds
	}
	all := map[string]any{"base": base, "protocols": &p.Protocols}
	if p.Protocols.Kind == 0 {
		all["protocols"] = map[string]any{"paper": map[string]any{"note": "the settings of the paper", "claims": true}}
	}
	if p.Scales.Kind != 0 {
		all["scales"] = &p.Scales
	}
	if p.Default != "" {
		all["default"] = p.Default
	}
	return yaml.Marshal(all)
}

// problem puts the identity of a problem's program, and the names of its values, in place of its command.
func (p *paper) problem(name string, problem *yaml.Node) error {
	key := "problems." + name
	command, file := take(problem, "program"), take(problem, "data")
	switch {
	case strings.Contains(name, "*") && command == nil && file == nil: // settings of several
		return nil
	case strings.Contains(name, "*") || (command == nil) == (file == nil):
		return usage.Errorf("%s: %s: want one of program, a command such as \"python %s.py\", and data, a table "+
			"such as %[3]s.csv with its target", p.path, key, strings.Trim(name, "*-"))
	case file != nil:
		return p.table(key, name, file.Value, problem)
	}
	x, err := program.Start(context.Background(), p.dir, command.Value)
	if err != nil {
		return usage.Errorf("%s: %s.program: %v", p.path, key, err)
	}
	info := x.First.Target
	if info == nil {
		return usage.Errorf("%s: %s.program: %q is a sampler: want it in methods, as NAME: {sampler: \"…\"}", p.path,
			key, command.Value)
	}
	names := info.Names
	if info.Values != nil {
		names = info.Values
	}
	options := changeable(take(problem, "options"))
	options.Content = append(options.Content, node("program"), node(x.Identity), node("values"), node(names),
		node("everywhere"), node(true))
	problem.Content = append(problem.Content, node("options"), options)
	return nil
}

// each calls f with the entries of a mapping, of which those without settings get an empty mapping.
func each(all *yaml.Node, f func(name string, settings *yaml.Node) error) error {
	for i := 0; i < len(all.Content); i += 2 {
		all.Content[i+1] = changeable(all.Content[i+1])
		if err := f(all.Content[i].Value, all.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// changeable is a mapping that may be changed, in the place of nothing and of one that stands elsewhere.
func changeable(n *yaml.Node) *yaml.Node {
	switch {
	case n == nil || n.Tag == "!!null":
		return &yaml.Node{Kind: yaml.MappingNode}
	case n.Kind == yaml.AliasNode:
		copied := *n.Alias
		copied.Anchor, copied.Content = "", slices.Clone(copied.Content)
		return &copied
	}
	return n
}

// take takes an entry out of a mapping and returns its value; nil if there is none.
func take(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; mapping.Kind == yaml.MappingNode && i < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			value := mapping.Content[i+1]
			mapping.Content = slices.Delete(mapping.Content, i, i+2)
			return value
		}
	}
	return nil
}

// node is a value as YAML.
func node(v any) *yaml.Node {
	out := &yaml.Node{}
	if err := out.Encode(v); err != nil {
		panic(err) // texts, and structs of them
	}
	return out
}

// results adds what the page has, published numbers and claims.
func (p *paper) results(file *settings.File) error {
	e, claims := p.e, []claim.Claim(nil)
	if p.Published != "" {
		path := p.Published
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.dir, path)
		}
		var err error
		if e.Published, err = e.ReadPublished(path); err != nil {
			return usage.Errorf("%s: published: %v", p.path, err)
		}
		for _, n := range e.Published {
			if err := p.measures(n.Metric, n.Problem, path); err != nil {
				return err
			}
		}
	}
	for i := range p.Claims {
		c, err := p.claim(&p.Claims[i], i, file)
		if err != nil {
			return err
		}
		claims = append(claims, c)
	}
	checks := func(protocol string) bool { return file.Protocol(protocol).Claims }
	if claims != nil && !slices.ContainsFunc(file.Protocols, checks) {
		return usage.Errorf("%s: no protocol checks the claims: want claims: true in protocols.%s", p.path,
			file.Default)
	}
	e.Sections = append(p.sections(file), harness.Claims(claims)...)
	e.Paper = p.parts(file)
	return nil
}
