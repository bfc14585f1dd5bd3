package cpu

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestPathAmongSupported(t *testing.T) {
	s := Supported()
	if !slices.Contains(s, Path()) || s[len(s)-1] != "portable" {
		t.Errorf("Path() = %q, Supported() = %q", Path(), s)
	}
	if Name() == "" {
		t.Error("the processor has no name")
	}
}

// Every supported path can be forced; anything else falls back to the fastest and says so.
func TestForced(t *testing.T) {
	if os.Getenv("CPU_TEST_CHILD") != "" {
		want, ok := Forced()
		fmt.Printf("path=%s want=%s ok=%t\n", Path(), want, ok)
		return
	}
	fastest := Supported()[0]
	for _, want := range []string{"avx512", "avx2", "neon", "portable", "sse9"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestForced$")
		cmd.Env = append(os.Environ(), "CPU_TEST_CHILD=1", Env+"="+want)
		out, err := cmd.Output()
		if errors.Is(err, syscall.ENOEXEC) {
			t.Skip("an emulated program cannot start itself")
		}
		if err != nil {
			t.Fatal(err)
		}
		line := "path=" + fastest + " want=" + want + " ok=false"
		if slices.Contains(Supported(), want) {
			line = "path=" + want + " want=" + want + " ok=true"
		}
		if !strings.Contains(string(out), line+"\n") {
			t.Errorf("%s=%s: got %q, want %q", Env, want, out, line)
		}
	}
}

// TestBits: results have bits of their own where the kernels are portable, where math.Exp does without FMA, and where
// the compiler fuses.
func TestBits(t *testing.T) {
	if os.Getenv("CPU_TEST_CHILD") != "" {
		fmt.Printf("bits=%q\n", Bits())
		return
	}
	fused := runtime.GOARCH != "amd64"
	info, _ := debug.ReadBuildInfo()
	for _, s := range info.Settings {
		fused = fused || s.Key == "GOAMD64" && s.Value >= "v3"
	}
	plain := ""
	if fused {
		plain = "fused on " + runtime.GOARCH
	}
	for _, c := range []struct {
		env, want string
		here      bool
	}{
		{Env + "=avx2", plain, slices.Contains(Supported(), "avx2")},
		{Env + "=portable", strings.TrimPrefix(plain+", portable", ", "), os.Getenv("GODEBUG") == ""},
		{"GODEBUG=cpu.avx=off", "exp without FMA", !fused && len(Supported()) > 1}, // the kernels do not ask for it
		{"GODEBUG=cpu.fma=off", "portable, exp without FMA", !fused},
	} {
		if !c.here {
			continue
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestBits$")
		cmd.Env = append(os.Environ(), "CPU_TEST_CHILD=1", c.env)
		out, err := cmd.Output()
		if errors.Is(err, syscall.ENOEXEC) {
			t.Skip("an emulated program cannot start itself")
		}
		if want := fmt.Sprintf("bits=%q\n", c.want); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, got %q, want %q", c.env, err, out, want)
		}
	}
}
