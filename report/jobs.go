package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Job is one of a batch, and what came of it.
type Job struct {
	Command string   // of fencepost
	File    string   // from the folder of the batch
	Flags   []string // such as --model=tso
	Key     string   // what the answer depends on, as a number
	Worker  string
	Kept    bool            // it is from a time before this batch began
	Result  json.RawMessage // the object that the command prints
	Brief   json.RawMessage // [JobBrief] of it; nil: it has to be read
	known   *jobAnswer
}

// A jobAnswer is what a batch needs of the objects of all commands.
type jobAnswer struct {
	Verdict   string  `json:"verdict"`
	Seconds   float64 `json:"seconds"`
	Reason    string  `json:"reason,omitempty"`
	Error     string  `json:"error,omitempty"`
	Foreign   bool    `json:"foreign,omitempty"`
	Violation *struct {
		Text string `json:"text"`
	} `json:"violation,omitempty"`
}

// foreign is the verdict on a test for whose architecture the model is not.
const foreign = "-"

func (j *Job) answer() *jobAnswer {
	if j.known == nil {
		j.known = &jobAnswer{}
		b := j.Brief
		if b == nil {
			b = j.Result
		}
		if json.Unmarshal(b, j.known) != nil || j.known.Verdict == "" {
			j.known = &jobAnswer{Verdict: errorVerdict, Error: "the answer cannot be read"}
		}
		if j.known.Foreign {
			j.known.Verdict = foreign
		}
	}
	return j.known
}

// JobBrief is of a job's result what counting it takes, and a line about it: whoever has thousands of them need not
// read them all.
func JobBrief(result []byte) []byte {
	var a jobAnswer
	if json.Unmarshal(result, &a) != nil {
		return nil
	}
	b, err := json.Marshal(&a)
	if err != nil {
		return nil
	}
	return b
}

// Verdict is the word of the answer.
func (j *Job) Verdict() string { return j.answer().Verdict }

// setting is the flags, as people read them.
func (j *Job) setting() string {
	var words []string
	for _, f := range j.Flags {
		f = strings.TrimPrefix(strings.TrimPrefix(f, "--define="), "--")
		words = append(words, strings.TrimSuffix(f, "=true"))
	}
	return strings.Join(words, " ")
}

// Label is what a job is called.
func (j *Job) Label() string { return strings.TrimSpace(j.File + "  " + j.setting()) }

type jsonJob struct {
	File    string          `json:"file"`
	Command string          `json:"command"` // of fencepost: check, litmus
	Flags   []string        `json:"flags"`
	Verdict string          `json:"verdict"`
	Key     string          `json:"key"`
	Worker  string          `json:"worker,omitempty"`
	Kept    bool            `json:"kept"`   // it is from a time before this batch began
	Result  json.RawMessage `json:"result"` // what the command says, an object of this schema
}

// WriteJob writes what came of a job, on a line.
func WriteJob(w io.Writer, j *Job, opts Options, format Format) error {
	a := j.answer()
	if format == JSONFormat {
		return writeObject(w, jsonJob{j.File, j.Command, append([]string{}, j.Flags...), a.Verdict, j.Key, j.Worker, j.Kept, j.Result})
	}
	word := pad(a.Verdict, len("UNKNOWN"))
	if code := map[string]string{"SAFE": "32", "Ok": "32", "UNSAFE": "31", "No": "31", foreign: "0"}[a.Verdict]; opts.Colour {
		if code == "" {
			code = "33"
		}
		word = "\x1b[1;" + code + "m" + word + "\x1b[0m"
	}
	line := word + gap + oneLine(j.Label()) + gap + duration(time.Duration(a.Seconds*float64(time.Second)))
	why := a.Reason + a.Error
	if a.Violation != nil {
		why = a.Violation.Text
	}
	if first, _, _ := strings.Cut(why, "\n"); first != "" && !a.Foreign {
		line += gap + oneLine(first)
	}
	if opts.Width > 0 {
		line = cut(line, opts.Width+len(word)-length(pad(a.Verdict, len("UNKNOWN"))))
	}
	_, err := io.WriteString(w, line+"\n")
	return err
}

// cut is s, without its end where it is longer than width.
func cut(s string, width int) string {
	if length(s) <= width {
		return s
	}
	return string([]rune(s)[:width-1]) + "…"
}

// A Batch is what has come of many jobs.
type Batch struct {
	Place   string // where the files are
	Jobs    int    // all of them
	Done    int    // of those
	Kept    int    // of those, from a time before
	Reason  string // why some have no result; empty: all have
	Elapsed time.Duration
	rows    []*batchRow
}

