package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// The measures of a drawing, in pixels.
const (
	charWidth   = 8.2 // of the events, which are written in monospace
	placeWidth  = 5.6 // of their places in the source
	boxHeight   = 28
	columnGap   = 130
	rowGap      = 54
	margin      = 70 // left
	titleHeight = 34
	threadsY    = titleHeight + 22
	firstRowY   = threadsY + 34
	labelHeight = 14
)

type point struct{ x, y float64 }

type rect struct{ x, y, w, h float64 }

func (r rect) has(p point) bool {
	return p.x >= r.x && p.x <= r.x+r.w && p.y >= r.y && p.y <= r.y+r.h
}

func (r rect) grown(d float64) rect { return rect{r.x - d, r.y - d, r.w + 2*d, r.h + 2*d} }

// near is true of rectangles with at most d between them in both directions.
func (r rect) near(s rect, d float64) bool {
	return s.x <= r.x+r.w+d && r.x <= s.x+s.w+d && s.y <= r.y+r.h+d && r.y <= s.y+s.h+d
}

func (r rect) overlap(s rect) float64 {
	w := min(r.x+r.w, s.x+s.w) - max(r.x, s.x)
	h := min(r.y+r.h, s.y+s.h) - max(r.y, s.y)
	return max(w, 0) * max(h, 0)
}

func (r rect) centre() point { return point{r.x + r.w/2, r.y + r.h/2} }

// A curve is a quadratic Bézier curve.
type curve [3]point

func mix(a, b point, t float64) point { return point{a.x + (b.x-a.x)*t, a.y + (b.y-a.y)*t} }

func (c curve) at(t float64) point { return mix(mix(c[0], c[1], t), mix(c[1], c[2], t), t) }

// between is the part of c from t to u.
func (c curve) between(t, u float64) curve {
	left := curve{c[0], mix(c[0], c[1], u), c.at(u)}
	t /= u
	return curve{left.at(t), mix(left[1], left[2], t), left[2]}
}

// samples is how many pieces a curve is cut into to see where it goes.
const samples = 40

// SVG writes a drawing as a picture, which needs nothing else: a column for every
// thread, with its events from the top down in program order.
func SVG(w io.Writer, d *Drawing) error {
	s := newSheet(d)
	b := bufio.NewWriter(w)
	s.write(b)
	return b.Flush()
}

// A sheet is a figure with places for everything.
type sheet struct {
	*figure
	boxes   []rect // by node
	columns []float64
	paths   []sheetEdge
	area    rect
}

type sheetEdge struct {
	drawnEdge
	path   curve
	points [samples + 1]point // of the path
	hull   rect               // of the points
	label  rect
}

func newSheet(d *Drawing) *sheet {
	s := &sheet{figure: newFigure(d)}
	s.lay()
	s.route()
	s.enclose()
	return s
}

// trace finds where the path goes.
func (e *sheetEdge) trace() {
	low, high := e.path[0], e.path[0]
	for k := range e.points {
		p := e.path.at(float64(k) / samples)
		e.points[k] = p
		low = point{min(low.x, p.x), min(low.y, p.y)}
		high = point{max(high.x, p.x), max(high.y, p.y)}
	}
	e.hull = rect{low.x, low.y, high.x - low.x, high.y - low.y}
}

// nodeWidth is how wide the box of a node is.
func (s *sheet) nodeWidth(n int) float64 {
	w := float64(length(s.label(n)))*charWidth + 20
	if p := s.place(n); p != "" {
		w += float64(length(p))*placeWidth + 10
	}
	return w
}

// lay gives the nodes their boxes: the threads side by side, with initial writes above them.
func (s *sheet) lay() {
	rows := s.rows()
	s.boxes = make([]rect, len(s.nodes))
	y := func(n int) float64 { return firstRowY + float64(rows[n])*(boxHeight+rowGap) }
	x, bottom := float64(margin), float64(firstRowY+boxHeight)
	for _, t := range s.threads() {
		width := float64(length(s.threadName(t))) * charWidth
		for n, events := range s.nodes {
			if s.Graph.Events[events[0]].Thread == t {
				width = max(width, s.nodeWidth(n))
			}
		}
		for n, events := range s.nodes {
			if s.Graph.Events[events[0]].Thread == t {
				own := s.nodeWidth(n)
				s.boxes[n] = rect{x + (width-own)/2, y(n), own, boxHeight}
				bottom = max(bottom, s.boxes[n].y+boxHeight)
			}
		}
		s.columns = append(s.columns, x+width/2)
		x += width + columnGap
	}
	x = max(x, s.initials())
	s.area = rect{margin - 40, 0, x - columnGap - margin + 80, bottom + 30}
}

