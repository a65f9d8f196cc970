package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
)

const rootLong = `Fencepost decides whether a concurrent program is correct on hardware that
buffers its stores (x86-TSO, SPARC TSO), with sequential consistency as the
reference. It shows the run that breaks the program, or proves that none does.`

const exitLong = `
Exit status: 0 SAFE, 1 UNSAFE, 2 usage or input error, 3 UNKNOWN, 4 internal
error; for several files the first of 4, 2, 1, 3, 0 that occurs.`

const inputLong = `
FILE is an IMP program (.imp), a C program (.c), automata (.txt, .asm) or a litmus test
(.litmus); - is standard input, read as IMP.`

// root is the command with those below it: all, or the one that args begin with.
func (a *app) root(args ...string) *cobra.Command {
	root := &cobra.Command{
		Use:   "fencepost",
		Short: "Verify concurrent programs under SC, TSO and PSO",
		Long:  rootLong,
		Example: `  fencepost check examples/dekker.imp
  fencepost check --model sc examples/dekker.imp
  fencepost states examples/dekker.imp`,
		Version:       strings.TrimPrefix(version(), "fencepost "),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(flagError)
	add(root, a.groups(), args)
	// Where they lack a word or do not know it, cobra's own commands for help
	// and completion print the usage and succeed.
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		completion.Args = nil
		completion.RunE = func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown shell %q%s", args[0], didYouMean(args[0], names(completion), ""))
			}
			return fmt.Errorf("no shell given (%s)", strings.Join(names(completion), ", "))
		}
	}
	root.SetHelpCommand(&cobra.Command{
		Use:     "help [COMMAND]",
		GroupID: ours,
		Short:   "Help about a command",
		Example: "  fencepost help check",
		RunE: func(_ *cobra.Command, args []string) error {
			topic, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("unknown help topic %q%s", strings.Join(args, " "), didYouMean(args[0], names(root), ""))
			}
			topic.InitDefaultHelpFlag()
			return topic.Help()
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return names(root), cobra.ShellCompDirectiveNoFileComp
		},
	})
	return root
}

// names lists the commands below cmd.
func names(cmd *cobra.Command) (ns []string) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			ns = append(ns, c.Name())
		}
	}
	slices.Sort(ns)
	return ns
}

// A job is what the flags of check and states say.
type job struct {
	model   modelFlag
	implied bool // by the program: none was named
	engine  engineFlag
	search  choice
	por     choice
	alike   bool
	commute bool
	unroll  count
	buffer  count
	defines defines
	timeout limit
	memory  bytesize
	guard   *guard // of the process
	share   int64  // what an engine may hold
	workers count
	compact bool
	spill   directory // for states; "": none
	solver  solverName
	output  choice
	quiet   bool
	cache   cache
	fixes   bool // SARIF with fences

	certificate string // a file to write one to; "": none
	proof       string // a directory to write proofs to; "": none
	saveRun     string // a file to write the run to; "": none
	verbose     bool
	full        bool   // runs as they were found, with all their steps
	graph       string // a picture of the execution; "": none
}

// newJob is the default for a command that asks q.
func newJob(q fencepost.Question) *job {
	return &job{
		model:  modelFlag(fencepost.TSO),
		engine: engineFlag{name: fencepost.Auto, asks: q},
		search: choice{what: "search order", value: "bfs", known: []string{"bfs", "dfs"}},
		por:    choice{what: "reduction", long: true, value: string(fencepost.DefaultReduction), known: words(fencepost.Reductions()...)},
		output: choice{what: "output format", value: string(fencepost.Text), known: words(fencepost.Text, fencepost.JSON)},
	}
}

// flags adds the flags that check and states share.
func (j *job) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.VarP(&j.model, "model", "m", "memory model")
	f.VarP(&j.engine, "engine", "e", "how to decide; the engines are listed above")
	f.Var(&j.search, "search", "order of the explicit search")
	f.Var(&j.por, "por", strings.Join(j.por.known, ", ")+" (explicit)")
	j.searchFlags(cmd)
	f.BoolVar(&j.alike, "symmetry", false, "make use of threads that are alike (explicit, graphs)")
	f.BoolVar(&j.commute, "commute", false, "leave additions whose results nobody reads unordered (graphs)")
	f.Var(&j.unroll, "unroll", "unroll loops at most `N` times (bmc, graphs, C); 0: as often as it takes")
	f.Var(&j.buffer, "buffer", "search with store buffers of `N` entries (explicit); 0: no bound")
	j.defines.flags(cmd.Flags())
	f.Var(&j.timeout, "timeout", "stop after that time, for each file: 90, 90s, 5m; 0: never")
	f.Var(&j.memory, "memory-limit", "memory for the process: 512M, 4G; 0: what the machine has free")
	f.Var(&j.solver, "solver", "SAT solver (bmc): cdcl, gini, or a program that reads DIMACS")
	f.VarP(&j.output, "output", "o", "output format")
	completeChoices(cmd)
}

