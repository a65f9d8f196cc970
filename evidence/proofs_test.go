package evidence

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/encode/bmc"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

var (
	programs = flag.Int("programs", 60, "random programs for TestProofs")
	mutants  = flag.Int("mutants", 1500, "changed files for TestMutatedProofs")
)

// folder is files in memory.
type folder map[string][]byte

type file struct {
	bytes.Buffer
	close func(*file)
}

func (f *file) Close() error {
	f.close(f)
	return nil
}

func (d folder) create(name string) (io.WriteCloser, error) {
	return &file{close: func(f *file) { d[name] = f.Bytes() }}, nil
}

func (d folder) open(name string) (io.ReadCloser, error) {
	text, ok := d[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader(text)), nil
}

// written is the files for a result of bmc; nil where it is neither safe nor bounded.
func written(t testing.TB, p *program.Program, opts bmc.Options) (folder, *verdict.Result) {
	t.Helper()
	opts.Proofs = true
	r, err := bmc.Check(context.Background(), p, opts)
	if err != nil {
		t.Fatal(err)
	}
	d := folder{}
	if r.Unsafe() || len(r.Refutations) == 0 {
		if Write(context.Background(), d.create, r) == nil {
			t.Fatalf("%v has proofs", r.Verdict())
		}
		return nil, r
	}
	if err := Write(context.Background(), d.create, r); err != nil {
		t.Fatal(err)
	}
	return d, r
}

// TestProofs: what bmc says has proofs, which are accepted, under models that are built in
// and others.
func TestProofs(t *testing.T) {
	ctx := context.Background()
	n, unwound, cat := 0, 0, 0
	try := func(what string, p *program.Program, opts bmc.Options) {
		d, r := written(t, p, opts)
		if d == nil {
			return
		}
		c, err := Check(ctx, d.open, p)
		if err != nil {
			t.Fatalf("%s: %v\n%s", what, err, d[ManifestName])
		}
		if c.Verdict != r.Verdict().String() || !strings.Contains(c.String(), "no model") {
			t.Fatalf("%s: %s, %s", what, r.Verdict(), c)
		}
		if n++; c.Complete == "shown" {
			unwound++
		}
		if opts.Model == "testdata/coherent.cat" {
			cat++
		}
	}
	for _, name := range []string{"seqlock.imp", "peterson-fenced.imp", "dekker-fenced.imp", "thesis/fig3.7.imp", "sb-ring-fenced.imp", "lamport-fast-fenced.imp"} {
		try(name, enginetest.Example(t, name, 0), bmc.Options{Unroll: 2})
	}
	for seed := range uint64(*programs) {
		opt := randprog.Options{CountLoop: 2, WaitLoop: int(seed % 2), StoreLoop: int(seed % 3), Assert: 1}
		opts := bmc.Options{Model: memory.Models()[seed%3], Unroll: 1 + int(seed%4)}
		if seed%4 == 0 {
			opts.Model = "testdata/coherent.cat"
			opt.Lock = -1
		}
		p := randprog.New(rand.New(rand.NewPCG(seed, 31)), opt)
		try(fmt.Sprintf("seed %d:\n%s", seed, enginetest.Text(p)), p, opts)
	}
	t.Logf("%d accepted, %d with an unwinding assertion, %d under a model from a file", n, unwound, cat)
	if n < *programs/4 || unwound == 0 || cat == 0 {
		t.Errorf("%d accepted, %d with an unwinding assertion, %d under a model from a file", n, unwound, cat)
	}
}

const storeBuffering = `program SB
variables x = 0, y = 0
process P local r begin x := 1; FENCE; r := y end
process Q local r, i begin y := 1; fence; r := x; i := 0; while i < 2 do i := i + 1 od end
exists P.r = 0 & Q.r = 0`

// TestMutatedProofs changes files, and says of them in addition that they are for a
// program that is not safe. None is accepted for that one; and where one is accepted for
// the right one, then what differs is a word that nothing rests on.
func TestMutatedProofs(t *testing.T) {
	safe := enginetest.Parse(t, "p.imp", strings.Replace(storeBuffering, "FENCE", "fence", 1))
	unsafe := enginetest.Parse(t, "p.imp", strings.Replace(storeBuffering, "FENCE", "skip", 1))
	ctx := context.Background()
	d, _ := written(t, safe, bmc.Options{Unroll: 1})
	names := slices.Sorted(maps.Keys(d))
	rng := rand.New(rand.NewPCG(5, 5))
	refused, accepted := 0, map[string]int{}
	for range *mutants {
		name := names[rng.IntN(len(names))]
		lines := strings.Split(string(d[name]), "\n")
		at := rng.IntN(len(lines))
		switch rng.IntN(4) {
		case 0:
			lines = slices.Delete(lines, at, at+1)
		case 1:
			other := rng.IntN(len(lines))
			lines[at], lines[other] = lines[other], lines[at]
		case 2:
			lines = slices.Insert(lines, at, lines[rng.IntN(len(lines))])
		default:
			words := strings.Fields(lines[at])
			if len(words) == 0 {
				continue
			}
			i := rng.IntN(len(words))
			var n int
			if _, err := fmt.Sscan(words[i], &n); err != nil {
				n = rng.IntN(9)
			}
			words[i] = fmt.Sprint(n + 1 - 2*rng.IntN(2))
			lines[at] = strings.Join(words, " ")
		}
		e := maps.Clone(d)
		if e[name] = []byte(strings.Join(lines, "\n")); bytes.Equal(e[name], d[name]) {
			continue
		}
		if c, err := Check(ctx, e.open, safe); err != nil {
			refused++
		} else {
			accepted[name]++
			if c.Verdict != "UNKNOWN" && c.Verdict != "SAFE" || c.Bound != 1 || c.Complete != "" && c.Verdict != "SAFE" {
				t.Fatalf("%s: accepted as %s", name, c)
			}
		}
		e[ManifestName] = []byte(strings.Replace(string(e[ManifestName]), program.Fingerprint(safe), program.Fingerprint(unsafe), 1))
		if _, err := Check(ctx, e.open, unsafe); err == nil {
			t.Fatalf("%s: accepted for a program that is not safe:\n%s", name, e[name])
		}
	}
	t.Logf("refused %d, accepted %v", refused, accepted)
	if refused < *mutants/2 {
		t.Errorf("refused %d of %d", refused, *mutants)
	}
}

