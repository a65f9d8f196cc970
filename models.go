package fencepost

import (
	"context"
	"errors"
	"io"

	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/report"
	"github.com/fencepost-verifier/fencepost/suite"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Model is a memory model: one that is built in, or a file whose name ends in .cat.
type Model = memory.Model

// The models that are built in.
const (
	SC   = memory.SC
	RC11 = memory.RC11
	RA   = memory.RA
	// Weakestmo2 allows load buffering as far as other runs justify it.
	Weakestmo2 = memory.Weakestmo2
	TSO        = memory.TSO
	PSO        = memory.PSO
)

// Models lists the models that are built in.
func Models() []Model { return memory.Models() }

// DefaultModel is the model for p where none is named: that of its architecture.
func DefaultModel(p *Program) Model { return memory.Default(p.Arch) }

// OperationalModels lists those that have states, with store buffers.
func OperationalModels() []Model { return memory.Operational() }

// ParseModel is the model of that name.
func ParseModel(name string) (Model, error) { return memory.Parse(name) }

// SearchModels makes files with models, and what they include, be looked for in a
// directory, too.
func SearchModels(dir string) { memory.Search(dir) }

// A ModelDefinition is what a model says.
type ModelDefinition = memory.Definition

// LoadModel is the definition of a model.
func LoadModel(m Model) (*ModelDefinition, error) {
	d, err := memory.Load(m)
	var diag *Diagnostic
	if err != nil && !errors.As(err, &diag) {
		err = lang.Unreadable(string(m), err)
	}
	return d, err
}

// A Difference is what [CompareModels] finds.
type Difference struct{ *verdict.Apart }

// ComparisonOptions say which tests models are compared on.
type ComparisonOptions = suite.ApartOptions

// CompareModels looks for the smallest test that tells two models apart, among those that are
// made of cycles of up to a size.
func CompareModels(ctx context.Context, a, b Model, opts ComparisonOptions) (*Difference, error) {
	r, err := suite.Apart(ctx, a, b, opts)
	if err != nil {
		return nil, err
	}
	return &Difference{r}, nil
}

// Print writes the answer in a style.
func (d *Difference) Print(w io.Writer, s Style) error {
	return report.Apart(w, d.Apart, s.options(), s.Format)
}

// PrintModels writes a list of models, and PrintModel one with its axioms.
func PrintModels(w io.Writer, defs []*ModelDefinition) error { return report.Models(w, defs) }

// PrintModel writes what a model says.
func PrintModel(w io.Writer, d *ModelDefinition) error { return report.Model(w, d) }
