package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestC: what the flags say of C gets to whoever reads it.
func TestC(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "sb.c")
	const text = `#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include "order.h"
atomic_int v[2];
int r[2];
void *thread(void *arg) {
  long i = (long)arg;
  atomic_store_explicit(&v[i], 1, ORDER);
#ifdef RACY
  r[0] = 1;
#endif
#ifdef FENCE
  atomic_thread_fence(memory_order_seq_cst);
#endif
  r[i] = atomic_load_explicit(&v[1 - i], memory_order_acquire);
  return 0;
}
int main() {
  pthread_t h[2];
  for (long i = 0; i < 2; i++) pthread_create(&h[i], 0, thread, (void *)i);
  for (int i = 0; i < 2; i++) pthread_join(h[i], 0);
  assert(r[0] + r[1] > 0);
}
`
	recursive := filepath.Join(dir, "recursive.c")
	const calls = `#include <assert.h>
int __VERIFIER_nondet_int(void);
int f(int n) { return n == 0 ? 0 : f(n - 1) + 1; }
int main() {
  int n = __VERIFIER_nondet_int();
  if (n >= 0 && n < 6) assert(f(n) == n);
}
`
	headers := filepath.Join(dir, "headers")
	os.Mkdir(headers, 0o777)
	for path, text := range map[string]string{file: text, recursive: calls, filepath.Join(headers, "order.h"): "#ifndef ORDER\n#define ORDER memory_order_seq_cst\n#endif\n"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args   string
		status int
		want   string
	}{
		{"check " + file, 2, "order.h"},
		{"check -I " + headers + " " + file, 0, "SAFE"},
		{"check -I " + headers + " --std c11 --mapping mfence " + file, 0, "SAFE"},
		{"check -I " + headers + " -D ORDER=memory_order_release " + file, 1, "UNSAFE"},
		{"check -I " + headers + " -D ORDER=memory_order_release -D FENCE " + file, 0, "SAFE"},
		{"check --check-overflow --spurious --check-leaks --check-uninitialised -I " + headers + " " + file, 0, "SAFE"},
		{"check --check-overflow ../../examples/dekker.imp", 2, "leave the flags out"},
		{"check --unroll 2 " + recursive, 3, "UNKNOWN"},
		{"check --unroll 9 " + recursive, 0, "SAFE"},
		{"print -I " + headers + " --mapping mfence " + file, 0, "fence"},
		{"check --property race -I " + headers + " " + file, 0, "SAFE"},
		{"check -q --property race -D RACY -I " + headers + " " + file, 1, "data races, under SC"},
		{"check -o json --property race -D RACY -I " + headers + " " + file, 1, `"race":{"cell":"r[0]"`},
		{"check -o sarif --property race -D RACY -I " + headers + " " + file, 1, `"relatedLocations":[{"physicalLocation"`},
		{"check -o sarif -I " + headers + " " + file, 0, `"kind":"pass"`},
		{"check --property race ../../examples/dekker.imp", 2, "data races are a matter of C programs"},
		{"check --property race --model tso " + file, 2, "leave it out"},
		{"check --property race --mapping mfence " + file, 2, "leave it out"},
		{"check -m rc11 ../../examples/c/message-passing.c", 0, "--property race looks for them"},
		{"check -q --property liveness ../../lang/c/testdata/verdicts/cond-lost.c", 1, "liveness, under TSO"},
		{"check -q --property liveness ../../examples/parker.imp", 1, "liveness, under TSO"},
		{"check --property liveness ../../examples/parker.imp", 1, "waits  Parker (line 22) stands: permit = 0"},
		{"check -o json --property liveness ../../examples/parker.imp", 1, `"kind":"hang"`},
		{"check --property liveness -m rc11 ../../lang/c/testdata/verdicts/both-wait.c", 1, "goes in circles: x = 0"},
		{"check -o json --property liveness -m rc11 ../../lang/c/testdata/verdicts/both-wait.c", 1, `"kind":"hang"`},
		{"check --property liveness -m ra ../../examples/ticket-lock-hasty.imp", 1, "goes in circles: serving = 1"},
		{"check --property liveness -e explicit ../../examples/parker-fenced.imp", 0, "SAFE"},
		{"check --property liveness --compact ../../examples/parker-fenced.imp", 2, "--compact does nothing for --property liveness"},
		{"check --property liveness --por none ../../examples/parker-fenced.imp", 2, "--por does nothing for --property liveness"},
		{"check --property liveness --commute ../../examples/parker-fenced.imp", 2, "--commute does nothing for --property liveness"},
		{"check --property liveness --symmetry ../../examples/parker-fenced.imp", 2, "--symmetry does nothing for --property liveness"},
		{"check --property liveness -e bmc ../../examples/parker-fenced.imp", 2, "decided by explicit"},
		{"check -m testdata/dependencies.cat testdata/back-off-then-store.c", 0, "SAFE"},
		{"check --property liveness -m testdata/coherence.cat ../../examples/parker-fenced.imp", 3, "see what is written after it"},
		{"check --property deadlock --certificate x " + file, 2, "--certificate"},
		{"check --property deadlock ../../examples/c/philosophers.c", 1, "deadlock"},
		{"check --property deadlock ../../lang/c/testdata/verdicts/cond-lost.c", 1, "no deadlock"},
		{"check --property deadlock -D FIXED ../../examples/c/philosophers.c", 0, "deadlock"},
		{"check --property deadlock -m rc11 ../../examples/c/philosophers.c", 1, "liveness"},
		{"check --property deadlock -m rc11 -D FIXED ../../examples/c/philosophers.c", 0, "liveness"},
		{"robust -I " + headers + " -D ORDER=memory_order_relaxed " + file, 1, "NOT ROBUST"},
	} {
		var stdout, stderr bytes.Buffer
		status := run(context.Background(), strings.Fields(tt.args), strings.NewReader(""), &stdout, &stderr)
		if status != tt.status || !strings.Contains(stdout.String()+stderr.String(), tt.want) {
			t.Errorf("%s: status %d\n%s%s", tt.args, status, stdout.String(), stderr.String())
		}
	}
}
