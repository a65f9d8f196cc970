package c_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

var ownedPrograms = flag.Int("owned.programs", 30, "how many random programs TestOwned makes")

// An owned is a random piece of code with mutexes, spin locks and semaphores of one thread alone, which become registers; and what it does, as
// the standards say it, to be held against what is made of it.
type owned struct {
	rng  *rand.Rand
	text strings.Builder
}

// An ownedState is the variables, and what the thread has; what is done in it is nothing once it is stuck.
type ownedState struct {
	ints  [4]int
	sems  [2]int
	locks [3]int // how often each is held; the last one is a spin lock
	stuck bool
}

const busy = 16 // EBUSY

type ownedStep func(s *ownedState)

// steps is some statements, in which the locks of held are held.
func (o *owned) steps(depth int, held []int, recursive int) ownedStep {
	var all []ownedStep
	for range 2 + o.rng.IntN(4) {
		all = append(all, o.step(depth, held, recursive))
	}
	return func(s *ownedState) {
		for _, do := range all {
			if !s.stuck {
				do(s)
			}
		}
	}
}

// in is steps in a block.
func (o *owned) in(depth int, held []int, recursive int) ownedStep {
	o.text.WriteString("{ ")
	do := o.steps(depth+1, held, recursive)
	o.text.WriteString("} ")
	return do
}

func (o *owned) expr() (string, func(s *ownedState) int) {
	v, w, k := o.rng.IntN(4), o.rng.IntN(4), o.rng.IntN(6)
	x, y := names[v], names[w]
	switch o.rng.IntN(5) {
	case 0:
		return fmt.Sprintf("(%s + %s)", x, y), func(s *ownedState) int { return s.ints[v] + s.ints[w] }
	case 1:
		return fmt.Sprintf("(%s ^ %s)", x, y), func(s *ownedState) int { return s.ints[v] ^ s.ints[w] }
	case 2:
		return fmt.Sprintf("(%s > %s)", x, y), func(s *ownedState) int { return int(program.Bool(s.ints[v] > s.ints[w])) }
	case 3:
		return x, func(s *ownedState) int { return s.ints[v] }
	}
	return fmt.Sprint(k), func(*ownedState) int { return k }
}

var (
	names    = []string{"a", "b", "c", "d"}
	semNames = []string{"s", "t"}
	locks    = []string{"mutex_%s(&m)", "mutex_%s(&k)", "spin_%s(&p)"}
)

func (o *owned) step(depth int, held []int, recursive int) ownedStep {
	v, e := o.rng.IntN(4), o.rng.IntN(2)
	name, sem := names[v], semNames[e]
	lock := o.rng.IntN(3)
	call := func(what string) string { return "pthread_" + fmt.Sprintf(locks[lock], what) }
	mine := false
	for _, h := range held {
		mine = mine || h == lock
	}
	may := depth < 2 && (!mine || lock == recursive)
	switch k := o.rng.IntN(11); {
	case k == 0:
		fmt.Fprintf(&o.text, "sem_getvalue(&%s, &%s); ", sem, name)
		return func(s *ownedState) { s.ints[v] = s.sems[e] }
	case k == 1: // to read right behind what reads and writes has been a mistake
		fmt.Fprintf(&o.text, "sem_post(&%s); sem_wait(&%s); sem_getvalue(&%s, &%s); ", sem, sem, sem, name)
		return func(s *ownedState) { s.ints[v] = s.sems[e] }
	case k == 2:
		fmt.Fprintf(&o.text, "%s = sem_trywait(&%s); ", name, sem)
		return func(s *ownedState) {
			if s.ints[v] = -1; s.sems[e] > 0 {
				s.ints[v] = 0
				s.sems[e]--
			}
		}
	case k == 3:
		fmt.Fprintf(&o.text, "sem_post(&%s); ", sem)
		return func(s *ownedState) { s.sems[e]++ }
	case k == 4:
		fmt.Fprintf(&o.text, "sem_wait(&%s); ", sem)
		return func(s *ownedState) {
			if s.sems[e]--; s.sems[e] < 0 {
				s.stuck = true
			}
		}
	case k == 5 && may:
		fmt.Fprintf(&o.text, "if (!(%s = %s)) ", name, call("trylock"))
		fits := func(s *ownedState) bool { return s.locks[lock] == 0 || lock == recursive }
		o.text.WriteString("{ ")
		do := o.steps(depth+1, append(held[:len(held):len(held)], lock), recursive)
		fmt.Fprintf(&o.text, "%s; } ", call("unlock"))
		return func(s *ownedState) {
			if s.ints[v] = busy; fits(s) {
				s.ints[v] = 0
				s.locks[lock]++
				do(s)
				s.locks[lock]--
			}
		}
	case k == 6 && may:
		fmt.Fprintf(&o.text, "%s; ", call("lock"))
		do := o.in(depth, append(held[:len(held):len(held)], lock), recursive)
		fmt.Fprintf(&o.text, "%s; ", call("unlock"))
		return func(s *ownedState) {
			s.locks[lock]++
			do(s)
			s.locks[lock]--
		}
	case k == 7 && mine && lock != recursive:
		fmt.Fprintf(&o.text, "%s = %s; ", name, call("trylock"))
		return func(s *ownedState) { s.ints[v] = busy }
	case k == 8 && depth < 2:
		text, is := o.expr()
		fmt.Fprintf(&o.text, "if (%s) ", text)
		yes := o.in(depth, held, recursive)
		o.text.WriteString("else ")
		no := o.in(depth, held, recursive)
		return func(s *ownedState) {
			if is(s) != 0 {
				yes(s)
			} else {
				no(s)
			}
		}
	case k == 9 && depth < 1:
		n := 2 + o.rng.IntN(2)
		fmt.Fprintf(&o.text, "for (int i = 0; i < %d; i++) ", n)
		do := o.in(depth, held, recursive)
		return func(s *ownedState) {
			for range n {
				do(s)
			}
		}
	}
	text, value := o.expr()
	fmt.Fprintf(&o.text, "%s = %s & 31; ", name, text)
	return func(s *ownedState) { s.ints[v] = value(s) & 31 }
}

