package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
)

// A replayJob is what the flags of replay say.
type replayJob struct {
	defines     defines
	interactive bool
	quiet       bool
	to          choice
	output      choice
}

func (a *app) replayCommand() *cobra.Command {
	j := &replayJob{
		to:     choice{what: "form", known: []string{"litmus"}},
		output: choice{what: "output format", value: string(fencepost.Text), known: words(fencepost.Text, fencepost.JSON)},
	}
	cmd := &cobra.Command{
		Use:   "replay [flags] PROGRAM RUN",
		Short: "Take the steps of a saved run again, one by one",
		Long: `Replay performs a run that "fencepost check --save-run" or "-o json" has written,
on the program, by code that knows nothing of searching, and shows it. What the
file says happened has to happen, and the run has to end in a violation. The
program is to be read with the same flags; --property need not be given. Races, hanging and
deadlocks are judged again like what the program states.

With --interactive it stops after every step: an empty line or f goes on, b goes
back, a number takes another step, m shows what could be read next under each
model, q ends.

With --to litmus it writes a litmus test for x86 with the outcome of the run, in
which only what SC does not allow is left. herd7 and litmus7 read it, too.

Exit status: 0 the run is one, 1 it is not, 2 usage or input error, 3 it leads to a mistake in the
program or to a bound, so that it shows nothing.`,
		Example: `  fencepost check --save-run run.json examples/dekker.imp
  fencepost replay examples/dekker.imp run.json
  fencepost replay --html run.html examples/dekker.imp run.json
  fencepost replay --to litmus examples/dekker.imp run.json > core.litmus`,
		Args: files(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "-" {
				return errors.New("replay wants a file, not standard input")
			}
			if j.to.value != "" && (j.interactive || j.quiet || cmd.Flags().Changed("output")) {
				return errors.New("--to: what is written is a litmus test; leave out --interactive, --quiet and --output")
			}
			if a.pages.file != "" && (j.interactive || j.to.value != "") {
				return errors.New("--html: the page is of what replay shows; leave out --interactive and --to")
			}
			if j.interactive && (j.quiet || cmd.Flags().Changed("output")) {
				return errors.New("--interactive: it is for reading; leave out --quiet and --output")
			}
			a.each(args[:1], fencepost.Text, func(file string) (int, error) { return a.replay(cmd.Context(), j, file, args[1]) })
			return nil
		},
		ValidArgsFunction: completeEach(completeFiles),
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVarP(&j.interactive, "interactive", "i", false, "stop after every step")
	f.Var(&j.to, "to", "write the run as a test: litmus")
	j.defines.flags(f)
	f.VarP(&j.output, "output", "o", "output format")
	f.BoolVarP(&j.quiet, "quiet", "q", false, "print the verdict line only (text)")
	a.htmlFlag(cmd)
	completeChoices(cmd)
	return cmd
}

func (a *app) replay(ctx context.Context, j *replayJob, file, saved string) (int, error) {
	in, err := os.Open(saved)
	if err != nil {
		return 0, fencepost.Unreadable(saved, err)
	}
	defer in.Close()
	s, err := fencepost.ReadRun(in)
	if err != nil {
		return 0, &fencepost.Diagnostic{Source: &fencepost.Source{Name: saved}, Msg: err.Error()}
	}
	j.defines.property, j.defines.model = fencepost.Property(s.Property), s.Model
	p, err := a.load(ctx, file, j.defines)
	if err != nil {
		return 0, err
	}
	r, err := fencepost.Replay(p, s)
	if err != nil {
		_, err = fmt.Fprintf(a.stdout, "%s: not a run of %s: %v\n", saved, file, err)
		return written(exitUnsafe, err)
	}
	switch {
	case j.interactive:
		return a.step(ctx, p, s)
	case j.to.value != "":
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		text, err := fencepost.CoreLitmus(ctx, r, strings.Map(func(c rune) rune {
			if c == ' ' || c < ' ' {
				return '-'
			}
			return c
		}, name))
		if err != nil {
			return 0, &fencepost.Diagnostic{Source: &fencepost.Source{Name: saved}, Msg: "no litmus test: " + err.Error()}
		}
		_, err = io.WriteString(a.stdout, text)
		return written(exitSafe, err)
	}
	code := exitSafe
	if !r.Unsafe() {
		code = exitUnknown // its steps are the program's, and nobody says that they violate anything
	}
	style := fencepost.Style{Format: fencepost.Format(j.output.value), Quiet: j.quiet, Colour: colour(a.stdout), File: file}
	a.page(func() *fencepost.Document { return r.Document(style) })
	return written(code, r.Print(a.stdout, style))
}

// step goes through the run as standard input says.
func (a *app) step(ctx context.Context, p *fencepost.Program, s *fencepost.SavedRun) (int, error) {
	w, err := fencepost.Step(p, s)
	if err != nil {
		return 0, err
	}
	in := bufio.NewReader(a.stdin)
	show := true
	for {
		m := w.Moment()
		if show {
			err = fencepost.PrintMoment(a.stdout, m)
		}
		if err == nil {
			_, err = io.WriteString(a.stdout, "> ")
		}
		if err != nil {
			return written(exitSafe, err)
		}
		word, err := interruptible(ctx, func() (string, error) { return readWord(in) })
		if err == io.EOF {
			_, err := io.WriteString(a.stdout, "\n")
			return written(exitSafe, err)
		}
		if err != nil {
			return 0, err
		}
		if word == "q" {
			return exitSafe, nil
		}
		show, err = a.obey(ctx, w, m, word)
		if err != nil {
			return 0, err
		}
	}
}

// readWord reads a line without the blanks around it. Of one that is too long to mean anything
// only the beginning is kept, however long it is.
func readWord(in *bufio.Reader) (string, error) {
	line, more, err := in.ReadLine()
	word := strings.TrimSpace(string(line))
	for more && err == nil {
		if _, more, err = in.ReadLine(); word == "" {
			word = "?"
		}
	}
	return word, err
}

// obey does what a line says; false where the run stands where it stood.
func (a *app) obey(ctx context.Context, w *fencepost.Stepper, m *fencepost.Moment, word string) (bool, error) {
	say := func(text string) (bool, error) {
		_, err := io.WriteString(a.stdout, text+"\n")
		return false, err
	}
	n, err := strconv.Atoi(word)
	switch {
	case word == "" || word == "f":
		if ok, err := w.Forward(); err != nil || !ok {
			return say("the saved run does not go on from here: b goes back, a number takes a step")
		}
	case word == "b":
		if !w.Back() {
			return say("this is the beginning")
		}
	case word == "m":
		if err := w.Models(ctx, m); err != nil {
			return false, err
		}
		return false, fencepost.PrintMoment(a.stdout, m)
	case err == nil:
		if err := w.Choose(n - 1); err != nil {
			return say(err.Error())
		}
	default:
		return say("f or nothing: on; b: back; a number: that step; m: what the models allow; q: the end")
	}
	return true, nil
}

// savesRun sees to it that a run can be saved, as far as that is known before the work.
func (j *job) savesRun(files int) error {
	switch {
	case j.saveRun == "":
		return nil
	case files > 1:
		return fmt.Errorf("--save-run: one file for %d programs", files)
	}
	if err := writable(j.saveRun); err != nil {
		return fmt.Errorf("--save-run: %w", err)
	}
	return nil
}

// writeRun saves the run of r.
func writeRun(path, file string, r *fencepost.Result) error {
	f, err := os.Create(path)
	if err != nil {
		return &outputError{path, err}
	}
	err = r.Print(f, fencepost.Style{Format: fencepost.JSON, File: file})
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return &outputError{path, err}
	}
	return nil
}
