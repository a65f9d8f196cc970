package main

import (
	"bytes"
	"context"
	"errors"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/fencepost-verifier/fencepost/lang/asm"
	"github.com/fencepost-verifier/fencepost/program"
)

// tools are the programs of other people.
var tools = []func() (method, bool){cbmc, trencher}

// cbmc is bounded model checking of the program as C. What it finds is UNSAFE;
// that it finds nothing is true up to the bound.
func cbmc() (method, bool) {
	path, err := exec.LookPath("cbmc")
	if err != nil {
		log.Print("CBMC is not on the path; there is no column for it")
		return method{}, false
	}
	return method{"cbmc --mm tso", func(ctx context.Context, p *program.Program, i instance) (string, int64, error) {
		var src bytes.Buffer
		if err := writeC(&src, p); err != nil {
			return "", 0, err
		}
		out, status, err := runOn(ctx, src.Bytes(), "program.c", path, "--mm", "tso", "--unwind", strconv.Itoa(i.unwind))
		switch {
		case err != nil:
			return "", 0, err
		case status == 0 && bytes.Contains(out, []byte("VERIFICATION SUCCESSFUL")):
			return "none up to " + strconv.Itoa(i.unwind), -1, nil
		case status == 10 && bytes.Contains(out, []byte("VERIFICATION FAILED")):
			return "UNSAFE", -1, nil
		}
		return "UNKNOWN", -1, nil
	}}, true
}

// trencher decides robustness of automata.
func trencher() (method, bool) {
	path, err := exec.LookPath("trencher")
	if err != nil {
		log.Print("Trencher is not on the path; there is no column for it")
		return method{}, false
	}
	return method{"trencher -r", func(ctx context.Context, p *program.Program, _ instance) (string, int64, error) {
		var src bytes.Buffer
		if err := asm.Write(&src, p); err != nil {
			return "", 0, err
		}
		out, _, err := runOn(ctx, src.Bytes(), "program.txt", path, "-r")
		switch {
		case err != nil:
			return "", 0, err
		case bytes.Contains(out, []byte("IS NOT robust")):
			return "NOT ROBUST", -1, nil
		case bytes.Contains(out, []byte("IS robust")):
			return "ROBUST", -1, nil
		}
		return "UNKNOWN", -1, nil
	}}, true
}

// runOn runs a command with a file as its last argument, and gives its output and
// its exit status.
func runOn(ctx context.Context, text []byte, name string, command ...string) ([]byte, int, error) {
	dir, err := os.MkdirTemp("", "thesis")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, 0, err
	}
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], file)...)
	cmd.Dir = dir // it may leave files
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return out, exit.ExitCode(), nil
	}
	return out, 0, err
}
