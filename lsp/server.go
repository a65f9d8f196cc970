package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/fencepost-verifier/fencepost"
)

// A server is one session with an editor. Messages are handled one after the other; what may take
// long, checks and searches for fences, goes on beside them.
type server struct {
	ctx  context.Context
	conn *conn
	docs map[string]*document
	up   bool // initialized
	down bool // shut down

	mu      sync.Mutex
	running map[string]context.CancelFunc // by the name of the file
	work    sync.WaitGroup
}

// A document is a file as the editor has it.
type document struct {
	uri     string
	name    string // of the file
	text    string
	version int
	broken  bool // it is no program
	// open are the texts of all files that are open, by name, which a program includes as they are there.
	open map[string]string
	// included are the texts that it included when it was a program last.
	included []*fencepost.Source
}

func newServer(ctx context.Context, c *conn) *server {
	return &server{ctx: ctx, conn: c, docs: map[string]*document{}, running: map[string]context.CancelFunc{}}
}

func (s *server) wait() { s.work.Wait() }

// A handler answers a request, or takes a notification; what it returns is not looked at then.
type handler func(s *server, params json.RawMessage) (any, error)

// with makes a handler of a function whose parameters have a type.
func with[P any](f func(s *server, p P) (any, error)) handler {
	return func(s *server, params json.RawMessage) (any, error) {
		var p P
		if len(params) > 0 {
			if err := json.Unmarshal(params, &p); err != nil {
				return nil, &responseError{codeParams, err.Error()}
			}
		}
		return f(s, p)
	}
}

var handlers map[string]handler

func init() { // not above, since the handlers lead back here
	handlers = map[string]handler{
		"initialize":                  with((*server).initialize),
		"initialized":                 with(func(*server, struct{}) (any, error) { return nil, nil }),
		"shutdown":                    with(func(s *server, _ struct{}) (any, error) { s.down = true; return nil, nil }),
		"textDocument/didOpen":        with((*server).opened),
		"textDocument/didChange":      with((*server).changed),
		"textDocument/didClose":       with((*server).closed),
		"textDocument/didSave":        with(func(*server, struct{}) (any, error) { return nil, nil }),
		"textDocument/hover":          with((*server).hover),
		"textDocument/definition":     with((*server).definition),
		"textDocument/documentSymbol": with((*server).symbols),
		"textDocument/formatting":     with((*server).format),
		"textDocument/codeAction":     with((*server).actions),
		"workspace/executeCommand":    with((*server).execute),
	}
}

// handle answers a message. The error is that the editor cannot be reached.
func (s *server) handle(m *message) error {
	if m.Method == "" {
		return nil // a response: nobody waits for it
	}
	respond := func(result any, err error) error {
		if m.ID == nil {
			return nil
		}
		if err != nil {
			bad, ok := err.(*responseError)
			if !ok {
				bad = &responseError{codeParams, err.Error()}
			}
			return s.conn.write(&message{ID: m.ID, Error: bad})
		}
		b, err := json.Marshal(result)
		if err != nil {
			return err
		}
		return s.conn.write(&message{ID: m.ID, Result: b})
	}
	h := handlers[m.Method]
	switch {
	case h == nil && strings.HasPrefix(m.Method, "$/"):
		return nil
	case h == nil:
		return respond(nil, &responseError{codeMethod, "fencepost does not know " + m.Method})
	case !s.up && m.Method != "initialize", s.down:
		return respond(nil, &responseError{codeNotReady, "not between initialize and shutdown"})
	}
	result, err := h(s, m.Params)
	return respond(result, err)
}

// The commands of [server.execute].
const (
	checkCommand  = "fencepost.check"
	fencesCommand = "fencepost.fences"
)

func (s *server) initialize(struct{}) (any, error) {
	s.up = true
	return map[string]any{
		"serverInfo": map[string]string{"name": "fencepost"},
		"capabilities": map[string]any{
			"textDocumentSync":           map[string]any{"openClose": true, "change": 1, "save": true}, // whole texts
			"hoverProvider":              true,
			"definitionProvider":         true,
			"documentSymbolProvider":     true,
			"documentFormattingProvider": true,
			"codeActionProvider":         true,
			"executeCommandProvider":     map[string]any{"commands": []string{checkCommand, fencesCommand}},
		},
	}, nil
}

type documentID struct {
	URI string `json:"uri"`
}

