package asm

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

func parse(text string) (*program.Program, error) {
	return Parse(&program.Source{Name: "test.txt", Text: text})
}

func mustParse(t *testing.T, text string) *program.Program {
	t.Helper()
	p, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Sanity(p); err != nil {
		t.Fatal(err)
	}
	return p
}

func write(t *testing.T, p *program.Program) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// automaton is what of a program the format has: control states count by name.
func automaton(p *program.Program) string {
	var b strings.Builder
	for _, t := range p.Threads {
		fmt.Fprintf(&b, "thread %s initial %s\n", t.Name, t.States[t.Initial].Name)
		for _, r := range t.Regs {
			fmt.Fprintf(&b, "  %s %v %d\n", r.Name, r.Type, r.Init)
		}
		for i := range t.Edges {
			e := &t.Edges[i]
			// Format leaves the nesting to see, but not the numbers of registers.
			fmt.Fprintf(&b, "  %s -> %s %s %v %v %d\n", t.States[e.From].Name, t.States[e.To].Name,
				e.Cmd.Op, e.Cmd.Addr, e.Cmd.Value, e.Cmd.Reg)
		}
	}
	for i := range p.Properties {
		pr := &p.Properties[i]
		fmt.Fprintf(&b, "%v %v %s\n", pr.Kind, pr.Cond, pr.Text)
	}
	return b.String()
}

const dekker = `# Dekker's algorithm, simplified; see below for what must not happen.
memory_size 2

goal t0 enter t1 enter
thread t0
initial q0		# a comment within a thread
transition q0 q1 write 1 0
transition q1 q2 read flag 1
transition q2 enter check == flag 0
end

thread t1
transition q0 q#1 write + 0 1 1
initial q0
transition	q#1	q2	read	flag_i+1	0
transition q2 enter check && ! != flag_i+1 0 ~ -1-x
transition enter q0 mfence
transition q0 q0 noop
transition q0 q1 lock
transition q1 q0 unlock
transition q0 q0 local _ - * 2 a / % b -3 +4
end
goal t1 q2
`

func TestParse(t *testing.T) {
	text := strings.Replace(dekker, "-1-x", "x", 1)
	p := mustParse(t, text)
	var b strings.Builder
	if err := program.Print(&b, p); err != nil {
		t.Fatal(err)
	}
	const want = `program test.txt

memory
  other cells are int32

thread t0
  flag  int32  0

  q0     store [0] <- 1    -> q1     line 7  (initial)
  q1     load flag <- [1]  -> q2     line 8
  q2     check flag == 0   -> enter  line 9
  enter                              line 9

thread t1
  flag_i+1  int32  0
  x         int32  0
  _         int32  0
  a         int32  0
  b         int32  0

  q0     store [1] <- 0 + 1             -> q#1    line 13  (initial)
  q0     skip                           -> q0     line 18
  q0     lock                           -> q1     line 19
  q0     _ <- (2 * a) - ((b % -3) / 4)  -> q0     line 21
  q#1    load flag_i+1 <- [0]           -> q2     line 15
  q2     check !(flag_i+1 != 0) && ~x   -> enter  line 16
  enter  fence                          -> q0     line 17
  q1     unlock                         -> q0     line 20

forbid t0@enter && t1@enter  line 4
forbid t1@q2                 line 23
`
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := p.Properties[0].Text, "goal t0 enter t1 enter"; got != want {
		t.Errorf("property text %q, want %q", got, want)
	}
	if again := mustParse(t, write(t, p)); automaton(again) != automaton(p) {
		t.Errorf("written and read again:\n%s\nwant\n%s", automaton(again), automaton(p))
	}
}

