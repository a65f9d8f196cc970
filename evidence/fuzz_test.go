package evidence

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/certify"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/symbolic"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// seeds is a certificate of each form for p, which is safe.
func seeds(t testing.TB, p *program.Program) (all []string) {
	t.Helper()
	for _, b := range []abstract.Buffer{abstract.FIFO{}, abstract.Set{}, abstract.Multiset{Max: 1, Saturate: true}, abstract.Coherence{K: 1}} {
		all = append(all, certificate(t, proved(p, b)))
	}
	proof := func(pr verdict.Proof) {
		all = append(all, certificate(t, verdict.Safe(p, "tso", verdict.InductiveInvariant, pr)))
	}
	for _, b := range []abstract.Buffer{abstract.Set{}, abstract.Coherence{K: 1}} {
		y, err := symbolic.New(t.Context(), p, b, symbolic.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if found, err := symbolic.IC3(context.Background(), y, symbolic.Search{}); err != nil || found.Invariant == nil {
			t.Fatal(found, err)
		} else {
			proof(found.Invariant)
		}
		if found, err := symbolic.KInduction(context.Background(), y, symbolic.Search{SimplePath: true}); err != nil || found.Invariant == nil {
			t.Fatal(found, err)
		} else {
			proof(found.Invariant)
		}
		if _, set, err := symbolic.Saturation(context.Background(), p, b, symbolic.Search{}); err != nil || set == nil {
			t.Fatal(set, err)
		} else {
			proof(set)
		}
	}
	return all
}

// FuzzCertify reads certificates of all forms for a program that is safe and for one
// that is not. Nothing makes the checker panic, and nothing shows that the second is
// safe.
func FuzzCertify(f *testing.F) {
	safe := enginetest.Parse(f, "p.imp", strings.Replace(storeBuffering, "FENCE", "fence", 1))
	unsafe := enginetest.Parse(f, "p.imp", strings.Replace(storeBuffering, "FENCE", "skip", 1))
	for _, text := range seeds(f, safe) {
		lines := strings.SplitN(text, "\n", 4) // as many as head has
		f.Add(lines[3])
	}
	head := func(p *program.Program) string {
		return certify.Magic + "\nprogram " + certify.Fingerprint(p) + "\nmodel tso\n"
	}
	f.Fuzz(func(t *testing.T, body string) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		Certify(ctx, strings.NewReader(head(safe)+body), safe)
		if _, err := Certify(ctx, strings.NewReader(head(unsafe)+body), unsafe); err == nil {
			t.Errorf("accepted for a program that is not safe:\n%s", body)
		}
	})
}
