package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fencepost-verifier/fencepost"
)

// An engineFlag is an engine that answers a question.
type engineFlag struct {
	name fencepost.EngineName
	asks fencepost.Question
}

func (f *engineFlag) String() string { return string(f.name) }
func (f *engineFlag) Type() string   { return "ENGINE" }

func (f *engineFlag) completions() (names []string) {
	for _, e := range fencepost.Engines() {
		if e.Knows(f.asks) {
			names = append(names, string(e.Name))
		}
	}
	return names
}

func (f *engineFlag) Set(s string) error {
	e, err := fencepost.LookupEngine(fencepost.EngineName(s))
	if err != nil {
		known := fencepost.EngineNames(func(e *fencepost.Engine) bool { return e.Knows(f.asks) })
		return fmt.Errorf("%w%s (known: %s)", err, didYouMean(s, f.completions(), ""), strings.Join(known, ", "))
	}
	if !e.Knows(f.asks) {
		return e.Refusal(f.asks, fencepost.TSO)
	}
	f.name = e.Name
	return nil
}

// engineLong is the part of a command's help that lists the engines which answer q.
func engineLong(q fencepost.Question) string {
	var b strings.Builder
	b.WriteString("The engines are\n")
	for _, e := range fencepost.Families() {
		if e.Knows(q) {
			fmt.Fprintf(&b, "  %-13s %s%s\n", e.Title(), e.Doc, also(e))
		}
	}
	return b.String()
}

// also names the other members of a family that has a first.
func also(e fencepost.Engine) string {
	if e.Family == nil || !e.Family.Bare || len(e.Family.Listed) == 0 {
		return ""
	}
	return "; also :" + strings.Join(e.Family.Listed, ", :")
}

// applies is the engine that the flags name. It must be for the model, and heed what
// the user has set.
func (j *job) applies(cmd *cobra.Command) (*fencepost.Engine, error) {
	e, err := fencepost.LookupEngine(j.engine.name)
	if err != nil {
		return nil, err
	}
	j.implied = !cmd.Flags().Changed("model") && j.defines.property != fencepost.NoDataRace
	if err := e.Refusal(j.engine.asks, fencepost.Model(j.model)); err != nil {
		return nil, fmt.Errorf("--engine: %w", err)
	}
	// Whatever the engine, the bound says how C is read.
	if files := cmd.Flags().Args(); len(files) > 0 && !slices.ContainsFunc(files, func(f string) bool { return !fencepost.IsC(f) }) {
		return e, heeds(cmd, e, fencepost.EngineOption("unroll"))
	}
	return e, heeds(cmd, e)
}

// heeds sees to it that the engine heeds the options that the user has set.
func heeds(cmd *cobra.Command, e *fencepost.Engine, but ...fencepost.EngineOption) error {
	o := ignored(cmd, func(o fencepost.EngineOption) bool { return e.Takes(o) || slices.Contains(but, o) })
	if o == "" {
		return nil
	}
	return fmt.Errorf("--%s is not for the engine %s; it is for %s", o, e.Name, strings.Join(fencepost.EnginesTaking(o), ", "))
}

// ignored is an option of some engine that the user has set in vain; "" where there is
// none.
func ignored(cmd *cobra.Command, takes func(fencepost.EngineOption) bool) (found fencepost.EngineOption) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if o := fencepost.EngineOption(f.Name); found == "" && len(fencepost.EnginesTaking(o)) > 0 && !takes(o) {
			found = o
		}
	})
	return found
}
