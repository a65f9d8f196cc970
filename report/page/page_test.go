package page

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/report"
)

// hostile are texts that would do something if a page took them for markup or for script.
var hostile = []string{
	`</script><script>alert(1)</script>`, `<!--<script>`, `]]>`, `"><img src=x onerror=alert(1)>`, "'; alert(1); '", "\u2028\u2029", `\u003c/script>`, "{{.Data}}", "&lt;b&gt;",
}

func hostileDocument() *report.Document {
	all := strings.Join(hostile, " ")
	return &report.Document{
		Word: "UNSAFE", Tone: "bad", File: all, Under: all, How: all, Facts: [][2]string{{all, all}},
		Source: &report.SourceView{Name: all, Text: strings.Join(hostile, "\n")},
		Runs: []report.RunView{{Title: all, Model: all, Threads: []string{all}, Cells: []string{all}, Regs: [][]string{{all}}, Init: []string{"0"}, Parts: 0,
			Steps: []report.StepView{{Text: all, Line: 1, Place: all, Pair: -1, Memory: []string{"1"}, Buffers: [][]report.SlotView{{{Text: all, Step: 0}}}, Regs: [][]string{{"1"}}}},
			Folds: [][2]int{}, Cycle: all}},
		Tables: []report.TableView{{Title: all, Head: []string{all}, Rows: [][]string{{all}}}},
	}
}

var tag = regexp.MustCompile(`(?i)</?script[^>]*>`)

// TestHostile: whatever a program is called and says, the page has its own two scripts and no
// others, and the data come back as they went in.
func TestHostile(t *testing.T) {
	doc := hostileDocument()
	var b strings.Builder
	if err := Write(&b, []*report.Document{doc, doc}); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	tags := tag.FindAllString(got, -1)
	if want := []string{`<script type="application/json" id="documents">`, `</script>`, `<script>`, `</script>`}; strings.Join(tags, " ") != strings.Join(want, " ") {
		t.Errorf("scripts %q", tags)
	}
	if strings.Contains(got, "<img") || strings.Contains(got, "<!--") {
		t.Error("markup of the program is markup of the page")
	}
	_, data, _ := strings.Cut(got, tags[0])
	data, _, _ = strings.Cut(data, "</script>")
	var back []report.Document
	if err := json.Unmarshal([]byte(data), &back); err != nil {
		t.Fatal(err)
	}
	if len(back) != 2 || back[0].Source.Text != doc.Source.Text || back[1].File != doc.File {
		t.Errorf("the data are %+v", back)
	}
}

// TestAlone: the page loads nothing, and its policy allows its own script and style and nothing
// else.
func TestAlone(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, []*report.Document{{Word: "SAFE", Tone: "good", File: "x.imp"}}); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for _, at := range []string{" src=", "url(http", "@import", "fetch(", "XMLHttpRequest", "<link", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"} {
		if strings.Contains(got, at) {
			t.Errorf("the page has %s", at)
		}
	}
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(got)
	if policy == nil {
		t.Fatal("no policy")
	}
	between := func(from, to string) string {
		_, s, _ := strings.Cut(got, from)
		s, _, _ = strings.Cut(s, to)
		return s
	}
	unescaped := strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(policy[1])
	for _, text := range []string{between("<style>", "</style>"), between("<script>", "</script>")} {
		if !strings.Contains(unescaped, hash(text)) {
			t.Errorf("the policy %s does not allow what begins with %.60q", unescaped, text)
		}
	}
	if !strings.HasPrefix(unescaped, "default-src 'none';") || strings.Contains(unescaped, "unsafe") {
		t.Errorf("policy %s", unescaped)
	}
	if n := len(Script) + len(start) + len(Style); n > 40_000 {
		t.Errorf("script and style are %d bytes", n)
	}
}
