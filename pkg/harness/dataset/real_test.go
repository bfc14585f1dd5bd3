package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"net/http"
	"os"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/internal/sealed"
)

// offline has the project's data sets as far as they are part of the program or in the mirror. No address can be
// reached.
func offline(t *testing.T) *Library {
	t.Helper()
	l, err := Open(Options{Cache: t.TempDir(), Mirror: os.Getenv("SIFG_DATASETS_MIRROR")})
	if err != nil {
		t.Fatal(err)
	}
	l.client = &http.Client{Transport: only("")}
	return l
}

// values are the first bytes of the SHA-256 of what a data set is loaded to: the table, its published order. They were
// made from the published files by the reader that stood here before tables became part of the program and orders were
// generated. Committed results depend on them.
var values = map[string][2]string{
	"boston":   {"ad89f608b0cb49be", "be221eeec28320f6"},
	"concrete": {"12704ec0e60210b5", "4f28e7650a5f532b"},
	"diabetes": {"b6335c8a0264a24b", "7ab452a09c5c18f2"},
	"power":    {"859ddc447217b8c9", "5dbfe9a73bb43bc9"},
	"protein":  {"8194ca08281c9f2a", "58d4f4e0933caa2a"},
	"wine":     {"e36a4d454229cc40", "b0f0505661a3c934"},
	"meg":      {"068147794a0c465c", "e3b0c44298fc1c14"},
}

// TestValues loads every data set without a network. All entries are complete, and their digests need no file.
func TestValues(t *testing.T) {
	l := offline(t)
	for name, want := range values {
		t.Run(name, func(t *testing.T) {
			if name == "meg" && l.Absent(name) != nil {
				t.Skip("not part of the program, and SIFG_DATASETS_MIRROR has no copy")
			}
			d, err := l.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			h := sha256.New()
			sum := func() string { defer h.Reset(); return fmt.Sprintf("%x", h.Sum(nil)[:8]) }
			put := func(v ...int) {
				for _, x := range v {
					h.Write(binary.LittleEndian.AppendUint64(nil, uint64(x)))
				}
			}
			put(d.Rows, d.Cols, d.Target)
			for _, c := range d.Columns {
				fmt.Fprintf(h, "%q", c)
			}
			for _, v := range d.X {
				put(int(math.Float64bits(v)))
			}
			got := [2]string{sum()}
			put(d.Permutation...)
			if got[1] = sum(); got != want {
				t.Errorf("table and order are %q, want %q", got, want)
			}
		})
	}
	for _, name := range l.Names() {
		e, private := l.entries[name], name == "meg-full" // whose bytes are not known
		_, err := l.Digest(name)
		if values[name][0] == "" != (private || e.raw()) || e.Note == "" || e.Licence == "" || e.Citation == "" ||
			e.Rows == 0 != e.raw() ||
			(e.Source == "" || err != nil) != private {
			t.Errorf("the entry of %s is not complete (%v)", name, err)
		}
	}
	d, err := l.Load("posteriordb") // as it was published, in both roles
	if err != nil || len(d.Raw) != 23 {
		t.Fatalf("posteriordb: %v", err)
	}
	for _, f := range l.entries["posteriordb"].Files {
		if b := d.Raw[f.Name]; int64(len(b)) != f.Bytes || sealed.Digest(b) != f.SHA256 {
			t.Errorf("%s has %d bytes, want %d", f.Name, len(b), f.Bytes)
		}
	}
}
