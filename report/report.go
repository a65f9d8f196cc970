// Package report shows verdicts, runs and final states to people ([Text]) and
// to programs ([JSON]). A [verdict.Result] comes in, text goes out; no engine
// is known here, and nothing is decided here.
package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Options say how [Text] writes. The zero value is right for a file.
type Options struct {
	Width  int  // columns; 0: 100
	Quiet  bool // the verdict line only
	Colour bool // for terminals
	Full   bool // all steps of runs, and none folded
}

const defaultWidth = 100

// Text writes r for people. The first line is the verdict; what follows is the
// evidence for it and fits a screen's width.
//
// A result with a [Fault] is no verdict, so of that only the diagnostic is
// written.
func Text(w io.Writer, r *verdict.Result, opts Options) error {
	var b strings.Builder
	if d := Fault(r); d != nil {
		fmt.Fprintln(&b, d)
	} else {
		writeVerdict(&b, r, &opts)
		if !opts.Quiet {
			writeEvidence(&b, r, opts)
		}
	}
	return write(w, &b)
}

// Fault is the diagnostic for a program in which a mistake, such as a division
// by zero, can be reached; nil for every other result.
func Fault(r *verdict.Result) *program.Diagnostic {
	if !r.Fault() {
		return nil
	}
	msg := oneLine(r.Violation().Text)
	if msg == "" {
		msg = "an operation without a meaning"
	}
	return r.Program().Diagnose(r.Violation().Pos, msg+" can be reached", "")
}

// begin writes the first line: the answer, in its colour, what it is about, and how it was found.
func (o *Options) begin(b *strings.Builder, word, colour string, p *program.Program, under, how string) {
	if o.Width <= 0 {
		o.Width = defaultWidth
	}
	fmt.Fprintf(b, "%s  %s  %s (%s)\n", o.coloured(word, colour), oneLine(fileName(p)), under, how)
}

// coloured is a word in a colour, one of the codes of terminals, where these are wanted.
func (o *Options) coloured(word, colour string) string {
	if !o.Colour {
		return word
	}
	return "\x1b[1;" + colour + "m" + word + "\x1b[0m"
}

const green, red, yellow = "32", "31", "33"

var verdictColours = map[verdict.Verdict]string{verdict.IsSafe: green, verdict.IsUnsafe: red, verdict.IsUnknown: yellow}

// write writes a text in one call.
func write(w io.Writer, b *strings.Builder) error {
	_, err := io.WriteString(w, b.String())
	return err
}

func writeVerdict(b *strings.Builder, r *verdict.Result, opts *Options) {
	under := under(r)
	if opts.Quiet && r.Safe() && r.Argument() == verdict.NoProperty {
		under += ": " + string(verdict.NoProperty)
	}
	opts.begin(b, r.Verdict().String(), verdictColours[r.Verdict()], r.Program(), under, how(r))
}

// under is what was asked, and the model.
func under(r *verdict.Result) string {
	about := map[verdict.Question]string{verdict.DataRaces: "data races, ", verdict.LBRaces: "load-buffering races, ",
		verdict.Liveness: "liveness, ", verdict.Deadlocks: "deadlocks, "}
	return about[r.About()] + "under " + modelName(r.Model())
}

// how is the engine and the time it took.
func how(r *verdict.Result) string {
	if r.Engine == "" {
		return duration(r.Elapsed)
	}
	return r.Engine + ", " + duration(r.Elapsed)
}

func writeEvidence(b *strings.Builder, r *verdict.Result, opts Options) {
	b.WriteByte('\n')
	writeItems(b, claims(r), opts.Width)
	if r.Unsafe() && r.Run() != nil {
		b.WriteByte('\n')
		writeRun(b, r.Run(), opts)
		if items := consequences(r); len(items) > 0 {
			b.WriteByte('\n')
			writeItems(b, items, opts.Width)
		}
	}
	if x := r.Execution(); r.Unsafe() && x != nil {
		b.WriteByte('\n')
		writeExecution(b, x.Program, x.Graph, opts.Width)
		writeCycle(b, x, opts.Width)
		if r.About() == verdict.Liveness {
			b.WriteByte('\n')
			writeItems(b, consequences(r), opts.Width)
		}
	}
}