// ownedProgram is a program one thread of which has such code, with a value that is 5 or 6; what its variables are in the end where it is; and
// whether it comes to its end in both cases.
func ownedProgram(rng *rand.Rand) (text string, ends [2][4]int, whole bool) {
	o := &owned{rng: rng}
	recursive := rng.IntN(3) - 1
	if recursive > 0 {
		recursive = 0
	}
	count := rng.IntN(2)
	do := o.steps(0, nil, recursive)
	destroys := ""
	if rng.IntN(2) == 0 {
		destroys = "pthread_mutex_destroy(&m); pthread_mutex_destroy(&k); pthread_spin_destroy(&p); sem_destroy(&s); sem_destroy(&t);"
	}
	kind := "PTHREAD_MUTEX_NORMAL"
	if recursive == 0 {
		kind = "PTHREAD_MUTEX_RECURSIVE"
	}
	text = fmt.Sprintf(`#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
atomic_int h = 5;
void *f(void *arg) {
	sem_t s, t; pthread_mutex_t m, k = PTHREAD_MUTEX_INITIALIZER; pthread_spinlock_t p; int a = 0, b = h, c = 1, d = 2;
	pthread_mutexattr_t at; pthread_mutexattr_init(&at); pthread_mutexattr_settype(&at, %s);
	sem_init(&s, 0, b); sem_init(&t, 0, %d); pthread_mutex_init(&m, &at); pthread_spin_init(&p, 0);
	%s
	%s
	assert(ENDS);
	return 0;
}
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); h = 6; pthread_join(t, 0); return 0; }
`, kind, count, o.text.String(), destroys)
	whole = true
	for i := range ends {
		s := ownedState{ints: [4]int{0, 5 + i, 1, 2}, sems: [2]int{5 + i, count}}
		do(&s)
		ends[i] = s.ints
		whole = whole && !s.stuck
	}
	return text, ends, whole
}

// TestOwned compares what a thread finds that has mutexes, spin locks and semaphores of its own with what there must be.
func TestOwned(t *testing.T) {
	t.Parallel()
	for seed, n := uint64(0), 0; n < *ownedPrograms; seed++ {
		text, ends, whole := ownedProgram(rand.New(rand.NewPCG(seed, 7)))
		if !whole {
			continue
		}
		n++
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			is := func(v [4]int) string {
				return fmt.Sprintf("(a == %d && b == %d && c == %d && d == %d)", v[0], v[1], v[2], v[3])
			}
			model := []memory.Model{memory.SC, memory.TSO, memory.RC11}[seed%3]
			for _, q := range []struct{ asked, want string }{
				{is(ends[0]) + " || " + is(ends[1]), "SAFE"},
				{"!" + is(ends[0]), "UNSAFE"},
				{"!" + is(ends[1]), "UNSAFE"},
			} {
				text := strings.Replace(text, "ENDS", q.asked, 1)
				if got := verdictOf(t, read(t, "main.c", text, optionsFor(model)), model, "auto"); got != q.want {
					t.Errorf("%s: %s, want %s\n%s", model, got, q.want, text)
				}
			}
		})
	}
}