// searchFlags adds the flags about what an explicit search may use.
func (j *job) searchFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.VarP(&j.workers, "jobs", "j", "work on `N` cores (explicit, graphs, bmc); 0: on all")
	f.BoolVar(&j.compact, "compact", false, "store fingerprints of states only (explicit): no proof, but less memory")
	f.Var(&j.spill, "spill", "put states that there is no memory for into a file there (explicit)")
}

// graphFlag adds the flag for a picture.
func (j *job) graphFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&j.graph, "graph", "", "draw the execution and its cycle into `FILE`, .svg or .dot")
}

// draws sees to it, before the work, that there can be a picture, where one is asked for.
func (j *job) draws(files int) error {
	if j.graph != "" && files > 1 {
		return fmt.Errorf("--graph: one picture for %d files", files)
	}
	return drawable(j.graph)
}

// draw draws what there is to draw, where a picture is asked for.
func (j *job) draw(d *fencepost.Drawing) error {
	if j.graph == "" || d == nil {
		return nil
	}
	d.All = j.full
	return writeDrawing(j.graph, d)
}

// fullFlag adds the flag for all steps of runs.
func (j *job) fullFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&j.full, "full", false, "show runs as they were found, with all their steps")
}

func (j *job) format() fencepost.Format { return fencepost.Format(j.output.value) }

// options are what the flags say of the question; p may be nil.
func (j *job) options(p *progress) fencepost.Option {
	return func(o *fencepost.Options) {
		o.Model = fencepost.Model(j.model)
		o.Engine = j.engine.name
		o.DepthFirst = j.search.value == "dfs"
		o.Reduction = fencepost.Reduction(j.por.value)
		o.Symmetry = j.alike
		o.Commute = j.commute
		o.Workers = int(j.workers)
		o.Compact = j.compact
		o.Spill = j.spillTo()
		o.Unroll = int(j.unroll)
		o.Buffer = int(j.buffer)
		o.Solver = string(j.solver)
		o.MemoryLimit = j.share
		o.Certify = j.certificate != ""
		o.Proofs = j.proof != ""
		o.Full = j.full
		j.defines.set(o)
		if p != nil {
			o.Progress = p.show
		}
	}
}

// style is how the flags want the result about a file printed.
func (a *app) style(j *job, file string) fencepost.Style {
	return fencepost.Style{Format: j.format(), Width: width(a.stdout), Quiet: j.quiet, Colour: colour(a.stdout), File: file, Full: j.full}
}

// part sets off a result from the one before it.
func (a *app) part(j *job) {
	if a.reports++; a.reports > 1 && !j.quiet && j.format() == fencepost.Text {
		fmt.Fprintln(a.stdout)
	}
}

// context adds the time limit, for what began then.
func (j *job) context(ctx context.Context, began time.Time) (context.Context, context.CancelFunc) {
	if j.timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, began.Add(time.Duration(j.timeout)))
}

// stated is what --property is called where it is not given.
const stated = "stated"

