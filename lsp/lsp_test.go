package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// An editor is the other end of a session.
type editor struct {
	t    *testing.T
	conn *conn
	in   chan *message
	id   int
	done chan error
}

func newEditor(t *testing.T) *editor {
	toServer, fromEditor := io.Pipe()
	toEditor, fromServer := io.Pipe()
	e := &editor{t: t, conn: &conn{r: bufio.NewReader(toEditor), w: fromEditor}, in: make(chan *message, 100), done: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() { cancel(); fromEditor.Close(); toEditor.Close() })
	go func() {
		err := Serve(ctx, toServer, fromServer)
		fromServer.Close()
		e.done <- err
	}()
	go func() {
		for {
			m, err := e.conn.read()
			if err != nil {
				close(e.in)
				return
			}
			e.in <- m
		}
	}()
	return e
}

// next is the next message that is wanted; others are dropped.
func (e *editor) next(want func(*message) bool) *message {
	e.t.Helper()
	for {
		select {
		case m, ok := <-e.in:
			if !ok {
				e.t.Fatal("the server has gone")
			}
			if want(m) {
				return m
			}
		case <-time.After(5 * time.Minute):
			e.t.Fatal("no answer")
		}
	}
}

func (e *editor) ask(method string, params any) *message {
	e.t.Helper()
	e.id++
	id := json.RawMessage(strconv.Itoa(e.id))
	b, err := json.Marshal(params)
	if err != nil {
		e.t.Fatal(err)
	}
	if err := e.conn.write(&message{ID: &id, Method: method, Params: b}); err != nil {
		e.t.Fatal(err)
	}
	return e.next(func(m *message) bool { return m.ID != nil && string(*m.ID) == string(id) })
}

func (e *editor) tell(method string, params any) {
	e.t.Helper()
	if err := e.conn.notify(method, params, false); err != nil {
		e.t.Fatal(err)
	}
}

type published struct {
	URI         string
	Version     int
	Diagnostics []diagnostic
}

// diagnostics are the next ones about a version.
func (e *editor) diagnostics(version int) []diagnostic {
	e.t.Helper()
	var p published
	e.next(func(m *message) bool {
		return m.Method == "textDocument/publishDiagnostics" && json.Unmarshal(m.Params, &p) == nil && p.Version == version
	})
	return p.Diagnostics
}

func (e *editor) open(uri, text string) []diagnostic {
	e.t.Helper()
	e.tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "version": 1, "text": text}})
	return e.diagnostics(1)
}

func (e *editor) change(uri string, version int, text string) []diagnostic {
	e.t.Helper()
	e.tell("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": version},
		"contentChanges": []any{map[string]string{"text": text}}})
	return e.diagnostics(version)
}

func place(uri string, line, character int) any {
	return map[string]any{"textDocument": map[string]string{"uri": uri}, "position": position{line, character}}
}

const dekker = `program Dekker
variables flag[2]
// é
process P[i in 0..1]
  local other
begin
  flag[i] := 1;
  other := flag[1 - i];
  if other = 0 then
    cs: skip
  fi
end
forbid P[0]@cs & P[1]@cs
`

func begin(t *testing.T) *editor {
	t.Helper()
	e := newEditor(t)
	if m := e.ask("textDocument/hover", place("x", 0, 0)); m.Error == nil || m.Error.Code != codeNotReady {
		t.Errorf("before initialize: %+v", m)
	}
	m := e.ask("initialize", map[string]any{"processId": nil, "capabilities": map[string]any{}})
	if !strings.Contains(string(m.Result), "hoverProvider") {
		t.Errorf("%s", m.Result)
	}
	e.tell("initialized", map[string]any{})
	return e
}

