// Package selftest holds Fencepost against itself: it makes random programs in every language,
// has every engine decide them under every model, and looks for answers that cannot all be right.
//
// A seed and a limit come in, a [verdict.SelfTest] goes out: counts, and, where something is wrong, a
// [verdict.Finding]: the program, as small as it could be made, and the command that shows it again.
//
// The programs go through their texts, so that front ends are tested along with engines. One
// [tree] is written in all languages that have words for it; whatever the language, it means the
// same under SC, and under TSO and PSO where it becomes the same instructions. With a fence between
// any two accesses it has to mean the same under every model.
package selftest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/lang/asm"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Options say how much to test. The zero value means without end, from seed 0.
type Options struct {
	Seed     uint64
	Skip     int           // programs of the seed to leave out
	Programs int           // how many; 0: without end
	Row      time.Duration // for one engine to answer in; 0: a second
	// MemoryLimit is what an engine may hold, in bytes; 0: what there is.
	MemoryLimit int64
	// Progress, where not nil, is called before every program.
	Progress func(line string)
	// Found, where not nil, is told the programs that something is wrong with before they are made
	// smaller, which takes its time.
	Found func([]verdict.File)
}

// Run tests until ctx ends, or something is wrong. Its report is never nil.
func Run(ctx context.Context, opts Options) *verdict.SelfTest {
	start := time.Now()
	r := &verdict.SelfTest{Seed: opts.Seed, SelfTestCounts: verdict.NewSelfTestCounts()}
	if opts.Row == 0 {
		opts.Row = time.Second
	}
	for n := opts.Skip; ctx.Err() == nil && (opts.Programs == 0 || n < opts.Skip+opts.Programs); n++ {
		if opts.Progress != nil {
			opts.Progress(fmt.Sprintf("program %d of seed %d", n, opts.Seed))
		}
		j := &judge{row: opts.Row, memory: opts.MemoryLimit, counts: &r.SelfTestCounts, certify: uint64(n)}
		src := makeSource(opts.Seed, uint64(n))
		r.Cases++
		if bad := j.judge(ctx, src, scope{}); bad != nil {
			if opts.Found != nil {
				opts.Found(bad.files())
			}
			r.Finding = j.minimise(ctx, src, bad, opts.Progress)
			r.Finding.Case = n
			break
		}
	}
	r.Elapsed = time.Since(start)
	return r
}

// makeSource is the n-th source of a seed.
func makeSource(seed, n uint64) source {
	rng := rand.New(rand.NewPCG(seed, n))
	switch k := n % 8; {
	case n%16 == 12:
		return buffering(rng)
	case n%16 == 15:
		return newComputed(rng)
	case k < 5:
		return &trees{t: growTree(rng)}
	case k == 5:
		return &trees{t: growTree(rng), fenced: true}
	}
	for { // automata: what the format has no words for is made anew
		sh := &randprog.Shapes[rng.IntN(len(randprog.Shapes))]
		p := sh.New(rng.Uint64(), n)
		var b strings.Builder
		if asm.Write(&b, p) == nil {
			return &lines{subject{language: "automata", file: "T.txt", text: b.String()}}
		}
	}
}

// minimise makes a source as small as it can be with the same complaint.
func (j *judge) minimise(ctx context.Context, src source, bad *complaint, progress func(string)) *verdict.Finding {
	f := &verdict.Finding{}
	if t, ok := src.(*trees); ok && len(bad.subjects) == 1 {
		src = &trees{t.t, bad.subjects[0].language, t.fenced}
	}
	quiet := *j
	none := verdict.NewSelfTestCounts()
	quiet.counts = &none
	shrink(src, func(small source) bool {
		f.Steps++
		if progress != nil && f.Steps%10 == 0 {
			progress(fmt.Sprintf("%s: trying smaller programs (%d)", bad.kind, f.Steps))
		}
		b := quiet.judge(ctx, small, bad.scope)
		if b == nil || b.kind != bad.kind {
			return false
		}
		bad = b
		return true
	})
	f.What, f.Commands, f.Files = bad.text, bad.commands, bad.files()
	for i, s := range bad.subjects {
		if name := f.Files[i].Name; name != s.file {
			f.Commands[i] = strings.ReplaceAll(f.Commands[i], s.file, name)
		}
	}
	return f
}

// files are the programs that a complaint is about.
func (c *complaint) files() (all []verdict.File) {
	for i, s := range c.subjects {
		name := s.file
		if i > 0 && name == c.subjects[0].file { // two litmus tests
			name = "U" + name[1:]
		}
		all = append(all, verdict.File{Name: name, Text: s.text})
	}
	return all
}

// shrink makes a source smaller for as long as something smaller is still bad (delta debugging,
// Zeller and Hildebrandt 2002, with the structure of the source for what to leave out).
func shrink(src source, bad func(source) bool) source {
	for again := true; again; {
		again = false
		for small := range src.smaller() {
			if bad(small) {
				src, again = small, true
				break
			}
		}
	}
	return src
}
