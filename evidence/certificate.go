package evidence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/certify"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
	"github.com/fencepost-verifier/fencepost/symbolic"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// An Accepted is a certificate that was accepted.
type Accepted struct {
	Model   memory.Model
	Buffer  string // the abstraction, as [abstract.Name] calls it
	Because string
	// Trusting is what of the engines the check has to believe; "": nothing.
	Trusting string
}

// Certify checks a certificate that p is safe: by package certify or, where it does not know
// the form, with package symbolic. When ctx ends first the error is that of ctx.
func Certify(ctx context.Context, r io.Reader, p *program.Program) (*Accepted, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	switch a, err := certify.Check(ctx, bytes.NewReader(text), p); {
	case err == nil:
		return &Accepted{memory.Model(a.Model), a.Buffer, a.Because, ""}, nil
	case !errors.Is(err, certify.ErrForm):
		return nil, err
	}
	return symbolically(ctx, string(text), p)
}

// symbolically checks an invariant or a decision diagram.
func symbolically(ctx context.Context, text string, p *program.Program) (*Accepted, error) {
	// What comes before was read by certify: the first line, the program and the model.
	lines := strings.SplitN(text, "\n", 6)
	model := memory.Model(strings.TrimPrefix(lines[2], "model "))
	b, err := abstract.ParseBuffer(strings.TrimPrefix(lines[3], "buffer "))
	if err == nil && b.Immediate() && model != memory.SC {
		err = fmt.Errorf("buffers %s do not enclose those of %s", abstract.Name(b), model)
	}
	if err != nil {
		return nil, fmt.Errorf("certificate, line 4: %w", err)
	}
	a := &Accepted{Model: model, Buffer: abstract.Name(b)}
	body := strings.NewReader(strings.Join(lines[3:], "\n"))
	if strings.HasPrefix(lines[4], "diagram ") {
		set, err := symbolic.ReadClosedSet(ctx, body, p)
		if err != nil {
			return nil, fmt.Errorf("certificate: %w", err)
		}
		a.Because, a.Trusting = set.String(), "the steps of package abstract, and package symbolic/diagram"
		return a, set.Check(ctx)
	}
	inv, err := symbolic.ReadInvariant(ctx, body, p)
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	a.Because, a.Trusting = inv.String(), "the circuit of package symbolic, and the SAT solver"
	return a, symbolic.Check(ctx, inv, p)
}

// writeProof writes a proof, with the lemmas that an invariant takes to be checked without search.
func writeProof(ctx context.Context, w io.Writer, r *verdict.Result) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\nprogram %s\nmodel %s\n", certify.Magic, certify.Fingerprint(r.Program()), r.Model())
	if err := r.Proof().Write(&until{ctx, &b}); err != nil {
		return err
	}
	lemmas, err := certify.Complete(ctx, bytes.NewReader(b.Bytes()), r.Program(), refute)
	if err != nil && !errors.Is(err, certify.ErrForm) {
		return err
	}
	text := b.Bytes()
	end := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
	out := append(text[:end:end], strings.Join(append(lemmas, ""), "\n")...)
	_, err = w.Write(append(out, text[end:]...))
	return err
}

// refute derives a clause by our own SAT solver; see [certify.Refuter].
func refute(ctx context.Context, clauses [][]int, clause []int) ([][]int, error) {
	s, err := solver.New("")
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := solver.KeepProofs(s, 0); err != nil {
		return nil, err
	}
	var lits []solver.Lit
	convert := func(ns []int, sign int) []solver.Lit {
		lits = lits[:0]
		for _, n := range ns {
			for s.Stats().Vars < max(n, -n) {
				s.NewVar()
			}
			lits = append(lits, solver.Lit(sign*n))
		}
		return lits
	}
	for _, c := range clauses {
		s.AddClause(convert(c, 1)...)
	}
	st, err := s.Solve(ctx, convert(clause, -1)...)
	if err != nil {
		return nil, err
	}
	if st != solver.Unsat {
		return nil, fmt.Errorf("a clause of the invariant does not follow from it: %d", clause)
	}
	p, err := solver.ProofOf(s)
	if err != nil {
		return nil, err
	}
	var lemmas [][]int
	for _, c := range p.Steps() {
		var ns []int
		for _, l := range c {
			ns = append(ns, int(l))
		}
		lemmas = append(lemmas, ns)
	}
	return lemmas, nil
}
