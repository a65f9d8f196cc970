package lowered

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// TouchTag marks a load that is there to see that it is from an object.
const TouchTag = flowgraph.AccessTag + "touch"

// Tags are the memory order of an access and, until memory is looked at, what it
// takes its cell for.
func Tags(order int, t *types.Type) program.Tags {
	w := t.Word()
	return program.NewTags(target.OrderTag[order], flowgraph.AccessTag+w.String())
}

// UnmapTag marks a load that stands for the end of an object from mmap.
const UnmapTag = flowgraph.AccessTag + "unmap"
