package plan

import "strings"

// Command is the command line that does something with the trials of an experiment under a protocol at a scale: sifg
// NAME EXPERIMENT --protocol …. set is that of their plan, and more are more arguments.
func Command(name, experiment, protocol, scale string, set []string, more ...string) string {
	args := []string{"sifg", name, experiment, "--protocol", protocol}
	if scale != "full" {
		args = append(args, "--scale", scale)
	}
	for _, s := range set {
		if flag, value, ok := strings.Cut(s, " "); ok && strings.HasPrefix(s, "--") {
			args = append(args, flag, value)
		} else {
			args = append(args, "--set", s)
		}
	}
	return Quote(append(args, more...))
}

// Quote joins arguments so that a POSIX shell reads them.
func Quote(args []string) string {
	var out []string
	for _, a := range args {
		if strings.ContainsAny(a, " \t\n\"'`$\\*?[]{}()<>|&;#~!") || a == "" {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		out = append(out, a)
	}
	return strings.Join(out, " ")
}
