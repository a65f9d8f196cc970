package selftest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/crosscheck"
	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/evidence"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A complaint is what is wrong with the answers about a source.
type complaint struct {
	kind     string // for telling whether a smaller source has the same one
	text     string
	subjects []subject // that it is about
	commands []string  // that show it again, of files that are called as the subjects are
	scope    scope
}

// A scope is what to ask: the engines and models that a complaint is about. The zero value is all.
type scope struct {
	engines []string
	models  []memory.Model
	proofs  bool // where the rest says something: certificates are, too, what it is about
}

func (s *scope) pick() []engine.Engine {
	all := crosscheck.Engines()
	if s.engines == nil {
		return all
	}
	return slices.DeleteFunc(all, func(e engine.Engine) bool { return !slices.Contains(s.engines, string(e.Name)) })
}

func (s *scope) under(p *program.Program) (ms []memory.Model) {
	for _, m := range memory.ModelsFor(p.Arch) {
		if s.models == nil || slices.Contains(s.models, m) {
			ms = append(ms, m)
		}
	}
	return ms
}

// A judge asks, and keeps count.
type judge struct {
	row    time.Duration // for an engine to answer in
	memory int64
	counts *verdict.SelfTestCounts
	// certify is the number of the program, which says whose proofs are checked.
	certify uint64
}

// claim is what all say of a program under a model; "": nobody knows, or they contradict each other.
type claims map[memory.Model]verdict.Claim

// judge is what is wrong with the answers about src, or nil. When ctx ends it is nil, too.
func (j *judge) judge(ctx context.Context, src source, sc scope) *complaint {
	subjects := src.subjects()
	said := make([]claims, len(subjects))
	for i := range subjects {
		s := &subjects[i]
		if ctx.Err() != nil {
			return nil
		}
		var bad *complaint
		if said[i], bad = j.one(ctx, s, sc); bad != nil {
			bad.subjects = []subject{*s}
			for k, c := range bad.commands {
				bad.commands[k] = strings.ReplaceAll(c, "FILE", s.file)
			}
			return bad
		}
	}
	return j.across(subjects, said)
}

// one asks about one text.
func (j *judge) one(ctx context.Context, s *subject, sc scope) (claims, *complaint) {
	j.counts.Programs[s.language]++
	p, err := s.parse()
	if err != nil {
		return nil, &complaint{kind: "refused", text: fmt.Sprintf("%s: what was generated is refused:\n%v", s.language, err),
			commands: []string{"fencepost print FILE"}}
	}
	opts := crosscheck.Options{Models: sc.under(p), Engines: sc.pick(), Timeout: j.row}
	opts.MemoryLimit = j.memory
	c, err := crosscheck.Run(ctx, p, opts)
	var diag *program.Diagnostic
	if errors.As(err, &diag) {
		j.counts.Refused++
		return nil, nil
	}
	if err != nil {
		return nil, &complaint{kind: "error", text: err.Error(), commands: []string{"fencepost compare FILE"}}
	}
	j.counts.Add(c)
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.Err != nil {
			return nil, j.about(c, "error of "+r.Engine, fmt.Sprintf("%s under %s: %v", r.Engine, r.Model, r.Err), i)
		}
		if s.safe && r.Question == verdict.Safety && (r.Claim == verdict.ClaimsViolated || r.Claim == verdict.ClaimsFault) {
			return nil, j.about(c, "computed by "+r.Engine, fmt.Sprintf("%s under %s: %s; the reader of C computes the results that are asserted", r.Engine, r.Model, r.Claim), i)
		}
		if s.fenced && r.Claim == verdict.ClaimsNotRobust {
			return nil, j.about(c, "fenced", r.Engine+" says NOT ROBUST of a program with a fence between any two accesses", i)
		}
	}
	if len(c.Contradictions) > 0 {
		x := &c.Contradictions[0]
		var who []string
		for _, i := range x.Rows {
			who = append(who, c.Rows[i].Engine, string(c.Rows[i].Model), string(c.Rows[i].Question))
		}
		return nil, j.about(c, "contradiction of "+strings.Join(who, " "), x.Text, x.Rows...)
	}
	if bad := j.evidence(ctx, p, sc); bad != nil {
		return nil, bad
	}
	all := said(c)
	if !justified(s, all) {
		var rows []int
		for i := range c.Rows {
			if m := c.Rows[i].Model; (m == memory.IMM || m == memory.Weakestmo2) && c.Rows[i].Claim == all[m] {
				rows = append(rows, i)
			}
		}
		return nil, j.about(c, "imm and weakestmo2", "what happens under imm without fences, read-modify-writes and sequentially consistent accesses happens under weakestmo2", rows...)
	}
	return all, nil
}

// about is a complaint about rows.
func (j *judge) about(c *verdict.Comparison, kind, text string, rows ...int) *complaint {
	bad := &complaint{kind: kind, text: text}
	args := ""
	for _, i := range rows {
		r := &c.Rows[i]
		if !slices.Contains(bad.scope.engines, r.Engine) {
			bad.scope.engines = append(bad.scope.engines, r.Engine)
			args += " -e " + r.Engine
		}
		if !slices.Contains(bad.scope.models, r.Model) {
			bad.scope.models = append(bad.scope.models, r.Model)
			args += " -m " + string(r.Model)
		}
	}
	bad.commands = []string{"fencepost compare" + args + " FILE"}
	return bad
}