// asks sets what to look for.
func (j *job) asks(cmd *cobra.Command, property string) error {
	if property == stated {
		return nil
	}
	j.defines.property = fencepost.Property(property)
	if j.certificate != "" {
		return fmt.Errorf("--certificate: there are none for --property %s", property)
	}
	if j.defines.property == fencepost.NoHang {
		for flag, why := range map[string]string{
			"compact":  "it is for what a program states, and for deadlocks",
			"por":      "all steps are taken, since what is between two states may be a hang",
			"commute":  "it is for properties, assertions and final states",
			"symmetry": "all states are visited, since what is between two of them may be a hang",
		} {
			if cmd.Flags().Changed(flag) {
				return fmt.Errorf("--%s does nothing for --property liveness: %s; leave it out", flag, why)
			}
		}
	}
	if e := cmd.Flags().Lookup("engine"); j.defines.property == fencepost.NoHang && e.Changed && !slices.Contains([]string{string(fencepost.Auto), "explicit", "graphs"}, e.Value.String()) {
		return errors.New("--engine: liveness is decided by explicit and graphs; leave it out")
	}
	if j.defines.property == fencepost.NoLBRace {
		if m := fencepost.Model(j.model); cmd.Flags().Changed("model") && m != fencepost.RC11 {
			return fmt.Errorf("--model %s: races of load buffering are looked for in executions under rc11; leave it out", j.model)
		}
		j.model = modelFlag(fencepost.RC11)
		if cmd.Flags().Changed("mapping") {
			return errors.New("--mapping: races of load buffering are a matter of C, not of instructions; leave it out")
		}
		if e := cmd.Flags().Lookup("engine"); e.Changed && e.Value.String() != string(fencepost.Auto) && e.Value.String() != "graphs" {
			return errors.New("--engine: races of load buffering are found by graphs; leave it out")
		}
	}
	if j.defines.property == fencepost.NoDataRace {
		switch m := fencepost.Model(j.model); {
		case !cmd.Flags().Changed("model"):
			j.model = modelFlag(fencepost.SC)
		case m != fencepost.SC && m != fencepost.RC11 && m != fencepost.RA:
			return fmt.Errorf("--model %s: data races are looked for in executions under sc, ra or rc11; leave it out", j.model)
		}
		if cmd.Flags().Changed("mapping") {
			return errors.New("--mapping: data races are a matter of C, not of instructions; leave it out")
		}
	}
	return nil
}

