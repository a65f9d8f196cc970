package peers

import (
	"context"
	"path/filepath"
)

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
