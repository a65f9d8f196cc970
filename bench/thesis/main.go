// Command thesis measures the engines on the programs of G. Calin, Verification
// Techniques for TSO-Relaxed Programs, figures 5.1 and 5.5 to 5.9, and prints a
// table. Where they are on the path, CBMC and Trencher run beside them.
//
//	go run ./bench/thesis
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/bench/internal/cpu"
	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/program"
	robustness "github.com/fencepost-verifier/fencepost/robust"
)

// An instance is a program with a size.
type instance struct {
	file   string
	n      int64 // 0: as it is
	unwind int   // for CBMC: how often to go round
}

func instances() []instance {
	var is []instance
	for _, f := range []string{"parker", "peterson", "dekker", "lamport-fast", "mcs-lock", "clh-lock", "lock-free-stack"} {
		is = append(is, instance{file: f, unwind: 3})
	}
	for _, n := range []int64{5, 10, 20, 30, 40, 50} {
		is = append(is, instance{"thesis/fig5.3", n, 2})
	}
	for _, n := range []int64{3, 5, 10, 15, 20} {
		is = append(is, instance{"thesis/fig5.4", n, int(2*n) + 3})
	}
	return is
}

func (i instance) String() string {
	if i.n == 0 {
		return i.file
	}
	return fmt.Sprintf("%s N=%d", i.file, i.n)
}

// A method decides a program and says how many queries under SC it took; -1
// where it makes none.
type method struct {
	name string
	run  func(ctx context.Context, p *program.Program, i instance) (verdict string, queries int64, err error)
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("thesis: ")
	dir := flag.String("examples", "examples", "directory of the examples")
	limit := flag.Duration("timeout", time.Minute, "for each measurement")
	flag.Parse()
	methods := []method{{"robust", robust}, {"lazy", decide(engine.Lazy)}, {"explicit", decide(engine.Explicit)}, {"bmc", decide(engine.BMC)}}
	for _, tool := range tools {
		if m, ok := tool(); ok {
			methods = append(methods, m)
		}
	}
	fmt.Printf("A cell is the verdict, the seconds of processor time and of wall time; in brackets the queries under SC.\n\n")
	fmt.Print("| program | threads | states | transitions |")
	for _, m := range methods {
		fmt.Printf(" %s |", m.name)
	}
	fmt.Print("\n|" + strings.Repeat(" --- |", 4+len(methods)) + "\n")
	for _, i := range instances() {
		defines := map[string]int64{}
		if i.n > 0 {
			defines["N"] = i.n
		}
		p, err := lang.Load(filepath.Join(*dir, i.file+".imp"), defines)
		if err != nil {
			log.Fatal(err)
		}
		states, edges := 0, 0
		for _, t := range p.Threads {
			states += len(t.States)
			edges += len(t.Edges)
		}
		fmt.Printf("| %s | %d | %d | %d |", i, len(p.Threads), states, edges)
		for _, m := range methods {
			fmt.Printf(" %s |", measure(m, p, i, *limit))
		}
		fmt.Println()
	}
	fmt.Fprintf(os.Stderr, "%s, %d processors, limit %s\n", runtime.Version(), runtime.NumCPU(), *limit)
}

// measure is a cell of the table.
func measure(m method, p *program.Program, i instance, limit time.Duration) string {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	runtime.GC() // of what came before
	start, busy := time.Now(), cpu.Time()
	v, queries, err := m.run(ctx, p, i)
	wall, busy := time.Since(start), cpu.Time()-busy
	switch {
	case err != nil:
		log.Printf("%s, %s: %v", i, m.name, err)
		return "–"
	case v == "UNKNOWN":
		return fmt.Sprintf("UNKNOWN %.3f %.3f", busy.Seconds(), wall.Seconds())
	}
	cell := fmt.Sprintf("%s %.3f %.3f", v, busy.Seconds(), wall.Seconds())
	if queries >= 0 {
		cell += fmt.Sprintf(" [%d]", queries)
	}
	return cell
}

func robust(ctx context.Context, p *program.Program, _ instance) (string, int64, error) {
	r, err := robustness.Check(ctx, p, robustness.Options{})
	if err != nil {
		return "", 0, err
	}
	return r.Word(), r.Stat("searches"), nil
}

func decide(e engine.Name) func(context.Context, *program.Program, instance) (string, int64, error) {
	return func(ctx context.Context, p *program.Program, _ instance) (string, int64, error) {
		r, err := engine.Check(ctx, p, engine.Options{Engine: e})
		if err != nil {
			return "", 0, err
		}
		queries := int64(-1)
		if e == engine.Lazy {
			queries = r.Stat("queries")
		}
		return r.Verdict().String(), queries, nil
	}
}