func TestParseErrors(t *testing.T) {
	thread := func(lines ...string) string {
		return "thread t0\ninitial q0\n" + strings.Join(lines, "\n") + "\nend\n"
	}
	command := func(c string) string { return thread("transition q0 q1 " + c) }
	for _, c := range []struct{ text, want string }{
		{"", `test.txt: there is no thread
  a thread begins with: thread NAME`},
		{"# nothing\n", `test.txt: there is no thread
  a thread begins with: thread NAME`},
		{"thred t0\n", `test.txt:1:1: expected thread, goal or memory_size, found "thred"
  thred t0
  ^
  did you mean "thread"?`},
		{"initial q0\n", `test.txt:1:1: "initial" outside a thread
  initial q0
  ^`},
		{"memory_size ten", `test.txt:1:13: "ten" is not a size
  memory_size ten
              ^
  memory_size NUMBER`},
		{"thread", `test.txt:1:7: missing name of the thread
  thread
        ^
  thread NAME`},
		{"thread t0 t1", `test.txt:1:11: "t1" is too much
  thread t0 t1
            ^
  thread NAME`},
		{"thread t0\ninitial q0\n", `test.txt:1:8: thread t0 has no "end"
  thread t0
         ^`},
		{"thread t0\ninitial q0\nthread t1\n", `test.txt:3:1: "thread" within thread t0
  thread t1
  ^
  a thread ends with "end"`},
		{"thread t0\ntransition q0 q1 noop\nend\n", `test.txt:1:8: thread t0 has no initial state
  thread t0
         ^
  initial STATE`},
		{thread() + "thread t0\n", `test.txt:5:8: there is a thread t0 already
  thread t0
         ^`},
		{thread("initial q0"), `test.txt:3:9: the initial state of thread t0 is q0 already, in line 2
  initial q0
          ^`},
		{thread("final q0"), `test.txt:3:1: "final" is not supported
  final q0
  ^
  to ask for states, put a line outside the threads: goal THREAD STATE ...`},
		{thread("transitoin q0 q1 noop"), `test.txt:3:1: expected initial, transition or end, found "transitoin"
  transitoin q0 q1 noop
  ^
  did you mean "transition"?`},
		{thread("transition"), `test.txt:3:11: missing state that the transition leaves
  transition
            ^
  transition FROM TO COMMAND`},
		{thread("transition q0 # q1"), `test.txt:3:14: missing state that the transition leads to
  transition q0 # q1
               ^
  transition FROM TO COMMAND`},
		{command(""), `test.txt:3:17: missing command
  transition q0 q1 
                  ^
  transition FROM TO COMMAND`},
		{command("wrtie 1 0"), `test.txt:3:18: unknown command "wrtie"
  transition q0 q1 wrtie 1 0
                   ^
  did you mean "write"?`},
		{command("write 1"), `test.txt:3:25: missing address
  transition q0 q1 write 1
                          ^
  write VALUE ADDRESS`},
		{command("\twrite + 1  0"), `test.txt:3:31: missing address
  transition q0 q1 	write + 1  0
                   	            ^
  write VALUE ADDRESS`},
		{command("check == flag"), `test.txt:3:31: missing second operand of ==
  transition q0 q1 check == flag
                                ^
  check CONDITION`},
		{command("check flag == 1"), `test.txt:3:29: "==" is too much
  transition q0 q1 check flag == 1
                              ^
  check CONDITION
  operators come before their operands, such as == a b`},
		{command("check = flag 1"), `test.txt:3:24: "=" is neither an operator nor a name
  transition q0 q1 check = flag 1
                         ^
  did you mean "=="?`},
		{command("read 5 0"), `test.txt:3:23: expected a register, found "5"
  transition q0 q1 read 5 0
                        ^`},
		{command("read + 0"), `test.txt:3:23: "+" is neither an operator nor a name
  transition q0 q1 read + 0
                        ^`},
		{command("local r 0x10"), `test.txt:3:26: "0x10" is not an integer of 64 bits
  transition q0 q1 local r 0x10
                           ^`},
		{command("local r 9223372036854775808"), `test.txt:3:26: "9223372036854775808" is not an integer of 64 bits
  transition q0 q1 local r 9223372036854775808
                           ^`},
		{command("mfence mfence"), `test.txt:3:25: "mfence" is too much
  transition q0 q1 mfence mfence
                          ^
  mfence`},
		{command("local r\x1b 1"), `test.txt:3:25: unprintable character in "r\x1b"
  transition q0 q1 local r` + "\ufffd" + ` 1
                          ^`},
		{"goal t0 enter\n" + thread("transition q0 entry noop"), `test.txt:1:9: thread t0 has no state enter
  goal t0 enter
          ^
  did you mean "entry"?`},
		{thread() + "goal t1 q0", `test.txt:5:6: there is no thread t1
  goal t1 q0
       ^
  did you mean "t0"?`},
		{thread() + "goal", `test.txt:5:5: missing thread
  goal
      ^
  goal THREAD STATE THREAD STATE ...`},
		{thread() + "goal t0", `test.txt:5:8: missing state of thread t0
  goal t0
         ^
  goal THREAD STATE THREAD STATE ...`},
		{thread() + "goal t0 q0 t0 q0", `test.txt:5:12: thread t0 is named twice
  goal t0 q0 t0 q0
             ^
  a thread is at one state at a time; for another goal begin another line`},
	} {
		_, err := parse(c.text)
		if err == nil {
			t.Errorf("%q: no error, want\n%s", c.text, c.want)
			continue
		}
		if got := err.Error(); got != c.want {
			t.Errorf("%q: got\n%s\nwant\n%s", c.text, got, c.want)
		}
	}
}

