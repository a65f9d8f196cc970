package c

import (
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Jumps in assembly lead to labels of the same statement, as spin locks have them. What is known of registers where ways meet is what is
// known on all of them; flags are not followed there. Where a jump leads back, whatever comes later may have come before.

// A jumpTarget is a label that something jumps to.
type jumpTarget struct {
	node  int
	seen  bool    // a way to it has been
	known []int64 // by register, how many of its lowest bytes are known on all these ways
	back  bool    // something behind it jumps to it
}

// jumps is whether a line, perhaps behind a label, is a jump.
func jumps(line string) bool {
	_, line = cutLabels(line)
	return strings.HasPrefix(line, "j")
}

// cutLabels takes the labels off the beginning of a line.
func cutLabels(line string) (labels []string, rest string) {
	for line = strings.TrimSpace(line); ; {
		name := labelled.FindStringSubmatch(line)
		if name == nil {
			return labels, line
		}
		labels = append(labels, strings.TrimRight(name[0], " :"))
		line = strings.TrimSpace(line[len(name[0]):])
	}
}

// targets finds out where the jumps among these lines lead to, by line: the label at the beginning of that line, or at its end if it is the
// number of lines.
func (a *assembler) targets(lines []string) (to []int, at map[int]*jumpTarget) {
	to, at = make([]int, len(lines)), map[int]*jumpTarget{}
	where := map[string][]int{}
	for i, line := range lines {
		labels, _ := cutLabels(line)
		for _, name := range labels {
			where[name] = append(where[name], i)
		}
	}
	for i, line := range lines {
		to[i] = -1
		if !jumps(line) {
			continue
		}
		_, line = cutLabels(line)
		name, label, _ := strings.Cut(line, " ")
		label = strings.TrimSpace(label)
		if name == "" || label == "" || strings.ContainsAny(label, " ,*(") {
			a.refuse("%s", line)
		}
		if strings.HasPrefix(label, "%l") {
			a.refuse("a jump to a label outside of it")
		}
		n := len(label) - 1
		switch local := where[label[:n]]; {
		case strings.Trim(label[:n], "0123456789") == "" && n > 0 && label[n] == 'f':
			if k := slices.IndexFunc(local, func(k int) bool { return k > i }); k >= 0 {
				to[i] = local[k]
			}
		case strings.Trim(label[:n], "0123456789") == "" && n > 0 && label[n] == 'b':
			for _, k := range local {
				if k <= i {
					to[i] = k
				}
			}
		case len(where[label]) == 1:
			to[i] = where[label][0]
		}
		if to[i] < 0 {
			a.refuse("a jump to %s, which is no label of the statement", label)
		}
		if at[to[i]] == nil {
			at[to[i]] = &jumpTarget{node: a.l.node()}
		}
		at[to[i]].back = at[to[i]].back || to[i] <= i
	}
	return to, at
}

// widen makes room in registers for all that may be put into them: where ways meet they are what they are on each.
func (a *assembler) widen() {
	for _, r := range a.registers {
		if !r.local && r.held != nil {
			r.held = types.UnsignedLong
		}
	}
}

// meets notes what is known on one way to a target.
func (t *jumpTarget) meets(a *assembler) {
	if !t.seen {
		t.seen = true
		for _, r := range a.registers {
			t.known = append(t.known, r.known)
		}
		return
	}
	for i, r := range a.registers[:len(t.known)] { // nothing is in those that have been named since
		t.known[i] = min(t.known[i], r.known)
	}
}

// goesOn is where the ways to a target meet; a.dead tells whether the one from above is none.
func (t *jumpTarget) goesOn(a *assembler) {
	if !a.dead {
		t.meets(a)
	}
	a.l.land(t.node)
	a.dead = !t.seen
	a.flags = asmFlags{}
	a.touched = a.touched || t.back
	for i, r := range a.registers {
		if len(r.outs) == 0 && !r.clobbered && !r.local {
			continue // nothing may write to it
		}
		r.low = value{}
		if i < len(t.known) {
			r.known = t.known[i]
		}
		r.written = r.written || t.back && !r.local
	}
	if t.back {
		a.mixed = a.mixed || slices.ContainsFunc(a.ops, func(op *asmOperand) bool { return op.mixed && slices.Contains(a.outputs, op) })
	}
}

// jump is an instruction that jumps to a target, which is before it or behind it.
func (a *assembler) jump(name string, t *jumpTarget, back bool) {
	l := a.l
	if a.lock {
		a.refuse("lock %s", name)
	}
	if a.dead {
		return
	}
	for i, k := range t.known {
		if back && a.registers[i].known < k {
			a.refuse("a register that is not known on all ways to a label")
		}
	}
	if !back {
		t.meets(a)
	}
	if name == "jmp" {
		l.jump(t.node)
		l.cur = l.node()
		a.dead = true
		return
	}
	next := l.node()
	l.split(flowgraph.Fold(ne(a.condition(strings.TrimPrefix(name, "j")), program.Const(0))), t.node, next)
	l.cur = next
}
