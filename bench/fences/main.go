// Command fences writes docs/fences.md: the fences that the examples need, and
// how they compare with the fences that people put into them.
//
//	go run ./bench/fences > docs/fences.md
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

	"github.com/fencepost-verifier/fencepost/fences/source"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

const head = "# Fences\n\n" +
	"This page is written by `go run ./bench/fences > docs/fences.md`.\n\n" +
	"`fencepost fences FILE` finds fences that make a program safe, or robust, under TSO, and writes them\n" +
	"into its source. How it goes about that:\n\n" +
	"1. A fence is put at every boundary of statements. The library then looks for a set of these of least\n" +
	"   cost that reaches the goal: each run that is forbidden names the fences that would prevent it, and a\n" +
	"   cheapest set that hits all runs seen so far either does or has another run.\n" +
	"2. The set is written into the text, which is read and verified again.\n" +
	"3. Each fence is taken out once more, with the others in place: the run that then goes wrong is what the\n" +
	"   fence is for. Where there is none, the fence goes.\n\n" +
	"One line of a family of processes is a fence of every member, so the sets that count there are sets of\n" +
	"lines. A program that is wrong under SC has no such set: there fences do nothing. In automata a fence is\n" +
	"a control state of its own, in litmus tests a row.\n\n" +
	"Sets of lines can be larger than sets of control states: a fence at the head of a loop is one for who\n" +
	"comes from above and for who comes round, and in the source these are two. For robustness, Dekker's\n" +
	"algorithm needs 4 fences at control states and 6 lines.\n\n" +
	"Fences count as lines of the source here; where that is not the same, the number of fences of all\n" +
	"threads stands in parentheses. All cost the same (`--cost uniform`). By default a fence costs ten times\n" +
	"as much for each loop around it.\n\n" + strengthening

// strengthening is what there is to know about litmus tests.
const strengthening = "## Litmus tests of every architecture\n\n" +
	"Of a litmus test that is run under another model than `tso` (`-m`, and for other architectures than x86 in any\n" +
	"case), `fences` finds the cheapest fences and access modes that forbid its outcome:\n\n" +
	"    fencepost fences --all FILE.litmus                every minimal set, the cheapest first\n" +
	"    fencepost fences --fence-cost \"dmb ish=2\" FILE.litmus\n" +
	"    fencepost fences --write FILE.litmus\n\n" +
	"A set has at most one fence between two accesses and one mode for each access. It is minimal if the test has its\n" +
	"outcome as soon as one of the set is left out, or replaced by a weaker one. The search goes by what cannot do: a\n" +
	"choice that does not forbid the outcome is made as strong as it can be without forbidding it, and every set that\n" +
	"does has something beside that; a cheapest choice that has something beside all of these is the next. Every\n" +
	"choice is written into the text, which is read and decided.\n\n" +
	"| test | fences, with their costs | access modes |\n" +
	"| --- | --- | --- |\n" +
	"| x86 | `mfence` 1 | |\n" +
	"| AArch64 | `DMB ISHST`, `DMB ISHLD` 4, `DMB ISH` 6 | `LDR` to `LDAPR` 1, to `LDAR` 2, `STR` to `STLR` 2, `LDXR` to `LDAXR` 2, `STXR` to `STLXR` 2; `SWP`, `CAS`, `LDADD` .. with `A` 2, `L` 2, `AL` 4; only where the address is one register |\n" +
	"| RISC-V | `fence r,r`, `r,w`, `w,w` 2, `r,rw`, `rw,w` 3, `fence.tso` 4, `w,r` 6, `rw,r`, `w,rw` 7, `rw,rw` 8 | `amo..`, `lr` with `.aq` 1, `amo..`, `sc` with `.rl` 1, `.aq.rl` 3 |\n" +
	"| Power | `eieio` 2, `lwsync` 3, `sync` 8 | |\n" +
	"| C11 | `atomic_thread_fence` `acquire`, `release` 3, `acq_rel` 4, `seq_cst` 8 | orders that are named: to `acquire`, `release` 1, `acq_rel` 2, `seq_cst` 6 |\n" +
	"| LKMM | `smp_rmb()`, `smp_wmb()` 3, `smp_mb()` 8 | `READ_ONCE` to `smp_load_acquire` 2, `WRITE_ONCE` to `smp_store_release` 2, `.._relaxed` to `.._acquire`, `.._release` 2, to the one without suffix 10 |\n\n" +
	"The costs are ranks: what a fence takes depends on the processor and on what is in flight. They count ten times\n" +
	"in a loop, and `--thread-cost` multiplies them.\n\n"