// TestNoHeader: in the place of the header there is the negation of what is assumed, a clause more, which a lemma makes up for
// whose text is what is assumed.
func TestNoHeader(t *testing.T) {
	safe := enginetest.Example(t, "peterson-fenced.imp", 0)
	d, _ := written(t, safe, bmc.Options{Unroll: 3})
	var m Manifest
	if err := json.Unmarshal(d[ManifestName], &m); err != nil {
		t.Fatal(err)
	}
	f := &m.Formulas[0]
	n := f.Axioms
	formula := strings.SplitAfter(string(d[f.Formula]), "\n")[:n+1]
	edges, lemma, ok := strings.Cut(string(d[f.Order]), "lemma ")
	if len(f.Assumed) == 0 || !ok {
		t.Fatal("nothing is assumed, or there is no lemma")
	}
	words := strings.Fields(strings.Split(lemma, "\n")[0])
	assumed := strings.Fields(formula[n])[0]
	f.Axioms, f.Assumed = n+1, append(f.Assumed, f.Assumed[0])
	d[ManifestName], _ = json.Marshal(m)
	not := strings.TrimPrefix("-"+assumed, "--")
	formula[0] = fmt.Sprintf("%s %[1]s %[1]s 0\n", not)
	d[f.Formula] = []byte(strings.Join(append(formula, assumed+" 0\n"), ""))
	d[f.Order] = fmt.Appendf(nil, "%slemma %d %s\n", edges, n+2, strings.Join(words[1:], " "))
	d[f.Derivation] = fmt.Appendf(nil, "%d 0 1 %d 0\n", n+3, n+1)
	if _, err := Check(t.Context(), d.open, safe); err == nil || !strings.Contains(err.Error(), "the first line is not the header") {
		t.Error(err)
	}
}

// TestHidden: clauses and edges where one would not look for them.
func TestHidden(t *testing.T) {
	safe := enginetest.Parse(t, "p.imp", strings.Replace(storeBuffering, "FENCE", "fence", 1))
	d, _ := written(t, safe, bmc.Options{Unroll: 1})
	formula, order := string(d["violation.cnf"]), string(d["violation.order"])
	lines := strings.SplitAfter(formula, "\n")
	header := strings.Fields(lines[0])
	var count int
	fmt.Sscan(header[3], &count)
	more := func(n int) string { return fmt.Sprintf("p cnf %s %d", header[2], count+n) }
	body := strings.Join(lines[1:], "")
	for what, text := range map[string][2]string{
		"clauses in the header": {more(2) + " 1 0 -1 0\n" + body, order},
		"clauses at the end":    {more(2) + "\n" + body + "1 0\n-1 0\n", order},
		"a comment":             {lines[0] + "c nothing\n" + body, order},
		"an edge that is not at the start of a line": {formula, order + " edge 1 0 0\n"},
		"an edge more": {formula, "edge 1 0 0\n" + order},
	} {
		e := maps.Clone(d)
		e["violation.cnf"], e["violation.order"] = []byte(text[0]), []byte(text[1])
		if _, err := Check(context.Background(), e.open, safe); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}

// TestManifestEnds: nothing comes after a manifest, where another model might be named.
func TestManifestEnds(t *testing.T) {
	p := enginetest.Parse(t, "p.imp", strings.Replace(storeBuffering, "FENCE", "fence", 1))
	d, _ := written(t, p, bmc.Options{Unroll: 1})
	for _, more := range []string{"{}", "x", "\nmodel sc\n"} {
		e := maps.Clone(d)
		e[ManifestName] = append(bytes.Clone(d[ManifestName]), more...)
		if _, err := Check(t.Context(), e.open, p); err == nil || !strings.Contains(err.Error(), "after the end") {
			t.Errorf("%q: %v", more, err)
		}
	}
}
