package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf16"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// SARIFFormat is a log of SARIF 2.1.0 on one line: a run is a code flow with a flow for each of
// its threads, and the first access of a data race a related location.
const SARIFFormat Format = "sarif"

// The parts of SARIF 2.1.0 (OASIS, 2020) that a result has.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool         `json:"tool"`
		Results []json.RawMessage `json:"results"` // each a sarifResult
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string     `json:"id"`
		Short *sarifText `json:"shortDescription,omitempty"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID  string          `json:"ruleId"`
		Kind    string          `json:"kind"`  // "fail", "pass", "open"
		Level   string          `json:"level"` // "error" of a fail, else "none"
		Message sarifText       `json:"message"`
		Places  []sarifPlace    `json:"locations"`
		Related []sarifPlace    `json:"relatedLocations,omitempty"` // the other access of a race
		Flows   []sarifCodeFlow `json:"codeFlows,omitempty"`        // the run
		Fixes   []sarifFix      `json:"fixes,omitempty"`            // fences
	}
	sarifFix struct {
		Description sarifText     `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion `json:"deletedRegion"` // without an extent, it is where to insert
		Inserted *sarifText  `json:"insertedContent,omitempty"`
	}
	sarifPlace struct {
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		Line      int `json:"startLine"`
		Column    int `json:"startColumn,omitempty"`
		EndLine   int `json:"endLine,omitempty"`
		EndColumn int `json:"endColumn,omitempty"` // after the last character
	}
	sarifCodeFlow struct {
		Threads []sarifThreadFlow `json:"threadFlows"`
	}
	sarifThreadFlow struct {
		ID    string          `json:"id"`
		Steps []sarifFlowStep `json:"locations"`
	}
	sarifFlowStep struct {
		Place sarifPlace `json:"location"`
		Order int        `json:"executionOrder"`
	}
)

// sarifPart is the result about an answer, and its rule.
func sarifPart(r *verdict.Result, file string) (text, rule string, err error) {
	place := func(pos program.Position, text string) sarifPlace {
		p := sarifAt(file, pos)
		if text != "" {
			p.Message = &sarifText{text}
		}
		return p
	}
	res := sarifResult{RuleID: "fencepost/" + string(r.About()), Kind: "open", Level: "none", Places: []sarifPlace{place(program.Position{}, "")}}
	switch v := r.Violation(); {
	case r.Unsafe() && v != nil:
		res.Kind, res.Level = "fail", "error"
		res.Places = []sarifPlace{place(v.Pos, "")}
		res.Message.Text = strings.ReplaceAll(violationText(r.Program(), v), "  (", " (") + ", under " + modelName(r.Model())
		if v.Property != nil {
			res.RuleID = "fencepost/" + v.Property.Kind.String()
		}
		if race := v.Race; race != nil {
			res.Related = []sarifPlace{place(race.First.Pos, "the first access, by "+threadName(r.Program(), race.First.Thread))}
			for _, why := range race.Why {
				res.Message.Text += ". Not ordered: " + why
			}
		}
		if run := r.Run(); run != nil {
			flow := sarifCodeFlow{}
			for t := range r.Program().Threads {
				f := sarifThreadFlow{ID: threadName(r.Program(), t)}
				for i := range run.Steps {
					if s := &run.Steps[i]; s.Thread == t {
						f.Steps = append(f.Steps, sarifFlowStep{place(s.Pos, oneLine(s.Text)), i + 1})
					}
				}
				if len(f.Steps) > 0 {
					flow.Threads = append(flow.Threads, f)
				}
			}
			if len(flow.Threads) > 0 {
				res.Flows = []sarifCodeFlow{flow}
			}
		}
	case r.Safe():
		res.Kind, res.Message.Text = "pass", "safe under "+modelName(r.Model())+": "+argument(r.Argument())
	default:
		res.Message.Text = "unknown under " + modelName(r.Model()) + ": " + oneLine(r.Reason())
	}
	text, err = compact(res)
	return text, res.RuleID, err
}

func sarifAt(file string, pos program.Position) sarifPlace {
	if pos.File != "" {
		file = pos.File
	}
	p := sarifPlace{Physical: sarifPhysical{Artifact: artifact(file)}}
	if pos.IsValid() {
		p.Physical.Region = &sarifRegion{Line: pos.Line, Column: pos.Col}
	}
	return p
}