// initials places initial writes side by side, in the order of where what reads from them is,
// and gives their right end.
func (s *sheet) initials() float64 {
	type above struct {
		node int
		x    float64
	}
	var all []above
	for n, events := range s.nodes {
		if !s.Graph.Events[events[0]].Initial() {
			continue
		}
		sum, count := 0.0, 0.0
		for _, e := range s.edges {
			if s.node[e.from] == n {
				sum, count = sum+s.boxes[s.node[e.to]].centre().x, count+1
			}
		}
		all = append(all, above{n, sum / max(count, 1)})
	}
	slices.SortStableFunc(all, func(a, b above) int { return cmp.Compare(a.x, b.x) })
	x := float64(margin)
	for _, a := range all {
		w := s.nodeWidth(a.node)
		x = max(x, a.x-w/2)
		s.boxes[a.node] = rect{x, firstRowY, w, boxHeight}
		x += w + 24
	}
	return x + columnGap - 24
}

// enclose makes the area hold all edges and the title.
func (s *sheet) enclose() {
	left, right, bottom := s.area.x, s.area.x+s.area.w, s.area.h
	for _, e := range s.paths {
		for _, p := range e.points {
			left, right, bottom = min(left, p.x-20), max(right, p.x+20), max(bottom, p.y+20)
		}
		left, right = min(left, e.label.x-14), max(right, e.label.x+e.label.w+14)
	}
	if lack := float64(length(s.title()))*charWidth + 40 - (right - left); lack > 0 {
		left, right = left-lack/2, right+lack/2
	}
	s.area = rect{left, 0, right - left, bottom}
}

// route finds a way for every edge, and then places for the labels. Program order comes first,
// so that it stays straight, then edges that stand out.
func (s *sheet) route() {
	es := slices.Clone(s.edges)
	slices.SortStableFunc(es, func(a, b drawnEdge) int { return rank(a) - rank(b) })
	for _, e := range es {
		se := sheetEdge{drawnEdge: e}
		se.path = s.path(e)
		se.trace()
		s.paths = append(s.paths, se)
	}
	for i := range s.paths {
		s.paths[i].label = s.labelPlace(i)
	}
}

func rank(e drawnEdge) int {
	switch {
	case e.relation == "po":
		return 1
	case e.bold:
		return 2
	}
	return 3
}

func labelWidth(relation string) float64 { return float64(length(relation))*7 + 6 }

// manyEdges is from how many edges on less is tried for each.
const manyEdges = 300

// bends is how far the middle of an edge may lie from the straight line, the
// best first.
var bends = []float64{0, 24, -24, 48, -48, 72, -72, 100, -100, 130, -130, 170, -170}

// path is the best of a few curves: one that crosses no event, and that keeps
// away from the edges that are there already.
func (s *sheet) path(e drawnEdge) curve {
	source, target := s.node[e.from], s.node[e.to]
	from, to := s.boxes[source].centre(), s.boxes[target].centre()
	dist := math.Hypot(to.x-from.x, to.y-from.y)
	normal := point{(to.y - from.y) / dist, (from.x - to.x) / dist}
	var best curve
	var points [samples + 1]point
	least := math.Inf(1)
	tries := bends
	if len(s.edges) > manyEdges {
		tries = bends[:5]
	}
	for _, bend := range tries {
		// A quadratic curve comes half as far as its control point.
		mid := mix(from, to, 0.5)
		c := s.clip(curve{from, {mid.x + 2*bend*normal.x, mid.y + 2*bend*normal.y}, to}, e)
		cost := math.Abs(bend) / 10
		for k := range points {
			p := c.at(float64(k) / samples)
			points[k] = p
			for i, r := range s.boxes {
				if i != source && i != target && r.grown(5).has(p) {
					cost += 60
				}
			}
			if p.y < threadsY {
				cost += 60
			}
		}
		for i := range s.paths {
			cost += s.paths[i].company(points[:])
		}
		if cost < least {
			least, best = cost, c
		}
	}
	return best
}

// company is what it costs that a path with these points runs along an edge, or
// through its label. To cross an edge costs nothing.
func (e *sheetEdge) company(points []point) float64 {
	const distance = 12
	along, through := 0, 0
	for _, p := range points {
		if e.label.grown(1).has(p) {
			through++
		}
		if !e.hull.grown(distance).has(p) {
			continue
		}
		for _, q := range e.points {
			if math.Abs(p.x-q.x)+math.Abs(p.y-q.y) < distance {
				along++
				break
			}
		}
	}
	return 2*float64(max(along-8, 0)) + 3*float64(through)
}

// clip takes away what lies in the boxes at the ends.
func (s *sheet) clip(c curve, e drawnEdge) curve {
	const fine = 400
	first, last := 0, fine
	for first < fine && s.boxes[s.node[e.from]].grown(1).has(c.at(float64(first)/fine)) {
		first++
	}
	for last > first+1 && s.boxes[s.node[e.to]].grown(2).has(c.at(float64(last)/fine)) {
		last--
	}
	return c.between(float64(first)/fine, float64(last)/fine)
}

