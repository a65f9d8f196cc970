// Package measure is what the benchmarks have in common: measurements that take
// turns, what to make of them, and tables in Markdown.
package measure

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"slices"
	"strings"
)

// Main is the main function of a benchmark: it reads the flags, and run gets a directory for
// its files, which goes with it.
func Main(name string, run func(dir string) error) {
	log.SetFlags(0)
	log.SetPrefix(name + ": ")
	flag.Parse()
	dir, err := os.MkdirTemp("", "bench-"+name)
	if err != nil {
		log.Fatal(err)
	}
	err = run(dir)
	os.RemoveAll(dir)
	if err != nil {
		log.Fatal(err)
	}
}

// Interleave runs all jobs in turns, n times each, so that what else the machine
// does meets all of them alike. A job that fails has the error, and does not run
// again.
func Interleave[T any](n int, jobs []func() (T, error)) ([][]T, []error) {
	samples, errs := make([][]T, len(jobs)), make([]error, len(jobs))
	for range n {
		for i, job := range jobs {
			if errs[i] != nil {
				continue
			}
			var s T
			if s, errs[i] = job(); errs[i] == nil {
				samples[i] = append(samples[i], s)
			}
		}
	}
	return samples, errs
}

// Median is the sample in the middle by key; there must be one.
func Median[T any, K cmp.Ordered](samples []T, key func(T) K) T {
	sorted := slices.SortedFunc(slices.Values(samples), func(a, b T) int { return cmp.Compare(key(a), key(b)) })
	return sorted[len(sorted)/2]
}

// A Mean is a geometric mean in the making.
type Mean struct {
	N   int
	sum float64
}

// Add takes in a number greater than 0.
func (m *Mean) Add(x float64) {
	m.N++
	m.sum += math.Log(x)
}

// String is the mean, "" of no numbers.
func (m *Mean) String() string {
	if m.N == 0 {
		return ""
	}
	return fmt.Sprintf("%.3f", math.Exp(m.sum/float64(m.N)))
}

// Head writes the head of a table. The first column is of words, the others of
// numbers.
func Head(w io.Writer, columns ...string) {
	Row(w, columns...)
	fmt.Fprintf(w, "| --- |%s\n", strings.Repeat(" ---: |", len(columns)-1))
}

// Row writes a row of a table. Of what has several lines it is the first.
func Row(w io.Writer, cells ...string) {
	for i := range cells {
		line, _, _ := strings.Cut(cells[i], "\n")
		cells[i] = strings.ReplaceAll(line, "|", `\|`)
	}
	fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
}

// Races is what is compared with a peer, and where we are behind.
type Races struct{ behind []string }

// Ratio is a cell: how many times as long as we the peer takes.
func (r *Races) Ratio(what string, peer, ours float64) string {
	ratio := peer / ours
	if ratio < 1 {
		r.behind = append(r.behind, fmt.Sprintf("%s (%.2f)", what, ratio))
	}
	return fmt.Sprintf("%.2f", ratio)
}

// Behind writes a line that names all programs on which we are slower.
func (r *Races) Behind(w io.Writer) {
	line := "nowhere"
	if len(r.behind) > 0 {
		line = strings.Join(r.behind, ", ")
	}
	fmt.Fprintf(w, "\nBehind (ratio below 1): %s.\n", line)
}