type batchRow struct {
	command, setting string
	jobs, done       int
	verdicts         map[string]int
	seconds          float64
}

// batchWords are the verdicts of jobs, in the order of the table.
var batchWords = []string{"SAFE", "UNSAFE", "Ok", "No", "UNKNOWN", "Unknown", errorVerdict, foreign}

func (b *Batch) row(j *Job) *batchRow {
	setting := j.setting()
	for _, r := range b.rows {
		if r.command == j.Command && r.setting == setting {
			return r
		}
	}
	r := &batchRow{command: j.Command, setting: setting, verdicts: map[string]int{}}
	b.rows = append(b.rows, r)
	return r
}

// Expect takes in a job that is to be done.
func (b *Batch) Expect(j *Job) {
	b.Jobs++
	b.row(j).jobs++
}

// Add takes in what came of one.
func (b *Batch) Add(j *Job) {
	b.Done++
	if j.Kept {
		b.Kept++
	}
	r, a := b.row(j), j.answer()
	r.done++
	r.verdicts[a.Verdict]++
	r.seconds += a.Seconds
}

type jsonBatch struct {
	Place   string         `json:"place"`
	Jobs    int            `json:"jobs"`
	Done    int            `json:"done"`
	Before  int            `json:"before"` // of those, before this batch began
	Reason  string         `json:"reason,omitempty"`
	Seconds float64        `json:"seconds"`
	Rows    []jsonBatchRow `json:"rows"`
}

type jsonBatchRow struct {
	Command  string         `json:"command"`
	Setting  string         `json:"setting"` // the flags
	Jobs     int            `json:"jobs"`
	Done     int            `json:"done"`
	Verdicts map[string]int `json:"verdicts"` // how many of each
	Seconds  float64        `json:"seconds"`  // the time of all
}

// WriteBatch writes the counts.
func WriteBatch(w io.Writer, b *Batch, opts Options, format Format) error {
	if format == JSONFormat {
		o := jsonBatch{Place: b.Place, Jobs: b.Jobs, Done: b.Done, Before: b.Kept, Reason: b.Reason, Seconds: b.Elapsed.Seconds(), Rows: []jsonBatchRow{}}
		for _, r := range b.rows {
			o.Rows = append(o.Rows, jsonBatchRow{r.command, r.setting, r.jobs, r.done, r.verdicts, r.seconds})
		}
		return writeObject(w, o)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s  %s of %s jobs done", b.Place, grouped(int64(b.Done)), grouped(int64(b.Jobs)))
	if b.Kept > 0 {
		fmt.Fprintf(&out, ", %s of them before", grouped(int64(b.Kept)))
	}
	fmt.Fprintf(&out, ", in %s\n", duration(b.Elapsed))
	if b.Reason != "" {
		fmt.Fprintf(&out, "  %s\n", oneLine(b.Reason))
	}
	if cols := b.columns(); len(b.rows) > 0 {
		width := 10 * mostRow
		if opts.Width > 0 {
			width = opts.Width
		}
		fit(cols, width)
		out.WriteString("\n")
		writeTable(&out, cols)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

const mostRow = 100

// columns are the rows of the table, turned: the settings, and how many of each verdict they have.
func (b *Batch) columns() []*column {
	command, setting, done := &column{title: ""}, &column{title: "", min: 12, steps: true, lines: 1}, &column{title: "done", right: true}
	took := &column{title: "time", right: true}
	words := map[string]*column{}
	for _, r := range b.rows {
		for word := range r.verdicts {
			words[word] = &column{title: word, right: true}
		}
	}
	for _, r := range b.rows {
		command.cells = append(command.cells, r.command)
		setting.cells = append(setting.cells, oneLine(r.setting))
		done.cells = append(done.cells, strconv.Itoa(r.done)+"/"+strconv.Itoa(r.jobs))
		took.cells = append(took.cells, strings.ReplaceAll(duration(time.Duration(r.seconds*float64(time.Second))), " ", glue))
		for word, c := range words {
			cell := ""
			if n := r.verdicts[word]; n > 0 {
				cell = strconv.Itoa(n)
			}
			c.cells = append(c.cells, cell)
		}
	}
	cols := []*column{command, setting, done}
	for _, word := range batchWords {
		if c := words[word]; c != nil {
			cols = append(cols, c)
		}
	}
	cols = append(cols, took)
	if !slices.ContainsFunc(setting.cells, func(s string) bool { return s != "" }) {
		cols = slices.Delete(cols, 1, 2)
	}
	return cols
}