// labelPlace is the place along an edge that disturbs least.
func (s *sheet) labelPlace(i int) rect {
	w := labelWidth(s.paths[i].relation)
	var best rect
	least := math.Inf(1)
	for k := range 17 {
		// From the middle outwards.
		t := 0.5 + 0.04*float64((k+1)/2)*float64(1-k%2*2)
		p := s.paths[i].path.at(t)
		r := rect{p.x - w/2, p.y - labelHeight/2, w, labelHeight}
		cost := float64(k) / 2
		for _, b := range s.boxes {
			cost += r.overlap(b.grown(3))
		}
		for n := range s.paths {
			o := &s.paths[n]
			if n == i {
				continue
			}
			cost += 2 * r.overlap(o.label.grown(2))
			if !o.hull.near(r, 3) {
				continue
			}
			for _, p := range o.points {
				if r.grown(2).has(p) {
					cost += 8
				}
			}
		}
		if cost < least {
			least, best = cost, r
		}
	}
	return best
}

func (s *sheet) write(b *bufio.Writer) {
	fmt.Fprintf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"%.0f 0 %.0f %.0f\" font-family=\"Helvetica, Arial, sans-serif\">\n",
		s.area.w, s.area.h, s.area.x, s.area.w, s.area.h)
	fmt.Fprintf(b, "<title>%s</title>\n", escapeXML(s.title()))
	fmt.Fprintf(b, "<rect x=\"%.0f\" width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n", s.area.x, s.area.w, s.area.h)
	var relations []string
	for _, e := range s.paths {
		if !slices.Contains(relations, e.relation) {
			relations = append(relations, e.relation)
		}
	}
	fmt.Fprintln(b, "<defs>")
	for i, r := range relations {
		fmt.Fprintf(b, "<marker id=\"head%d\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"9\" markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0,1 L10,5 L0,9 z\" fill=\"%s\"/></marker>\n",
			i, edgeColour(r))
	}
	fmt.Fprintln(b, "</defs>")
	fmt.Fprintf(b, "<text x=\"%.1f\" y=\"24\" font-size=\"15\" text-anchor=\"middle\" fill=\"#222222\">%s</text>\n", s.area.centre().x, escapeXML(s.title()))
	for i, t := range s.threads() {
		fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%d\" font-size=\"13\" font-weight=\"bold\" text-anchor=\"middle\" fill=\"#666666\">%s</text>\n",
			s.columns[i], threadsY, escapeXML(s.threadName(t)))
	}
	for _, e := range s.paths {
		width, dash := 1.3, ""
		if e.bold {
			width = 2.6
		}
		if e.relation == "rmw" {
			dash = " stroke-dasharray=\"4 3\""
		}
		fmt.Fprintf(b, "<path d=\"M%.1f,%.1f Q%.1f,%.1f %.1f,%.1f\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\"%s marker-end=\"url(#head%d)\"/>\n",
			e.path[0].x, e.path[0].y, e.path[1].x, e.path[1].y, e.path[2].x, e.path[2].y,
			edgeColour(e.relation), width, dash, slices.Index(relations, e.relation))
	}
	onCycle := s.onCycle()
	for n, r := range s.boxes {
		fill, width, dash := "#f7f7f7", 1.0, ""
		if onCycle[n] {
			fill, width = "#fff4d6", 1.6
		}
		if s.Graph.Events[s.nodes[n][0]].Initial() {
			dash = " stroke-dasharray=\"3 2\""
		}
		fmt.Fprintf(b, "<g><title>%s</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"6\" fill=\"%s\" stroke=\"#444444\" stroke-width=\"%.1f\"%s/>",
			escapeXML(s.Graph.Events[s.nodes[n][0]].Text), r.x, r.y, r.w, r.h, fill, width, dash)
		place := ""
		if p := s.place(n); p != "" {
			place = fmt.Sprintf("<tspan dx=\"10\" font-size=\"10\" font-family=\"Helvetica, Arial, sans-serif\" fill=\"#666666\">%s</tspan>", escapeXML(p))
		}
		fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%.1f\" font-family=\"Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"13\" text-anchor=\"middle\" fill=\"#111111\">%s%s</text></g>\n",
			r.x+r.w/2, r.y+boxHeight/2+4.5, escapeXML(s.label(n)), place)
	}
	// Labels are on top, with a halo, so that no line runs through one.
	for _, e := range s.paths {
		weight := ""
		if e.bold {
			weight = " font-weight=\"bold\""
		}
		c := e.label.centre()
		fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"12\"%s text-anchor=\"middle\" fill=\"%s\" stroke=\"#ffffff\" stroke-width=\"4\" stroke-linejoin=\"round\" paint-order=\"stroke\">%s</text>\n",
			c.x, c.y+4, weight, edgeColour(e.relation), escapeXML(e.relation))
	}
	fmt.Fprintln(b, "</svg>")
}

// escapeXML escapes s, without what no XML file may hold.
func escapeXML(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(oneLine(s))
}
