package peers

import (
	"context"
	"path/filepath"
)

// Ours is our command: the binary that was named, or, where that is "", what [Build] makes.
func Ours(binary, dir string) (*Tool, error) {
	if binary != "" {
		return &Tool{Name: "fencepost", Path: binary}, nil
	}
	return Build(dir)
}

// Build makes our command into a directory, out of the module that the current
// directory is in.
func Build(dir string) (*Tool, error) {
	compiler, err := Find("go")
	if err != nil {
		return nil, err
	}
	t := &Tool{Name: "fencepost", Path: filepath.Join(dir, "fencepost.exe")}
	_, err = compiler.Must(context.Background(), "", "build", "-o", t.Path, "github.com/fencepost-verifier/fencepost/cmd/fencepost")
	return t, err
}