func (a *app) checkCommand() *cobra.Command {
	j := newJob(fencepost.AskSafety)
	j.output.known, j.output.long = append(j.output.known, words(fencepost.SARIF, fencepost.JUnit, fencepost.GitHub)...), true
	var config string
	property := choice{what: "property", long: true, value: stated, known: []string{stated, string(fencepost.NoDeadlock), string(fencepost.NoDataRace), string(fencepost.NoLBRace), string(fencepost.NoHang)}}
	cmd := &cobra.Command{
		Use:   "check [flags] FILE...",
		Short: "Decide whether programs are correct",
		Long: `Check decides, for every FILE, whether a run of the program violates one of its
properties. The answer is SAFE with the reason, UNSAFE with such a run, or
UNKNOWN with how far it got. Ctrl-C stops the work and shows what is known.

With --property deadlock, race, lb-race or liveness it looks for that and for nothing
else: for a state in which nothing can go on, or, in C programs and their executions
under SC, for two accesses to the same memory, one of them plain and one a store, that
happens-before does not order. (Triangular races: "fencepost help robust".) With
lb-race, for a relaxed read that could read what comes of it, were the relaxed store
after it executed first (load buffering).
With liveness it looks for a run after which nothing will ever change, and some
thread still waits.

DIR/... stands for all programs in a folder and below it. With --config, or without a
FILE where there is a fencepost.yaml, that file says what to check and how.

With --output json there is one line with one object for every file. A file
that cannot be checked has {"file", "verdict": "ERROR", "error"} there, beside
the message on standard error. With sarif, junit and github there is one document for
all files: for code scanning, for build servers, and annotations of GitHub Actions.
` + inputLong + "\n\n" + engineLong(fencepost.AskSafety) + exitLong,
		Example: `  fencepost check examples/dekker.imp
  fencepost check --model sc examples/dekker.imp
  fencepost check --engine bmc --timeout 30s examples/*.imp
  fencepost check -D N=3 -o json examples/peterson-n.imp
  fencepost check -e cegar -v --certificate p.cert examples/peterson-fenced.imp
  fencepost check -o sarif --cache .fencepost ./...`,
		Args: files(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if config != "" || len(args) == 0 {
				defer a.document(j.format())
				return a.checkConfigured(cmd, config, args)
			}
			args, err := a.expand(args)
			if err != nil {
				return err
			}
			if err := j.cache.of(cmd); err != nil {
				return err
			}
			if err := j.asks(cmd, property.value); err != nil {
				return err
			}
			e, err := j.applies(cmd)
			if err != nil {
				return err
			}
			if j.fixes && j.format() != fencepost.SARIF {
				return errors.New("--fixes: they are a part of SARIF: -o sarif")
			}
			j.defines.c.Unroll = int(j.unroll)
			if err := j.savesRun(len(args)); err != nil {
				return err
			}
			if err := j.certifies(e, len(args)); err != nil {
				return err
			}
			if err := j.proves(len(args)); err != nil {
				return err
			}
			if err := j.draws(len(args)); err != nil {
				return err
			}
			j.guard = guardMemory(j.memory)
			a.each(args, j.format(), func(file string) (int, error) {
				return a.checkFile(cmd.Context(), j, file)
			})
			a.document(j.format())
			return nil
		},
		ValidArgsFunction: completeFiles,
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().VarP(&property, "property", "p", "what to look for: deadlock, race, lb-race, liveness")
	j.flags(cmd)
	cmd.Flags().Lookup("output").Usage = strings.Join(j.output.known, ", ")
	cmd.Flags().BoolVarP(&j.quiet, "quiet", "q", false, "print the verdict line only (text)")
	j.fullFlag(cmd)
	j.graphFlag(cmd)
	a.htmlFlag(cmd)
	cmd.Flags().StringVar(&config, "config", "", "check what a `FILE` in YAML says")
	cmd.Flags().StringVar(&j.cache.dir, "cache", "", "keep verdicts in `DIR`, and take them from there while nothing has changed")
	cmd.Flags().BoolVar(&j.fixes, "fixes", false, "look for the fences of what is UNSAFE under TSO, too (sarif)")
	cmd.Flags().BoolVarP(&j.verbose, "verbose", "v", false, "tell on standard error how abstractions are refined (cegar)")
	cmd.Flags().StringVar(&j.certificate, "certificate", "", "write evidence that \"fencepost certify\" checks to `FILE`")
	cmd.Flags().StringVar(&j.saveRun, "save-run", "", "write the run that \"fencepost replay\" performs again to `FILE` (UNSAFE)")
	cmd.Flags().StringVar(&j.proof, "proof", "", "write the formulas that the answer rests on, with proofs, to `DIR` (bmc)")
	return cmd
}

func (a *app) checkFile(ctx context.Context, j *job, file string) (int, error) {
	s, err := a.open(ctx, j, file)
	if err != nil {
		return 0, err
	}
	defer s.close()
	kept := j.cache.file(s.p, fencepost.Model(j.model), a.style(j, file))
	if p, ok := j.cache.load(kept, s.p, fencepost.Model(j.model), j.defines.property); ok && p.Format == j.format() {
		v := exitSafe
		if p.Verdict == "UNSAFE" {
			v = exitUnsafe
		}
		return written(v, a.emit(j, p.Part))
	}
	opts := []fencepost.Option{j.options(s.progress)}
	if j.verbose {
		opts = append(opts, func(o *fencepost.Options) {
			o.Refined = func(r *fencepost.Refinement) {
				s.progress.clear()
				fmt.Fprintln(a.stderr, r)
			}
		})
	}
	r, err := a.check(s.ctx, s.p, opts...)
	s.progress.clear()
	if err != nil {
		return 0, err
	}
	p, err := a.answer(j, r, file)
	if err == nil && j.fixes && r.Unsafe() {
		p, err = a.mended(s, j, p, file)
	}
	if err == nil {
		err = a.emit(j, p)
	}
	if err != nil {
		return written(0, err)
	}
	if err := j.cache.store(kept, p, r); err != nil {
		fmt.Fprintln(a.stderr, "fencepost:", err) // the verdict stands
	}
	if err := j.draw(r.Drawing()); err != nil {
		return written(0, err)
	}
	a.page(func() *fencepost.Document { return r.Document(a.style(j, file)) })
	if j.saveRun != "" && r.Run() != nil {
		if err := writeRun(j.saveRun, file, r); err != nil {
			return 0, err
		}
	}
	if j.proof != "" && !r.Unsafe() {
		// However the time is over, what is known has its proofs.
		if err := writeProofs(context.WithoutCancel(ctx), j.proof, r); err != nil {
			return 0, err
		}
	}
	if j.certificate != "" && (r.Safe() || len(r.Refutations) > 0 || r.Execution() != nil) {
		// The verdict stands, whatever comes of this.
		if err := writeCertificate(s.ctx, j.certificate, r, opts); err != nil {
			return a.fail(file, fencepost.Text, err), nil
		}
	}
	return status(r.Verdict()), nil
}

// mended is p with the fences that make the program safe, where they are found in the time that is left.
func (a *app) mended(s *session, j *job, p fencepost.Part, file string) (fencepost.Part, error) {
	if fencepost.Model(j.model) != fencepost.TSO || j.defines.property != fencepost.Stated {
		return p, nil // there are no fences for that
	}
	r, err := fencepost.Fences(s.ctx, s.p, fencepost.FenceSearch{Goal: fencepost.Safety}, j.options(nil), fencepost.By(fencepost.Auto))
	if err != nil || !r.Mends() {
		return p, nil // the verdict stands
	}
	return r.Mend(p, a.style(j, file))
}

func (a *app) statesCommand() *cobra.Command {
	j := newJob(fencepost.AskFinalStates)
	cmd := &cobra.Command{
		Use:   "states [flags] FILE",
		Short: "List the states in which a program can end",
		Long: `States lists the registers and the memory of every state in which the program
can end: all threads at their ends, all store buffers empty.
` + inputLong + "\n\n" + engineLong(fencepost.AskFinalStates) + `
Exit status: 0 for a complete list, 2 usage or input error, 3 where the list is
not complete (it says why), 4 internal error.`,
		Example: `  fencepost states examples/dekker.imp
  fencepost states --model sc -o json examples/dekker.imp`,
		Args: files(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := j.applies(cmd); err != nil {
				return err
			}
			j.defines.c.Unroll = int(j.unroll)
			j.guard = guardMemory(j.memory)
			a.each(args, j.format(), func(file string) (int, error) {
				return a.statesFile(cmd.Context(), j, file)
			})
			return nil
		},
		ValidArgsFunction: completeFiles,
	}
	j.flags(cmd)
	return cmd
}

func (a *app) statesFile(ctx context.Context, j *job, file string) (int, error) {
	s, err := a.open(ctx, j, file)
	if err != nil {
		return 0, err
	}
	defer s.close()
	r, err := a.finalStates(s.ctx, s.p, j.options(s.progress))
	s.progress.clear()
	if err != nil {
		return 0, err
	}
	status := exitSafe
	if !r.Safe() {
		status = exitUnknown
	}
	return written(status, r.Print(a.stdout, a.style(j, file)))
}

func (a *app) printCommand() *cobra.Command {
	var defs defines
	to := choice{what: "form", value: string(fencepost.Listing), known: words(fencepost.Listing, fencepost.Automata, fencepost.Graphviz)}
	cmd := &cobra.Command{
		Use:   "print [flags] FILE",
		Short: "Print the model of a program, or convert it",
		Long: `Print shows what the engines see of a program: its threads as automata, one line
for each edge. With --to asm it writes automata that other tools read, and that
fencepost reads again; with --to dot a graph for Graphviz.
` + inputLong + `

Exit status: 0, 2 usage or input error, 4 internal error.`,
		Example: `  fencepost print examples/dekker.imp
  fencepost print --to asm examples/dekker.imp > dekker.txt
  fencepost print --to dot examples/dekker.imp | dot -Tsvg > dekker.svg`,
		Args: files(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.each(args, fencepost.Text, func(file string) (int, error) {
				return a.writeProgram(cmd.Context(), file, defs, fencepost.Form(to.value))
			})
			return nil
		},
		ValidArgsFunction: completeFiles,
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().Var(&to, "to", "what to write")
	defs.flags(cmd.Flags())
	completeChoices(cmd)
	return cmd
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version, the commit, and the SAT solvers that there are",
		Example: "  fencepost version",
		Args:    files(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if _, err := fmt.Fprintf(a.stdout, "%s\nsolvers %s\n", version(), strings.Join(fencepost.Solvers(), ", ")); err != nil {
				a.status = a.fail("", fencepost.Text, &outputError{err: err})
			}
			return nil
		},
	}
}

func version() string {
	v, commit := "(unknown)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			v = info.Main.Version
		}
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				commit = ", commit " + s.Value + commit
			case "vcs.modified":
				if s.Value == "true" {
					commit += " (modified)"
				}
			}
		}
	}
	return fmt.Sprintf("fencepost %s (%s %s/%s%s)", v, runtime.Version(), runtime.GOOS, runtime.GOARCH, commit)
}

// files checks the number of files; most of -1 means any number.
func files(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch n := len(args); {
		case n == 0 && least > 0:
			return errors.New("no file given")
		case n < least:
			return fmt.Errorf("more is needed than %s: fencepost %s", strings.Join(args, " "), cmd.Use)
		case most >= 0 && n > most:
			return fmt.Errorf("unexpected argument %q", args[most])
		}
		return nil
	}
}

// colour is whether to write colours to w: to terminals whose user did not ask
// for none (https://no-color.org).
func colour(w io.Writer) bool {
	return terminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
