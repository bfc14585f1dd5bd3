package cli

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
)

// logName is the folder of log files in the store.
const logName = ".log"

// level is from which on records go to stderr.
func (a *app) level() slog.Level {
	switch {
	case a.verbose:
		return slog.LevelDebug
	case a.quiet:
		return slog.LevelError
	}
	return slog.LevelWarn
}

// logTo sends log records to w from a.level on.
func (a *app) logTo(w io.Writer) slog.Handler {
	return slog.NewTextHandler(w, &slog.HandlerOptions{Level: a.level()})
}

// keepLog also writes every log record to a file of this run in the store, from now until done is called; the first says what runs
// on what. That the file cannot be written stops no run.
func (a *app) keepLog() (done func()) {
	before := slog.Default()
	dir := filepath.Join(a.storeDir(), logName)
	path := filepath.Join(dir, fmt.Sprintf("%s-%d.log", time.Now().UTC().Format("20060102T150405.000Z"), os.Getpid()))
	err := os.MkdirAll(dir, 0o777)
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	}
	if err != nil {
		slog.Warn("no log file", "error", err)
		return func() {}
	}
	slog.SetDefault(slog.New(slog.NewMultiHandler(before.Handler(), slog.NewTextHandler(f, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	m := harness.ThisMachine()
	slog.Info("begin", "command", "sifg "+harness.Quote(a.args), "commit", m.Commit, "go", runtime.Version(), "processor", m.CPU, "kernel", m.Kernel,
		"cores", runtime.GOMAXPROCS(0))
	return func() {
		slog.Info("end")
		slog.SetDefault(before)
		f.Close() // what is lost with it is only what the store has anyway
	}
}
