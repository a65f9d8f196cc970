package c

import (
	"fmt"

	"github.com/fencepost-verifier/fencepost/program"
)

// Functions that call themselves several times, as those on trees and those of parsers do, grow exponentially with the depth to which they are
// inlined. Where that is too large they are followed less deep, which is enough for small trees, and finds what is wrong there.

// maxNested bounds the edges of a thread that are of such calls. With more of them a program takes long, even where it can be read.
const maxNested = maxEdges / 2

// shallower reads a program that is too large, as deep as that can be; nil where it cannot.
func shallower(src *program.Source, opts Options) *program.Program {
	for opts.depth > 1 {
		opts.depth = min(opts.depth-1, opts.depth*3/4)
		if p, how, err := read(src, opts); err == nil {
			return p
		} else if !how.nested {
			return nil
		}
	}
	return nil
}

// tooDeep says that a function is not followed as deep as it goes.
func (u *unit) tooDeep(name string, depth int) string {
	if u.opts.depth < u.opts.Unroll {
		return fmt.Sprintf("%s calls itself more than %d times, and with more calls in each other the program is too large", name, depth)
	}
	return fmt.Sprintf("%s calls itself more than %d times", name, depth)
}
