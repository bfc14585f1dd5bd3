package cli

import "github.com/spf13/cobra"

func submitCommand(e *env) *cobra.Command {
	return &cobra.Command{Use: "submit", Hidden: true, Run: func(*cobra.Command, []string) {}}
}
func workCommand(e *env) *cobra.Command {
	return &cobra.Command{Use: "work", Hidden: true, Run: func(*cobra.Command, []string) {}}
}
