package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Curve is a line of a plot: a value for each x, NaN where there is none.
type Curve struct {
	Name string
	Y    []float64
}

// A Panel is curves over the same xs, the values on a logarithmic scale.
type Panel struct {
	Title, XLabel, YLabel string
	X                     []int64
	Curves                []Curve
}

// The measures of a panel, in pixels.
const (
	panelWidth, panelHeight                      = 640, 400
	panelLeft, panelRight, panelTop, panelBottom = 70, 170, 40, 50
)

// Plot writes a picture with panels, one below the other, as SVG. The error says which has nothing
// to draw.
//
// It is ours since a library for plots brings fonts, rasters and PDF: it makes the binary a third
// larger.
func Plot(w io.Writer, panels ...Panel) error {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", panelWidth, panelHeight*len(panels))
	for i := range panels {
		if i > 0 {
			fmt.Fprintf(&b, `<g transform="translate(0 %d)">`+"\n", i*panelHeight)
		}
		if err := panels[i].draw(&b); err != nil {
			return err
		}
		if i > 0 {
			b.WriteString("</g>\n")
		}
	}
	b.WriteString("</svg>\n")
	return write(w, &b)
}

// bounds are the powers of ten between which the values lie.
func (p *Panel) bounds() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, l := range p.Curves {
		for _, y := range l.Y {
			if y > 0 {
				lo, hi = min(lo, math.Log10(y)), max(hi, math.Log10(y))
			}
		}
	}
	return math.Floor(lo), max(math.Ceil(hi), math.Floor(lo)+1)
}

func (p *Panel) draw(b *strings.Builder) error {
	colours := []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#666666", "#8c564b", "#17becf", "#bcbd22"}
	lo, hi := p.bounds()
	if math.IsInf(lo, 0) {
		return fmt.Errorf("%s: nothing to draw", p.Title)
	}
	px := func(i int) float64 {
		return panelLeft + float64(i)*(panelWidth-panelLeft-panelRight)/float64(max(len(p.X)-1, 1))
	}
	py := func(y float64) float64 {
		return panelTop + (hi-math.Log10(y))*(panelHeight-panelTop-panelBottom)/(hi-lo)
	}
	text := func(x, y float64, anchor, s string) {
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", x, y, anchor, escapeXML(s))
	}
	fmt.Fprintf(b, `<rect width="%d" height="%d" fill="white"/>`+"\n", panelWidth, panelHeight)
	text(panelLeft, 20, "start", p.Title)
	for e := lo; e <= hi; e++ {
		y := py(math.Pow(10, e))
		fmt.Fprintf(b, `<path d="M%d %.1fH%d" stroke="#ddd"/>`+"\n", panelLeft, y, panelWidth-panelRight)
		text(panelLeft-8, y+4, "end", fmt.Sprintf("%g", math.Pow(10, e)))
	}
	for i, x := range p.X {
		text(px(i), panelHeight-panelBottom+18, "middle", fmt.Sprint(x))
	}
	text((panelLeft+panelWidth-panelRight)/2, panelHeight-10, "middle", p.XLabel)
	fmt.Fprintf(b, `<text transform="translate(16 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n",
		(panelTop+panelHeight-panelBottom)/2, escapeXML(p.YLabel))
	for i, l := range p.Curves {
		colour := colours[i%len(colours)]
		path, pen := "", "M"
		for j, y := range l.Y {
			if !(y > 0) {
				pen = "M"
				continue
			}
			path += fmt.Sprintf("%s%.1f %.1f", pen, px(j), py(y))
			pen = "L"
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", px(j), py(y), colour)
		}
		fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="1.5"/>`+"\n", path, colour)
		y := float64(panelTop + 16*i)
		fmt.Fprintf(b, `<path d="M%d %.1fh18" stroke="%s" stroke-width="3"/>`+"\n", panelWidth-panelRight+12, y, colour)
		text(panelWidth-panelRight+36, y+4, "start", l.Name)
	}
	return nil
}

// ExplorationCurves is how much the explorations of each reduction did, and how long they took,
// over the values that a constant had. What did not come to its end has no place there. rows has
// the explorations by value; each names its reduction.
func ExplorationCurves(title, constant string, values []int64, rows [][]*Exploration) []Panel {
	var names []string
	for _, row := range rows {
		for _, e := range row {
			if n := e.label(); !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	curves := func(value func(*Exploration) float64) (all []Curve) {
		for _, name := range names {
			c := Curve{Name: name, Y: slices.Repeat([]float64{math.NaN()}, len(values))}
			for i, row := range rows {
				for _, e := range row {
					if e.label() == name && e.Verdict() != verdict.IsUnknown {
						c.Y[i] = value(e)
					}
				}
			}
			all = append(all, c)
		}
		return all
	}
	work := curves(func(e *Exploration) float64 {
		n, ok := e.figure("transitions")
		if !ok {
			n, _ = e.figure(e.Counts)
		}
		return float64(n)
	})
	times := curves(func(e *Exploration) float64 { return 1e3 * e.Elapsed.Seconds() })
	return []Panel{
		{title + ": transitions, or executions where these are not counted", constant, "number", values, work},
		{title + ": time", constant, "milliseconds", values, times},
	}
}
