package graphs

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestCorpus compares the final states of all litmus tests of the corpus
// with those that herd7 finds.
func TestCorpus(t *testing.T) {
	corpus := os.Getenv("FENCEPOST_CORPUS")
	if corpus == "" {
		t.Skip("FENCEPOST_CORPUS is not set")
	}
	dir := filepath.Join(corpus, "litmus-x86")
	f, err := os.Open(filepath.Join(dir, "expected.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tests, graphs := 0, 0
	var total, slowest time.Duration
	slowestTest := ""
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		tests++
		if testing.Short() && tests%10 != 0 {
			continue
		}
		var want struct {
			File    string
			SC, TSO struct{ States []string }
		}
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, want.File))
		if err != nil {
			t.Fatal(err)
		}
		p := readMoves(t, string(text))
		for m, states := range map[memory.Model][]string{memory.SC: want.SC.States, memory.TSO: want.TSO.States} {
			def, err := memory.Load(m)
			if err != nil {
				t.Fatal(err)
			}
			keys := observed(states[0])
			var got []string
			start := time.Now()
			err = Enumerate(context.Background(), p, def, Options{}, func(_ *memory.Graph, f verdict.FinalState) bool {
				graphs++
				got = append(got, observe(t, p, f, keys))
				return true
			})
			took := time.Since(start)
			if total += took; took > slowest {
				slowest, slowestTest = took, want.File
			}
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(got)
			slices.Sort(states)
			if got = slices.Compact(got); !slices.Equal(got, states) {
				t.Fatalf("%s, %s:\n got %v\nwant %v", want.File, m, got, states)
			}
		}
	}
	t.Logf("%d tests, %d executions in %v; the slowest took %v (%s)", tests, graphs, total, slowest, slowestTest)
}

var move = regexp.MustCompile(`^movq (?:\$(\d+),\((\w+)\)|\((\w+)\),%(\w+))$`)

// readMoves reads what the corpus consists of: loads, stores of constants and
// fences over cells that begin as 0.
func readMoves(t *testing.T, text string) *program.Program {
	p := &program.Program{Default: program.Int64Type}
	cell := func(name string) program.Expr {
		i := slices.IndexFunc(p.Memory, func(c program.Cell) bool { return c.Name == name })
		if i < 0 {
			i = len(p.Memory)
			p.Memory = append(p.Memory, program.Cell{Addr: int64(i), Name: name, Type: program.Int64Type})
		}
		return program.Const(i)
	}
	_, rest, _ := strings.Cut(text, "}\n")
	table, _, _ := strings.Cut(rest, "\nexists")
	table, _, _ = strings.Cut(table, "\nforall")
	for row, line := range strings.Split(strings.TrimSpace(table), "\n") {
		for i, ins := range strings.Split(strings.TrimSuffix(strings.TrimSpace(line), ";"), "|") {
			if row == 0 {
				p.Threads = append(p.Threads, &program.Thread{Name: strings.TrimSpace(ins), States: make([]program.State, 1)})
				continue
			}
			th := p.Threads[i]
			add := func(c program.Command) {
				q := program.StateID(len(th.States))
				th.States = append(th.States, program.State{Name: fmt.Sprint("q", q)})
				th.Edges = append(th.Edges, program.Edge{From: q - 1, To: q, Cmd: c})
			}
			switch m := move.FindStringSubmatch(strings.TrimSpace(ins)); {
			case strings.TrimSpace(ins) == "":
			case strings.TrimSpace(ins) == "mfence":
				add(program.Command{Op: program.Fence})
			case m == nil:
				t.Fatalf("%q", ins)
			case m[2] != "":
				v, _ := strconv.ParseInt(m[1], 10, 64)
				add(program.Command{Op: program.Store, Addr: cell(m[2]), Value: program.Const(v)})
			default:
				r := slices.IndexFunc(th.Regs, func(r program.Register) bool { return r.Name == m[4] })
				if r < 0 {
					r = len(th.Regs)
					th.Regs = append(th.Regs, program.Register{Name: m[4], Type: program.Int64Type})
				}
				add(program.Command{Op: program.Load, Reg: r, Addr: cell(m[3])})
			}
		}
	}
	return p
}

// observed lists the registers and cells that a state shows, such as "0:rax" and
// "[x]".
func observed(state string) []string {
	var keys []string
	for part := range strings.SplitSeq(state, ";") {
		if key, _, ok := strings.Cut(strings.TrimSpace(part), "="); ok {
			keys = append(keys, key)
		}
	}
	return keys
}

// observe prints a state as herd7 does.
func observe(t *testing.T, p *program.Program, f verdict.FinalState, keys []string) string {
	var parts []string
	for _, k := range keys {
		v := int64(0)
		if strings.HasPrefix(k, "[") {
			for i, c := range p.Memory {
				if "["+c.Name+"]" == k {
					v = f.Memory[i]
				}
			}
		} else {
			thread, reg, _ := strings.Cut(k, ":")
			i, err := strconv.Atoi(thread)
			if err != nil {
				t.Fatal(err)
			}
			for r := range p.Threads[i].Regs {
				if p.Threads[i].Regs[r].Name == reg {
					v = f.Regs[i][r]
				}
			}
		}
		parts = append(parts, fmt.Sprintf("%s=%d;", k, v))
	}
	return strings.Join(parts, " ")
}
