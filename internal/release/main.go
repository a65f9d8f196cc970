// Command release writes what a release consists of into a folder: static binaries for every system, a
// list of what is in each (a bill of materials in CycloneDX), and checksums.
//
//	go run ./internal/release DIR
//	go run ./internal/release -only linux/amd64 DIR
//
// Nothing of the machine or of the time is in the files: two runs on one commit with one version of Go write the same bytes, on
// whatever machine. The version and the commit in the binaries are those that Go takes from the repository.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// targets are the systems, as GOOS/GOARCH.
var targets = []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64", "windows/amd64", "windows/arm64"}

// sumsName is the file with the checksums, in the form of sha256sum.
const sumsName = "SHA256SUMS"

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	only := flag.String("only", strings.Join(targets, ","), "the systems, with commas in between")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: go run ./internal/release [-only GOOS/GOARCH,..] DIR")
	}
	if err := release(flag.Arg(0), strings.Split(*only, ",")); err != nil {
		log.Fatal(err)
	}
}

// release writes the files for the systems.
func release(dir string, systems []string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var sums strings.Builder
	for _, system := range systems {
		name, err := build(dir, system)
		if err != nil {
			return err
		}
		binary := filepath.Join(dir, name)
		list, err := materials(binary)
		if err != nil {
			return err
		}
		if err := os.WriteFile(binary+".cdx.json", list, 0o666); err != nil {
			return err
		}
		for _, file := range []string{name, name + ".cdx.json"} {
			text, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				return err
			}
			fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(text), file)
		}
		log.Print(name)
	}
	return os.WriteFile(filepath.Join(dir, sumsName), []byte(sums.String()), 0o666)
}

// build makes the binary for a system, and gives its name.
func build(dir, system string) (string, error) {
	goos, goarch, ok := strings.Cut(system, "/")
	if !ok {
		return "", fmt.Errorf("%q is not such as linux/amd64", system)
	}
	name := "fencepost-" + goos + "-" + goarch
	if goos == "windows" {
		name += ".exe"
	}
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", filepath.Join(dir, name), "./cmd/fencepost")
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %v\n%s", system, err, out)
	}
	return name, nil
}
