package syntax

import (
	"fmt"
	"sync"

	"github.com/fencepost-verifier/fencepost/program"
)

// Half of the time that it takes to read a small program goes to its text: the headers are preprocessed and parsed each time. A program is often read
// for one model after another, so the trees of the last few are kept. They are handed out to one reader at a time, since a tree may compute
// what it is asked for when it is.

// keptTrees is how many are kept.
const keptTrees = 4

// A treeKey is what a tree depends on.
type treeKey struct {
	name, text, defines, include string
	alone                        bool // there are no headers of its own
	whole                        bool
}

func keyOf(src *program.Source, opts Options) treeKey {
	return treeKey{src.Name, src.Text, fmt.Sprintf("%q", opts.Defines), fmt.Sprintf("%q", opts.Include), opts.ReadFile == nil, opts.Whole}
}

var trees struct {
	sync.Mutex
	kept []*Tree // the newest last
}

func takeTree(key treeKey) *Tree {
	trees.Lock()
	defer trees.Unlock()
	for i, t := range trees.kept {
		if t.key == key {
			trees.kept = append(trees.kept[:i:i], trees.kept[i+1:]...)
			return t
		}
	}
	return nil
}

// Keep makes a tree one to be handed out again, unless it depends on files that may have changed by then.
func (t *Tree) Keep() {
	if t.files.asked {
		return
	}
	trees.Lock()
	defer trees.Unlock()
	trees.kept = append(trees.kept, t)
	if n := len(trees.kept) - keptTrees; n > 0 {
		trees.kept = append([]*Tree(nil), trees.kept[n:]...)
	}
}
