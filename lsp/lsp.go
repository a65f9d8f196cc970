// Package lsp is a language server for IMP, litmus tests and C: an editor opens files and
// changes them, and is told what is wrong with them as one types, what a word means, where it is
// declared; it can have a file checked, laid out, and mended with fences.
//
// What comes in are messages of the Language Server Protocol 3.17 (JSON-RPC 2.0 with a header),
// and so is what goes out. The answers are those of the library; here is only what editors need.
package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// maxMessage bounds a message, in bytes.
const maxMessage = 16 << 20

// A message is a request, a notification (without an ID) or a response (without a method).
type message struct {
	Version string           `json:"jsonrpc"`
	ID      *json.RawMessage `json:"id,omitempty"`
	Method  string           `json:"method,omitempty"`
	Params  json.RawMessage  `json:"params,omitempty"`
	Result  json.RawMessage  `json:"result,omitempty"`
	Error   *responseError   `json:"error,omitempty"`
}

type responseError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *responseError) Error() string { return e.Message }

// The codes of errors.
const (
	codeParse     = -32700
	codeMethod    = -32601
	codeParams    = -32602
	codeNotReady  = -32002
	codeCancelled = -32800
)

// A conn reads and writes messages. Writing is for several goroutines.
type conn struct {
	r *bufio.Reader

	mu sync.Mutex
	w  io.Writer
	id int // of requests to the editor
}

// read is the next message. The error is io.EOF where the editor has gone.
func (c *conn) read() (*message, error) {
	n := -1
	for first := true; ; first = false {
		line, err := c.r.ReadSlice('\n') // of bounded length
		if err != nil {
			if !first && errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		name, value, header := strings.Cut(strings.TrimSpace(string(line)), ":")
		if !header {
			if name == "" {
				break
			}
			return nil, fmt.Errorf("lsp: %q is no header of a message", name)
		}
		if strings.EqualFold(name, "Content-Length") {
			if n, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || n < 0 {
				return nil, fmt.Errorf("lsp: %q is no length of a message", value)
			}
		}
	}
	if n < 0 {
		return nil, errors.New("lsp: a message without its length")
	}
	if n > maxMessage {
		return nil, fmt.Errorf("lsp: a message of %d bytes; at most %d are read", n, maxMessage)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(c.r, body); err != nil {
		return nil, err
	}
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, &responseError{codeParse, err.Error()}
	}
	return &m, nil
}

func (c *conn) write(m *message) error {
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err = fmt.Fprintf(c.w, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

// notify sends a notification, or, with ask, a request whose response nobody waits for.
func (c *conn) notify(method string, params any, ask bool) error {
	b, err := json.Marshal(params)
	if err != nil {
		return err
	}
	m := &message{Method: method, Params: b}
	if ask {
		c.mu.Lock()
		c.id++
		id := json.RawMessage(strconv.Quote("fencepost-" + strconv.Itoa(c.id)))
		c.mu.Unlock()
		m.ID = &id
	}
	return c.write(m)
}

// Serve answers the messages of one editor until it says exit, or has gone, or ctx ends. The
// error is nil after an orderly shutdown.
func Serve(ctx context.Context, r io.Reader, w io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newServer(ctx, &conn{r: bufio.NewReader(r), w: w})
	defer s.wait()
	defer cancel()
	for {
		m, err := s.conn.read()
		var bad *responseError
		switch {
		case errors.As(err, &bad):
			null := json.RawMessage("null")
			if err := s.conn.write(&message{ID: &null, Error: bad}); err != nil {
				return err
			}
			continue
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, io.EOF) && s.down:
			return nil
		case err != nil:
			return err
		}
		if m.Method == "exit" {
			if !s.down {
				return errors.New("lsp: exit before shutdown")
			}
			return nil
		}
		if err := s.handle(m); err != nil {
			return err
		}
	}
}
