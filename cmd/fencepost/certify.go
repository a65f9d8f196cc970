package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost/certify"
	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/report"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// writeCertificate writes the evidence for r to the file. Nothing is left of the
// file where that fails.
func writeCertificate(ctx context.Context, file string, r *verdict.Result, opts engine.Options) error {
	var b bytes.Buffer
	err := engine.WriteCertificate(ctx, &b, r, opts)
	if err == nil {
		err = os.WriteFile(file, b.Bytes(), 0o666)
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	if err != nil {
		return &program.Diagnostic{Source: &program.Source{Name: file}, Msg: "no certificate: " + err.Error()}
	}
	return nil
}

// certifies sees to it that a certificate can be had, as far as that is known before
// the work.
func (j *job) certifies(e *engine.Engine, files int) error {
	m := memory.Model(j.model)
	switch {
	case j.certificate == "":
	case files > 1:
		return fmt.Errorf("--certificate: one file for %d programs", files)
	case !e.Certifies(m):
		there := engine.Names(func(e *engine.Engine) bool { return e.Certifies(m) })
		if len(there) == 0 {
			return fmt.Errorf("--certificate: there are none for the memory model %s", m)
		}
		return fmt.Errorf("--certificate: there is none of %s under %s; there are those of %s", e.Name, m, strings.Join(there, ", "))
	}
	return nil
}

func (a *app) certifyCommand() *cobra.Command {
	var d defines
	cmd := &cobra.Command{
		Use:   "certify [flags] CERTIFICATE PROGRAM",
		Short: "Check a certificate that a program is safe",
		Long: `Certify checks what "fencepost check --certificate" has written: that the states in
it contain the initial one, are closed under every step of the program, and
violate nothing; or that the clauses in it hold initially, are kept by every
step, and exclude violations. It shares nothing with the engines but the rules
of the transition relation, and for clauses the circuit of these rules and a
SAT solver. docs/certificates.md has the format.

Exit status: 0 accepted, 1 refused, 2 usage or input error, 4 internal error.`,
		Example: `  fencepost check -e cegar --certificate p.cert examples/peterson-fenced.imp
  fencepost certify p.cert examples/peterson-fenced.imp`,
		Args: files(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.each(args[:1], report.TextFormat, func(file string) (int, error) {
				text, err := os.ReadFile(file)
				if err != nil {
					return 0, lang.Unreadable(file, err)
				}
				p, err := a.load(args[1], d.values)
				if err != nil {
					return 0, err
				}
				c, err := certify.Check(cmd.Context(), bytes.NewReader(text), p)
				var diag *program.Diagnostic
				switch {
				case errors.As(err, &diag) || err != nil && cmd.Context().Err() != nil:
					return 0, err
				case err != nil:
					return written(exitUnsafe, say(a, "REFUSED  %s  for %s\n\n  because  %v\n", file, args[1], err))
				}
				if c.Proof != nil {
					return written(exitSafe, say(a, "ACCEPTED  %s  for %s under %s\n\n  because  %s\n", file, args[1], c.Model, c.Proof))
				}
				return written(exitSafe, say(a, "ACCEPTED  %s  for %s\n\n  because  %d states of the abstraction %s are closed under %d steps, and violate nothing\n",
					file, args[1], c.States, c.Buffer, c.Transitions))
			})
			return nil
		},
	}
	cmd.Flags().VarP(&d, "define", "D", "give a constant of an IMP program its value, as for check")
	return cmd
}

func say(a *app, format string, args ...any) error {
	_, err := fmt.Fprintf(a.stdout, format, args...)
	return err
}
