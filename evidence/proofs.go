// Package evidence writes down what a result rests on, and has it checked: a result goes in
// and a certificate or files come out, or these and the program go in, and out comes what
// they show.
//
// Searches of states, invariants and decision diagrams are checked by package certify, which uses nothing of ours but package program.
//
// Executions are checked here, by reading the threads, and by package memory.
//
// Formulas come each with a proof that it has no model, which package certify/proof checks,
// and which uses nothing else of ours. That the formulas stand for the program is what encode
// says: they are made again, and must be the same. [Accepted] says so.
package evidence

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-verifier/fencepost/certify"
	"github.com/fencepost-verifier/fencepost/certify/proof"
	"github.com/fencepost-verifier/fencepost/encode/bmc"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
	"github.com/fencepost-verifier/fencepost/verdict"
)

const format = "fencepost proofs 1"

// ManifestName is the name of the file that says what the others are.
const ManifestName = "manifest.json"

// A Manifest says what formulas stand for.
type Manifest struct {
	Format string `json:"format"`
	// Program is the SHA-256 of the program as [program.Print] prints it, and Cut is true
	// where the formulas stand for it without what is beyond its bounds.
	Program string       `json:"program"`
	Cut     bool         `json:"cut,omitempty"`
	Name    string       `json:"name"`
	Model   memory.Model `json:"model"`
	Engine  string       `json:"engine"`
	Verdict string       `json:"verdict"`
	// Because is the argument of the verdict, or how far the engine got.
	Because string `json:"because"`
	Bound   int    `json:"unrollings"`
	// Complete is "shown" where one of the formulas says that nothing goes beyond the
	// bound, and "evident" where no thread has a loop or branch left there.
	Complete string    `json:"complete,omitempty"`
	Formulas []Formula `json:"formulas"`
	Trusted  []string  `json:"trusted"`
}

// A Formula is one that has no model.
type Formula struct {
	Name       string   `json:"name"`
	Says       string   `json:"says"` // what a model would be
	Formula    string   `json:"formula"`
	Derivation string   `json:"derivation"`
	Order      string   `json:"order"`
	Axioms     int      `json:"axioms"` // clauses that are no lemmas, those of Assumed the last
	Assumed    []string `json:"assumed"`
}

// errHang is of a program that must not hang, either, of which no evidence says anything.
var errHang = errors.New("there is no evidence that a program does not hang; leave out forbid hang")

// Write writes the formulas that a result rests on, with their proofs and a manifest.
func Write(ctx context.Context, create func(name string) (io.WriteCloser, error), r *verdict.Result) error {
	if r.Program().NoHang {
		return errHang
	}
	if len(r.Refutations) == 0 {
		return fmt.Errorf("no formulas are kept that %s by %s rests on", r.Verdict(), r.Engine)
	}
	m := Manifest{
		Format: format, Program: program.Fingerprint(r.Program()), Name: r.Program().Name, Model: r.Model(), Engine: r.Engine, Verdict: r.Verdict().String(),
		Because: string(r.Argument()), Bound: r.Refutations[0].Bound, Cut: r.Refutations[0].Program != r.Program(),
	}
	m.Trusted = m.trusts()
	if r.Safe() {
		m.Complete = "evident"
	} else {
		m.Because = r.Reason()
	}
	write := func(name string, f func(io.Writer) error) error {
		w, err := create(name)
		if err != nil {
			return err
		}
		return errors.Join(f(&until{ctx, w}), w.Close())
	}
	for _, x := range r.Refutations {
		f := Formula{
			Name: x.Name, Says: x.Says, Formula: x.Name + ".cnf", Derivation: x.Name + ".lrat", Order: x.Name + ".order", Axioms: x.Proof.Axioms(), Assumed: x.Assumed,
		}
		if x.Name == "unwinding" {
			m.Complete = "shown"
		}
		if err := errors.Join(write(f.Formula, x.Proof.WriteFormula), write(f.Order, x.Proof.WriteOrder), write(f.Derivation, x.Proof.WriteDerivation)); err != nil {
			return err
		}
		m.Formulas = append(m.Formulas, f)
	}
	return write(ManifestName, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(m)
	})
}

