// Command litmus compares our litmus command with herd7 on a folder of tests for
// x86, engine by engine and under both models, and prints a table.
//
//	go run ./bench/litmus DIR
//
// Each gets the whole folder in one process; they take turns, and the median of the
// runs counts. herd7 uses one processor, ours all unless -j says otherwise, so there
// is a ratio of processor time, too. The final states and whether the condition holds
// are compared as well.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/bench/internal/measure"
	"github.com/fencepost-verifier/fencepost/bench/internal/peers"
)

var (
	engines = flag.String("e", "explicit,bmc,graphs", "our engines, with commas in between")
	jobs    = flag.Int("j", 0, "how many tests we may run at a time; 0: as many as there are processors")
	models  = flag.String("m", "sc=sc.cat,tso=x86tso-mixed.cat", "our models and herd7's")
	libdir  = flag.String("I", "", "a directory where herd7 looks for models first")
	limit   = flag.Duration("timeout", 5*time.Minute, "for each measurement")
	runs    = flag.Int("runs", 3, "how often to measure")
)

func main() { measure.Main("litmus", run) }

func run(dir string) error {
	tests := flag.Arg(0)
	if flag.NArg() != 1 {
		return errors.New("usage: go run ./bench/litmus [flags] DIR")
	}
	fencepost, err := peers.Build(dir)
	if err != nil {
		return err
	}
	list := filepath.Join(dir, "@tests") // herd7 takes a name with @ for a list
	if err := writeList(list, tests); err != nil {
		return err
	}
	fmt.Printf("%s, %d processors, median of %d\n", fencepost.Version(), runtime.NumCPU(), *runs)
	herd, absent := peers.Find("herd7")
	if absent == nil {
		fmt.Println(herd.Version())
	}
	fmt.Print("\nSeconds of wall time, and of processor time in parentheses. A ratio is herd7's time by ours.\n\n")
	measure.Head(os.Stdout, "model, engine", "tests of herd7", "ours", "different", "herd7", "ours", "ratio", "(ratio)")
	var races measure.Races
	for _, pair := range strings.Split(*models, ",") {
		model, cat, _ := strings.Cut(pair, "=")
		names := strings.Split(*engines, ",")
		measurements := []func() (answer, error){func() (answer, error) {
			if absent != nil {
				return answer{}, absent
			}
			args := []string{"-model", cat, list}
			if *libdir != "" {
				args = append([]string{"-I", *libdir}, args...)
			}
			return ask(herd, args...)
		}}
		for _, e := range names {
			measurements = append(measurements, func() (answer, error) {
				return ask(fencepost, "litmus", "-m", model, "-e", e, "-j", fmt.Sprint(*jobs), tests)
			})
		}
		samples, errs := measure.Interleave(*runs, measurements)
		for k, e := range names {
			row(model+", "+e, samples[0], samples[k+1], errs[0], errs[k+1], &races)
		}
	}
	races.Behind(os.Stdout)
	return nil
}

// writeList writes the names of the tests in and below a folder.
func writeList(file, dir string) error {
	var list strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".litmus" {
			path, err = filepath.Abs(path)
			fmt.Fprintln(&list, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(list.String()), 0o600)
}

// An answer is what was printed for the tests, by their names, and what that took.
type answer struct {
	tests     map[string][]string
	count     int
	wall, cpu time.Duration
}

// ask runs a tool. That it could not read every test is no error; that it could read
// none is.
func ask(t *peers.Tool, args ...string) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	r, err := t.Run(ctx, "", args...)
	if err != nil {
		return answer{}, err
	}
	a := answer{tests: map[string][]string{}, wall: r.Wall, cpu: r.CPU}
	for _, block := range strings.Split("\n"+r.Out, "\nTest ")[1:] {
		name, _, _ := strings.Cut(block, " ")
		a.tests[name] = append(a.tests[name], essence(block))
		a.count++
	}
	if a.count == 0 {
		return answer{}, t.Unexpected(r)
	}
	return a, nil
}

// essence is the final states, and whether the condition holds always, sometimes or
// never. What else herd7 prints counts executions, where most of our engines count
// states.
func essence(block string) string {
	states, rest, _ := strings.Cut(block, "\nWitnesses")
	_, rest, _ = strings.Cut(rest, "\nObservation ")
	rest, _, _ = strings.Cut(rest, "\n")
	fields := append(strings.Fields(rest), "", "")
	return states + " " + fields[1]
}

func row(name string, theirs, ours []answer, theirErr, ourErr error, races *measure.Races) {
	cells := []string{name, "", "", "", "", "", "", ""}
	mid := func(as []answer) answer {
		return measure.Median(as, func(a answer) time.Duration { return a.wall })
	}
	figures := func(k int, as []answer, err error) {
		if err != nil {
			cells[k] = err.Error()
			return
		}
		a := mid(as)
		cells[k], cells[k+3] = fmt.Sprint(a.count), fmt.Sprintf("%.2f (%.2f)", a.wall.Seconds(), a.cpu.Seconds())
	}
	figures(1, theirs, theirErr)
	figures(2, ours, ourErr)
	if theirErr == nil && ourErr == nil {
		t, o := mid(theirs), mid(ours)
		var different []string
		for test, blocks := range t.tests {
			if len(o.tests[test]) > 0 && !slices.Contains(o.tests[test], blocks[0]) {
				different = append(different, test)
			}
		}
		slices.Sort(different)
		cells[3] = fmt.Sprint(len(different))
		if len(different) > 0 {
			log.Printf("%s differs: %s", name, strings.Join(different, ", "))
		}
		cells[6] = races.Ratio(name, t.wall.Seconds(), o.wall.Seconds())
		cells[7] = fmt.Sprintf("(%.2f)", t.cpu.Seconds()/o.cpu.Seconds())
	}
	measure.Row(os.Stdout, cells...)
}
