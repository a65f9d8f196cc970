package certify

import (
	"context"
	"fmt"
	"io"

	"github.com/fencepost-verifier/fencepost/certify/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// This file makes certificates. Nobody has to trust it: what it makes is checked, and [Check] does not call it.

// Search writes the certificate of a search, which it makes: with the buffers of that name, which
// may be "robust" instead, in so many bytes for the states; 0: no bound.
func Search(ctx context.Context, w io.Writer, p *program.Program, model, buffer, shows string, bytes int64) (err error) {
	defer text.Recover(&err)
	p, _ = p.Joined()
	r := &reader{text.NewReader(ctx, "", nil), p}
	r.possible(model)
	n := 0
	r.search(model, buffer, shows, func(key int) {
		n++
		if bytes > 0 {
			if bytes -= int64(2*key + 100); bytes <= 0 {
				text.Refuse("the states take too much memory")
			}
		}
	})
	_, err = fmt.Fprintf(w, "%s\nprogram %s\nmodel %s\nbuffer %s\n%s %d\n", Magic, program.Fingerprint(p), model, buffer, shows, n)
	return err
}
