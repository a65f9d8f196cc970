package main

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/hex"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"
)

// checker names what decides what an answer is: this program. It is the same on every machine. A build that is no
// release is named by what Go's linker wrote into it, a digest of all of it, as every worker would have
// to read tens of megabytes otherwise before it can begin; or else by a digest of the file.
var checker = sync.OnceValues(func() (string, error) {
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" && v != "(devel)" && !strings.Contains(v, "+dirty") {
			return v, nil
		}
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(self)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if id := buildID(f); id != "" {
		return "build " + id, nil
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return "build " + hex.EncodeToString(h.Sum(nil)[:8]), nil
})

// buildID is the last part of the build ID of a Go program, which is a digest of the whole file; "" where there is none.
func buildID(f io.ReaderAt) string {
	var id []byte
	if x, err := elf.NewFile(f); err == nil {
		if s := x.Section(".note.go.buildid"); s != nil {
			if note, err := s.Data(); err == nil && len(note) > 16 { // sizes, type and the name "Go"
				id = bytes.TrimRight(note[16:], "\x00")
			}
		}
	} else {
		var text io.Reader
		if x, err := macho.NewFile(f); err == nil && x.Section("__text") != nil {
			text = x.Section("__text").Open()
		} else if x, err := pe.NewFile(f); err == nil && x.Section(".text") != nil {
			text = x.Section(".text").Open()
		} else {
			return ""
		}
		head := make([]byte, 4<<10)
		n, _ := io.ReadFull(text, head)
		_, id, _ = bytes.Cut(head[:n], []byte("\xff Go build ID: \""))
		id, _, _ = bytes.Cut(id, []byte{'"'})
	}
	if i := bytes.LastIndexByte(id, '/'); i >= 0 && len(id)-i > 16 {
		return string(id[i+1:])
	}
	return ""
}