func TestSession(t *testing.T) {
	e := begin(t)
	const uri = "file:///tmp/dekker.imp"
	if ds := e.open(uri, dekker); len(ds) != 0 {
		t.Errorf("%+v", ds)
	}
	ds := e.change(uri, 2, strings.Replace(dekker, "flag[i] := 1", "/* é𝄞 */ flg[i] := 1", 1))
	if len(ds) != 1 || !strings.Contains(ds[0].Message, "flg is not declared\ndid you mean flag?") || ds[0].Range != (span{position{6, 12}, position{6, 15}}) {
		t.Errorf("%+v", ds)
	}
	if m := e.ask("textDocument/codeAction", map[string]any{"textDocument": documentID{uri}}); string(m.Result) != "[]" {
		t.Errorf("actions for what is no program: %s", m.Result)
	}
	e.change(uri, 3, dekker)

	for _, tt := range []struct {
		line, character int
		hover           string
		definition      string // line:character
	}{
		{6, 3, "`flag`: shared variable, declared at line 2", "1:10"},
		{7, 4, "`other`: local variable of P", "4:8"},
		{7, 20, "`i`: index of P", "3:10"},
		{12, 12, "`cs`: label of P", "9:4"},
		{12, 8, "`P`: process", "3:8"},
		{9, 9, "**skip** does nothing", ""},
		{6, 11, "", ""},
	} {
		m := e.ask("textDocument/hover", place(uri, tt.line, tt.character))
		if got := string(m.Result); tt.hover == "" && got != "null" || !strings.Contains(got, tt.hover) {
			t.Errorf("hover %d:%d: %s", tt.line, tt.character, got)
		}
		m = e.ask("textDocument/definition", place(uri, tt.line, tt.character))
		var l *location
		if err := json.Unmarshal(m.Result, &l); err != nil {
			t.Error(err)
		}
		got := ""
		if l != nil {
			got = strconv.Itoa(l.Range.Start.Line) + ":" + strconv.Itoa(l.Range.Start.Character)
		}
		if got != tt.definition {
			t.Errorf("definition %d:%d: %s, want %s", tt.line, tt.character, got, tt.definition)
		}
	}
	if m := e.ask("textDocument/documentSymbol", documentParams{documentID{uri}}); strings.Count(string(m.Result), `"name"`) != 5 {
		t.Errorf("symbols %s", m.Result)
	}

	if m := e.ask("textDocument/codeAction", map[string]any{"textDocument": documentID{uri}}); !strings.Contains(string(m.Result), checkCommand) {
		t.Errorf("actions %s", m.Result)
	}
	e.ask("workspace/executeCommand", map[string]any{"command": checkCommand, "arguments": []string{uri}})
	ds = e.diagnostics(3)
	if len(ds) != 1 || !strings.HasPrefix(ds[0].Message, "UNSAFE") || ds[0].Range.Start.Line != 12 || len(ds[0].Related) < 4 {
		t.Errorf("%+v", ds)
	}
	e.ask("workspace/executeCommand", map[string]any{"command": fencesCommand, "arguments": []string{uri}})
	m := e.next(func(m *message) bool { return m.Method == "workspace/applyEdit" })
	var apply struct {
		Edit struct {
			Changes []struct {
				Document struct{ Version int } `json:"textDocument"`
				Edits    []edit
			} `json:"documentChanges"`
		}
	}
	if err := json.Unmarshal(m.Params, &apply); err != nil || len(apply.Edit.Changes) != 1 || apply.Edit.Changes[0].Document.Version != 3 {
		t.Fatalf("%v %s", err, m.Params)
	}
	got := apply.Edit.Changes[0].Edits[0]
	if !strings.Contains(got.Text, "flag[i] := 1;\n  fence;\n") || got.Range != (span{End: position{13, 0}}) {
		t.Errorf("%+v", got)
	}
	e.change(uri, 4, got.Text)
	e.ask("workspace/executeCommand", map[string]any{"command": checkCommand, "arguments": []string{uri}})
	e.next(func(m *message) bool {
		return m.Method == "window/showMessage" && strings.Contains(string(m.Params), `"SAFE`)
	})
	if ds := e.change(uri, 5, strings.Replace(got.Text, "  ", "      ", 1)); len(ds) != 0 {
		t.Error(ds)
	}
	var edits []edit
	if m = e.ask("textDocument/formatting", documentParams{documentID{uri}}); json.Unmarshal(m.Result, &edits) != nil || len(edits) != 1 || edits[0].Text != got.Text {
		t.Errorf("%s", m.Result)
	}

	if m := e.ask("workspace/executeCommand", map[string]any{"command": "rm", "arguments": []string{uri}}); m.Error == nil {
		t.Error("an unknown command")
	}
	if m := e.ask("textDocument/foo", map[string]any{}); m.Error == nil || m.Error.Code != codeMethod {
		t.Errorf("%+v", m)
	}
	e.tell("$/setTrace", map[string]any{"value": "off"})
	e.tell("textDocument/didClose", documentParams{documentID{uri}})
	if m := e.ask("textDocument/hover", place(uri, 1, 1)); m.Error == nil {
		t.Error("of a closed file")
	}
	e.ask("shutdown", nil)
	e.tell("exit", nil)
	if err := <-e.done; err != nil {
		t.Error(err)
	}
}

