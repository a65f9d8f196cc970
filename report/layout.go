package report

// A Layout is a drawing with places for everything, for who draws it on a page. Lengths are
// pixels, from the upper left corner.
type Layout struct {
	Title   string       `json:"title"`
	Box     [4]float64   `json:"box"` // left, top, width, height
	Threads []LayoutName `json:"threads"`
	Nodes   []LayoutNode `json:"nodes"`
	Edges   []LayoutEdge `json:"edges"`
}

// A LayoutName is the name of a thread above its events.
type LayoutName struct {
	X    float64 `json:"x"` // of its middle
	Y    float64 `json:"y"`
	Name string  `json:"name"`
}

// A LayoutNode is an event, or a read-modify-write.
type LayoutNode struct {
	Box     [4]float64 `json:"box"`
	Label   string     `json:"label"`
	Place   string     `json:"place"`  // in the source
	Says    string     `json:"says"`   // what the source says there
	Events  []int      `json:"events"` // their numbers in the graph
	Cycle   bool       `json:"cycle,omitempty"`
	Initial bool       `json:"initial,omitempty"`
}

// A LayoutEdge is an arrow between nodes.
type LayoutEdge struct {
	From     int           `json:"from"` // nodes
	To       int           `json:"to"`
	Relation string        `json:"relation"`
	Path     [3][2]float64 `json:"path"`  // a quadratic Bézier curve
	Label    [2]float64    `json:"label"` // its middle
	Cycle    bool          `json:"cycle,omitempty"`
}

// Lay gives a drawing its places.
func Lay(d *Drawing) *Layout {
	s := newSheet(d)
	l := &Layout{Title: s.title(), Box: [4]float64{s.area.x, s.area.y, s.area.w, s.area.h}}
	for i, t := range s.threads() {
		l.Threads = append(l.Threads, LayoutName{s.columns[i], threadsY, s.threadName(t)})
	}
	onCycle := s.onCycle()
	for n, r := range s.boxes {
		e := &s.Graph.Events[s.nodes[n][0]]
		l.Nodes = append(l.Nodes, LayoutNode{[4]float64{r.x, r.y, r.w, r.h}, s.label(n), s.place(n), oneLine(e.Text), s.nodes[n], onCycle[n], e.Initial()})
	}
	for i := range s.paths {
		e := &s.paths[i]
		o := LayoutEdge{From: s.node[e.from], To: s.node[e.to], Relation: e.relation, Cycle: e.bold}
		for k, p := range e.path {
			o.Path[k] = [2]float64{p.x, p.y}
		}
		c := e.label.centre()
		o.Label = [2]float64{c.x, c.y + 4}
		l.Edges = append(l.Edges, o)
	}
	return l
}
