package main

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
)

// helpers are the programs that fencepost can make use of, and what for. It needs none.
var helpers = []struct{ name, what string }{
	{"cadical", "a SAT solver (--solver cadical)"},
	{"kissat", "a SAT solver (--solver kissat)"},
	{"minisat", "a SAT solver (--solver minisat)"},
	{"dot", "draws what convert --to dot writes"},
	{"spin", "checks what convert --to promela writes"},
	{"herd7", "compared with by bench/litmus"},
	{"cbmc", "compared with by bench/thesis and bench/c"},
	{"nidhugg", "compared with by bench/c"},
	{"genmc", "compared with by bench/c"},
}

// patientEngines is how long each engine may take for a program; an UNKNOWN is no fault.
const patientEngines = time.Second

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Say what this machine has, and whether all is well",
		Long: `Doctor says what fencepost finds here: its version, cores and memory, the limits that
hold, which solvers and which other tools there are, and decides two small programs by
every engine.

Exit status: 0 all is well, 4 an engine does not answer as it should.`,
		Example: "  fencepost doctor",
		Args:    files(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			say := func(what, format string, args ...any) {
				fmt.Fprintf(a.stdout, "%-10s %s\n", what, fmt.Sprintf(format, args...))
			}
			say("version", "%s", version())
			say("cores", "%d, of which %d are used", runtime.NumCPU(), runtime.GOMAXPROCS(0))
			say("memory", "%.1f GiB for the engines, unless --memory-limit says otherwise", float64(fencepost.DefaultMemoryLimit())/(1<<30))
			say("solvers", "%s", strings.Join(fencepost.Solvers(), ", "))
			for _, h := range helpers {
				if path, err := exec.LookPath(h.name); err == nil {
					say(h.name, "%s: %s", path, h.what)
				}
			}
			wrong := 0
			for name, want := range map[string]string{"dekker.imp": "UNSAFE", "dekker-fenced.imp": "SAFE"} {
				text, err := example(name)
				if err != nil {
					return err
				}
				p, err := fencepost.Read(name, strings.NewReader(string(text)))
				if err != nil {
					return err
				}
				for _, e := range fencepost.Engines() {
					if !e.Answers(fencepost.AskSafety, fencepost.TSO) {
						continue
					}
					e := e.Name
					r, err := a.check(cmd.Context(), p, fencepost.By(e), func(o *fencepost.Options) { o.Timeout, o.MemoryLimit = patientEngines, 256<<20 })
					var refused *fencepost.Diagnostic
					switch {
					case errors.As(err, &refused): // it says nothing of properties such as this one
					case err != nil:
						wrong++
						say(string(e), "%s: %v", name, err)
					case r.Verdict().String() != want && r.Verdict().String() != "UNKNOWN":
						wrong++
						say(string(e), "%s is %s, and not %s", name, r.Verdict(), want)
					}
				}
			}
			if wrong > 0 {
				a.status = exitInternal
				return nil
			}
			say("engines", "all answer as they should")
			return nil
		},
	}
}
