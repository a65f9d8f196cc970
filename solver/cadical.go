//go:build cadical && cgo

package solver

/*
#cgo LDFLAGS: -lcadical -lstdc++ -lm

#include <stdlib.h>
#include <ccadical.h>

// A call from Go into C costs more than ccadical_add itself, so what is done
// for each literal is looped over here.

static void fencepost_add(CCaDiCaL *s, const int *lits, size_t n) {
	for (size_t i = 0; i < n; i++)
		ccadical_add(s, lits[i]);
}

static void fencepost_assume(CCaDiCaL *s, const int *lits, size_t n) {
	for (size_t i = 0; i < n; i++)
		ccadical_assume(s, lits[i]);
}

// truth has 2*vars+1 entries; that of a literal is at vars+literal.
static void fencepost_model(CCaDiCaL *s, int vars, unsigned char *truth) {
	for (int v = 1; v <= vars; v++) {
		int positive = ccadical_val(s, v) > 0;
		truth[vars + v] = positive;
		truth[vars - v] = !positive;
	}
}

static void fencepost_failed(CCaDiCaL *s, const int *lits, size_t n, unsigned char *failed) {
	for (size_t i = 0; i < n; i++)
		failed[i] = ccadical_failed(s, lits[i]) != 0;
}

// The flag that stops a solve is C memory, which CaDiCaL can look at without a
// call into Go.

static int fencepost_stopped(void *flag) {
	return __atomic_load_n((int *) flag, __ATOMIC_RELAXED);
}

static void fencepost_stop(int *flag, int stop) {
	__atomic_store_n(flag, stop, __ATOMIC_RELAXED);
}

static void fencepost_prepare(CCaDiCaL *s, int *flag) {
	ccadical_set_option(s, "quiet", 1); // or it may write to standard output
	ccadical_set_terminate(s, flag, fencepost_stopped);
}
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"unsafe"
)

const cadicalBuilt = true

// cadicalBackend is CaDiCaL through its C interface (IPASIR and a few more).
type cadicalBackend struct {
	s      *C.CCaDiCaL
	flag   *C.int // not 0: stop
	fed    int    // literals of the log that s has
	failed []Lit
}

func newCadical() (backend, error) {
	s := C.ccadical_init()
	flag := (*C.int)(C.calloc(1, C.size_t(unsafe.Sizeof(C.int(0)))))
	if s == nil || flag == nil {
		return nil, errors.New("out of memory")
	}
	C.fencepost_prepare(s, flag)
	return &cadicalBackend{s: s, flag: flag}, nil
}

// array returns lits as C has them: a Lit is an int32, and so is an int in all
// of Go's C ABIs.
func array(lits []Lit) (*C.int, C.size_t) {
	return (*C.int)(unsafe.Pointer(unsafe.SliceData(lits))), C.size_t(len(lits))
}

func (b *cadicalBackend) solve(ctx context.Context, cnf *clauseLog, assumptions []Lit) (Status, error) {
	b.failed = b.failed[:0]
	for b.fed < len(cnf.lits) {
		if ctx.Err() != nil {
			return Unknown, nil
		}
		// A block may end within a clause: its rest comes first in the next.
		block := cnf.lits[b.fed:min(b.fed+1<<16, len(cnf.lits))]
		lits, n := array(block)
		C.fencepost_add(b.s, lits, n)
		b.fed += len(block)
	}
	lits, n := array(assumptions)
	C.fencepost_assume(b.s, lits, n)

	C.fencepost_stop(b.flag, 0)
	stopped := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		C.fencepost_stop(b.flag, 1)
		close(stopped)
	})
	answer := C.ccadical_solve(b.s)
	if !cancel() {
		<-stopped // or it might stop the next solve, or write to freed memory
	}

	switch answer {
	case 0:
		return Unknown, nil
	case 10:
		return Sat, nil
	case 20:
		if len(assumptions) > 0 {
			failed := make([]C.uchar, len(assumptions))
			C.fencepost_failed(b.s, lits, n, unsafe.SliceData(failed))
			for i, f := range failed {
				if f != 0 {
					b.failed = append(b.failed, assumptions[i])
				}
			}
		}
		return Unsat, nil
	}
	return Unknown, fmt.Errorf("answered %d", answer)
}

func (b *cadicalBackend) model(m model) {
	C.fencepost_model(b.s, C.int(len(m)/2), (*C.uchar)(unsafe.Pointer(unsafe.SliceData(m))))
}

func (b *cadicalBackend) core(dst []Lit) []Lit { return append(dst, b.failed...) }

func (b *cadicalBackend) conflicts() int64 { return -1 }

func (b *cadicalBackend) close() error {
	C.ccadical_release(b.s)
	C.free(unsafe.Pointer(b.flag))
	b.s, b.flag = nil, nil
	return nil
}