// said is what engines that agree say, by model.
func said(c *verdict.Comparison) claims {
	all := claims{}
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.Question != verdict.Safety {
			continue
		}
		switch r.Claim {
		case verdict.ClaimsFault:
			all[r.Model] = r.Claim
		case verdict.ClaimsSafe, verdict.ClaimsViolated:
			if all[r.Model] != verdict.ClaimsFault {
				all[r.Model] = r.Claim
			}
		}
	}
	return all
}

// across holds the answers about texts that mean the same against each other: under SC all of
// them, under the other models those of x86, and of one with all fences in it, those of every
// model. What can happen under SC can happen under every model.
func (j *judge) across(subjects []subject, said []claims) *complaint {
	decided := func(c verdict.Claim) bool { return c == verdict.ClaimsSafe || c == verdict.ClaimsViolated }
	type answer struct {
		subject int
		model   memory.Model
	}
	clash := func(a, b answer, why string) *complaint {
		sa, sb := &subjects[a.subject], &subjects[b.subject]
		bad := &complaint{scope: scope{models: []memory.Model{a.model, b.model}}, kind: "languages " + sa.language + ", " + sb.language, subjects: []subject{*sa, *sb},
			text: fmt.Sprintf("%s under %s: %s, %s under %s: %s; %s", sa.language, a.model, said[a.subject][a.model], sb.language, b.model, said[b.subject][b.model], why)}
		for _, x := range []answer{a, b} {
			s := &subjects[x.subject]
			bad.commands = append(bad.commands, fmt.Sprintf("fencepost check -m %s %s", x.model, s.file))
		}
		return bad
	}
	on86 := func(s *subject) bool {
		return s.language == "imp" || s.language == "c" || s.language == "litmus x86"
	}
	ofC11 := func(s *subject) bool { return s.language == "c11" || s.language == "litmus c11" }
	for i := range subjects {
		for m, c := range said[i] {
			if !decided(c) || !subjects[i].alike {
				continue
			}
			// The fences of C11 as it was published do not forbid all that SC does, such as IRIW with
			// fences; RC11 mended that (Lahav, Vafeiadis, Kang, Hur and Dreyer, 2017).
			fenced := subjects[i].fenced && m != memory.C11
			if sc := said[i][memory.SC]; c == verdict.ClaimsSafe && sc == verdict.ClaimsViolated || fenced && decided(sc) && sc != c {
				return clash(answer{i, memory.SC}, answer{i, m}, "what happens under sc happens under every model")
			}
			for k := range i {
				o := said[k][m]
				if !subjects[k].alike || !decided(o) {
					continue
				}
				j.counts.Languages++
				if o != c && (m == memory.SC || m.Operational() && on86(&subjects[i]) && on86(&subjects[k]) ||
					(m == memory.RC11 || m == memory.RA || m == memory.IMM) && ofC11(&subjects[i]) && ofC11(&subjects[k])) {
					return clash(answer{k, m}, answer{i, m}, "the programs mean the same")
				}
			}
		}
	}
	return nil
}

// evidence has a proof of one engine or another written down and checked.
func (j *judge) evidence(ctx context.Context, p *program.Program, sc scope) *complaint {
	if !sc.proofs && (sc.engines != nil || sc.models != nil) {
		return nil
	}
	for _, m := range sc.under(p) {
		var can []engine.Engine
		for _, e := range sc.pick() {
			if e.Certificates != nil && e.Certificates(m) && e.Refuses(p, verdict.Safety, m) == nil {
				can = append(can, e)
			}
		}
		if len(can) == 0 {
			continue
		}
		e := &can[j.certify%uint64(len(can))]
		if why := j.certificate(ctx, p, e, m); why != "" {
			return &complaint{kind: "certificate of " + string(e.Name), text: why, scope: scope{[]string{string(e.Name)}, []memory.Model{m}, true},
				commands: []string{fmt.Sprintf("fencepost check -m %s -e %s --certificate C FILE; fencepost certify C FILE", m, e.Name)}}
		}
	}
	return nil
}

// certificate is what is wrong with the certificate of e.
func (j *judge) certificate(ctx context.Context, p *program.Program, e *engine.Engine, m memory.Model) string {
	ctx, cancel := context.WithTimeout(ctx, 5*j.row)
	defer cancel()
	opts := engine.Options{Model: m, Engine: e.Name, MemoryLimit: j.memory, Certify: true}
	r, err := engine.Check(ctx, p, opts)
	if err != nil || !r.Safe() {
		return "" // what is wrong with that has been seen
	}
	var b bytes.Buffer
	if err := engine.WriteCertificate(ctx, &b, r, opts); err != nil {
		return "" // some proofs cannot be written down
	}
	_, err = evidence.Certify(ctx, &b, p)
	if ctx.Err() != nil {
		return ""
	}
	if err != nil {
		return fmt.Sprintf("the certificate of %s under %s is refused: %v", e.Name, m, err)
	}
	j.counts.Certificates++
	return ""
}