func main() {
	log.SetFlags(0)
	log.SetPrefix("fences: ")
	dir := flag.String("examples", "examples", "directory of the examples")
	limit := flag.Duration("timeout", time.Minute, "for each search")
	flag.Parse()
	files, err := filepath.Glob(filepath.Join(*dir, "*.imp"))
	if err != nil || len(files) == 0 {
		log.Fatalf("no examples in %s", *dir)
	}
	thesis, _ := filepath.Glob(filepath.Join(*dir, "thesis", "*.imp"))
	b := bufio.NewWriter(os.Stdout)
	defer b.Flush()
	b.WriteString(head)
	b.WriteString("## What the examples need\n\n| program | for safety | | for robustness | |\n| --- | --- | --- | --- | --- |\n")
	for _, f := range append(files, thesis...) {
		name, _ := filepath.Rel(*dir, f)
		if fenced(f) {
			continue
		}
		fmt.Fprintf(b, "| %s", strings.TrimSuffix(filepath.ToSlash(name), ".imp"))
		for _, goal := range []verdict.Question{verdict.Safety, verdict.Robustness} {
			count, where := row(find(f, goal, false, *limit), *limit)
			fmt.Fprintf(b, " | %s | %s", count, where)
		}
		b.WriteString(" |\n")
	}
	b.WriteString("\n## Against the fences that people chose\n\n" +
		"For safety: the fences of each `-fenced` example, the fewest that are enough for the one without, and\n" +
		"what `--redundant` finds that can go.\n\n" +
		"| program | in the source | needed | redundant | |\n| --- | --- | --- | --- | --- |\n")
	for _, f := range files {
		if !fenced(f) {
			continue
		}
		compare(b, f, *limit)
	}
}

func fenced(file string) bool { return strings.HasSuffix(file, "-fenced.imp") }

func load(file string) *program.Program {
	p, err := lang.Load(file, nil)
	if err != nil {
		log.Fatal(err)
	}
	return p
}

func find(file string, goal verdict.Question, redundant bool, limit time.Duration) *verdict.FenceResult {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	r, err := source.Find(ctx, load(file), source.Options{Goal: goal, Redundant: redundant, Uniform: true})
	if err != nil {
		log.Fatalf("%s: %v", file, err)
	}
	return r
}

// row is how many fences there are, and after which lines.
func row(r *verdict.FenceResult, limit time.Duration) (count, where string) {
	switch {
	case r.Wrong != nil:
		return "none helps", "wrong under SC"
	case len(r.Sets) == 0:
		return "unknown", fmt.Sprintf("not within %.0f s", limit.Seconds())
	}
	s := &r.Sets[0]
	return number(len(s.Fences), s.Places()), lines(s.Fences)
}

func number(lines, places int) string {
	if lines == places {
		return fmt.Sprint(lines)
	}
	return fmt.Sprintf("%d (%d)", lines, places)
}

func lines(fs []verdict.Fence) string {
	var parts []string
	for _, f := range fs {
		word := "after"
		if f.Site.Before {
			word = "before"
		}
		parts = append(parts, fmt.Sprintf("%s line %d", word, f.Site.Pos.Line))
	}
	return strings.Join(parts, ", ")
}

// compare is the row of a program that people put fences into.
func compare(b *bufio.Writer, file string, limit time.Duration) {
	r := find(file, verdict.Safety, true, limit)
	name := strings.TrimSuffix(filepath.Base(file), "-fenced.imp")
	if len(r.Sets) == 0 {
		fmt.Fprintf(b, "| %s | | | %s | |\n", name, r.Reason)
		return
	}
	all := verdict.FenceSet{Fences: append(append([]verdict.Fence{}, r.Sets[0].Fences...), r.Removed...)}
	bare := find(strings.TrimSuffix(file, "-fenced.imp")+".imp", verdict.Safety, false, limit)
	if len(bare.Sets) == 0 {
		log.Fatalf("%s: %s", file, bare.Reason)
	}
	needed := &bare.Sets[0]
	remark := "as few as can be"
	switch n := len(needed.Fences); {
	case len(r.Removed) > 0:
		remark = "more than there need be"
	case n < len(all.Fences):
		remark = "none can go, but other places need fewer"
	case n > len(all.Fences):
		remark = "fewer than were found"
	}
	fmt.Fprintf(b, "| %s | %s | %s | %d | %s |\n", name, number(len(all.Fences), all.Places()), number(len(needed.Fences), needed.Places()), len(r.Removed), remark)
}
