// Command papers reproduces the tables of two papers as far as they count executions, and
// prints them with the numbers of the papers beside ours:
//
//	go run ./bench/papers
//
// They are "Stateless model checking under a reads-value-from equivalence" (Agarwal,
// Chatterjee, Pathak, Pavlogiannis and Toman, CAV 2021), which has a table of its own for store buffers, and "Model checking on multi-execution
// memory models" (Moiseenko, Kokologiannakis and Vafeiadis, OOPSLA 2022). What they give in
// seconds is not repeated. What takes longer than -timeout is left out, with a dash.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/bench/internal/cpu"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/program"
)

var (
	limit = flag.Duration("timeout", time.Minute, "of processor time, for each number")
	only  = flag.String("only", "", "rvf or wmc")
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("papers: ")
	flag.Parse()
	if flag.NArg() > 0 || *only != "" && *only != "rvf" && *only != "wmc" {
		log.Fatal("usage: go run ./bench/papers [-timeout 1m] [-only rvf|wmc]")
	}
	o := &output{w: os.Stdout, limit: *limit}
	if *only == "" {
		o.print("# Tables of papers\n\nThis page is written by `go run ./bench/papers > docs/papers.md`.\n\n")
	}
	if *only != "wmc" {
		rvfTables(o)
		bufferTable(o)
	}
	if *only != "rvf" {
		if *only == "" {
			o.print("\n")
		}
		wmcTables(o)
	}
	if o.err != nil {
		log.Fatal(o.err)
	}
}

// output is the page and what goes wrong with it: the first error is kept, and nothing is
// counted after it.
type output struct {
	w     io.Writer
	limit time.Duration
	err   error
}

func (o *output) print(format string, args ...any) {
	if _, err := fmt.Fprintf(o.w, format, args...); err != nil {
		o.check(err)
	}
}

func (o *output) check(err error) {
	if o.err == nil {
		o.err = err
	}
}

func (o *output) parse(name, text string) *program.Program {
	p, err := lang.Parse(&program.Source{Name: name, Text: text}, nil)
	if err != nil {
		log.Fatal(err)
	}
	return p
}

// none is a number that there is not.
const none = "—"

// count is the number that f finds, or none where the time is over.
func (o *output) count(f func(ctx context.Context) (n int64, all bool)) string {
	if o.err != nil {
		return none
	}
	ctx, cancel := o.bounded()
	defer cancel()
	if n, all := f(ctx); all {
		return number(n)
	}
	return none
}

// bounded is a context that ends when the processor time for a number is used up, so that a machine
// with much else to do has the same numbers.
func (o *output) bounded() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	end := cpu.Time() + o.limit
	go func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if cpu.Time() > end {
					cancel()
				}
			}
		}
	}()
	return ctx, cancel
}

// unless is count, or none where too many are expected.
func (o *output) unless(many bool, f func(ctx context.Context) (int64, bool)) string {
	if many {
		return none
	}
	return o.count(f)
}

// number is n with a blank between thousands; of what the papers do not have, none.
func number(n int64) string {
	if n < 0 {
		return none
	}
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + " " + text[i:]
	}
	return text
}

func parameter(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// rep is n copies of a text, in which # is the number of the copy.
func rep(n int, text string) string {
	var w strings.Builder
	for i := range n {
		w.WriteString(strings.ReplaceAll(text, "#", fmt.Sprint(i+1)))
	}
	return w.String()
}
