// Command executions compares how fast executions are explored as graphs with GenMC and Nidhugg, where
// these are on the path: families of C programs with as many executions as take seconds, one
// processor each.
//
//	go run ./bench/executions
//	go run ./bench/executions -only 'inc|cas' -timeout 1m
//
// What counts is processor time, with the start of the process and the reading of the program in it.
// Executions are what each tool counts: GenMC and we execution graphs with the order of stores, Nidhugg
// traces; where the numbers differ, so do these. Memory is that of the exploration, at a smaller size of the
// family, too: it does not grow with the number of executions. The peak is that of the whole process.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fencepost-verifier/fencepost/bench/internal/measure"
	"github.com/fencepost-verifier/fencepost/bench/internal/peers"
)

var (
	binary = flag.String("binary", "", "the binary to measure (default: it is built)")
	only   = flag.String("only", "", "the families to measure, a regular expression (default all)")
	limit  = flag.Duration("timeout", time.Minute, "for each measurement")
)

// A family is a program for every number of threads.
type family struct {
	name, model  string
	small, large int
	shared       string // variables
	thread       string // what each of N threads does; $ is its number, from 1
	other        string // what one more thread does; "": there is none
}

var families = []family{
	{"ainc", "sc", 5, 9, "atomic_int x;", "atomic_fetch_add(&x, 1);", ""},
	{"binc", "rc11", 3, 6, "atomic_int x, y;", "RLX_ADD(x); RLX_ADD(y);", ""},
	{"readers", "rc11", 8, 20, "atomic_int x;", "int r = LD(x); (void)r;", "ST(x, 42);"},
	{"inc", "rc11", 3, 7, "atomic_int x;", "int r = LD(x); ST(x, r + (1 << $));", ""},
	{"casrot", "rc11", 6, 12, "atomic_int x;", "int e = $ - 1; atomic_compare_exchange_strong_explicit(&x, &e, $, memory_order_relaxed, memory_order_relaxed);", ""},
	{"casw", "rc11", 3, 6, "atomic_int x;", "int e = 0; atomic_compare_exchange_strong_explicit(&x, &e, 1, memory_order_relaxed, memory_order_relaxed); ST(x, $ + 3);", ""},
	{"wrw", "rc11", 2, 5, "atomic_int x;", "int r = LD(x); (void)r; ST(x, $ + 1);", "ST(x, 1);"},
	{"sb", "tso", 6, 18, "atomic_int x[N + 1];", "ST(x[$ % N], 1); int r = LD(x[($ + 1) % N]); (void)r;", ""},
	{"writers", "sc", 5, 10, "atomic_int x;", "ST(x, $);", ""},
	{"lock", "rc11", 3, 8, "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int x;", "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);", ""},
	// Along dependencies.
	{"ainc", "imm", 3, 6, "atomic_int x;", "atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);", ""},
	{"casrot", "imm", 4, 6, "atomic_int x;", "int e = $ - 1; atomic_compare_exchange_strong_explicit(&x, &e, $, memory_order_relaxed, memory_order_relaxed);", ""},
	{"inc", "imm", 3, 5, "atomic_int x;", "int r = LD(x); ST(x, r + (1 << $));", ""},
	{"readers", "imm", 8, 14, "atomic_int x;", "int r = LD(x); (void)r;", "ST(x, 42);"},
	{"lb", "imm", 4, 14, "atomic_int x[N];", "int r = LD(x[$ % N]); (void)r; ST(x[($ + 1) % N], 1);", ""},
}

const head = `#include <pthread.h>
#include <stdatomic.h>
#define LD(x) atomic_load_explicit(&x, memory_order_relaxed)
#define ST(x, v) atomic_store_explicit(&x, v, memory_order_relaxed)
#define RLX_ADD(x) atomic_fetch_add_explicit(&x, 1, memory_order_relaxed)
`

// source is the program for n threads.
func (f *family) source(n int) string {
	var b, main strings.Builder
	b.WriteString(head + fmt.Sprintf("#define N %d\n%s\n", n, f.shared))
	bodies := make([]string, n)
	for i := range bodies {
		bodies[i] = strings.ReplaceAll(f.thread, "$", strconv.Itoa(i+1))
	}
	if f.other != "" {
		bodies = append(bodies, f.other)
	}
	for i, body := range bodies {
		fmt.Fprintf(&b, "void *t%d(void *unused) { %s return 0; }\n", i, body)
		fmt.Fprintf(&main, "\tpthread_create(&t[%d], 0, t%d, 0);\n", i, i)
	}
	fmt.Fprintf(&b, "int main(void) {\n\tpthread_t t[%d];\n%s\treturn 0;\n}\n", len(bodies), main.String())
	return b.String()
}

// A measurement is what a tool took.
type measurement struct {
	executions int64
	bytes      int64
	peak       int64 // bytes, of the process
	cpu        time.Duration
}