// until is a writer until its context ends.
type until struct {
	ctx context.Context
	w   io.Writer
}

func (u *until) Write(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.w.Write(b)
}

// Checked is what proofs were found to show.
type Checked struct {
	Manifest
	Shown []proof.Shown // by formula
}

// Accepted is what that is of a certificate.
func (c *Checked) Accepted() *Accepted {
	a := &Accepted{Model: c.Model, Shows: certify.Safe, Because: c.String(), Trusting: strings.Join(c.Manifest.trusts(), "; ")}
	if c.Complete == "" {
		a.Shows = fmt.Sprintf("no violation up to %d unrollings", c.Bound)
	}
	if c.Cut {
		a.Shows += " nor to where a bound is met"
	}
	return a
}

// trusts is what formulas leave to be believed, whatever the manifest says.
func (m *Manifest) trusts() []string {
	return []string{"package encode, that the models of the formulas are the runs of the program"}
}

func (c *Checked) String() string {
	var n proof.Shown
	for _, s := range c.Shown {
		n.Axioms, n.Lemmas, n.Steps = n.Axioms+s.Axioms, n.Lemmas+s.Lemmas, n.Steps+s.Steps
	}
	what := fmt.Sprintf("up to %d unrollings there is no violation", c.Bound)
	if c.Complete != "" {
		what += ", and nothing goes beyond"
	}
	return fmt.Sprintf("%s: %s by %s derived from %s, with %s of cycles, if the encoder is right",
		what, count(len(c.Shown), "formula has", "formulas have")+" no model,", count(n.Steps, "clause", "clauses"), count(n.Axioms, "axiom", "axioms"), count(n.Lemmas, "lemma", "lemmas"))
}

func count(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", more)
}

// maxManifest bounds what a manifest may be, in bytes.
const maxManifest = 1 << 20

