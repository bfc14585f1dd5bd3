// Package datasets carries the manifest of the data sets (manifest.yaml), so that the command needs no file beside it.
package datasets

import _ "embed"

// Manifest is manifest.yaml.
//
//go:embed manifest.yaml
var Manifest []byte
