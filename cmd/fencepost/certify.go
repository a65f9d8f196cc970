package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
)

// writeCertificate writes the evidence for r to the file. Nothing is left of the
// file where that fails.
func writeCertificate(ctx context.Context, file string, r *fencepost.Result, opts []fencepost.Option) error {
	var b bytes.Buffer
	if err := fencepost.WriteCertificate(ctx, &b, r, opts...); err != nil {
		return &noCertificate{file, err}
	}
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		if info, e := os.Stat(file); e == nil && info.Mode().IsRegular() {
			os.Remove(file)
		}
		return &outputError{file, err}
	}
	return nil
}

// A noCertificate says why there is none for a proof.
type noCertificate struct {
	file string
	err  error
}

func (e *noCertificate) Error() string { return e.file + ": no certificate: " + e.err.Error() }

// certifies sees to it that a certificate can be had, as far as that is known before
// the work.
func (j *job) certifies(e *fencepost.Engine, files int) error {
	m := fencepost.Model(j.model)
	switch {
	case j.certificate == "":
	case files > 1:
		return fmt.Errorf("--certificate: one file for %d programs", files)
	case !e.Certifies(m):
		there := fencepost.EngineNames(func(e *fencepost.Engine) bool { return e.Certifies(m) })
		if len(there) == 0 {
			return fmt.Errorf("--certificate: there are none for the memory model %s", m)
		}
		return fmt.Errorf("--certificate: there is none of %s under %s; there are those of %s", e.Name, m, strings.Join(there, ", "))
	}
	if j.certificate != "" {
		if err := writable(j.certificate); err != nil {
			return fmt.Errorf("--certificate: %w", err)
		}
	}
	return nil
}

func (a *app) certifyCommand() *cobra.Command {
	var d defines
	var memory bytesize
	cmd := &cobra.Command{
		Use:   "certify [flags] CERTIFICATE PROGRAM",
		Short: "Check a certificate that a program is safe",
		Long: `Certify checks what "fencepost check --certificate" has written: that the states in
it contain the initial one, are closed under every step of the program, and
violate nothing; or that the clauses in it hold initially, are kept by every
step, and exclude violations. It shares nothing with the engines but the rules
of the transition relation, and for clauses the circuit of these rules and a
SAT solver. docs/certificates.md has the format.

Exit status: 0 accepted, 1 refused, 2 usage or input error, 3 stopped, 4 internal
error.`,
		Example: `  fencepost check -e cegar --certificate p.cert examples/peterson-fenced.imp
  fencepost certify p.cert examples/peterson-fenced.imp`,
		Args: files(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			g := guardMemory(memory)
			ctx, stop := g.watch(cmd.Context())
			defer stop()
			a.each(args[:1], fencepost.Text, func(file string) (int, error) {
				p, err := a.load(ctx, args[1], d)
				if err != nil {
					return 0, err
				}
				c, err := interruptible(ctx, func() (*fencepost.Certificate, error) {
					f, err := os.Open(file)
					if err != nil {
						return nil, fencepost.Unreadable(file, err)
					}
					defer f.Close()
					return fencepost.Certify(ctx, f, p)
				})
				var diag *fencepost.Diagnostic
				switch {
				case errors.As(err, &diag):
					return 0, err
				case err != nil && ctx.Err() != nil:
					return written(exitUnknown, say(a, "UNKNOWN  %s  for %s\n\n  because  the check was stopped %s\n", file, args[1], fencepost.Because(ctx)))
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
	cmd.Flags().Var(&memory, "memory-limit", "memory for the process: 512M, 4G; 0: what the machine has free")
	d.flags(cmd.Flags())
	return cmd
}

func say(a *app, format string, args ...any) error {
	_, err := fmt.Fprintf(a.stdout, format, args...)
	return err
}