// Check checks the proofs of a result about p, and that their formulas are those that
// the encoder makes of p. When ctx ends first, the error is that of ctx.
func Check(ctx context.Context, open func(name string) (io.ReadCloser, error), p *program.Program) (*Checked, error) {
	r, err := open(ManifestName)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	c := &Checked{}
	d := json.NewDecoder(io.LimitReader(r, maxManifest))
	d.DisallowUnknownFields()
	if err := d.Decode(&c.Manifest); err != nil {
		return nil, fmt.Errorf("%s: %w", ManifestName, err)
	}
	if _, err := d.Token(); err != io.EOF { // [About] might find another model there
		return nil, fmt.Errorf("%s: something comes after the end", ManifestName)
	}
	m := &c.Manifest
	if p.NoHang {
		return nil, errHang
	}
	if err := m.Model.Takes(p); err != nil {
		return nil, err
	}
	if got := program.Fingerprint(p); m.Format != format || m.Program != got {
		return nil, fmt.Errorf("%s: it is for program %s, not %s, or not in the format %q", ManifestName, m.Program, got, format)
	}
	want := []string{"violation"}
	switch {
	case m.Verdict == verdict.IsSafe.String() && m.Complete == "shown" && !m.Cut:
		want = append(want, "unwinding")
	case m.Verdict == verdict.IsSafe.String() && m.Complete == "evident" && !m.Cut:
	case m.Verdict == verdict.IsUnknown.String() && m.Complete == "":
	default:
		return nil, fmt.Errorf("%s: a verdict %q that is %q complete", ManifestName, m.Verdict, m.Complete)
	}
	if !slices.EqualFunc(m.Formulas, want, func(f Formula, name string) bool { return f.Name == name }) {
		return nil, fmt.Errorf("%s: want the formulas %q", ManifestName, want)
	}
	if m.Bound < 0 {
		return nil, fmt.Errorf("%s: %d unrollings", ManifestName, m.Bound)
	}
	for _, f := range m.Formulas {
		shown, err := checkProof(ctx, open, &f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		c.Shown = append(c.Shown, *shown)
	}
	if m.Cut {
		p = p.Cut()
	}
	return c, m.stands(ctx, open, p)
}

// files opens several.
type files struct {
	open   func(string) (io.ReadCloser, error)
	opened []io.Closer
	err    error
}

func (f *files) get(name string) io.Reader {
	r, err := f.open(name)
	if err != nil {
		f.err = errors.Join(f.err, err)
		return nil
	}
	f.opened = append(f.opened, r)
	return r
}

func (f *files) close() {
	for _, c := range f.opened {
		c.Close()
	}
}

func checkProof(ctx context.Context, open func(string) (io.ReadCloser, error), f *Formula) (*proof.Shown, error) {
	in := files{open: open}
	defer in.close()
	texts := proof.Files{Formula: in.get(f.Formula), Order: in.get(f.Order), Derivation: in.get(f.Derivation)}
	if in.err != nil {
		return nil, in.err
	}
	shown, err := proof.Check(ctx, texts)
	if err == nil && (shown.Axioms != f.Axioms || f.Axioms < len(f.Assumed)) {
		err = fmt.Errorf("%d axioms, and the manifest has %d", shown.Axioms, f.Axioms)
	}
	return shown, err
}

// stands is whether the formulas are those of p.
func (m *Manifest) stands(ctx context.Context, open func(string) (io.ReadCloser, error), p *program.Program) error {
	statements, complete, err := bmc.Restate(ctx, p, bmc.Options{Model: m.Model}, m.Bound)
	if err != nil {
		return err
	}
	if m.Complete == "evident" && !complete {
		return errors.New("it is not evident that nothing goes beyond the bound")
	}
	for _, f := range m.Formulas {
		i := slices.IndexFunc(statements, func(s bmc.Statement) bool { return s.Name == f.Name })
		if i < 0 {
			return fmt.Errorf("%s: no such formula is asked about at the bound", f.Name)
		}
		digest, assumed, err := digest(ctx, open, &f)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		for _, l := range assumed {
			if !slices.ContainsFunc(statements[i].Assumptions, func(a solver.Lit) bool { return int(a) == l }) {
				return fmt.Errorf("%s: %d is not to be assumed", f.Name, l)
			}
		}
		if !bytes.Equal(digest, statements[i].Digest) {
			return fmt.Errorf("%s: the formula is not the one that the encoder makes of the program", f.Name)
		}
	}
	return nil
}

// digest is that of the clauses of a formula and its edges, and the literals that are
// assumed. The files are as they were written, or the digest is another.
func digest(ctx context.Context, open func(string) (io.ReadCloser, error), f *Formula) ([]byte, []int, error) {
	in := files{open: open}
	defer in.close()
	formula, order := in.get(f.Formula), in.get(f.Order)
	if in.err != nil {
		return nil, nil, in.err
	}
	h := sha256.New()
	var assumed []int
	r := bufio.NewReaderSize(formula, 1<<16)
	for n := range f.Axioms + 1 {
		if n&0xfff == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		line, err := r.ReadString('\n')
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.Formula, err)
		}
		switch {
		case n == 0:
			// Nothing but the header, or clauses might hide there.
			if words := strings.Fields(line); len(words) != 4 || words[0] != "p" {
				return nil, nil, fmt.Errorf("%s: the first line is not the header", f.Formula)
			}
		case n <= f.Axioms-len(f.Assumed):
			io.WriteString(h, line)
		default:
			l, err := strconv.Atoi(strings.TrimSuffix(line, " 0\n"))
			if err != nil || line != strconv.Itoa(l)+" 0\n" {
				return nil, nil, fmt.Errorf("%s: axiom %d is not one literal that is assumed", f.Formula, n)
			}
			assumed = append(assumed, l)
		}
	}
	r = bufio.NewReaderSize(order, 1<<16)
	for n := 0; ; n++ {
		if n&0xfff == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		line, err := r.ReadString('\n')
		if err != nil && err != io.EOF {
			return nil, nil, fmt.Errorf("%s: %w", f.Order, err)
		}
		if !strings.HasPrefix(line, "lemma ") {
			io.WriteString(h, line)
		}
		if err == io.EOF {
			return h.Sum(nil), assumed, nil
		}
	}
}
