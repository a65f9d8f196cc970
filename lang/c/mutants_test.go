package c_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/program"
)

var (
	mutantCount = flag.Int("mutants", 100, "how many mutants of programs are read")
	mutantSeed  = flag.Uint64("mutantseed", 0, "the seed of the first one")
	mutantBare  = flag.Bool("mutantbare", false, "mutants of small programs without headers, which take a quarter of the time")
	mutantTime  = flag.Duration("mutanttime", time.Hour, "how long mutants are read at most")
)

// token is about what a token of C is.
var token = regexp.MustCompile(`\w+|"(?:[^"\\\n]|\\.)*"|[-+<>=&|!]{1,2}|\S`)

// mutant changes a few tokens or bytes of a text.
func mutant(rng *rand.Rand, text, other string) string {
	for range 1 + rng.IntN(3) {
		at := token.FindAllStringIndex(text, -1)
		more := token.FindAllStringIndex(other, -1)
		if len(at) == 0 || len(more) == 0 {
			return text
		}
		x := at[rng.IntN(len(at))]
		switch y := more[rng.IntN(len(more))]; rng.IntN(9) {
		case 0: // out
			text = text[:x[0]] + text[x[1]:]
		case 1: // twice
			text = text[:x[1]] + " " + text[x[0]:]
		case 2: // another one's
			text = text[:x[0]] + other[y[0]:y[1]] + text[x[1]:]
		case 3: // exchanged
			z := at[rng.IntN(len(at))]
			if z[0] > x[1] {
				text = text[:x[0]] + text[z[0]:z[1]] + text[x[1]:z[0]] + text[x[0]:x[1]] + text[z[1]:]
			}
		case 4: // a byte
			b := []byte(text)
			b[rng.IntN(len(b))] = byte(rng.IntN(256))
			text = string(b)
		case 5: // the end is missing
			if rng.IntN(8) == 0 {
				text = text[:x[0]]
			}
		case 6: // a number
			numbers := []string{"0", "-1", "65536", "4294967296", "18446744073709551615ull", "1.5", "'a'", "07777777777", "(1 << 30)"}
			text = text[:x[0]] + numbers[rng.IntN(len(numbers))] + text[x[1]:]
		case 7: // a piece of another one
			to := min(y[0]+rng.IntN(200), len(other))
			text = text[:x[0]] + other[y[0]:to] + text[x[0]:]
		case 8: // a word
			words := []string{"int", "void", "*", "struct s", "static", "_Atomic", "return", "goto x;", "&", "sizeof", "{", "}", "(", ")", "__typeof__", "case 1:", "union", "double", "extern", "_Thread_local", "const", "[]", "...", "({", "})", "volatile", "unsigned", "? :"}
			text = text[:x[0]] + " " + words[rng.IntN(len(words))] + " " + text[x[0]:]
		}
	}
	return text
}

// prelude is what small programs need of the headers. Reading the headers takes most of the time of
// reading such a program.
const prelude = `typedef unsigned long size_t, uintptr_t, uint64_t, pthread_t; typedef long intptr_t, int64_t; typedef unsigned char uint8_t;
typedef unsigned short uint16_t; typedef unsigned uint32_t; typedef int int32_t; typedef _Atomic(int) atomic_int; typedef _Atomic(unsigned) atomic_uint;
typedef _Atomic(_Bool) atomic_bool; typedef struct { int __owner, __depth, __kind; } pthread_mutex_t; typedef void *va_list;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *), pthread_join(pthread_t, void **);
int pthread_mutex_lock(pthread_mutex_t *), pthread_mutex_unlock(pthread_mutex_t *); void *malloc(size_t), *calloc(size_t, size_t), free(void *), abort(void);
int printf(const char *, ...);
enum { false, true, memory_order_relaxed = 0, memory_order_acquire = 2, memory_order_release, memory_order_acq_rel, memory_order_seq_cst };
#define bool _Bool
#define NULL ((void *)0)
#define offsetof(t, m) ((size_t)&((t *)0)->m)
#define PTHREAD_MUTEX_INITIALIZER {0}
#define assert(e) __fp_assert((e), #e)
#define va_start(a, ...) __fp_va_start(a)
#define va_arg(a, t) ((t)__fp_va_arg(a))
#define va_end(a) ((void)0)
#define atomic_load_explicit(p, o) (*(__typeof__(&*(p)))__fp_load((p), (o)))
#define atomic_load(p) atomic_load_explicit(p, 5)
#define atomic_store_explicit(p, v, o) __fp_store((p), (v), (o))
#define atomic_store(p, v) __fp_store((p), (v), 5)
#define atomic_exchange(p, v) (*(__typeof__(&*(p)))__fp_exchange((p), (v), 5))
#define atomic_fetch_add(p, v) (*(__typeof__(&*(p)))__fp_fetch_add((p), (v), 5))
#define atomic_compare_exchange_strong(p, e, v) ((_Bool)__fp_cas((p), (e), (v), 5, 5))
#define atomic_thread_fence(o) __fp_fence(o)
`