// TestLitmus: instructions mean something, and declare nothing.
func TestLitmus(t *testing.T) {
	e := begin(t)
	const uri = "file:///tmp/SB.litmus"
	if ds := e.open(uri, "X86_64 SB\n{ uint64_t x; uint64_t y; }\n P0 | P1 ;\n movq $1,(x) | movq $1,(y) ;\n movq (y),%rax | movq (x),%rax ;\nexists (0:rax=0 /\\ 1:rax=0)\n"); len(ds) != 0 {
		t.Errorf("%+v", ds)
	}
	if m := e.ask("textDocument/hover", place(uri, 3, 2)); !strings.Contains(string(m.Result), "**MOV** (x86)") {
		t.Errorf("%s", m.Result)
	}
	for _, about := range []string{"textDocument/definition", "textDocument/hover"} {
		if m := e.ask(about, place(uri, 4, 8)); string(m.Result) != "null" {
			t.Errorf("%s: %s", about, m.Result)
		}
	}
	e.ask("shutdown", nil)
	e.tell("exit", nil)
	if err := <-e.done; err != nil {
		t.Error(err)
	}
}

func TestC(t *testing.T) {
	e := begin(t)
	const uri = "file:///tmp/q.c"
	const text = `#include <stdatomic.h>
#include <pthread.h>
#define SIZE 4
struct node { int v; };
static atomic_int head, tail = 0; /* both
 ends */ int queue[SIZE];
int push(int v) {
	int at = atomic_load_explicit(&tail, memory_order_relaxed);
	queue[at % SIZE] = v;
	return at;
}
int main(void) { return push(3); }
`
	if ds := e.open(uri, text); len(ds) != 0 {
		t.Errorf("%+v", ds)
	}
	for _, tt := range []struct {
		line, character int
		want            string
	}{
		{7, 34, "4:24"}, {8, 14, "2:8"}, {8, 3, "5:13"}, {11, 25, "6:4"},
	} {
		m := e.ask("textDocument/definition", place(uri, tt.line, tt.character))
		var l location
		if err := json.Unmarshal(m.Result, &l); err != nil {
			t.Error(err)
		}
		if got := strconv.Itoa(l.Range.Start.Line) + ":" + strconv.Itoa(l.Range.Start.Character); got != tt.want {
			t.Errorf("%d:%d: %s, want %s", tt.line, tt.character, got, tt.want)
		}
	}
	if m := e.ask("textDocument/hover", place(uri, 7, 45)); !strings.Contains(string(m.Result), "a plain `mov`") {
		t.Errorf("%s", m.Result)
	}
	if ds := e.change(uri, 2, strings.Replace(text, "return at", "return att", 1)); len(ds) != 1 || ds[0].Range.Start.Line != 9 {
		t.Errorf("%+v", ds)
	}
}

