package crosscheck

import (
	"io/fs"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestExamples: the methods that there are agree on every example, under every model, as
// far as each gets in a moment.
func TestExamples(t *testing.T) {
	limit := 3 * time.Millisecond
	if testing.Short() {
		limit /= 2
	}
	var files []string
	err := filepath.WalkDir("../examples", func(path string, _ fs.DirEntry, err error) error {
		if slices.Contains(lang.Extensions(), filepath.Ext(path)) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			p, err := lang.Load(file, nil)
			if err != nil {
				t.Fatal(err)
			}
			c, err := Run(program.Sharing(t.Context(), p), p, Options{Timeout: limit})
			if err != nil {
				t.Fatal(err)
			}
			claims := 0
			for i := range c.Rows {
				r := &c.Rows[i]
				if r.Err != nil {
					t.Errorf("%s under %s: %v", r.Engine, r.Model, r.Err)
				}
				if r.Claim != verdict.ClaimsNothing {
					claims++
				}
			}
			for _, x := range c.Contradictions {
				t.Error(x.Text)
			}
			t.Logf("%d of %d answer", claims, len(c.Rows))
		})
	}
}