// items are labelled texts, without those that are empty.
type items [][2]string

func (i *items) add(label, text string) {
	if text = oneLine(text); text != "" {
		*i = append(*i, [2]string{label, text})
	}
}

// claims is what a result says, and how it came to it.
func claims(r *verdict.Result) (all items) {
	add := all.add
	switch r.Verdict() {
	case verdict.IsUnsafe:
		add(violationLabel(r.Violation()), violationText(r.Program(), r.Violation()))
	case verdict.IsSafe:
		because := argument(r.Argument())
		if w := r.Watched(); w != "" {
			because = w + ": " + because
		}
		if r.Abstraction != "" {
			because += ", with the store buffers abstracted to " + r.Abstraction
		}
		add("because", because)
	default:
		add("reason", r.Reason())
	}
	add("effort", effort(r.Stats))
	for _, n := range r.Notes {
		add("note", n)
	}
	if !r.Unsafe() {
		add("next", r.Next())
	}
	return all
}

// consequences is what there is to say after the run of a violation.
func consequences(r *verdict.Result) (all items) {
	if race := r.Violation().Race; race != nil {
		for _, why := range race.Why {
			all.add("not ordered", why)
		}
		all.add("next", race.Advice)
	}
	if hang := r.Violation().Hang; hang != nil {
		for _, w := range hang.Waits {
			all.add("waits", waitText(r.Program(), hang.Cells, &w))
		}
	}
	if r.Run() != nil {
		all.add("in the end", lastState(r.Run()))
	}
	all.add("next", r.Next())
	return all
}

// writeItems writes a list of labelled texts, each with a hanging indent.
func writeItems(b *strings.Builder, items [][2]string, width int) {
	label := 0
	for _, it := range items {
		label = max(label, length(it[0]))
	}
	for _, it := range items {
		head := "  " + pad(it[0], label) + "  "
		for _, line := range wrap(it[1], max(width-label-4, 20), 0) {
			b.WriteString(head + line + "\n")
			head = strings.Repeat(" ", label+4)
		}
	}
}

func violationLabel(v *verdict.Violation) string {
	// A litmus test asks for a state; finding it violates nothing.
	if v != nil && v.Property != nil && v.Property.Kind == program.Exists {
		return "reached"
	}
	return "violated"
}

// waitText says what a thread waits for.
func waitText(p *program.Program, cells []program.Cell, w *verdict.Wait) string {
	text := threadName(p, w.Thread)
	if w.Pos.IsValid() {
		text += fmt.Sprintf(" (%s)", oneLine(w.Pos.Where()))
	}
	if w.Stands {
		text += " stands"
	} else {
		text += " goes in circles"
	}
	for i, r := range w.Reads {
		sep := ", "
		if i == 0 {
			sep = ": "
		}
		text += fmt.Sprintf("%s%s = %s", sep, cellName(cells[r.Cell]), cells[r.Cell].Format(r.Value))
	}
	return text
}

func violationText(p *program.Program, v *verdict.Violation) string {
	text := oneLine(v.Text)
	if text == "" && v.Property != nil {
		text = oneLine(v.Property.Text)
	}
	if text == "" {
		text = oneLine(p.Source.File(v.Pos).Line(v.Pos.Line))
	}
	if text == "" {
		text = "an assertion"
	}
	if v.Pos.IsValid() && v.Race == nil && v.LBRace == nil && v.Hang == nil {
		text += fmt.Sprintf("  (%s)", oneLine(v.Pos.Where()))
	}
	return text
}

// argument says in words what the arguments mean.
func argument(a verdict.Argument) string {
	switch a {
	case verdict.Exhaustive:
		return string(a) + ": every reachable state was visited and no bound was met"
	case verdict.Unrolled:
		return string(a) + ": no execution of any length is a violation"
	case verdict.Diagram:
		return string(a) + ": it has the initial state, no step leads out of it, and none of them is a violation"
	case verdict.NoProperty:
		return string(a) + ": the program has no property, and no assertion that was not seen to hold as it was read"
	}
	return string(a)
}