func main() {
	measure.Main("executions", func(dir string) error { return run(os.Stdout, dir) })
}

func run(w io.Writer, dir string) error {
	choose, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	ours, err := peers.Ours(*binary, dir)
	if err != nil {
		return err
	}
	genmc, noGenMC := peers.Find("genmc")
	nidhugg, noNidhugg := peers.Find("nidhuggc")
	fmt.Fprintf(w, "%s, processor time, limit %s\n\n", ours.Version(), *limit)
	tw := tabwriter.NewWriter(w, 2, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "family\tmodel\texecutions\tseconds\ta second\tmemory\tat\tmemory\tpeak\tGenMC\ta second\tus/GenMC\tpeak\tNidhugg\ta second\tus/Nidhugg\tpeak\t")
	for i := range families {
		f := &families[i]
		if !choose.MatchString(f.name) {
			continue
		}
		file := func(n int) (string, error) {
			path := filepath.Join(dir, fmt.Sprintf("%s-%d.c", f.name, n))
			return path, os.WriteFile(path, []byte(f.source(n)), 0o666)
		}
		small, err := file(f.small)
		if err != nil {
			return err
		}
		large, err := file(f.large)
		if err != nil {
			return err
		}
		a, err := explored(ours, f.model, small)
		if err != nil {
			return err
		}
		b, err := explored(ours, f.model, large)
		if err != nil {
			fmt.Fprintf(tw, "%s(%d)\t%s\t%v\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\n", f.name, f.large, f.model, err)
			continue
		}
		fmt.Fprintf(tw, "%s(%d)\t%s\t%d\t%.2f\t%.0f\t%dK\t%s(%d)\t%dK\t%dM\t", f.name, f.large, f.model, b.executions, b.cpu.Seconds(), b.speed(), b.bytes>>10, f.name, f.small, a.bytes>>10, b.peak>>20)
		rival(tw, b, noGenMC, func() (measurement, error) { return byGenMC(genmc, f.model, large) })
		rival(tw, b, noNidhugg, func() (measurement, error) { return byNidhugg(nidhugg, f.model, large) })
		fmt.Fprintln(tw)
	}
	return tw.Flush()
}

func (m measurement) speed() float64 { return float64(m.executions) / max(m.cpu.Seconds(), 1e-3) }

// rival writes what another tool took, or why it is not known.
func rival(w io.Writer, ours measurement, missing error, ask func() (measurement, error)) {
	if missing != nil {
		fmt.Fprint(w, "not there\t\t\t\t")
		return
	}
	m, err := ask()
	if err != nil {
		fmt.Fprintf(w, "%s\t\t\t\t", strings.ReplaceAll(err.Error(), "\n", " "))
		return
	}
	note := ""
	if m.executions != ours.executions {
		note = fmt.Sprintf(" (%d)", m.executions)
	}
	fmt.Fprintf(w, "%.2f%s\t%.0f\t%.1f\t%dM\t", m.cpu.Seconds(), note, m.speed(), ours.speed()/m.speed(), m.peak>>20)
}

func explored(t *peers.Tool, model, file string) (m measurement, err error) {
	r, err := inTime(t, "explore", "--por", "graphs", "-j", "1", "-m", model, "-o", "json", file)
	if err != nil {
		return m, err
	}
	var answer struct {
		Verdict           string
		Executions, Bytes int64
	}
	if err := json.Unmarshal([]byte(r.Out), &answer); err != nil || answer.Verdict != "SAFE" {
		return m, t.Unexpected(r)
	}
	return measurement{answer.Executions, answer.Bytes, r.Peak, r.CPU}, nil
}

var (
	genmcSays   = regexp.MustCompile(`(?:complete )?executions explored: *(\d+)`)
	nidhuggSays = regexp.MustCompile(`Trace count: *(\d+)`)
)

func byGenMC(t *peers.Tool, model, file string) (measurement, error) {
	return counted(t, genmcSays, "--"+model, "--disable-estimation", "--disable-race-detection", "--", file)
}

func byNidhugg(t *peers.Tool, model, file string) (measurement, error) {
	if model == "rc11" || model == "imm" {
		return measurement{}, fmt.Errorf("none for %s", model)
	}
	return counted(t, nidhuggSays, "-std=c11", "--", "--"+model, "--optimal", file)
}

func counted(t *peers.Tool, says *regexp.Regexp, args ...string) (m measurement, err error) {
	r, err := inTime(t, args...)
	if err != nil {
		return m, err
	}
	found := says.FindStringSubmatch(r.Out + r.Err)
	if found == nil {
		return m, t.Unexpected(r)
	}
	n, err := strconv.ParseInt(found[1], 10, 64)
	return measurement{executions: n, peak: r.Peak, cpu: r.CPU}, err
}

func inTime(t *peers.Tool, args ...string) (*peers.Run, error) {
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	return t.Run(ctx, "", args...)
}
