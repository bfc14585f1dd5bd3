package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/datasets"
	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// library opens the data sets of the project and of --datasets.
func (a *app) library() (*dataset.Library, error) {
	return dataset.Open(dataset.Options{
		Manifest: datasets.Manifest, Files: a.opt.datasets, Mirror: os.Getenv("SIFG_DATASETS_MIRROR"),
	})
}

func (a *app) data() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Lists, fetches, verifies and shows data sets",
		Example: `  sifg data list
  sifg data info boston --json`,
		Args: cobra.ArbitraryArgs,
		RunE: subcommand,
	}
	list := &cobra.Command{Use: "list", Short: "Lists the data sets and says which are here", Example: `  sifg data list --json`, Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.listData() }}
	a.jsonFlag(list)
	fetch := &cobra.Command{Use: "fetch [NAME...]", Short: "Gets data sets, or all, into datasets/cache",
		Example: `  sifg data fetch boston wine`,
		RunE:    func(_ *cobra.Command, names []string) error { return a.fetchData(names) }}
	verify := &cobra.Command{Use: "verify [NAME...]", Short: "Compares data sets, or all that are here, with digests and rules",
		Example: `  sifg data verify boston`,
		RunE:    func(_ *cobra.Command, names []string) error { return a.verifyData(names) }}
	info := &cobra.Command{Use: "info NAME", Short: "Shows what a data set is, its licence and its columns",
		Example: `  sifg data info boston --json`,
		Args:    one("name"),
		RunE:    func(_ *cobra.Command, names []string) error { return a.showData(names[0]) }}
	a.jsonFlag(info)
	cmd.AddCommand(list, fetch, verify, info)
	return cmd
}

// listed is one data set of sifg data list.
type listed struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Task  string `json:"task"`
	Files int    `json:"files"`
	Bytes int64  `json:"bytes"` // of the files whose size is pinned
	Here  bool   `json:"here"`
}

