package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fencepost-verifier/fencepost"
)

// A cache keeps answers in a folder, each in a file named after all that it depends on: this
// program's version, the flags, and the program as the engines see it, with its text. What a header
// or a constant changes is in there, so that nothing needs to be said of dependencies. Only
// verdicts are kept; an UNKNOWN may be another answer next time.
type cache struct {
	dir   string // "": none
	flags string // those that were given
}

// of notes the flags that were given.
func (c *cache) of(cmd *cobra.Command) error {
	if c.dir == "" {
		return nil
	}
	var all []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != "cache" && f.Name != "config" {
			all = append(all, f.Name+"="+f.Value.String())
		}
	})
	for _, name := range []string{"certificate", "save-run", "proof", "graph", "html", "verbose"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--cache keeps answers only; leave out --%s", name)
		}
	}
	c.flags = strings.Join(all, "\n")
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return fmt.Errorf("--cache: %w", &outputError{c.dir, err})
	}
	return nil
}

// file is where the answer about p is kept; "" where it cannot be.
func (c *cache) file(p *fencepost.Program, model fencepost.Model, style fencepost.Style) string {
	if c.dir == "" || strings.ContainsAny(string(model), "./\\") {
		return "" // of a model from a file it is not known what it includes
	}
	h := sha256.New()
	if err := json.NewEncoder(h).Encode([]any{buildIdentity(), c.flags, model, style, p.Source}); err != nil {
		return ""
	}
	if err := fencepost.Convert(h, p, fencepost.Listing); err != nil {
		return ""
	}
	key := hex.EncodeToString(h.Sum(nil))
	return filepath.Join(c.dir, key[:2], key+".json")
}

// buildIdentity is what tells this program from one that may answer in another way.
func buildIdentity() string {
	v := version()
	if strings.Contains(v, "commit") && !strings.Contains(v, "modified") {
		return v
	}
	if path, err := os.Executable(); err == nil {
		if info, err := os.Stat(path); err == nil {
			v += fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
	}
	return v
}

// A keptAnswer is what a file of the cache says. Whoever can write there could make it say anything: a
// run is taken again before it is shown, and the rest is believed.
type keptAnswer struct {
	fencepost.Part
	Run string `json:"run,omitempty"` // that shows it, as JSON has it
}

// load is a kept answer about p.
func (c *cache) load(file string, p *fencepost.Program, model fencepost.Model, property fencepost.Property) (k keptAnswer, ok bool) {
	if file == "" {
		return k, false
	}
	b, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(b, &k) != nil {
		return k, false
	}
	switch k.Verdict {
	case "SAFE":
		return k, true
	case "UNSAFE":
		return k, k.shown(p, model, property)
	}
	return k, false
}

// shown is whether the run of an UNSAFE answer is one, under a model that has runs.
func (k *keptAnswer) shown(p *fencepost.Program, model fencepost.Model, property fencepost.Property) bool {
	if !slices.Contains(fencepost.OperationalModels(), model) && k.Run == "" {
		return true // there is an execution, in the answer itself
	}
	run, err := fencepost.ReadRun(strings.NewReader(k.Run))
	if err != nil || run.Model != model || string(run.Property) != string(property) {
		return false
	}
	_, err = fencepost.Replay(p, run)
	return err == nil
}

// store keeps an answer, with the run of r.
func (c *cache) store(file string, p fencepost.Part, r *fencepost.Result) error {
	if file == "" || p.Verdict != "SAFE" && p.Verdict != "UNSAFE" {
		return nil
	}
	k := keptAnswer{Part: p}
	if r.Run() != nil {
		var run strings.Builder
		if err := r.Print(&run, fencepost.Style{Format: fencepost.JSON}); err != nil {
			return err
		}
		k.Run = run.String()
	}
	b, err := json.Marshal(k)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o777)
	}
	var f *os.File
	if err == nil {
		f, err = os.CreateTemp(filepath.Dir(file), ".new-*")
	}
	if err == nil {
		_, err = f.Write(b)
		if e := f.Close(); err == nil {
			err = e
		}
		if err == nil {
			err = os.Rename(f.Name(), file)
		}
		if err != nil {
			os.Remove(f.Name())
		}
	}
	if err != nil {
		return &outputError{file, err}
	}
	return nil
}
