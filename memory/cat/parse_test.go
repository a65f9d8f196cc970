package cat

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

func parse(text string) (*Model, error) {
	files := map[string]string{
		"fences.cat": "fences (* a name *)\nlet mfence = fencerel(MFENCE)\nlet between(S) = po; [S]; po",
		"axiom.cat":  "acyclic po | rf as no-thin-air",
		"broken.cat": "let a = po\nlet b = a |",
		"loop.cat":   `include "loop.cat"`,
	}
	return Parse(&program.Source{Name: "test.cat", Text: text}, program.X86, func(from, name string) (*program.Source, error) {
		if text, ok := files[name]; ok {
			return &program.Source{Name: name, Text: text}, nil
		}
		return nil, errors.New("no such file")
	}, nil)
}

// TestTerms reads expressions: what they mean is the string of the term of r.
func TestTerms(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"let r = po", "po"},
		// Precedence: | ; \ & * from the loosest to the tightest.
		{"let r = po | rf ; co", "(po | (rf ; co))"},
		{"let r = po ; rf | co", "((po ; rf) | co)"},
		{"let r = po ; rf \\ co", "(po ; (rf \\ co))"},
		{"let r = po \\ rf \\ co", "((po \\ rf) \\ co)"},
		{"let r = po \\ rf & co", "(po \\ (rf & co))"},
		{"let r = po & W * R", "(po & (W * R))"},
		{"let r = po & W * R \\ rf", "((po & (W * R)) \\ rf)"},
		{"let r = po | rf | co", "((po | rf) | co)"},
		{"let r = ~po & rf", "(~po & rf)"},
		{"let r = ~po^+", "~po^+"},
		{"let r = (po | rf)^-1", "(po | rf)^-1"},
		{"let r = po^+;rf^*;co?;po+;rf*;fr^-1", "(((((po^+ ; rf^*) ; co?) ; po^+) ; rf^*) ; fr^-1)"},
		{"let r = po?^-1", "po?^-1"},
		{"let r = (rf) ^ -1", "rf^-1"},
		// The star is a closure unless an operand follows.
		{"let r = po* ; rf", "(po^* ; rf)"},
		{"let r = W * R", "(W * R)"},
		{"let r = W*(R|F)", "(W * (R | F))"},
		{"let r = W * ~R", "(W * ~R)"},
		{"let r = (po)* | rf", "(po^* | rf)"},
		{"let s = po*\n~empty s\nlet r = s", "po^*"},
		{"let r = po^* \\ id", "(po^* \\ [_])"},
		// Sets.
		{"let r = [W] ; po ; [R & X]", "(([W] ; po) ; [(R & X)])"},
		{"let r = [~W]", "[~W]"},
		{"let r = [domain(rf) | range(co)]", "[(domain(rf) | range(co))]"},
		{"let r = [domain po]", "[domain(po)]"},
		{"let r = _ * _", "(_ * _)"},
		{"let r = [A] ; [IW]", "([X] ; [I])"},
		// Short forms.
		{"let r = po-loc | rfe | fri", "(((po & loc) | (rf & ext)) | (fr & int))"},
		{"let r = [M]", "[(R | W)]"},
		{"let r = fencerel(MFENCE)", "((po ; [MFENCE]) ; po)"},
		{"let r = toid(W)", "[W]"},
		{"let r = si", "part^*"},
		// 0 is whatever is needed.
		{"let r = 0", "0"},
		{"let r = 0 | po", "(0 | po)"},
		{"let r = [0]", "[0]"},
		{"let r = {} * W", "(0 * W)"},
		{"let r = [W | {}]", "[(W | 0)]"},
		{"let r = ~0", "~0"},
		{"let z = 0 | 0\nlet r = [z | W] | z", "([(0 | W)] | 0)"},
		// Names.
		{"let a = po let b = a | rf in let r = b", "(po | rf)"},
		{"let a = po and b = rf\nlet a = b and b = a\nlet r = a ; b", "(rf ; po)"},
		{"let po = po | rf\nlet r = po", "(po | rf)"},
		{"let r = let a = po and b = rf in a ; b", "(po ; rf)"},
		{"let r = po | (let a = rf in a ; a)", "(po | (rf ; rf))"},
		{"let x' = po let x.y-z_1 = x'\nlet r = x.y-z_1", "po"},
		// Functions.
		{"let f(x) = x ; x\nlet r = f(po | rf)", "((po | rf) ; (po | rf))"},
		{"let f x = [x]\nlet r = f W | f (R)", "([W] | [R])"},
		{"let f(x, y) = x \\ y\nlet r = f(po, rf)", "(po \\ rf)"},
		{"let same(x) = x & x let r = same(po) ; [same(W)]", "((po & po) ; [(W & W)])"},
		{"let a = po let f(x) = a ; x let a = rf let r = f(a)", "(po ; rf)"},
		{"let f(x) = x? let g(x) = f(f(x)) let r = g(po)", "po??"},
		{"let f(x) = let g(y) = x ; y in g(rf) let r = f(po)", "(po ; rf)"},
		{"let domain(x) = x let r = domain(po)", "po"},
		// Recursion.
		{"let rec r = po | r ; rf", "r"},
		{"let rec r = r ; r", "r"},
		{"let rec r = po | r ; r | r^-1", "r"},
		{"let rec r = po | r ; r", "po^+"},
		{"let rec r = po ; rf | (r ; r | co) | fr", "(((po ; rf) | co) | fr)^+"},
		{"let rec q = po | q; q let rec r = rf | q | r; r", "(rf | po)^+"},
		// Comments and what is passed over.
		{"(* a (* nested *) comment *) let r (* here *) = // line\n po # line", "po"},
		{"Name let r = po", "po"},
		{"X86 \"a model\" let r = po", "po"},
		{"\"a model\"\nlet r = po", "po"},
		{"let r = po show r, po | rf as x, nothing unshow r, s", "po"},
		{"include \"fences.cat\" let r = mfence | between(W)", "(((po ; [MFENCE]) ; po) | ((po ; [W]) ; po))"},
	} {
		m, err := parse(c.text + "\nacyclic po")
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		d := m.Def("r")
		if d == nil {
			t.Errorf("%s: no r", c.text)
			continue
		}
		if got := d.String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// TestStatic reads what is decided when a model is read, and leaves nothing behind.
func TestStatic(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"let r = try nothing with po", "po"},
		{"let r = try rf with po", "rf"},
		{"let r = try (try nothing with nobody) with po", "po"},
		{"let f(x) = nothing let r = try f(po) with rf", "rf"},
		{"let r = if \"v\" then po else rf", "rf"},
		{"let r = if not \"v\" && not (\"a\" || \"b\") then po else rf", "po"},
		{"if \"v\" let r = po else let r = rf end", "rf"},
		{"if \"v\" then let r = po end let r = co", "co"},
		{"let r = (fun x -> x; x) po", "(po ; po)"},
		{"let f = fun (x, y) -> x | y let r = f(po, rf)", "(po | rf)"},
		{"let f = fun (x, (y, _)) -> x | y let p = (po, (rf, co)) let r = f p", "(po | rf)"},
		{"let (a, (b, _)) = (po, (rf, 'x)) let r = a; b", "(po ; rf)"},
		{"let f x = x let r = f domain(po) * W", "(domain(po) * W)"},
		{"let apply(f, x) = f x let r = apply(range, po) * W", "(range(po) * W)"},
		{"let compose(f, g) = fun x -> f (g x) let r = compose(toid, domain)(po)", "[domain(po)]"},
		{"let rec f S = match S with || {} -> 0 || x ++ S -> x | f S end let r = f {po, rf}", "(po | (rf | 0))"},
		{"let rec f S = match S with {} -> 0 || x ++ S -> x | f S end let r = f (po ++ rf ++ po ++ {})", "(rf | (po | 0))"},
		{"let map f = let rec on S = match S with || {} -> {} || e ++ S -> f e ++ on S end in on " +
			"let rec all S = match S with || {} -> 0 || e ++ S -> e | all S end let r = all (map toid {R, W})", "([R] | ([W] | 0))"},
		{"enum e = 'a || 'b let f x = match x with || 'a -> po || _ -> rf end let r = f 'a ; f 'b", "(po ; rf)"},
		{"enum e = || 'a || 'b let r = if e = {'b, 'a} then po else rf", "po"},
		{"let r = if 'a in {'b, 'c} then po else rf", "rf"},
		{"let r = if {'a} subset {'a, 'c} then po else rf", "po"},
		{"let r = if {} = 0 then po else rf", "po"},
		{"let r = let rec a = po | a; rf in a", "a"},
		{"let r = begin po end", "po"},
		{"/* a (* comment */ let r = po", "po"},
		{"with co from generate(co) let r = co", "co"},
		{"let one x = {x} with s from (one rf) let r = s", "rf"},
		{"let rec all s = match s with || {} -> {po} || e ++ s -> all s end with o from all(M & (F & {})) let r = o", "po"},
		{"with mo from generate_orders(W & (X | I), 0) let r = mo", "(co & ((W & (X | I)) * (W & (X | I))))"},
		{"with mo from generate_orders(R, po) let r = mo", "mo"},
		{"with S from linearisations(R, po) with S from linearisations(W, S) let r = S", "S"},
		{"with co from generate_cos(co0) with mo from generate_orders(W, co0) let r = mo", "mo"},
		{"let partition = classes-loc let generate = co_locs with S from cross(generate(po, partition R)) let r = S", "S"},
		{"let partition = classes-loc with S from cross {co_locs(po, partition R), linearisations(W, 0)} let r = S", "(S | S)"},
		{"with S from linearisations(R & {}, po) let r = S", "0"},
		{"let f(e, r) = linearisations(e, r) with S from f(W, po) let r = [R] ; S ; [W]", "(([R] ; S) ; [W])"},
		{"let o(x, y) = x with lo from o(0, po) let r = lo", "0"},
		{"catdep debug po instructions R[{'once}] default F['x, 'y] let r = po", "po"},
		{"let r = [tag2events('mFENCE)]", "[MFENCE]"},
	} {
		m, err := parse(c.text + "\nacyclic po")
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		d := m.Def("r")
		if d == nil {
			t.Errorf("%s: no r", c.text)
			continue
		}
		if got := d.String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// TestProcedures looks at the axioms of procedures and of what is repeated.
func TestProcedures(t *testing.T) {
	m, err := parse(`procedure within(a, b) = let c = a \ b empty c end
let c = rf
call within(po, c)
call within(rf, co) as second
procedure all() = forall r in {po, co} do acyclic r end end
call all()
undefined_unless empty c as defined
assert ~empty c
match 'x with || 'y -> acyclic po || 'x -> acyclic fr end
let rec q = po | q; rf when irreflexive q`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range m.Axioms {
		got = append(got, fmt.Sprint(a.Name, ": ", a.Test, " ", a.Term, " ", a.Negated, a.Flag))
	}
	want := []string{
		"empty c: empty (po \\ rf) false false",
		"second: empty (rf \\ co) false false",
		"acyclic r: acyclic po false false",
		"acyclic r: acyclic co false false",
		"defined: empty rf true true",
		"assert ~empty c: empty rf false true",
		"acyclic fr: acyclic fr false false",
		"irreflexive q: irreflexive q false false",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAxioms(t *testing.T) {
	m, err := parse(`"my model"
acyclic po | rf as first
irreflexive po
  ; rf
empty W & R as third
~empty po as fourth
flag ~empty co as fifth
flag acyclic rf
include "axiom.cat"
~irreflexive 0`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range m.Axioms {
		got = append(got, fmt.Sprint(a.Name, ": ", a.Test, " ", a.Term, " ", a.Term.Type(), " ", a.Negated, a.Flag,
			" at ", a.Source.Name, ":", a.Pos.Line, ":", a.Pos.Col, " monotone ", a.Monotone()))
	}
	want := []string{
		"first: acyclic (po | rf) a relation false false at test.cat:2:1 monotone true",
		"irreflexive po ; rf: irreflexive (po ; rf) a relation false false at test.cat:3:1 monotone true",
		"third: empty (W & R) a set false false at test.cat:5:1 monotone true",
		"fourth: empty po a relation true false at test.cat:6:1 monotone false",
		"fifth: empty co a relation true true at test.cat:7:1 monotone false",
		"flag acyclic rf: acyclic rf a relation false true at test.cat:8:1 monotone false",
		"no-thin-air: acyclic (po | rf) a relation false false at axiom.cat:1:1 monotone true",
		"~irreflexive 0: irreflexive 0 a relation true false at test.cat:10:1 monotone false",
	}
	if m.Name != "my model" {
		t.Errorf("the name is %q", m.Name)
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Errorf("\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
			break
		}
	}
}

// TestShared checks that what is written twice is one term.
func TestShared(t *testing.T) {
	m, err := parse("let a = po ; [W | R] let f(x) = x ; [M & _] let b = po ; [W | R] let c = f(po) let d = f(po)\nacyclic a")
	if err != nil {
		t.Fatal(err)
	}
	if m.Def("a") != m.Def("b") || m.Def("c") != m.Def("d") || m.Def("a") == m.Def("c") {
		t.Error("equal terms are different, or different ones equal")
	}
}

func TestMonotone(t *testing.T) {
	for _, c := range []struct {
		text string
		// An axiom is monotone; it can be judged where events come after all of their thread;
		// and where only reads and fences come.
		want, extends, waits bool
	}{
		{"acyclic (po & M * M \\ W * R) | rfe | co | fr", true, true, true},
		{"acyclic po \\ ([W]; po; [R])", true, true, true},
		{"acyclic po \\ ([W]; po; po; [R])", false, true, false}, // an event may come in between
		{"acyclic co \\ fr", false, false, false},                // fr grows
		{"acyclic rf & ~fr^-1", false, false, false},
		{"acyclic fr & ~rf^-1", true, true, true},
		{"acyclic po \\ po^+", false, true, false},
		{"empty [~domain(rf)]", false, false, false},
		{"empty [range(rf) & ~W]", true, true, true},
		{"acyclic ~(po | rf) & co", true, true, true},
		{"empty rmw \\ (po; [W]; po)", false, true, true},
		{"empty rmw \\ (po; ([W]; po))", false, true, true},
		{"empty rmw \\ (po; [R]; po)", false, true, false},
		{"empty co \\ (rf; po; [W])", false, false, false},
		{"empty rmw \\ (fr; [W]; co)", false, false, false},
		{"let rec r = po | r ; rf acyclic r", true, true, true},
		{"let rec r = po | r ; (fr \\ fr) acyclic r", false, false, false},
		{"let rec r = po | r ; rf acyclic po \\ r", false, false, false},
		{"~empty rf", false, false, false},
		{"flag ~empty rf", false, false, false},
	} {
		m, err := parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		a := m.Axioms[0]
		if got, extends := a.Monotone(), a.Extends(); got != c.want || extends != c.extends {
			t.Errorf("%s: %v, %v", c.text, got, extends)
		}
		if got := m.SkipsWaits(); !a.Flag && got != c.waits {
			t.Errorf("%s: without reads %v", c.text, got)
		}
	}
}

// TestLasting checks that of a recursion with a term that shrinks nothing lasts that depends on it.
func TestLasting(t *testing.T) {
	for text, want := range map[string]bool{
		"let rec r = co | (r ; rf) acyclic r":                true,
		"let rec r = (co \\ (co ; co)) | (r ; rf) acyclic r": false,
	} {
		m, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		r := m.Def("r")
		for _, term := range append(r.rec.open, r) {
			if got := m.Lasting()[term.id]; got != want {
				t.Errorf("%s: %v: %v", text, term, got)
			}
		}
	}
}

// names is what is predefined on x86.
var names = func() string {
	sets, rels, functions := For(program.X86).names()
	return "predefined sets: " + strings.Join(sets, " ") + "\n  predefined relations: " + strings.Join(rels, " ") +
		"\n  predefined functions: " + strings.Join(functions, " ")
}()

func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// Names.
		{"acyclic po | rff", "1:14: there is no 'rff'\n  acyclic po | rff\n               ^\n  did you mean 'rf'?\n  " + names},
		{"let happens = po\nacyclic hapens", "2:9: there is no 'hapens'\n  acyclic hapens\n          ^\n  did you mean 'happens'?\n  " + names + "\n  defined so far: happens"},
		{"acyclic PO", "1:9: there is no 'PO'\n  acyclic PO\n          ^\n  did you mean 'po'?\n  " + names},
		{"acyclic something-else", "1:9: there is no 'something-else'\n  acyclic something-else\n          ^\n  " + names},
		{"let a = a\nacyclic a", "1:9: there is no 'a'\n  let a = a\n          ^\n  did you mean 'A'?\n  " + names},
		{"acyclic fencrel(W)", "1:9: there is no 'fencrel'\n  acyclic fencrel(W)\n          ^\n  did you mean 'fencerel'?\n  " + names},
		{"let a = po and a = rf", "1:16: 'a' is defined twice\n  let a = po and a = rf\n                 ^"},
		// Types.
		{"acyclic [rf]", "1:10: 'rf' is a relation, a set is expected here\n  acyclic [rf]\n           ^"},
		{"acyclic W", "1:9: 'W' is a set, a relation is expected here\n  acyclic W\n          ^\n  [S] is the relation of every event of the set S with itself"},
		{"acyclic po ; W", "1:14: 'W' is a set, a relation is expected here\n  acyclic po ; W\n               ^\n  [S] is the relation of every event of the set S with itself"},
		{"acyclic po | W", "1:14: 'W' is a set, while the left side is a relation\n  acyclic po | W\n               ^\n  [S] is the relation of every event of the set S with itself"},
		{"acyclic [W & rf]", "1:14: 'rf' is a relation, a set is expected here\n  acyclic [W & rf]\n               ^"},
		{"acyclic W * (R | F)^-1", "1:14: this is a set, a relation is expected here\n  acyclic W * (R | F)^-1\n               ^\n  [S] is the relation of every event of the set S with itself"},
		{"acyclic po * W", "1:9: 'po' is a relation, a set is expected here\n  acyclic po * W\n          ^"},
		{"acyclic po & W * R * F", "1:14: this is a relation, a set is expected here\n  acyclic po & W * R * F\n               ^"},
		{"empty fencerel(po)", "1:16: 'po' is a relation, a set is expected here\n  empty fencerel(po)\n                 ^"},
		{"empty domain(W)", "1:14: 'W' is a set, a relation is expected here\n  empty domain(W)\n               ^\n  [S] is the relation of every event of the set S with itself"},
		{"empty range(W, R)", "1:16: 'range' takes one argument\n  empty range(W, R)\n                 ^"},
		{"acyclic [domain(po)^-1]", "1:10: 'domain(...)' is a set, a relation is expected here\n  acyclic [domain(po)^-1]\n           ^\n  [S] is the relation of every event of the set S with itself"},
		// Functions.
		{"let f(x) = x\nacyclic f", "2:9: 'f' is a function, a set or a relation is expected here\n  acyclic f\n          ^\n  apply it: f(x)"},
		{"acyclic domain", "1:9: 'domain' is a function, a set or a relation is expected here\n  acyclic domain\n          ^\n  apply it: domain(x)"},
		{"acyclic po(rf)", "1:9: 'po' is a relation, not a function\n  acyclic po(rf)\n          ^\n  write ';' for the sequence of two relations"},
		{"acyclic po rf", "1:9: 'po' is a relation, not a function\n  acyclic po rf\n          ^\n  write ';' for the sequence of two relations"},
		{"let f(x, y) = x\nacyclic f(po)", "2:9: 'f' takes 2 arguments, not 1\n  acyclic f(po)\n          ^\n  it is f(x, y)"},
		{"let f x = [x]\nacyclic f(po)", "1:12: 'x' is a relation, a set is expected here\n  let f x = [x]\n             ^\n  in the call of 'f' at test.cat:2:9"},
		{"include \"fences.cat\"\nacyclic between(po)", "fences.cat:3:23: 'S' is a relation, a set is expected here\n  let between(S) = po; [S]; po\n                        ^\n  in the call of 'between' at test.cat:2:9"},
		{"let f x y = x", "1:9: a function of several arguments takes them in brackets\n  let f x y = x\n          ^\n  write f(x, y)"},
		{"let f(x, x) = x", "1:10: 'f' has two parameters of the name 'x'\n  let f(x, x) = x\n           ^"},
		{"let f() = po\nacyclic f(W)", "2:9: 'f' takes 0 arguments, not 1\n  acyclic f(W)\n          ^\n  it is f()"},
		{"let (a, b) = po", "1:5: (a, b) does not fit a relation\n  let (a, b) = po\n      ^"},
		// Recursion.
		{"let rec r = po | ~r", "1:19: 'r' is defined by recursion and must not occur under ~\n  let rec r = po | ~r\n                    ^\n  a recursive definition must grow as what it defines grows, or it has no least solution"},
		{"let rec r = po \\ (rf ; s)\nand s = r", "1:19: 's' is defined by recursion and must not occur on the right of \\\n  let rec r = po \\ (rf ; s)\n                    ^\n  a recursive definition must grow as what it defines grows, or it has no least solution"},
		{"let imply(a, b) = ~a | b\nlet rec r = imply(r, po)", "1:20: 'r' is defined by recursion and must not occur under ~"},
		{"let rec f(x) = f(x)\nacyclic f(po)", "1:18: the model is too large: more than 32768 terms, when functions are expanded"},
		{"let rec f(x) = x and r = po", "1:9: functions, and sets and relations, need a recursion of their own"},
		{"let rec r = let rec s = r | s; s in s", "1:21: a recursion within another cannot depend on the other's 'r'"},
		{"let rec r = [r] and s = r", "1:14: 'r' is a relation, a set is expected here"},
		{"let rec r = po | s and s = W | s", "1:18: 's' is a set, while the left side is a relation"},
		// Syntax.
		{"let a po", "1:9: the end of the file after the name 'a', '=' is expected\n  let a po\n          ^"},
		{"let a =", "1:8: the end of the file after '=', an expression is expected\n  let a =\n         ^"},
		{"let = po", "1:5: '=' after 'let', a name is expected\n  let = po\n      ^"},
		{"acyclic po |", "1:13: the end of the file after '|', an expression is expected\n  acyclic po |\n              ^"},
		{"acyclic (po | rf", "1:17: the end of the file after the expression, ')' is expected"},
		{"acyclic po) as x", "1:11: ')' does not begin a definition or an axiom"},
		{"acyclic [W", "1:11: the end of the file after the expression, ']' is expected"},
		{"acyclic {W}", "1:9: this is a set of sets or relations, a set or a relation is expected here"},
		{"acyclic {W", "1:11: the end of the file after the elements, '}' is expected"},
		{"acyclic po^2", "1:12: unexpected character '2'\n  acyclic po^2\n             ^"},
		{"acyclic po^;rf", "1:11: after '^', one of -1, + and * is expected\n  acyclic po^;rf\n            ^"},
		{"acyclic po as", "1:14: the end of the file after 'as', a name is expected"},
		{"acyclic po as \"x\"", "1:15: a string after 'as', a name is expected"},
		{"flag po", "1:6: the name 'po' after 'flag', acyclic, irreflexive or empty is expected"},
		{"~", "1:2: the end of the file after '~', acyclic, irreflexive or empty is expected"},
		{"flag", "1:5: the end of the file after 'flag', acyclic, irreflexive or empty is expected"},
		{"~acyc po", "1:2: the name 'acyc' after '~', acyclic, irreflexive or empty is expected"},
		{"M\nacyclc po", "2:1: the name 'acyclc' does not begin a definition or an axiom\n  acyclc po\n  ^\n  did you mean 'acyclic'?"},
		{"acyclic let a = po rf", "1:22: the end of the file after the definitions, 'in' is expected"},
		{"acyclic let a = po", "1:19: the end of the file after the definitions, 'in' is expected"},
		{"acyclic po as a as b", "1:17: 'as' does not begin a definition or an axiom"},
		{"show", "1:5: the end of the file after 'show', an expression is expected"},
		{"unshow 0", "1:8: '0' after 'unshow', a name is expected"},
		{"acyclic po @ rf", "1:12: unexpected character '@'\n  acyclic po @ rf\n             ^"},
		{"acyclic \xff", "1:9: the file is not UTF-8 text"},
		{"(* (* *)", "1:1: this comment has no end: expected *)\n  (* (* *)\n  ^\n  comments nest: every (* needs a *) of its own"},
		{"include \"a\n", "1:9: the string does not end on its line"},
		{"", "the model has no axiom\n  to admit every execution, write: empty 0"},
		{"acyclic " + strings.Repeat("(", 600), "1:509: the expression is nested too deeply"},
		{"acyclic " + strings.Repeat("~", 600) + "po", "1:509: the expression is nested too deeply"},
		{"let f0(x) = x ; x\n" + doubling(30) + "acyclic f30(po)", "the model is too large: more than 32768 terms, when functions are expanded"},
		// Include.
		{"include fences", "1:9: the name 'fences' after 'include', the name of a file in double quotes is expected"},
		{"include \"nothing.cat\"", "1:9: cannot include 'nothing.cat': no such file"},
		{"include \"broken.cat\"", "broken.cat:2:12: the end of the file after '|', an expression is expected"},
		{"include \"loop.cat\"", "loop.cat:1:9: too many files are included"},
		// What depends on the execution.
		{"with S from linearisations(W, co) acyclic match S with || {} -> po || x ++ _ -> rf end", "1:49: the elements of 'S' depend on an order that the model takes; they cannot be taken apart"},
		{"let rec r = po | (match r with || {} -> 0 || x ++ _ -> x; rf end) acyclic r", "1:25: the elements of 'r' depend on 'r', which is being defined by recursion"},
		{"forall x in W do acyclic x end acyclic po | nothing", "1:45: there is no 'nothing'"},
		{"acyclic match W with || {} -> nothing || x ++ _ -> rf end", "1:31: there is no 'nothing'"},
		{"acyclic lift(classes(rf), po); po", "1:9: 'lift(...)' is a relation between sets, a set or a relation of events is expected here"},
		{"acyclic delift(po)", "1:16: 'po' is a relation, a relation between classes is expected here"},
		{"let c = classes(rf) with S from linearisations(c, po) acyclic S", "1:51: 'po' is a relation, a relation between these classes is expected here"},
		{"with S from linearisations(classes(rf), lift(classes(co), po)) acyclic S", "1:41: 'lift(...)' is a relation between sets, a relation between these classes is expected here"},
		{"forall x in linearisations(W, co) do acyclic x end acyclic po", "1:13: the elements of 'linearisations(...)', a set of orders, depend on the execution, so that they cannot be taken apart"},
		{"let rec one s = match s with || {} -> 0 || x ++ s -> x end acyclic one (linearisations(W, po))", "1:23: the elements of 's', a set of orders, depend on the execution"},
		{"acyclic linearisations(W, po)", "1:9: 'linearisations(...)' is a set of orders, a set or a relation is expected here"},
		{"acyclic linearisations(W)", "1:9: 'linearisations' takes 2 arguments, not 1"},
		{"with S from linearisations(po, po) acyclic S", "1:28: 'po' is a relation, a set is expected here"},
		{"with S from linearisations(W, R) acyclic S", "1:31: 'R' is a set, a relation is expected here"},
		{"with S from co_locs(po, W) acyclic S", "1:25: 'W' is a set, the classes-loc of a set are expected here"},
		{"with S from cross {po} acyclic S", "1:19: this has a relation in it, sets of orders are expected"},
		{"let rec r = po | (fun x -> 0) (linearisations(W, r)) acyclic r", "1:50: orders cannot be taken of 'r', which is being defined by recursion"},
		{"with S from {po, rf} acyclic S", "1:6: 'S' would have every value of a set in turn, which is supported of orders only"},
		// Other constructs.
		{"if \"x\" acyclic po", "1:18: the end of the file after 'if', 'end' is expected"},
		{"enum e = a", "1:10: the name 'a' after an enumeration, a tag such as 'once is expected"},
		{"let f = fun x -> x acyclic f", "1:28: 'f' is a function, a set or a relation is expected here\n  let f = fun x -> x acyclic f\n                             ^\n  apply it: fun(x)"},
		{"acyclic try po with", "1:20: the end of the file after 'with', an expression is expected"},
		{"acyclic try nothing with nothing", "1:26: there is no 'nothing'"},
		{"acyclic try [po] with rf", "1:14: 'po' is a relation, a set is expected here"},
		{"procedure p(x) = acyclic x end call p(W)", "1:26: 'x' is a set"},
		{"procedure p(x) = acyclic x end call p(W, R)", "1:37: 'p' takes one argument, not 2"},
		{"procedure p() = call p() end call p()", "statements are nested too deeply"},
		{"call po", "1:6: there is no 'po'"},
		{"let p = po call p(rf)", "1:17: 'p' is a relation, not a procedure"},
		{"acyclic 'a", "1:9: this is a tag, a set or a relation is expected here"},
		{"acyclic match 'a with || 'b -> po end", "1:9: no case fits a tag"},
		{"acyclic /* po", "1:9: this comment has no end: expected */"},
		{"empty RLX", "1:7: there is no 'RLX' on x86 (it is a name of c11)"},
		{"let rec r = po when r", "1:21: the name 'r' does not begin a definition or an axiom"},
	} {
		_, err := parse(c.text)
		if err == nil {
			t.Errorf("%.80q: no error", c.text)
			continue
		}
		var d *program.Diagnostic
		if !errors.As(err, &d) {
			t.Errorf("%.80q: %T", c.text, err)
		}
		got := strings.TrimSpace(strings.TrimPrefix(err.Error(), "test.cat:"))
		full := strings.Contains(c.want, "\n")
		if full && got != c.want || !full && !strings.Contains(got, c.want) {
			t.Errorf("%.80q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// doubling is functions each of which applies the one before twice.
func doubling(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "let f%d(x) = f%d(f%d(x))\n", i+1, i, i)
	}
	return b.String()
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"let r = po\nacyclic r | rf as x",
		"M \"x\" let rec a = po | a ; b and b = [domain(a)] ; rf empty a & ~(W * R) \\ 0 as n",
		"let f(x, y) = x ; y^-1? flag ~empty f(po, rf)+ | fencerel(F)* show a as b unshow c",
		"(* (* *) *) // x\n# y\ninclude \"fences.cat\" irreflexive let a = po in a",
		"let rec s = W | range([s] ; rf) acyclic [s]",
		"procedure p(x) = if \"v\" then acyclic x else call p(x) end end forall y in {po, 'a ++ {}} do call p(y) as z end",
		"let rec f S = match S with || {} -> 0 || x ++ S -> x | f S end acyclic try f {po, rf} with (fun (x, y) -> x) (po, 0)",
		"enum e = 'a || 'b with co from f(co) undefined_unless empty (let rec a = po in a) /* c */ match 'a with || _ -> empty 0 end",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parse(text)
		if (m == nil) == (err == nil) {
			t.Errorf("%v, %v", m, err)
		}
		if err != nil {
			_ = err.Error()
		}
	})
}
