package main

import (
	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
)

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the schema of what --output json prints",
		Long: `Schema prints the schema (json-schema.org, 2020-12) of the objects that commands print with
--output json, one on a line. Each has "schema", the version, and "type", which says what
it is: an answer of check, say, or an error.

Exit status: 0.`,
		Example: "  fencepost schema > fencepost.schema.json",
		Args:    files(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if err := fencepost.Schema(a.stdout); err != nil {
				a.status = a.fail("", fencepost.Text, &outputError{err: err})
			}
			return nil
		},
	}
}
