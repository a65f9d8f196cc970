// Command abstractions writes docs/abstractions.md: for every example, which
// abstractions of the store buffers prove it safe under TSO, and at what cost.
//
//	go run ./bench/abstractions > docs/abstractions.md
//
// It is to be run in the root of the repository.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/program"
)

var (
	limit  = flag.Duration("time", 10*time.Second, "how long one engine may take for one example")
	memory = flag.Int64("memory", 512, "how much memory it may hold, in megabytes")
)

const intro = `# Abstractions of the store buffers, by example

This page is written by ` + "`go run ./bench/abstractions > docs/abstractions.md`" + `.

Each cell has the number of states that were stored and the time that took (each engine may take %v and %d MB). What it
begins with:

* **safe**: all states were visited and none is a violation. Of an abstraction that proves the program safe under TSO, however
  far its store buffers grow; of the explicit search too, if it comes to an end.
* unsafe: a run of the program to a violation was found.
* no: the abstraction has a violation, which may or may not be one of the program: it proves nothing.
* —: the time or the memory did not suffice.

The multiset abstraction is searched with counts that grow until the answer is final, so there are no bounds in it. The last
two columns are the refinement loop, with the abstraction that it ended with, the number of those that it tried and the states of
the last, and the explicit search of TSO itself, without a bound on the buffers. Where a buffer can grow without bound, the latter
cannot come to an end for a program that is safe. multiset<=c counts up to c, in multiset:c a count of c means c or more; set is
multiset:1 and coherence:0.

`

func main() {
	log.SetFlags(0)
	flag.Parse()
	var files []string
	for _, pattern := range []string{"examples/*.imp", "examples/thesis/*.imp"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			log.Fatal(err)
		}
		files = append(files, more...)
	}
	if len(files) == 0 {
		log.Fatal("no examples: run this in the root of the repository")
	}
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	fmt.Fprintf(w, intro, *limit, *memory)
	engines := []engine.Name{engine.Set, engine.Multiset,
		engine.Coherence(1), engine.Coherence(2), engine.Coherence(3), engine.Coherence(4), engine.CEGAR, engine.Explicit}
	head, rule := "| example |", "| --- |"
	for _, e := range engines {
		head += fmt.Sprintf(" %s |", e)
		rule += " --- |"
	}
	fmt.Fprintf(w, "%s\n%s\n", head, rule)
	proofs := map[engine.Name]int{}
	for _, file := range files {
		p, err := lang.Load(file, nil)
		if err != nil {
			log.Fatal(err)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), "examples/"), ".imp")
		fmt.Fprintf(os.Stderr, "%s\n", name)
		fmt.Fprintf(w, "| %s |", name)
		for _, e := range engines {
			text, proof := cell(p, e)
			if proof {
				proofs[e]++
			}
			fmt.Fprintf(w, " %s |", text)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "\nProofs: ")
	for i, e := range engines {
		if i > 0 {
			fmt.Fprint(w, ", ")
		}
		fmt.Fprintf(w, "%s %d", e, proofs[e])
	}
	fmt.Fprintf(w, " of %d examples.\n", len(files))
}

// cell runs one engine on one example.
func cell(p *program.Program, e engine.Name) (text string, proof bool) {
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	r, err := engine.Check(ctx, p, engine.Options{Engine: e, MemoryLimit: *memory << 20})
	if err != nil {
		log.Fatal(err)
	}
	switch {
	case r.Safe():
		text, proof = "**safe**", true
	case r.Unsafe():
		text = "unsafe"
	case r.Candidate() != nil:
		text = "no"
	default:
		text = "—"
	}
	if e == engine.CEGAR {
		text += fmt.Sprintf(" %s (%d)", r.Abstraction, r.Stat("refinements")+1)
	}
	return fmt.Sprintf("%s %d, %.1f ms", text, r.Stat("states"), float64(r.Elapsed.Microseconds())/1000), proof
}
