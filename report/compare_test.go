package report

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// compared is a comparison of every kind of row, and a contradiction.
func compared(t *testing.T) *verdict.Comparison {
	t.Helper()
	stats := func(name string, value int64) []verdict.Stat { return []verdict.Stat{{Name: name, Value: value}} }
	final := []verdict.FinalState{{Memory: []int64{1}}}
	explicit := verdict.Row{Engine: "explicit", Question: verdict.Safety, Claim: verdict.ClaimsSafe, Argument: "exhaustive search",
		Stats: append(stats("states", 1234), stats("bytes", 2048)...)}
	c := &verdict.Comparison{Program: &program.Program{Name: "p"}, Rows: []verdict.Row{
		explicit, explicit,
		{Engine: "bmc", Question: verdict.Safety, Claim: verdict.ClaimsViolated, Stats: stats("clauses", 1), Agrees: verdict.Differs},
		{Engine: "set", Question: verdict.Safety, Claim: verdict.ClaimsNothing, Reason: "too coarse | by far"},
		{Engine: "lazy", Question: verdict.Safety, Claim: verdict.ClaimsNothing, Err: errors.New("it broke\nhere")},
		{Engine: "explicit", Question: verdict.FinalStates, Claim: verdict.ClaimsComplete, Finals: final, Agrees: verdict.Reference},
		{Engine: "graphs", Question: verdict.FinalStates, Claim: verdict.ClaimsComplete, Finals: final, Stats: stats("executions", 12), Agrees: verdict.Agrees},
		{Engine: "robust", Question: verdict.Robustness, Claim: verdict.ClaimsRobust},
	}, Contradictions: []verdict.Contradiction{{Rows: []int{1, 2},
		Text: "explicit under TSO says SAFE, bmc under TSO says UNSAFE: a violation that is there and is not"}}}
	c.Rows[1].Agrees = verdict.Differs
	for i := range c.Rows {
		c.Rows[i].Model, c.Rows[i].Elapsed = memory.TSO, time.Second/2
	}
	c.Rows[0].Model = memory.SC
	return c
}

