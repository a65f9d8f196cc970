package c

import (
	"slices"
	"strconv"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/program"
)

var blanks = text.NewPattern(`\s+`)

// assembly is an asm statement: a fence, a pause, or an idiom that is known.
func (l *lowerer) assembly(n *cc.AsmStatement) {
	text := strings.TrimRight(asmText(n), "\x00")
	text = strings.TrimSpace(blanks.ReplaceAllString(strings.NewReplacer(";", " ; ", "\\n", " ; ", "\n", " ; ", "\\t", " ").Replace(text), " "))
	lines := withoutSections(strings.Split(withoutComments(text), " ; "))
	text = strings.Trim(strings.Join(withoutLabels(lines), " ; "), "; ")
	ops, outputs, clobbers := operandsOf(n)
	for _, op := range ops {
		l.sequenced(op.e)
	}
	if text == "" {
		l.throughAssembly(n, ops, outputs)
		return
	}
	if outputs == 0 && l.ordering(text) {
		return
	}
	if slices.ContainsFunc(lines, jumps) {
		text = strings.Join(lines, " ; ")
	}
	l.instructions(n, text, ops, outputs, clobbers)
}

// ordering is an asm statement that is one barrier, or waits. It is false of others.
func (l *lowerer) ordering(text string) bool {
	switch text {
	case "nop", "pause", "rep ; nop", "rep nop", "yield", "isync", "isb", "hlt":
		return true
	case "mfence", "sync", "dmb sy", "dmb ish", "dmb", "hwsync", "fence rw,rw", "fence rw, rw",
		"lock ; addl $0,0(%%rsp)", "lock ; addl $0, 0(%%rsp)", "lock ; addl $0,0(%%esp)", "lock ; orl $0,0(%%rsp)",
		"lock ; orl $0, (%%rsp)", "lock ; orq $0, (%%rsp)", "lock addl $0,0(%%rsp)", "lock orl $0,(%%rsp)", "lock ; orl $0x0,(%%rsp)",
		"dmb st", "dmb ishst", "dmb ishld", "dmb ld", "DMB", "MCR":
		l.fence(seqCst)
		return true
	case "lwsync", "eieio":
		// Not of this processor. The tests that have them were made for others, and
		// fence for fence they are full ones here.
		l.fence(seqCst)
		return true
	case "lfence":
		l.emit(program.Command{Op: program.Fence, Tags: program.NewTags(target.OrderTag[acquire], program.TagLFence)})
		return true
	case "sfence":
		l.emit(program.Command{Op: program.Fence, Tags: program.NewTags(target.OrderTag[release], program.TagSFence)})
		return true
	}
	return false
}

var asmComment = text.NewPattern(`/\*.*?\*/`)

// withoutComments leaves out comments, and the lines that are such.
func withoutComments(text string) string {
	text = asmComment.ReplaceAllString(text, "")
	lines := slices.DeleteFunc(strings.Split(text, " ; "), func(line string) bool { return strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" })
	return strings.Join(lines, " ; ")
}

// withoutSections leaves out data that is put aside, as kernels note where locked instructions are. Code that is put aside stays,
// with what puts it there, which is no instruction.
func withoutSections(lines []string) (kept []string) {
	for i := 0; i < len(lines); i++ {
		if strings.HasPrefix(lines[i], ".pushsection ") {
			isData := func(line string) bool {
				return strings.HasPrefix(line, ".") || onlyLabel.MatchString(strings.TrimSpace(line))
			}
			if n := slices.IndexFunc(lines[i:], func(line string) bool { return !isData(line) || line == ".popsection" }); n > 0 && lines[i+n] == ".popsection" {
				i += n
				continue
			}
		}
		kept = append(kept, lines[i])
	}
	return kept
}

// withoutLabels leaves out labels that stand alone: where nothing jumps they are nothing.
func withoutLabels(lines []string) (kept []string) {
	for _, line := range lines {
		if !onlyLabel.MatchString(strings.TrimSpace(line)) {
			kept = append(kept, line)
		}
	}
	return kept
}

var (
	onlyLabel = text.NewPattern(`^[\w.%=]+:$`)
	labelled  = text.NewPattern(`^[\w.%=]+ ?:`)
)

// throughAssembly is an asm statement without instructions: what is put into the register of an output
// comes out of it, and other outputs are as they were.
func (l *lowerer) throughAssembly(n *cc.AsmStatement, ops []*asmOperand, outputs int) {
	vs := make([]*value, outputs)
	for _, op := range ops[outputs:] {
		if op.e == nil {
			continue
		}
		k, err := strconv.Atoi(op.constraint)
		if err != nil {
			k = slices.IndexFunc(ops[:outputs], func(o *asmOperand) bool { return o.name != "" && "["+o.name+"]" == op.constraint })
		}
		if 0 <= k && k < outputs {
			v := l.kept(l.expr(op.e))
			vs[k] = &v
		} else if strings.ContainsAny(op.constraint, "rqgabcdSD") {
			l.expr(op.e) // what is put into a register is read
		}
	}
	for i, op := range ops[:outputs] {
		switch {
		case op.e == nil:
			l.u.refuse(n, "this assembly")
		case vs[i] != nil:
			p := l.lvalue(op.e)
			l.at(n)
			l.store(p, l.convert(*vs[i], p.t.Plain()))
		case strings.Contains(op.constraint, "+") && !strings.Contains(op.constraint, "m"):
			p := l.lvalue(op.e)
			l.at(n)
			l.store(p, l.load(p))
		case !strings.Contains(op.constraint, "+") && !strings.Contains(op.constraint, "m"):
			l.u.refuse(n, "assembly whose output is nothing that is known")
		}
	}
}

// asmText is the instructions of an asm statement.
func asmText(n *cc.AsmStatement) string {
	var b strings.Builder
	for _, t := range cc.NodeTokens(n.Asm) {
		if s := t.SrcStr(); strings.HasPrefix(s, "\"") {
			b.WriteString(strings.Trim(s, "\""))
		} else if s == ":" {
			break
		}
	}
	return b.String()
}
