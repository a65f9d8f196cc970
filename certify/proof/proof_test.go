package proof_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/certify/proof"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
)

// A formula whose models have x1 or x2, and x3 or x4; edges of x1 and x3 make a cycle, those
// of x1 and x4, and of x2, too.
const (
	formula = `c a comment
p cnf 4 5
1 2 0
3 4 0
-1 -3 0
-1 -4 0
-2 0
`
	order = `edge 1 0 1
edge 3 1 0
edge 4 1 2
edge 4 2 0
edge 2 7 7
lemma 3 1 2
lemma 4 1 3 4
lemma 5 5
`
	derivation = `6 2 4 0 2 3 1 0
6 d 3 0
7 -1 0 5 6 4 0
8 0 7 1 5 0
`
)

func check(f, o, d string) (*proof.Shown, error) {
	return proof.Check(context.Background(), proof.Files{strings.NewReader(f), strings.NewReader(o), strings.NewReader(d)})
}

// TestCheck: one proof, and what is wrong with others.
func TestCheck(t *testing.T) {
	shown, err := check(formula, order, derivation)
	if want := (proof.Shown{Axioms: 2, Edges: 5, Lemmas: 3, Steps: 3}); err != nil || *shown != want {
		t.Fatalf("%+v, %v; want %+v", shown, err, want)
	}
	const f, o, d = 0, 1, 2
	for _, tt := range []struct {
		what     string
		file     int
		old, new string
		err      string
	}{
		{"a dropped hint", d, "2 3 1 0", "2 1 0", "derivation, line 1: clause 6: its hints leave it open"},
		{"the last hint dropped", d, "2 3 1 0", "2 3 0", "its hints leave it open"},
		{"hints in another order", d, "2 3 1 0", "3 2 1 0", "hint 3: both -1 and -3 are left of it"},
		{"a hint too many", d, "2 3 1 0", "2 3 1 4 0", "hint 4 is no clause, or comes after the one that is false"},
		{"a hint of a clause that is forgotten", d, "5 6 4 0", "3 6 4 0", "hint 3 is no clause"},
		{"a hint that comes later", d, "5 6 4 0", "5 7 4 0", "hint 7 is no clause"},
		{"a wrong literal", d, "7 -1 0", "7 3 0", "clause 7: its hints leave it open"},
		{"a negated literal", d, "7 -1 0", "7 1 0", "literal -1 of it is true"},
		{"a clause that holds anyway, and says nothing", d, "7 -1 0", "7 -1 1 0", "literal -1 of it is true"},
		{"a literal of no variable", d, "7 -1 0", "7 -999999999 0", "-999999999 is no literal"},
		{"a RAT step", d, "7 1 5 0", "7 -1 5 0", "hint -1 is no clause"},
		{"a number again", d, "7 -1", "6 -1", "clause 6 after 6"},
		{"forgotten too early", d, "d 3 0", "d 4 3 3 0", "hint 4 is no clause"},
		{"no end", d, "8 0 7 1 5 0\n", "", "it does not come to the empty clause"},
		{"half an end", d, "1 5 0\n", "1 5", "unexpected EOF"},
		{"something wrong after the end", d, "1 5 0\n", "1 5 0\n9 0 7 1 0\n", "clause 9: its hints leave it open"},
		{"no number", d, "8 0", "8 x", "is no number"},
		{"a leading zero where a number says nothing", d, "6 d 3 0", "06 d 3 0", "is no number, or not written as one"},
		{"a leading zero", d, "7 -1 0 5", "7 -1 0 05", "is no number, or not written as one"},
		{"a zero more", d, "7 -1 0 5", "7 -1 00 5", "is no number, or not written as one"},
		{"a zero with a sign", d, "7 -1 0 5", "7 -1 -0 5", "is no number, or not written as one"},
		{"a number that is too large", d, "8 0", "8 99999999999999999999 0", "is no number, or not written as one"},
		{"a cycle without an edge", o, "lemma 4 1 3 4", "lemma 4 1 4", "order, line 7: lemma 4: edge 4 does not begin where edge 1 ends"},
		{"a cycle that is not closed", o, "lemma 4 1 3 4", "lemma 4 1 3", "lemma 4: edge 1 does not begin where edge 3 ends"},
		{"no cycle", o, "lemma 3 1 2", "lemma 3 1 1", "does not begin where"},
		{"a cycle of other edges", o, "lemma 3 1 2", "lemma 3 1 3 4", "derivation, line 1: clause 6: hint 3: literal -4 of it is true"},
		{"a lemma that is none", o, "lemma 3 1 2", "lemma 1 1 2", "does not come after lemma 1"},
		{"a lemma without a cycle", o, "lemma 5 5", "lemma 5", "neither an edge"},
		{"an edge that is not there", o, "lemma 5 5", "lemma 5 6", "there is no edge 6"},
		{"no such clause", o, "lemma 5 5", "lemma 6 5", "does not come after lemma 4"},
		{"a clause between lemmas", o, "lemma 4 1 3 4\n", "", "clause 5 is none of the formula, or does not come after lemma 3"},
		{"a lemma twice", o, "lemma 5 5", "lemma 5 5\nlemma 5 5", "does not come after lemma 5"},
		{"an edge between others", o, "edge 3 1 0", "edge 3 0 1", "does not begin where"},
		{"an edge of another literal", o, "edge 3 1 0", "edge -3 1 0", "clause 6: hint 3:"},
		{"a bad node", o, "edge 2 7 7", "edge 2 -7 7", "does not begin where"},
		{"a bad word", o, "edge 2", "hedge 2", "it is neither"},
		{"a long word", o, "edge 2", strings.Repeat("e", 100), "it is neither"},
		{"something else", o, "edge 2 7 7", "edge 2 7 7 7", "it is neither"},
		{"a clause after the lemmas", f, "-2 0\n", "-2 0\n-2 0\n", "lemmas are the last clauses"},
		{"a clause less", f, "-2 0\n", "", "clause 5 is none of the formula"},
		{"half a clause", f, "-2 0\n", "-2\n", "unexpected EOF"},
		{"too many variables", f, "3 4 0", "3 999999999 0", "999999999 is no literal"},
		{"another literal", f, "1 2 0\n", "1 -2 0\n", "clause 6: hint 1: literal -2 of it is true"},
	} {
		texts := []string{formula, order, derivation}
		if texts[tt.file] = strings.Replace(texts[tt.file], tt.old, tt.new, 1); texts[tt.file] == []string{formula, order, derivation}[tt.file] {
			t.Fatalf("%s: nothing is changed", tt.what)
		}
		if _, err := check(texts[f], texts[o], texts[d]); err == nil || !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %v; want %q", tt.what, err, tt.err)
		}
	}
}

// TestStopped: a context that has ended stops the check.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := proof.Check(ctx, proof.Files{strings.NewReader(formula), strings.NewReader(order), strings.NewReader(derivation)}); err != context.Canceled {
		t.Error(err)
	}
}

// TestImports: the checker uses nothing of ours but what reads lines.
func TestImports(t *testing.T) {
	if got := enginetest.Imports(t); !slices.Equal(got, []string{"certify/text"}) {
		t.Errorf("it imports %v", got)
	}
}

// FuzzCheck: no text makes the checker panic, and nothing proves that a formula with
// a model has none.
func FuzzCheck(f *testing.F) {
	f.Add(order, derivation)
	f.Add("edge 1 0 0\nlemma 1 1", "6 0 1 2 0\n")
	f.Add("", "6 1111111 111111222 0")
	f.Fuzz(func(t *testing.T, o, d string) {
		check(formula, o, d)
		const open = "p cnf 4 3\n1 2 0\n-1 3 0\n-3 4 0\n"
		// The model 1, 3, 4 and not 2 has a graph; of such a graph the order may say anything.
		if _, err := check(open, "", d); err == nil {
			t.Errorf("accepted:\n%s", d)
		}
	})
}