// TestFraming: what is no message ends the session with an error, or is answered with one.
func TestFraming(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", "EOF"},
		{"Content-Length: 3\r\n\r\n{", "unexpected EOF"},
		{"Content-Length: x\r\n\r\n{", "no length"},
		{"Content-Length: -1\r\n\r\n{", "no length"},
		{"Content-Length: 99999999999\r\n\r\n{", "at most"},
		{"\r\n", "without its length"},
		{"hello\r\n\r\n", "no header"},
		{strings.Repeat("x", 1<<20), "buffer full"},
		{"Content-Length: 33\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}", "exit before shutdown"},
	} {
		var out strings.Builder
		if err := Serve(context.Background(), strings.NewReader(tt.in), &out); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.40q: %v, want %s", tt.in, err, tt.want)
		}
	}
	var out strings.Builder
	err := Serve(context.Background(), strings.NewReader("Content-Length: 1\r\n\r\n{"), &out)
	if !errors.Is(err, io.EOF) || !strings.Contains(out.String(), strconv.Itoa(codeParse)) {
		t.Errorf("%v %s", err, out.String())
	}
}

func FuzzServe(f *testing.F) {
	f.Add("Content-Length: 58\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}")
	f.Add("Content-Length: 2\r\nContent-Type: x\r\n\r\n{}")
	f.Add("0")
	for name, text := range map[string]string{
		"p.imp":    "program P\nvariables x, y\nprocess P local r begin x := 1; r := y end\nprocess Q local r begin y := 1; r := x end\nexists P.r = 0 & Q.r = 0\n",
		"p.c":      "#include <assert.h>\nint x;\nint main(void) { x = 1; assert(x == 1); return 0; }\n",
		"p.litmus": "X86 SB\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\nexists (x=1 /\\ y=1)\n",
		"p.cat":    "acyclic po | rf | co | fr as sc\n",
		"p.imp 2":  "program P process P begin while end",
	} {
		uri, _ := json.Marshal("file:///" + strings.TrimSuffix(name, " 2"))
		quoted, _ := json.Marshal(text)
		var session strings.Builder
		for i, m := range []string{
			`"method":"initialize","params":{"capabilities":{}}`,
			`"method":"initialized","params":{}`,
			`"method":"textDocument/didOpen","params":{"textDocument":{"uri":` + string(uri) + `,"languageId":"x","version":1,"text":` + string(quoted) + `}}`,
			`"method":"textDocument/hover","params":{"textDocument":{"uri":` + string(uri) + `},"position":{"line":1,"character":11}}`,
			`"method":"textDocument/definition","params":{"textDocument":{"uri":` + string(uri) + `},"position":{"line":2,"character":24}}`,
			`"method":"textDocument/documentSymbol","params":{"textDocument":{"uri":` + string(uri) + `}}`,
			`"method":"textDocument/formatting","params":{"textDocument":{"uri":` + string(uri) + `},"options":{"tabSize":4}}`,
			`"method":"textDocument/codeAction","params":{"textDocument":{"uri":` + string(uri) + `},"range":{"start":{"line":0,"character":0},"end":{"line":9,"character":0}},"context":{"diagnostics":[]}}`,
			`"method":"textDocument/didChange","params":{"textDocument":{"uri":` + string(uri) + `,"version":2},"contentChanges":[{"text":"program"}]}`,
			`"method":"workspace/executeCommand","params":{"command":"fencepost.check","arguments":[` + string(uri) + `]}`,
			`"method":"$/cancelRequest","params":{"id":4}`,
			`"method":"textDocument/didClose","params":{"textDocument":{"uri":` + string(uri) + `}}`,
			`"method":"shutdown"`,
			`"method":"exit"`,
		} {
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i, m)
			fmt.Fprintf(&session, "Content-Length: %d\r\n\r\n%s", len(body), body)
		}
		f.Add(session.String())
	}
	f.Fuzz(func(t *testing.T, in string) {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		Serve(ctx, strings.NewReader(in), io.Discard)
		d := &document{name: "x.c", text: in}
		for _, x := range d.outline() {
			if x.Name == "" || x.Pos.Line < 1 || x.Pos.Col < 1 {
				t.Errorf("%+v", x)
			}
			d.at(x.Pos)
		}
		d.word(position{0, len(in) / 2})
	})
}

