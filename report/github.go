package report

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// GitHubFormat is the workflow commands of GitHub Actions, which show errors and warnings at
// the lines of a pull request; a program that is safe is a line for people to read.
const GitHubFormat Format = "github"

func githubPart(r *verdict.Result, file string) string {
	under := " under " + modelName(r.Model())
	switch {
	case r.Unsafe():
		pos := program.Position{}
		if v := r.Violation(); v != nil {
			pos = v.Pos
		}
		return annotation("error", file, pos, "UNSAFE"+under, violated(r)+"\n"+shortRun(r))
	case r.Safe():
		return fmt.Sprintf("SAFE %s%s: %s\n", file, under, argument(r.Argument()))
	}
	return annotation("warning", file, program.Position{}, "UNKNOWN"+under, oneLine(r.Reason()))
}

func githubError(file string, fault error) string {
	var d *program.Diagnostic
	if errors.As(fault, &d) {
		msg := d.Msg
		if d.Hint != "" {
			msg += "; " + d.Hint
		}
		return annotation("error", file, d.Pos, "cannot be checked", msg)
	}
	if faultVerdict(fault) == unknownVerdict {
		return annotation("warning", file, program.Position{}, unknownVerdict, fault.Error())
	}
	return annotation("error", file, program.Position{}, "cannot be checked", fault.Error())
}

// mostSteps is how many steps of a run an annotation shows.
const mostSteps = 40

// shortRun is what the threads do in the run, step by step.
func shortRun(r *verdict.Result) string {
	run := r.Run()
	if run == nil {
		return ""
	}
	var b strings.Builder
	for i := range run.Steps {
		if i == mostSteps {
			fmt.Fprintf(&b, ".. and %d more", len(run.Steps)-i)
			break
		}
		s := &run.Steps[i]
		fmt.Fprintf(&b, "%d. %s", i+1, threadName(r.Program(), s.Thread))
		if s.Pos.IsValid() {
			fmt.Fprintf(&b, ", %s", s.Pos.Where())
		}
		fmt.Fprintf(&b, ": %s\n", oneLine(s.Text))
	}
	return b.String()
}

var (
	messageEscapes  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// annotation is a workflow command.
func annotation(level, file string, pos program.Position, title, msg string) string {
	if pos.File != "" {
		file = pos.File
	}
	at := "file=" + propertyEscapes.Replace(filepath.ToSlash(file))
	if pos.IsValid() {
		at += fmt.Sprintf(",line=%d,col=%d", pos.Line, pos.Col)
	}
	return fmt.Sprintf("::%s %s,title=%s::%s\n", level, at, propertyEscapes.Replace(title), messageEscapes.Replace(strings.TrimSpace(msg)))
}