var included = regexp.MustCompile(`(?m)^#include.*\n|^//.*\n|^/\*[^/]*\*/\n`)

// bare are the programs that are small, and are programs without headers, too.
func bare(texts []string) []string {
	var small []string
	for _, text := range texts {
		text = included.ReplaceAllString(text, "")
		if len(text) > 2000 {
			continue
		}
		if _, err := c.Parse(&program.Source{Name: "bare.c", Text: prelude + text}, c.Options{Unroll: 2}); err == nil {
			small = append(small, text)
		}
	}
	for _, s := range sequential {
		if !strings.Contains(s.body, "main(") {
			small = append(small, "int main(void) { "+s.body+" }\n")
		} else {
			small = append(small, s.body)
		}
	}
	return small
}

// reading reads a program, and says whether it is one. It is bad if engines cannot rely on it, if what is said of it is a mistake of ours or has no place, or if that takes
// more than a few seconds.
func reading(name, text string, opts c.Options) (is bool, bad string) {
	began := time.Now()
	p, err := c.Parse(&program.Source{Name: name, Text: text}, opts)
	var d *program.Diagnostic
	switch {
	case err == nil:
		if err := program.Sanity(p); err != nil {
			bad = err.Error()
		}
	case !errors.As(err, &d):
		bad = fmt.Sprintf("%T: %v", err, err)
	case strings.Contains(d.Hint, "mistake in Fencepost"), strings.Contains(d.Msg, "internal error"):
		bad = d.Msg
	case d.Pos.Line == 0 && d.Msg != "there is no function main" && !strings.Contains(d.Msg, "preprocessed"):
		bad = "without a place: " + d.Msg
	}
	if took := time.Since(began); took > 20*time.Second {
		bad += fmt.Sprintf(" took %v", took)
	}
	return err == nil, bad
}

// TestMutants reads programs that have been spoilt: each is a program that engines can rely on,
// or gets a message that is no mistake of ours, within a few seconds.
func TestMutants(t *testing.T) {
	var names, texts []string
	patterns := []string{"testdata/*/*.c", "../../examples/c/*.c"}
	if root := os.Getenv("FENCEPOST_CORPUS"); root != "" && *mutantCount > 1000 {
		for _, dir := range []string{"*/*.c", "*/*/*/*.c", "*/*/*/*/*.c", "*/*/*/*/*/*.c"} {
			patterns = append(patterns, filepath.Join(root, "c", dir))
		}
	}
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if b, err := os.ReadFile(f); err == nil && len(b) < 1<<14 {
				names, texts = append(names, f), append(texts, string(b))
			}
		}
	}
	if len(texts) == 0 {
		t.Fatal("no programs")
	}
	before := ""
	if *mutantBare {
		texts, before = bare(texts), prelude
		names = make([]string, len(texts))
		t.Log(len(texts), "small programs")
	}
	start, read, accepted := time.Now(), 0, 0
	for i := range *mutantCount {
		if time.Since(start) > *mutantTime {
			break
		}
		seed := *mutantSeed + uint64(i)
		rng := rand.New(rand.NewPCG(seed, 1))
		k := rng.IntN(len(texts))
		text := before + mutant(rng, texts[k], texts[rng.IntN(len(texts))])
		is, bad := reading(names[k], text, c.Options{Unroll: 2, ReadFile: os.ReadFile})
		read++
		if is {
			accepted++
		}
		if bad != "" {
			file := filepath.Join(os.TempDir(), fmt.Sprintf("mutant%d.c", seed))
			os.WriteFile(file, []byte(text), 0o600)
			t.Errorf("seed %d, %s, written to %s: %s", seed, names[k], file, bad)
		}
	}
	t.Logf("%d mutants, %d of them are programs, %v", read, accepted, time.Since(start).Round(time.Second))
}
