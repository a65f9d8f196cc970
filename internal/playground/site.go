package playground

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"io/fs"

	"github.com/fencepost-verifier/fencepost/report/page"
)

//go:embed site
var site embed.FS

// Wasm is the checker as WebAssembly, gzipped, and the script that comes with the Go that has
// built it.
type Wasm struct {
	Module []byte
	Exec   []byte
}

// Site is the files of the page by name. Any host can serve them as they are: index.html is where
// to begin, and the checker is decompressed by the page.
func Site(w *Wasm) (map[string][]byte, error) {
	files := map[string][]byte{
		"fencepost.wasm.gz": w.Module, "wasm_exec.js": w.Exec,
		"view.js": []byte(page.Script + "window.Fencepost = Fencepost;\n"), "view.css": []byte(page.Style),
	}
	var err error
	if files["about.json"], err = json.Marshal(about()); err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(site, "site")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if files[e.Name()], err = site.ReadFile("site/" + e.Name()); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Compress is a module as [Wasm] has it. What is small takes four times as long to make as what is a
// sixth larger, which does where it does not go far.
func Compress(module []byte, small bool) ([]byte, error) {
	level := gzip.BestSpeed
	if small {
		level = gzip.BestCompression
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, level)
	if err == nil {
		_, err = z.Write(module)
	}
	if err == nil {
		err = z.Close()
	}
	return b.Bytes(), err
}
