package settings

// File is an experiment's settings file, read and checked.
type File struct {
	Problems, Methods, Protocols []string // that it declares, in its order; protocols in order of presentation
}

// Read reads and checks an experiment's YAML (docs/configuration.md). name says in errors whose settings they are.
func Read(name string, yaml []byte) (*File, error) { panic("to be written") }

// Override is one key=value laid over a settings file.
type Override struct {
	Text string // key=value
	From string // "--set", "SIFG_SET", or the name of a file
}

// ReadOverrides reads a file of settings in the shape of a protocol and returns an override for each of its keys.
func ReadOverrides(path string) ([]Override, error) { panic("to be written") }

// Settings are the trials' settings under one protocol at one scale, every layer merged, defaults in place.
type Settings struct{ Problems []Problem }

// Problem is the settings of one problem: the methods that run on it, in order.
type Problem struct {
	Name    string
	Seeds   []uint64
	Methods []Method
}

// Method is the resolved configuration of one method on one problem.
type Method struct {
	Name   string
	Config Config
}

// Resolve merges the layers in order: base, protocol, scale, the protocol's own scale, overrides.
func (f *File) Resolve(protocol, scale string, over []Override) (*Settings, error) {
	panic("to be written")
}

// Decode decodes an experiment's own options into dst, a pointer to a struct whose fields have mapstructure tags and hold
// the defaults. An unknown key or a value of the wrong type is an error that names it.
func Decode(options map[string]any, dst any) error { panic("to be written") }
