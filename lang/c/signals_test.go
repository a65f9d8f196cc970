package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestSignals: who raises a signal runs the function that is set for it.
func TestSignals(t *testing.T) {
	for _, s := range []snippet{
		{"a function", `int x; void h(int s) { x = s; } int main(void) { signal(SIGUSR1, h); assert(!raise(SIGUSR1) && x == SIGUSR1); return 0; }`, "SAFE"},
		{"twice", `int x; void h(int s) { x++; } int main(void) { signal(SIGUSR1, h); raise(SIGUSR1); raise(SIGUSR1); assert(x != 2); return 0; }`, "UNSAFE"},
		{"what sigaction sets", `int x; void h(int s) { x++; } int main(void) { struct sigaction a = { .sa_handler = h }; sigaction(SIGTERM, &a, 0); raise(SIGTERM); assert(x == 1); signal(SIGTERM, SIG_IGN); raise(SIGTERM); assert(x == 1); return 0; }`, "SAFE"},
		{"in another thread", `int x; void h(int s) { assert(x); } void *f(void *a) { raise(SIGUSR1); return 0; } int main(void) { pthread_t t; signal(SIGUSR1, h); pthread_create(&t, 0, f, 0); x = 1; pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"pthread_kill of itself", `_Atomic int x; void h(int s) { x = 1; } void *f(void *a) { pthread_kill(pthread_self(), SIGUSR1); return 0; } int main(void) { pthread_t t; signal(SIGUSR1, h); pthread_create(&t, 0, f, 0); pthread_join(t, 0); assert(x == 1); return 0; }`, "SAFE"},
		{"what was there", `void h(int s) {} int main(void) { assert(signal(SIGUSR1, h) == SIG_DFL && signal(SIGUSR1, SIG_IGN) == h); assert(signal(SIGKILL, h) == SIG_ERR && errno == EINVAL); return 0; }`, "SAFE"},
		{"SIGABRT without one", `void h(int s) {} int main(void) { signal(SIGUSR1, h); raise(SIGABRT); return 0; }`, "UNSAFE"},
		{"SIGABRT with one", `int x; void h(int s) { x = 1; } int main(void) { signal(SIGABRT, h); raise(SIGABRT); assert(x); return 0; }`, "SAFE"},
		{"a signal that nothing is set for", `void h(int s) {} int main(void) { signal(SIGUSR1, h); raise(SIGTERM); return 0; }`, "UNKNOWN"},
		{"what was there is set again", `int x; void h(int s) { x = 1; } void g(int s) { x = 2; } int main(void) { struct sigaction a = { .sa_handler = h }, o; signal(SIGUSR1, g); sigaction(SIGUSR1, &a, &o); raise(SIGUSR1); assert(x == 1); sigaction(SIGUSR1, &o, 0); assert(o.sa_handler == g); return 0; }`, "SAFE"},
		{"given more", `int x; void h(int s, siginfo_t *i, void *c) { x = 1; } int main(void) { struct sigaction a = { .sa_sigaction = h, .sa_flags = SA_SIGINFO }; sigaction(SIGUSR1, &a, 0); raise(SIGUSR1); assert(x); return 0; }`, "UNKNOWN"},
		{"that nobody raises", `void h(int s) {} int main(void) { signal(SIGINT, h); signal(SIGPIPE, SIG_IGN); return 0; }`, "SAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			text := "#include <assert.h>\n#include <errno.h>\n#include <pthread.h>\n#include <signal.h>\nextern int __VERIFIER_nondet_int(void);\n" + s.body
			for m, o := range map[memory.Model]c.Options{"tso": {}, "rc11": {Mapping: c.Orders, NoBlocks: true, NoFutileWaits: true}} {
				if got := verdictOf(t, read(t, "main.c", text, o), m, "auto"); got != s.want {
					t.Errorf("%s: %s, want %s", m, got, s.want)
				}
			}
		})
	}
}