func effort(stats []verdict.Stat) string {
	parts := make([]string, len(stats))
	for i, s := range stats {
		if s.Name == "bytes" {
			parts[i] = "memory " + size(s.Value)
		} else {
			parts[i] = oneLine(s.Name) + " " + grouped(s.Value)
		}
	}
	return strings.Join(parts, ", ")
}

// lastState is what the violated property reads, in the state that violates
// it.
func lastState(r *verdict.Run) string {
	if r.Violation == nil || r.Violation.Property == nil {
		return ""
	}
	if len(r.Steps) == 0 {
		return "this holds in the initial state"
	}
	last := &r.Steps[len(r.Steps)-1]
	var parts []string
	add := func(s string) {
		for _, p := range parts {
			if p == s {
				return
			}
		}
		parts = append(parts, s)
	}
	if r.Violation.Property.Kind == program.Deadlock {
		for i, t := range r.Program.Threads {
			if i >= len(last.PC) {
				break
			}
			st := t.States[last.PC[i]]
			where := "at " + st.Name
			if st.Pos.IsValid() {
				where = "at " + oneLine(st.Pos.Where())
			}
			add(threadName(r.Program, i) + " " + where)
		}
	}
	program.Walk(r.Violation.Property.Cond, func(e program.Expr) {
		switch e := e.(type) {
		case program.At:
			if e.Thread >= len(last.PC) {
				return
			}
			for _, q := range e.States {
				if q == last.PC[e.Thread] {
					add(e.String())
				}
			}
		case program.ThreadReg:
			if e.Thread < len(last.Regs) && e.Reg < len(last.Regs[e.Thread]) {
				add(fmt.Sprintf("%s=%s", e, r.Program.Threads[e.Thread].Regs[e.Reg].Format(last.Regs[e.Thread][e.Reg])))
			}
		case program.Mem:
			for i, c := range r.Cells {
				if c.Addr == e.Addr && i < len(last.Memory) {
					add(fmt.Sprintf("%s=%s", e, r.Cells[i].Format(last.Memory[i])))
				}
			}
		}
	})
	return strings.Join(parts, ", ")
}

func fileName(p *program.Program) string {
	if p.Source != nil && p.Source.Name != "" {
		return p.Source.Name
	}
	return p.Name
}

// modelName is how a model is called; a file keeps its letters.
func modelName(m memory.Model) string {
	if slices.Contains(memory.Models(), m) {
		return strings.ToUpper(string(m))
	}
	return oneLine(string(m))
}

func threadName(p *program.Program, i int) string {
	if i >= 0 && i < len(p.Threads) && p.Threads[i].Name != "" {
		return oneLine(p.Threads[i].Name)
	}
	return "P" + strconv.Itoa(i)
}

func cellName(c program.Cell) string {
	if c.Name != "" {
		return oneLine(c.Name)
	}
	return fmt.Sprintf("[%d]", c.Addr)
}

// duration is coarse: what counts is the order of magnitude.
func duration(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	s := int64(d.Round(time.Second).Seconds())
	if s < 3600 {
		return fmt.Sprintf("%d min %02d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %02d min", s/3600, s%3600/60)
}

func size(n int64) string {
	if n < 1<<10 {
		return fmt.Sprintf("%d bytes", n)
	}
	f, unit := float64(n), ""
	for _, unit = range []string{"KiB", "MiB", "GiB", "TiB"} {
		if f /= 1 << 10; f < 1<<10 {
			break
		}
	}
	return fmt.Sprintf("%.1f %s", f, unit)
}

// grouped is n with its digits in groups of three.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = s[:1], s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// oneLine is s with white space squeezed, and without what would disturb a
// terminal.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return utf8.RuneError
		}
		return r
	}, s)
}
