package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
)

// writeCertificate writes the evidence for r to the file. Nothing is left of the
// file where that fails.
func writeCertificate(ctx context.Context, file string, r *fencepost.Result, opts []fencepost.Option) error {
	return keepCertificate(ctx, file, func(w io.Writer) error { return fencepost.WriteCertificate(ctx, w, r, opts...) })
}

func keepCertificate(ctx context.Context, file string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return missing(ctx, file, err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		if info, e := os.Stat(file); e == nil && info.Mode().IsRegular() {
			os.Remove(file)
		}
		return &outputError{file, err}
	}
	return nil
}

// proves sees to it that proofs can be had, as far as that is known before the work.
func (j *job) proves(files int) error {
	switch {
	case j.proof == "":
		return nil
	case files > 1:
		return fmt.Errorf("--proof: one directory for %d programs", files)
	case j.solver != "" && j.solver != "cdcl":
		return fmt.Errorf("--proof: there are no proofs of the solver %s; there are those of cdcl", string(j.solver))
	}
	if err := os.MkdirAll(j.proof, 0o777); err != nil {
		return fmt.Errorf("--proof: %w", err)
	}
	if err := writable(filepath.Join(j.proof, fencepost.ProofsManifest)); err != nil {
		return fmt.Errorf("--proof: %w", err)
	}
	return nil
}

// writeProofs writes the formulas that r rests on, and their proofs.
func writeProofs(ctx context.Context, dir string, r *fencepost.Result) error {
	err := fencepost.WriteProofs(ctx, func(name string) (io.WriteCloser, error) { return os.Create(filepath.Join(dir, name)) }, r)
	var io *os.PathError
	if errors.As(err, &io) {
		return &outputError{dir, err}
	}
	if err != nil {
		return missing(ctx, dir, err)
	}
	return nil
}

// A noCertificate says why there is none for a proof.
type noCertificate struct {
	file string
	err  error
}

// missing says why there is nothing in the file. Where the work was stopped, that is all there is to say,
// whatever the parts of it have made of that.
func missing(ctx context.Context, file string, err error) error {
	switch {
	case ctx.Err() != nil:
		err = fmt.Errorf("the search for one was stopped %s; the verdict stands", fencepost.Because(ctx))
	case errors.Is(err, context.DeadlineExceeded):
		err = errors.New("the search for one was stopped by the time limit; the verdict stands")
	}
	return &noCertificate{file, err}
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
	var timeout limit
	cmd := &cobra.Command{
		Use:   "certify [flags] CERTIFICATE PROGRAM",
		Short: "Check a certificate of what is said about a program",
		Long: `Certify checks what "fencepost check --certificate" has written, and "fencepost robust
--certificate": that all states that can be reached violate nothing, or that no store
that is late makes a difference; or that a set of states, as a decision diagram, has
the initial state, is closed under every step of the program, and violates nothing.
That is done by code that shares nothing with the engines. Of
formulas (bmc), and of a directory that "fencepost check --proof" has written,
it checks the proofs, and that the formulas are those of the program; of an execution
under axioms, that the threads do that, and that it satisfies them. It says what it
has to trust there. docs/certificates.md has the format.

Exit status: 0 accepted, 1 refused, 2 usage or input error, 3 stopped, 4 internal
error.`,
		Example: `  fencepost check -e cegar --certificate p.cert examples/peterson-fenced.imp
  fencepost certify p.cert examples/peterson-fenced.imp`,
		Args:              files(2, 2),
		ValidArgsFunction: completeEach(nil, completeFiles),
		RunE: func(cmd *cobra.Command, args []string) error {
			g := guardMemory(memory)
			ctx, stop := g.watch(cmd.Context())
			defer stop()
			if timeout > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, time.Duration(timeout))
				defer cancel()
			}
			a.each(args[:1], fencepost.Text, func(file string) (int, error) {
				proofs := isFolder(file)
				text, err := interruptible(ctx, func() ([]byte, error) { return readCertificate(file, proofs) })
				if err != nil {
					return 0, err
				}
				d.model = fencepost.CertificateModel(text)
				if d.model == "" && certifies(args[1]) {
					return 0, &fencepost.Diagnostic{Source: &fencepost.Source{Name: file}, Msg: "it is no certificate, and " + args[1] + " is one",
						Hint: fmt.Sprintf("the certificate comes first: fencepost certify %s %s", args[1], file)}
				}
				p, err := a.load(ctx, args[1], d)
				if err != nil {
					return 0, err
				}
				because, err := interruptible(ctx, func() (string, error) {
					if proofs {
						return certifyProofs(ctx, file, p)
					}
					c, err := fencepost.Certify(ctx, bytes.NewReader(text), p)
					if err != nil {
						return "", err
					}
					return accepted(c), nil
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
				return written(exitSafe, say(a, "ACCEPTED  %s  for %s%s\n", file, args[1], because))
			})
			return nil
		},
	}
	cmd.Flags().Var(&timeout, "timeout", "stop after that time: 90, 90s, 5m; 0: never")
	cmd.Flags().Var(&memory, "memory-limit", "memory for the process: 512M, 4G; 0: what the machine has free")
	d.flags(cmd.Flags())
	return cmd
}

// readCertificate reads a certificate, or of proofs in a directory the manifest.
func readCertificate(file string, proofs bool) ([]byte, error) {
	if proofs {
		file = filepath.Join(file, fencepost.ProofsManifest)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fencepost.Unreadable(file, err)
	}
	return text, nil
}

// certifies is whether there is a certificate of that name, or a directory of proofs.
func certifies(name string) bool {
	text, err := readCertificate(name, isFolder(name))
	return err == nil && fencepost.CertificateModel(text) != ""
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// certifyProofs checks the proofs in a directory, and says under which model they are accepted, and why.
func certifyProofs(ctx context.Context, dir string, p *fencepost.Program) (string, error) {
	c, err := fencepost.CertifyProofs(ctx, func(name string) (io.ReadCloser, error) {
		f, err := os.Open(filepath.Join(dir, filepath.Base(name)))
		if err != nil {
			return nil, fencepost.Unreadable(filepath.Join(dir, name), err)
		}
		return f, nil
	}, p)
	if err != nil {
		return "", err
	}
	return accepted(c.Accepted()), nil
}

// accepted says what was accepted, and why.
func accepted(c *fencepost.Certificate) string {
	text := fmt.Sprintf(" under %s\n\n  shows     %s\n  because   %s", c.Model, c.Shows, c.Because)
	if c.Trusting != "" {
		text += "\n  trusting  " + c.Trusting
	}
	return text
}

func say(a *app, format string, args ...any) error {
	_, err := fmt.Fprintf(a.stdout, format, args...)
	return err
}
