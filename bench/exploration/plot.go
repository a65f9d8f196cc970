package main

import (
	"fmt"
	"html"
	"io"
	"math"
	"strings"
)

// A series is a line of a plot: a value for each x, NaN where there is none.
type series struct {
	name string
	y    []float64
}

// plot writes a picture with lines over xs, the values on a logarithmic scale,
// as SVG.
func plot(w io.Writer, title, xLabel, yLabel string, xs []int64, lines []series) error {
	const width, height, left, right, top, bottom = 640, 400, 70, 150, 40, 50
	colours := []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, l := range lines {
		for _, y := range l.y {
			if y > 0 {
				lo, hi = min(lo, math.Log10(y)), max(hi, math.Log10(y))
			}
		}
	}
	if lo > hi {
		return fmt.Errorf("%s: nothing to draw", title)
	}
	lo, hi = math.Floor(lo), max(math.Ceil(hi), math.Floor(lo)+1)
	px := func(i int) float64 {
		return left + float64(i)*(width-left-right)/float64(max(len(xs)-1, 1))
	}
	py := func(y float64) float64 {
		return top + (hi-math.Log10(y))*(height-top-bottom)/(hi-lo)
	}
	var b strings.Builder
	text := func(x, y float64, anchor, s string) {
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", x, y, anchor, html.EscapeString(s))
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	text(left, 20, "start", title)
	for e := lo; e <= hi; e++ {
		y := py(math.Pow(10, e))
		fmt.Fprintf(&b, `<path d="M%d %.1fH%d" stroke="#ddd"/>`+"\n", left, y, width-right)
		text(left-8, y+4, "end", fmt.Sprintf("%g", math.Pow(10, e)))
	}
	for i, x := range xs {
		text(px(i), height-bottom+18, "middle", fmt.Sprint(x))
	}
	text((left+width-right)/2, height-10, "middle", xLabel)
	fmt.Fprintf(&b, `<text transform="translate(16 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n",
		(top+height-bottom)/2, html.EscapeString(yLabel))
	for i, l := range lines {
		colour := colours[i%len(colours)]
		path, pen := "", "M"
		for j, y := range l.y {
			if !(y > 0) {
				pen = "M"
				continue
			}
			path += fmt.Sprintf("%s%.1f %.1f", pen, px(j), py(y))
			pen = "L"
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", px(j), py(y), colour)
		}
		fmt.Fprintf(&b, `<path d="%s" fill="none" stroke="%s" stroke-width="1.5"/>`+"\n", path, colour)
		y := float64(top + 16*i)
		fmt.Fprintf(&b, `<path d="M%d %.1fh18" stroke="%s" stroke-width="3"/>`+"\n", width-right+12, y, colour)
		text(width-right+36, y+4, "start", l.name)
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}
