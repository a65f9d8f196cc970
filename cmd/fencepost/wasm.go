package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/fencepost-verifier/fencepost"
	"github.com/fencepost-verifier/fencepost/internal/playground"
)

// The checker of the playground is this program built for another machine, WebAssembly. It is
// some 6 MB, compressed, so it is not in the repository. A binary that is built with the tag
// "playground" has it (see docs/playground.md); any other has it built, by the Go that it takes to
// have got so far, out of the source that is around, of the source that the binary was built from, if that
// is still where it was, or of the version that was installed.

// noWasm says why there is no checker for the page, and what to do.
type noWasm struct{ why string }

func (e *noWasm) Error() string {
	return "there is no checker for the page in this binary, and " + e.why + "; docs/playground.md says how to have it in the binary"
}

const playgroundPackage = modulePath + "/cmd/playground"

const modulePath = "github.com/fencepost-verifier/fencepost"

// wasm is the checker for the page, small where it has a way to go. tell is told what takes a while.
func wasm(ctx context.Context, small bool, tell func(string)) (*playground.Wasm, error) {
	if w := embeddedWasm(); w != nil {
		return w, nil
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		return nil, &noWasm{"no Go here to build it with"}
	}
	dir, err := os.MkdirTemp("", "fencepost-*")
	if err != nil {
		return nil, &outputError{err: err}
	}
	defer os.RemoveAll(dir)
	file, err := buildWasm(ctx, goTool, dir, tell)
	if err != nil {
		return nil, err
	}
	module, err := os.ReadFile(file)
	if err != nil {
		return nil, &noWasm{err.Error()}
	}
	root, err := goOutput(ctx, goTool, nil, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	script, err := os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, &noWasm{"this Go has no wasm_exec.js: " + err.Error()}
	}
	if small {
		tell("compressing it ...")
	}
	if module, err = playground.Compress(module, small); err != nil {
		return nil, err
	}
	return &playground.Wasm{Module: module, Exec: script}, nil
}

// buildWasm builds the checker from the source around, or from that of the version that runs, and
// gives the place of the file.
func buildWasm(ctx context.Context, goTool, dir string, tell func(string)) (string, error) {
	const building = "building the checker for the page ..."
	target := []string{"GOOS=js", "GOARCH=wasm", "GOWORK=off"}
	file := filepath.Join(dir, "fencepost.wasm")
	for _, source := range sources() {
		if _, err := goOutput(ctx, goTool, target, "list", "-C", source, playgroundPackage); err == nil {
			tell(building)
			_, err := goOutput(ctx, goTool, target, "build", "-C", source, "-trimpath", "-ldflags=-s -w", "-o", file, playgroundPackage)
			return file, err
		}
	}
	version := ""
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path == modulePath {
		version = info.Main.Version
	}
	if version == "" || strings.Contains(version, "devel") || strings.Contains(version, "+") {
		return "", &noWasm{"the source to build it from is not here: run this in the folder of the source"}
	}
	cache, err := goOutput(ctx, goTool, nil, "env", "GOMODCACHE")
	if err != nil {
		return "", err
	}
	tell(building)
	// Installing for another machine needs a GOPATH to put it under.
	target = append(target, "GOPATH="+dir, "GOMODCACHE="+cache, "GOBIN=", "GOFLAGS=")
	if _, err := goOutput(ctx, goTool, target, "install", "-trimpath", "-ldflags=-s -w", playgroundPackage+"@"+version); err != nil {
		return "", err
	}
	return filepath.Join(dir, "bin", "js_wasm", "playground"), nil
}

// sources is the folders that the source may be in: this one, and the one that the binary was built in,
// unless that was left out of it (-trimpath).
func sources() []string {
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		return []string{".", filepath.Join(filepath.Dir(file), "..", "..")}
	}
	return []string{"."}
}

// goOutput is what the go command prints.
func goOutput(ctx context.Context, goTool string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, goTool, args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", &fencepost.StoppedError{Why: "by an interrupt"}
	case errors.As(err, &exit):
		return "", &noWasm{fmt.Sprintf("go %s: %s", strings.Join(args, " "), firstLines(string(exit.Stderr)))}
	case err != nil:
		return "", &noWasm{err.Error()}
	}
	return strings.TrimSpace(string(out)), nil
}

func firstLines(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[:min(len(lines), 3)], "\n")
}
