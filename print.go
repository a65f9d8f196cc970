package fencepost

import (
	"cmp"
	"io"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/report"
)

// A Format is a form of output. Every result has text and JSON.
type Format = report.Format

// The formats.
const (
	Text     = report.TextFormat
	JSON     = report.JSONFormat     // an object on a line
	SARIF    = report.SARIFFormat    // answers of [Check], in a document
	JUnit    = report.JUnitFormat    // likewise
	GitHub   = report.GitHubFormat   // likewise: commands of GitHub Actions
	CSV      = report.CSVFormat      // comparisons and litmus tests
	Markdown = report.MarkdownFormat // comparisons
)

// A Style says how a result is printed. The zero value is right for a file of text.
type Style struct {
	Format Format // "": [Text]
	Width  int    // columns; 0: 100
	Colour bool   // for terminals
	Quiet  bool   // the first line only
	// File is how the program is named in other formats than [Text]; "": as its source.
	File string
	// Full shows every step of a run, also those that are folded otherwise.
	Full bool
	// Verbose shows the runs that fences prevent, and All the sets that there are.
	Verbose, All bool
}

func (s Style) options() report.Options {
	return report.Options{Width: s.Width, Quiet: s.Quiet, Colour: s.Colour, Full: s.Full}
}

func (s Style) file(p *program.Program) string {
	name := ""
	if p != nil && p.Source != nil {
		name = p.Source.Name
	}
	return cmp.Or(s.File, name)
}

// A printer is every result.
type printer interface {
	Print(w io.Writer, s Style) error
}

// text is what [fmt] shows of a result.
func text(r printer) string {
	var b strings.Builder
	r.Print(&b, Style{})
	return b.String()
}

// PrintError writes what went wrong with a file in the place of a result in [JSON].
func PrintError(w io.Writer, file string, err error) error { return report.JSONError(w, file, err) }

// A StoppedError says that there is no answer because the work was stopped before there could be one; the
// verdict is UNKNOWN then.
type StoppedError = report.StoppedError

// A Part is what a format has to say of one answer of [Check], to be kept or put into a document.
type Part = report.Part

// Part is the part about r of a document in the format of s, which is one of [SARIF], [JUnit] and
// [GitHub].
func (r *Result) Part(s Style) (Part, error) {
	return report.NewPart(s.Format, r.Result, s.file(r.Program()))
}

// ErrorPart is the part about a file that cannot be checked.
func ErrorPart(f Format, file string, fault error) (Part, error) {
	return report.ErrorPart(f, file, fault)
}

// WriteDocument writes parts as one document.
func WriteDocument(w io.Writer, f Format, parts []Part) error { return report.WriteParts(w, f, parts) }

// Schema writes the schema (json-schema.org, 2020-12) of the objects that [JSON] prints.
func Schema(w io.Writer) error { return report.Schema(w) }

// A Drawing is an execution to look at.
type Drawing = report.Drawing

// SVG draws d.
func SVG(w io.Writer, d *Drawing) error { return report.SVG(w, d) }

// DOT writes d for Graphviz.
func DOT(w io.Writer, d *Drawing) error { return report.DOT(w, d) }
