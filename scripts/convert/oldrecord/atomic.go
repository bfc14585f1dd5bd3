package record

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"convert/oldrecord/fault"
)

// ErrDamaged is wrapped by every error that says that a file is not what was written: cut, altered, or not ours.
var ErrDamaged = errors.New("damaged")

// WriteFileAtomic makes path hold what write produces, or leaves it as it was: the bytes go to a file beside it that no
// pattern such as *.parquet matches (".name.tmp-…"), which is synced and then renamed; the folder is synced last. Killed
// at any point, it leaves at most that dotted file behind.
func WriteFileAtomic(path string, write func(io.Writer) error) (err error) {
	dir, base := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	tmp := filepath.Join(dir, "."+base+".tmp-"+rand.Text())
	if err := fault.At("create"); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			f.Close() // closed already where the rename failed; harmless
			os.Remove(tmp)
			err = fmt.Errorf("writing %s: %w", path, err)
		}
	}()
	b := bufio.NewWriterSize(faultWriter{f}, 1<<16)
	if err = write(b); err != nil {
		return err
	}
	if err = b.Flush(); err != nil {
		return err
	}
	if err = fault.At("sync"); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = fault.At("rename"); err != nil {
		return err
	}
	if err = os.Rename(tmp, path); err != nil {
		return err
	}
	return SyncDir(dir) // the file stays if this fails: it is whole
}

type faultWriter struct{ w io.Writer }

func (s faultWriter) Write(b []byte) (int, error) {
	if err := fault.At("write"); err != nil {
		return 0, err
	}
	return s.w.Write(b)
}

// SyncDir makes the names in a folder durable. File systems that cannot sync a folder (EINVAL) are taken as they are.
func SyncDir(dir string) error {
	if err := fault.At("sync folder"); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// ReadFile returns the bytes of a file after checking that their SHA-256 is want (lower-case hex; "" leaves it
// unchecked). What is parsed afterwards are the very bytes that were checked.
func ReadFile(path, want string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if want == "" {
		return b, nil
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != want {
		return nil, fmt.Errorf("%s: SHA-256 is %x, want %s: %w", path, sum, want, ErrDamaged)
	}
	return b, nil
}
