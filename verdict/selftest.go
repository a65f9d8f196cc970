package verdict

import "time"

// A SelfTest is what came of a test of Fencepost by itself.
type SelfTest struct {
	SelfTestCounts
	Cases   int // sources of programs, each in several languages
	Seed    uint64
	Elapsed time.Duration
	Finding *Finding // nil: nothing is wrong
}

// SelfTestCounts is what was asked.
type SelfTestCounts struct {
	Programs map[string]int    // texts, by language
	Engines  map[string]*Tally // by the name of the engine
	Models   map[string]*Tally // by model
	// Pairs is by engine and model.
	Pairs        map[string]map[string]*Tally
	Refused      int // texts that no engine takes
	Languages    int // pairs of texts that mean the same, with answers
	Certificates int // that were checked
}

// A Tally is answers of one engine, or under one model.
type Tally struct {
	Asked    int `json:"asked"`
	Answered int `json:"answered"`  // with more than UNKNOWN
	Compared int `json:"confirmed"` // which another answer confirms
}

// A Finding is something that is wrong.
type Finding struct {
	What     string   `json:"what"`  // the contradiction
	Files    []File   `json:"files"` // the programs, made small
	Commands []string `json:"commands"`
	// Case is the number of the source: with the seed it gives the same one again.
	Case int `json:"program"`
	// Steps is how many smaller programs were tried.
	Steps int `json:"steps"`
}

// A File is a program.
type File struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// NewSelfTestCounts is nothing so far.
func NewSelfTestCounts() SelfTestCounts {
	return SelfTestCounts{Programs: map[string]int{}, Engines: map[string]*Tally{}, Models: map[string]*Tally{}, Pairs: map[string]map[string]*Tally{}}
}

// Add counts rows.
func (c *SelfTestCounts) Add(of *Comparison) {
	tally := func(m map[string]*Tally, key string, r *Row) {
		t := m[key]
		if t == nil {
			t = &Tally{}
			m[key] = t
		}
		t.Asked++
		if r.Claim != ClaimsNothing {
			t.Answered++
		}
		if r.Agrees == Agrees || r.Agrees == Reference {
			t.Compared++
		}
	}
	for i := range of.Rows {
		r := &of.Rows[i]
		tally(c.Engines, r.Engine, r)
		tally(c.Models, string(r.Model), r)
		if c.Pairs[r.Engine] == nil {
			c.Pairs[r.Engine] = map[string]*Tally{}
		}
		tally(c.Pairs[r.Engine], string(r.Model), r)
	}
}

// Comparisons is how many answers another one confirms.
func (c *SelfTestCounts) Comparisons() (n int) {
	for _, t := range c.Engines {
		n += t.Compared
	}
	return n
}

// Texts is how many programs were read.
func (c *SelfTestCounts) Texts() (n int) {
	for _, k := range c.Programs {
		n += k
	}
	return n
}