func TestDeepExpression(t *testing.T) {
	_, err := parse("thread t\ninitial q\ntransition q q check " + strings.Repeat("! ", 1_000_000) + "x\nend\n")
	if err == nil || !strings.Contains(err.Error(), "nested too deeply") {
		t.Errorf("error %.100v", err)
	}
}

func TestSuggest(t *testing.T) {
	for _, c := range []struct{ word, want string }{
		{"raed", "read"}, {"reed", "read"}, {"lokc", "lock"}, {"lock1", "lock"}, {"x", ""}, {"flush", ""}, {"wiret", "write"}, {"locall", "local"},
	} {
		want := ""
		if c.want != "" {
			want = fmt.Sprintf("did you mean %q?", c.want)
		}
		if got := hint(c.word, "write", "read", "local", "lock"); got != want {
			t.Errorf("%s: got %q, want %q", c.word, got, want)
		}
	}
}

// TestCorpus reads the automata of other projects, which are not part of this
// one.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("FENCEPOST_CORPUS")
	if dir == "" {
		t.Skip("FENCEPOST_CORPUS is not set: it names a directory with trencher/*.txt and persist/*.txt")
	}
	for _, sub := range []string{"trencher", "persist"} {
		files, err := filepath.Glob(filepath.Join(dir, sub, "*.txt"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no automata in %s/%s (%v)", dir, sub, err)
		}
		for _, f := range files {
			t.Run(sub+"/"+filepath.Base(f), func(t *testing.T) {
				text, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				p := mustParse(t, string(text))
				again := mustParse(t, write(t, p))
				if got, want := automaton(again), automaton(p); got != want {
					t.Errorf("written and read again:\n%s\nwant\n%s", got, want)
				}
				if got, want := strings.Count(string(text), "\ntransition"), edges(p); got != want {
					t.Errorf("%d lines begin with transition, %d edges", got, want)
				}
			})
		}
	}
}

func edges(p *program.Program) int {
	n := 0
	for _, t := range p.Threads {
		n += len(t.Edges)
	}
	return n
}

func FuzzParse(f *testing.F) {
	f.Add(dekker)
	f.Add(strings.Replace(dekker, "-1-x", "x", 1))
	f.Add("thread a\ninitial q\nend\ngoal a q")
	f.Add("thread \xff\ninitial #\nend")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parse(text)
		if err != nil {
			if _, ok := err.(*program.Diagnostic); !ok {
				t.Errorf("error of type %T", err)
			}
			_ = err.Error()
			return
		}
		if err := program.Sanity(p); err != nil {
			t.Fatal(err)
		}
		again := mustParse(t, write(t, p))
		if got, want := automaton(again), automaton(p); got != want {
			t.Errorf("written and read again:\n%s\nwant\n%s", got, want)
		}
	})
}
