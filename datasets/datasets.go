// Package datasets has the manifest of the project's data sets and the published files that their licences allow to be
// part of the program (README.md).
package datasets

import (
	"compress/gzip"
	"embed"
	"io"
	"path"
)

// Manifest is manifest.yaml.
//
//go:embed manifest.yaml
var Manifest []byte

//go:embed files
var files embed.FS

// Open opens a published file, FOLDER/NAME in the words of the manifest. The error wraps fs.ErrNotExist if the file is
// not part of the program.
func Open(name string) (io.Reader, error) {
	if path.Ext(name) == ".zip" { // published compressed
		return files.Open("files/" + name)
	}
	f, err := files.Open("files/" + name + ".gz")
	if err != nil {
		return nil, err
	}
	return gzip.NewReader(f)
}