func (a *app) listData() error {
	var all []listed
	for _, name := range a.sets.Names() {
		e, err := a.sets.Entry(name)
		if err != nil {
			return err
		}
		missing, err := a.sets.Missing(name)
		if err != nil {
			return err
		}
		all = append(all, listed{name, e.Title, e.Task, len(e.Files), e.Size(), len(missing) == 0})
	}
	if a.opt.json {
		return writeJSON(a.out, all)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, d := range all {
		here := "not here"
		if d.Here {
			here = "here"
		}
		size := "–" // no file's is pinned
		if d.Bytes > 0 {
			size = bytesText(d.Bytes)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", d.Name, here, size, d.Title)
	}
	return w.Flush()
}

func (a *app) fetchData(names []string) error {
	soft, _, caught, release := signals()
	defer release()
	fetched := int64(0)
	var got int // files of the set at hand that were not in the cache
	err := a.sets.Fetch(soft, names, func(p dataset.Progress) {
		if p.Note != "" {
			fmt.Fprintf(a.err, "%s: %s: %s\n", p.Set, p.File, p.Note)
			return
		}
		if p.Index == 0 {
			got = 0
		}
		if p.From != "" {
			got++
			fetched += p.Bytes
		}
		if p.Index == p.Files-1 {
			fmt.Fprintf(a.err, "%s: %d files, %d fetched\n", p.Set, p.Files, got)
		}
	})
	switch caught() {
	case os.Interrupt:
		return exitf(exitInterrupted, "interrupted: the same command continues")
	case syscall.SIGTERM:
		return exitf(exitTerminated, "terminated: the same command continues")
	}
	if err != nil {
		var u *harness.UsageError
		if errors.Is(err, record.ErrDamaged) || errors.As(err, &u) {
			return err
		}
		return exitf(exitFailed, "%v", err)
	}
	fmt.Fprintf(a.out, "all files are there, %s fetched\n", bytesText(fetched))
	return nil
}

func (a *app) verifyData(names []string) error {
	missing, err := a.sets.Missing(names...)
	if err != nil {
		return err
	}
	bad, err := a.sets.Verify(names...)
	if err != nil {
		return err
	}
	absent := map[string]bool{}
	for _, name := range missing {
		absent[name] = true
	}
	asked := names
	if len(asked) == 0 {
		asked = a.sets.Names()
	}
	for _, name := range asked {
		switch {
		case bad[name] != nil:
			fmt.Fprintf(a.out, "%s: %v\n", name, bad[name])
		case absent[name]:
			fmt.Fprintf(a.out, "%s: not here\n", name)
		default:
			fmt.Fprintf(a.out, "%s: as it should be\n", name)
		}
	}
	switch {
	case len(bad) > 0:
		return exitf(exitDamaged, "%d data sets are not what the manifest says: sifg data fetch replaces files in the cache", len(bad))
	case len(names) > 0 && len(missing) > 0:
		return exitf(exitStopped, "%d of %d data sets are not here: sifg data fetch %s", len(missing), len(names), strings.Join(missing, " "))
	}
	return nil
}

// column describes one column of a table.
type column struct {
	Name     string  `json:"name"`
	Min      float64 `json:"min"`
	Mean     float64 `json:"mean"`
	Max      float64 `json:"max"`
	SD       float64 `json:"sd"` // dividing by the number of rows
	Constant bool    `json:"constant"`
}

// shown is sifg data info.
type shown struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Task     string   `json:"task"`
	Note     string   `json:"note,omitempty"`
	Licence  string   `json:"licence,omitempty"`
	Citation string   `json:"citation,omitempty"`
	Source   string   `json:"source,omitempty"`
	Digest   string   `json:"digest,omitempty"`
	Rows     int      `json:"rows,omitempty"`
	Cols     int      `json:"cols,omitempty"`
	Target   string   `json:"target,omitempty"`
	Order    string   `json:"order,omitempty"`
	Splits   int      `json:"splits,omitempty"`
	Columns  []column `json:"columns,omitempty"` // absent where there are more than can be looked at
}

// shownColumns is how many columns info shows one by one.
const shownColumns = 200

func (a *app) showData(name string) error {
	e, err := a.sets.Entry(name)
	if err != nil {
		return err
	}
	s := shown{Name: name, Title: e.Title, Task: e.Task, Note: e.Note, Licence: e.Licence, Citation: e.Citation, Source: e.Source}
	missing, err := a.sets.Missing(name)
	if err != nil {
		return err
	}
	if len(missing) == 0 {
		if err := a.describe(&s, name); err != nil {
			return err
		}
	}
	if a.opt.json {
		return writeJSON(a.out, s)
	}
	fmt.Fprintf(a.out, "%s: %s\n", s.Name, s.Title)
	for _, line := range [][2]string{{"note", s.Note}, {"licence", s.Licence}, {"citation", s.Citation}, {"source", s.Source}, {"digest", s.Digest}} {
		if line[1] != "" {
			fmt.Fprintf(a.out, "%s: %s\n", line[0], line[1])
		}
	}
	if len(missing) > 0 {
		fmt.Fprintf(a.out, "not here: %v\n", a.sets.Absent(name))
		return nil
	}
	fmt.Fprintf(a.out, "table: %d rows × %d columns, task %s", s.Rows, s.Cols, s.Task)
	if s.Target != "" {
		fmt.Fprintf(a.out, ", target %s", s.Target)
	}
	if s.Order != "" {
		fmt.Fprintf(a.out, ", %s", s.Order)
	}
	if s.Splits > 0 {
		fmt.Fprintf(a.out, ", %d splits", s.Splits)
	}
	fmt.Fprintln(a.out)
	if len(s.Columns) == 0 {
		return nil
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "column\tmin\tmean\tmax\tsd\t")
	for _, c := range s.Columns {
		constant := ""
		if c.Constant {
			constant = "  constant"
		}
		fmt.Fprintf(w, "%s\t%.5g\t%.5g\t%.5g\t%.5g\t%s\n", c.Name, c.Min, c.Mean, c.Max, c.SD, constant)
	}
	return w.Flush()
}

// describe adds what the data themselves say.
func (a *app) describe(s *shown, name string) error {
	d, err := a.sets.Load(name)
	if err != nil {
		return err
	}
	if s.Digest, err = a.sets.Digest(name); err != nil {
		return err
	}
	s.Rows, s.Cols, s.Splits = d.Rows, d.Cols, len(d.Splits)
	if d.Target >= 0 {
		s.Target = d.Columns[d.Target]
	}
	if d.Permutation != nil {
		s.Order = "a released order of the rows"
	}
	if d.Cols > shownColumns {
		return nil
	}
	constant := map[int]bool{}
	for _, j := range d.ConstantColumns(nil) {
		constant[j] = true
	}
	for j, name := range d.Columns {
		c := column{Name: name, Min: math.Inf(1), Max: math.Inf(-1), Constant: constant[j]}
		values := d.Column(j)
		for _, v := range values {
			c.Min, c.Max, c.Mean = min(c.Min, v), max(c.Max, v), c.Mean+v/float64(d.Rows)
		}
		// Rounding must not take the mean of the largest numbers beyond them, nor squares be beyond what a float64 holds.
		c.Mean = min(max(c.Mean, c.Min), c.Max)
		largest := max(-c.Min, c.Max)
		_, e := math.Frexp(largest)
		for _, v := range values {
			u := math.Ldexp(v, -e) - math.Ldexp(c.Mean, -e)
			c.SD += u * u / float64(d.Rows)
		}
		c.SD = min(math.Ldexp(math.Sqrt(c.SD), e), largest)
		s.Columns = append(s.Columns, c)
	}
	return nil
}

// bytesText writes a size.
func bytesText(n int64) string {
	switch {
	case n >= 1e12:
		return fmt.Sprintf("%.1f TB", float64(n)/1e12)
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d B", n)
}

// provide fetches the data sets that trials need and that are nowhere here. It returns the trials whose data are here,
// says why the others are left out, and keeps the names of their data sets in a.absent. After one address did not answer
// no other is tried.
func (a *app) provide(ctx context.Context, todo []harness.Trial) ([]harness.Trial, error) {
	missing, err := a.sets.Missing(harness.Data(todo)...)
	if err != nil || len(harness.Data(todo)) == 0 {
		return todo, err
	}
	var silent net.Error // an address that did not answer, as a page that is not there does
	for _, name := range missing {
		if ctx.Err() != nil {
			return nil, nil
		}
		why := errors.New("as before")
		if silent == nil {
			fmt.Fprintf(a.err, "fetching the data set %s\n", name)
			why = a.sets.Fetch(ctx, []string{name}, func(dataset.Progress) {})
			errors.As(why, &silent)
		}
		if why == nil {
			continue
		}
		n := len(todo)
		todo = slices.DeleteFunc(todo, func(t harness.Trial) bool { return t.Config.Data == name })
		fmt.Fprintf(a.err, "data set %s: its %d trials are left out: %v\n", name, n-len(todo), why)
		a.absent = append(a.absent, name)
	}
	return todo, nil
}