type openParams struct {
	Document struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
		Text    string `json:"text"`
	} `json:"textDocument"`
}

func (s *server) opened(p openParams) (any, error) {
	name, err := fileName(p.Document.URI)
	if err != nil {
		return nil, err
	}
	d := &document{uri: p.Document.URI, name: name, text: p.Document.Text, version: p.Document.Version}
	s.docs[d.uri] = d
	return nil, s.diagnoseAll(d)
}

// diagnoseAll says what is wrong with a text as it is now, and with those that include it.
func (s *server) diagnoseAll(d *document) error {
	if err := s.diagnose(d); err != nil {
		return err
	}
	return s.including(d.name)
}

// including says what is wrong with the texts that include the file of a name.
func (s *server) including(name string) error {
	for _, x := range s.docs {
		if !x.includes(name) {
			continue
		}
		s.stop(x.name)
		if err := s.diagnose(x); err != nil {
			return err
		}
	}
	return nil
}

// includes is whether a text included the file of a name, when it was last a program or not one because of it.
func (d *document) includes(name string) bool {
	return slices.ContainsFunc(d.included, func(in *fencepost.Source) bool { return in.Name == name })
}

// fileName is the name of the file that a URI names; another than that of a file names itself, so that its
// end tells the language.
func fileName(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err != nil {
		return "", fmt.Errorf("%q is no URI", uri)
	}
	if u.Scheme != "file" {
		return filepath.Base(u.Path), nil
	}
	path := u.Path
	if len(path) > 2 && path[0] == '/' && path[2] == ':' { // /C:/queue.c
		path = path[1:]
	}
	return filepath.FromSlash(path), nil
}

// fileURI is the URI of the file of a name.
func fileURI(name string) string {
	path := filepath.ToSlash(name)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

type changeParams struct {
	Document struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
	} `json:"textDocument"`
	Changes []struct {
		Text string `json:"text"`
	} `json:"contentChanges"`
}

func (s *server) changed(p changeParams) (any, error) {
	d, err := s.document(p.Document.URI)
	if err != nil || len(p.Changes) == 0 {
		return nil, err
	}
	s.stop(d.name)
	d.text, d.version = p.Changes[len(p.Changes)-1].Text, p.Document.Version
	return nil, s.diagnoseAll(d)
}

func (s *server) closed(p struct {
	Document documentID `json:"textDocument"`
}) (any, error) {
	d, err := s.document(p.Document.URI)
	if err != nil {
		return nil, err
	}
	s.stop(d.name)
	delete(s.docs, d.uri)
	if err := s.publish(d, nil); err != nil {
		return nil, err
	}
	return nil, s.including(d.name) // which are read from the disk now
}

func (s *server) document(uri string) (*document, error) {
	d := s.docs[uri]
	if d == nil {
		return nil, fmt.Errorf("%s is not open", uri)
	}
	s.notice(d)
	return d, nil
}

// notice tells a document which others are open.
func (s *server) notice(d *document) {
	d.open = make(map[string]string, len(s.docs))
	for _, x := range s.docs {
		d.open[x.name] = x.text
	}
}

// stop ends the check of a file that is under way.
func (s *server) stop(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.running[name]; cancel != nil {
		cancel()
		delete(s.running, name)
	}
}

// beside does something about a file beside the messages, in the place of what is under way there.
func (s *server) beside(name string, f func(ctx context.Context)) {
	s.stop(name)
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	s.running[name] = cancel
	s.mu.Unlock()
	s.work.Add(1)
	go func() {
		defer s.work.Done()
		defer cancel()
		defer func() {
			if v := recover(); v != nil {
				s.show(messageError, fmt.Sprintf("an internal error: %v", v))
			}
		}()
		f(ctx)
	}()
}

// read is the program of a document.
func (d *document) read() (*fencepost.Program, error) {
	return fencepost.Read(d.name, strings.NewReader(d.text), d.unsaved())
}

// unsaved has the program include what is open as the editor has it.
func (d *document) unsaved() fencepost.Option { return fencepost.Unsaved(d.open) }

// flatten lists sources and what they include, each once.
func flatten(all []*fencepost.Source) (flat []*fencepost.Source) {
	for _, src := range all {
		if src.Text != "" {
			flat = append(flat, src)
		}
		flat = append(flat, flatten(src.Included)...)
	}
	return flat
}