// TestInclude: names lead to other files, as they are on the disk or in the editor.
func TestInclude(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return fileURI(path)
	}
	lib := write("lib.imp", "variables x\nprocedure set(v) begin\n  x := v\nend\n")
	write("q.h", "static int size;\n")
	e := begin(t)
	imp, c := fileURI(filepath.Join(dir, "p.imp")), fileURI(filepath.Join(dir, "q.c"))
	if ds := e.open(imp, "program P\ninclude \"lib.imp\"\nprocess Q begin\n  set(1); assert x = 1\nend\n"); len(ds) != 0 {
		t.Errorf("%+v", ds)
	}
	if ds := e.open(c, "#include \"q.h\"\nint main(void) { return size; }\n"); len(ds) != 0 {
		t.Errorf("%+v", ds)
	}
	at := func(uri string, line, character int) string {
		m := e.ask("textDocument/definition", place(uri, line, character))
		var l location
		if err := json.Unmarshal(m.Result, &l); err != nil {
			t.Error(err)
		}
		return fmt.Sprintf("%s %d:%d", path.Base(l.URI), l.Range.Start.Line, l.Range.Start.Character)
	}
	for _, tt := range []struct {
		uri             string
		line, character int
		want            string
	}{
		{imp, 3, 3, "lib.imp 1:10"}, {imp, 3, 17, "lib.imp 0:10"}, {imp, 1, 12, "lib.imp 0:0"}, {imp, 2, 8, "p.imp 2:8"},
		{c, 1, 26, "q.h 0:11"}, {c, 0, 11, "q.h 0:0"},
	} {
		if got := at(tt.uri, tt.line, tt.character); got != tt.want {
			t.Errorf("%s %d:%d: %s, want %s", path.Base(tt.uri), tt.line, tt.character, got, tt.want)
		}
	}
	if m := e.ask("textDocument/hover", place(imp, 3, 3)); !strings.Contains(string(m.Result), "declared at line 2 of lib.imp") {
		t.Errorf("%s", m.Result)
	}
	if m := e.ask("textDocument/documentSymbol", documentParams{documentID{imp}}); strings.Count(string(m.Result), `"name"`) != 1 {
		t.Errorf("symbols %s", m.Result)
	}
	// The file is opened, which is no program by itself, and changed.
	if ds := e.open(lib, "variables x\nprocedure set(v) begin\n  x := v\nend\n"); len(ds) != 0 {
		t.Errorf("%+v", ds)
	}
	e.tell("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": lib, "version": 2},
		"contentChanges": []any{map[string]string{"text": "variables x\nprocedure set(v) begin\n  y := v\nend\n"}}})
	var p published
	e.next(func(m *message) bool {
		return m.Method == "textDocument/publishDiagnostics" && json.Unmarshal(m.Params, &p) == nil && p.URI == imp && len(p.Diagnostics) > 0
	})
	if len(p.Diagnostics) != 1 || !strings.Contains(p.Diagnostics[0].Message, "lib.imp:3: y is not declared") ||
		len(p.Diagnostics[0].Related) != 1 || p.Diagnostics[0].Related[0].Location != (location{lib, span{position{2, 2}, position{2, 3}}}) {
		t.Errorf("%+v", p)
	}
	if ds := e.change(lib, 3, "variables x\nprocedure set(v begin\n"); len(ds) != 1 || ds[0].Range.Start.Line != 1 {
		t.Errorf("%+v", ds)
	}
	e.tell("textDocument/didClose", documentParams{documentID{lib}})
	p = published{}
	e.next(func(m *message) bool {
		return m.Method == "textDocument/publishDiagnostics" && json.Unmarshal(m.Params, &p) == nil && p.URI == imp && len(p.Diagnostics) == 0
	})
	e.ask("workspace/executeCommand", map[string]any{"command": checkCommand, "arguments": []string{imp}})
	e.next(func(m *message) bool {
		return m.Method == "window/showMessage" && strings.Contains(string(m.Params), "SAFE")
	})
}