func TestCompare(t *testing.T) {
	command := func(r *verdict.Row) string { return "run " + r.Engine }
	for format, want := range map[Format]string{
		TextFormat: `my.imp  1 contradiction among 8 answers

MODEL  ENGINE            VERDICT        BECAUSE                      SIZE  EXECUTIONS    TIME   MEMORY  AGREEMENT
SC     explicit          SAFE           exhaustive search    1,234 states           –  0.50 s  2.0 KiB  –
TSO    explicit          SAFE           exhaustive search    1,234 states           –  0.50 s  2.0 KiB  differs
TSO    bmc               UNSAFE         –                        1 clause           –  0.50 s        –  differs
TSO    set               UNKNOWN        too coarse | by far             –           –  0.50 s        –  –
TSO    lazy              ERROR          it broke                        –           –  0.50 s        –  –
TSO    states: explicit  1 final state  –                               –           –  0.50 s        –  reference
TSO    states: graphs    1 final state  –                               –          12  0.50 s        –  agrees
TSO    robust            ROBUST         –                               –           –  0.50 s        –  –

CONTRADICTION: explicit under TSO says SAFE, bmc under TSO says UNSAFE: a violation that is there and is not
    run explicit
    run bmc
`,
		MarkdownFormat: `## my.imp

1 contradiction among 8 answers

| model | engine | verdict | because | size | executions | time | memory | agreement |
| --- | --- | --- | --- | --: | --: | --: | --: | --- |
| SC | explicit | SAFE | exhaustive search | 1,234 states | – | 0.50 s | 2.0 KiB | – |
| TSO | explicit | SAFE | exhaustive search | 1,234 states | – | 0.50 s | 2.0 KiB | differs |
| TSO | bmc | UNSAFE | – | 1 clause | – | 0.50 s | – | differs |
| TSO | set | UNKNOWN | too coarse \| by far | – | – | 0.50 s | – | – |
| TSO | lazy | ERROR | it broke | – | – | 0.50 s | – | – |
| TSO | states: explicit | 1 final state | – | – | – | 0.50 s | – | reference |
| TSO | states: graphs | 1 final state | – | – | 12 | 0.50 s | – | agrees |
| TSO | robust | ROBUST | – | – | – | 0.50 s | – | – |

CONTRADICTION: explicit under TSO says SAFE, bmc under TSO says UNSAFE: a violation that is there and is not
    run explicit
    run bmc
`,
		CSVFormat: `file,model,engine,kind,verdict,because,final_states,states,clauses,executions,seconds,bytes,agreement
my.imp,sc,explicit,property,SAFE,exhaustive search,,1234,,,0.500,2048,
my.imp,tso,explicit,property,SAFE,exhaustive search,,1234,,,0.500,2048,differs
my.imp,tso,bmc,property,UNSAFE,,,,1,,0.500,,differs
my.imp,tso,set,property,UNKNOWN,too coarse | by far,,,,,0.500,,
my.imp,tso,lazy,property,ERROR,it broke,,,,,0.500,,
my.imp,tso,explicit,states,COMPLETE,,1,,,,0.500,,reference
my.imp,tso,graphs,states,COMPLETE,,1,,,12,0.500,,agrees
my.imp,tso,robust,robustness,ROBUST,,,,,,0.500,,
`,
		JSONFormat: `{"schema":1,"type":"compare","file":"my.imp","rows":[` +
			`{"model":"sc","engine":"explicit","kind":"property","verdict":"SAFE","argument":"exhaustive search","states":1234,"seconds":0.5,"bytes":2048,"agrees":null},` +
			`{"model":"tso","engine":"explicit","kind":"property","verdict":"SAFE","argument":"exhaustive search","states":1234,"seconds":0.5,"bytes":2048,"agrees":false},` +
			`{"model":"tso","engine":"bmc","kind":"property","verdict":"UNSAFE","clauses":1,"seconds":0.5,"agrees":false},` +
			`{"model":"tso","engine":"set","kind":"property","verdict":"UNKNOWN","reason":"too coarse | by far","seconds":0.5,"agrees":null},` +
			`{"model":"tso","engine":"lazy","kind":"property","verdict":"ERROR","reason":"it broke\nhere","seconds":0.5,"agrees":null},` +
			`{"model":"tso","engine":"explicit","kind":"states","verdict":"COMPLETE","final_states":1,"seconds":0.5,"agrees":null},` +
			`{"model":"tso","engine":"graphs","kind":"states","verdict":"COMPLETE","final_states":1,"executions":12,"seconds":0.5,"agrees":true},` +
			`{"model":"tso","engine":"robust","kind":"robustness","verdict":"ROBUST","seconds":0.5,"agrees":null}],` +
			`"contradictions":[{"text":"explicit under TSO says SAFE, bmc under TSO says UNSAFE: a violation that is there and is not","commands":["run explicit","run bmc"]}]}` + "\n",
	} {
		var b bytes.Buffer
		if err := CompareHead(&b, format); err != nil {
			t.Fatal(err)
		}
		if err := Compare(&b, compared(t), "my.imp", format, command, Options{}); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", format, got, want)
		}
	}
}

// TestCompareNarrow: the table keeps to a width.
func TestCompareNarrow(t *testing.T) {
	var b bytes.Buffer
	if err := Compare(&b, compared(t), "my.imp", TextFormat, func(*verdict.Row) string { return "" }, Options{Width: 100}); err != nil {
		t.Fatal(err)
	}
	for i, line := range bytes.Split(b.Bytes(), []byte("\n")) {
		if n := length(string(line)); n > 100 && i < 20 && !bytes.HasPrefix(line, []byte("CONTRADICTION")) {
			t.Errorf("line %d has %d characters: %s", i+1, n, line)
		}
	}
}