// artifact is a file as a reference, whatever letters its name has.
func artifact(file string) sarifArtifact {
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme, u.Path = "file", "/"+strings.TrimPrefix(u.Path, "/")
	}
	return sarifArtifact{u.String()}
}

// sarifError is the result about a file that cannot be checked.
func sarifError(file string, fault error) (text, rule string, err error) {
	res := sarifResult{RuleID: "fencepost/input", Kind: "fail", Level: "error", Message: sarifText{fault.Error()}, Places: []sarifPlace{sarifAt(file, program.Position{})}}
	if faultVerdict(fault) == unknownVerdict {
		res.Kind, res.Level, res.Message.Text = "open", "none", "unknown: "+fault.Error()
	}
	var d *program.Diagnostic
	if errors.As(fault, &d) {
		res.Message.Text, res.Places[0] = d.Msg, sarifAt(file, d.Pos)
	}
	text, err = compact(res)
	return text, res.RuleID, err
}

// MendedPart is a part of SARIF with the fences of r, which have been verified, as a fix.
func MendedPart(p Part, r *verdict.FenceResult, file string) (Part, error) {
	var res sarifResult
	if err := json.Unmarshal([]byte(p.Text), &res); err != nil {
		return p, err
	}
	res.Fixes = []sarifFix{{
		Description: sarifText{fmt.Sprintf("%d %s, verified under %s", len(r.Sets[0].Fences), plural(len(r.Sets[0].Fences), "fence"), modelName(r.Model))},
		Changes:     []sarifChange{{Artifact: artifact(file), Replacements: replacements(lines(r.Program.Source.Text), lines(r.Text))}},
	}}
	var err error
	p.Text, err = compact(res)
	return p, err
}

// replacements makes the lines of one text those of another.
func replacements(old, new []string) (all []sarifReplacement) {
	ops := changes(old, new)
	for i := 0; i < len(ops); i++ {
		if ops[i].kind == ' ' {
			continue
		}
		at, gone, come := ops[i].old, 0, ""
		for ; i < len(ops) && ops[i].kind != ' '; i++ {
			if ops[i].kind == '-' {
				gone++
			} else {
				come += ops[i].text
			}
		}
		r := sarifReplacement{Deleted: sarifRegion{at + 1, 1, at + gone + 1, 1}}
		if last := at + gone - 1; gone > 0 && !strings.HasSuffix(old[last], "\n") { // nothing comes after it
			r.Deleted.EndLine, r.Deleted.EndColumn = last+1, len(utf16.Encode([]rune(old[last])))+1
		}
		if come != "" {
			r.Inserted = &sarifText{come}
		}
		all = append(all, r)
	}
	return all
}

// ruleTexts say what the rules are about, by what comes after "fencepost/".
var ruleTexts = map[string]string{
	"input":                   "The file cannot be checked.",
	string(verdict.Safety):    "What the program states holds in every run.",
	string(verdict.DataRaces): "There is no data race.",
	string(verdict.LBRaces):   "No relaxed read could read what comes of it.",
	string(verdict.Deadlocks): "There is no state in which nothing can go on.",
	string(verdict.Liveness):  "No thread waits for ever while nothing changes.",
	program.Forbid.String():   "What the program forbids does not come to pass.",
	program.Exists.String():   "The state that the program asks for is not reached.",
	program.Forall.String():   "Every run ends as the program says.",
	program.Deadlock.String(): "There is no state in which nothing can go on.",
}

// sarifDocument is a log with all results.
func sarifDocument(w io.Writer, parts []Part) error {
	run := sarifRun{Tool: sarifTool{sarifDriver{"fencepost", "https://github.com/fencepost-verifier/fencepost", []sarifRule{}}}, Results: []json.RawMessage{}}
	known := map[string]bool{}
	for _, p := range parts {
		if !known[p.Rule] {
			known[p.Rule] = true
			rule := sarifRule{ID: p.Rule}
			if text := ruleTexts[strings.TrimPrefix(p.Rule, "fencepost/")]; text != "" {
				rule.Short = &sarifText{text}
			}
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
		}
		run.Results = append(run.Results, json.RawMessage(p.Text))
	}
	return encode(w, sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}, "")
}
