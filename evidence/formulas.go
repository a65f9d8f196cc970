package evidence

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"

	"github.com/fencepost-verifier/fencepost/certify"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Formulas with their proofs are a certificate, too: the files of [Write] one after the other,
// each behind a line with its name and size.
const formulasLine = "formulas\n"

func writeFormulas(ctx context.Context, w io.Writer, r *verdict.Result) error {
	if _, err := io.WriteString(w, certify.Magic+"\n"+formulasLine); err != nil {
		return err
	}
	return Write(ctx, func(name string) (io.WriteCloser, error) { return &section{name: name, to: w}, nil }, r)
}

// A section is a file in a certificate, written when it is closed.
type section struct {
	bytes.Buffer
	name string
	to   io.Writer
}

func (s *section) Close() error {
	_, err := fmt.Fprintf(s.to, "file %s %d\n%s", s.name, s.Len(), s.Bytes())
	return err
}

// sections are the files of such a certificate, from behind its first lines.
func sections(text []byte) (map[string][]byte, error) {
	files := map[string][]byte{}
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		words := bytes.Split(line, []byte(" "))
		if len(words) != 3 || string(words[0]) != "file" {
			return nil, fmt.Errorf("certificate: %.80q begins no file", line)
		}
		n, err := strconv.Atoi(string(words[2]))
		if err != nil || n < 0 || n > len(rest) || strconv.Itoa(n) != string(words[2]) || files[string(words[1])] != nil {
			return nil, fmt.Errorf("certificate: the file %q is not as long as it should be, or there already", words[1])
		}
		files[string(words[1])], text = rest[:n:n], rest[n:]
	}
	return files, nil
}

// certifyFormulas checks such a certificate, from behind its first lines.
func certifyFormulas(ctx context.Context, text []byte, p *program.Program) (*Accepted, error) {
	files, err := sections(text)
	if err != nil {
		return nil, err
	}
	var opened []string
	c, err := Check(ctx, func(name string) (io.ReadCloser, error) {
		file, ok := files[name]
		if !ok {
			return nil, fmt.Errorf("certificate: the file %q: %w", name, fs.ErrNotExist)
		}
		if !slices.Contains(opened, name) {
			opened = append(opened, name)
		}
		return io.NopCloser(bytes.NewReader(file)), nil
	}, p)
	if err != nil {
		return nil, err
	}
	if len(opened) != len(files) {
		return nil, fmt.Errorf("certificate: %d files are not needed", len(files)-len(opened))
	}
	return c.Accepted(), nil
}
