package explore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// memFile is a states.SpillFile in memory. It fails after so many bytes where limit is
// not 0, and where broken is set when it is read.
type memFile struct {
	mu     sync.Mutex
	bytes  []byte
	limit  int
	broken bool
	closed int
}

func (f *memFile) WriteAt(b []byte, at int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.limit > 0 && int(at)+len(b) > f.limit {
		return 0, errors.New("no space left")
	}
	if at != int64(len(f.bytes)) {
		return 0, fmt.Errorf("writing at %d after %d", at, len(f.bytes))
	}
	f.bytes = append(f.bytes, b...)
	return len(b), nil
}

func (f *memFile) ReadAt(b []byte, at int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken {
		return 0, errors.New("bad sector")
	}
	n := copy(b, f.bytes[at:])
	if n < len(b) {
		return n, io.ErrUnexpectedEOF
	}
	return n, nil
}

func (f *memFile) Close() error { f.closed++; return nil }

// osFile removes itself.
type osFile struct{ *os.File }

func (f osFile) Close() error {
	return errors.Join(f.File.Close(), os.Remove(f.Name()))
}

// TestSpill: a search with states in a file finds what one finds that has all in
// memory, and leaves no file behind.
func TestSpill(t *testing.T) {
	p := progtest.Filter(t, 4, true)
	dir := t.TempDir()
	plain := map[bool]*verdict.Result{} // by whether it is depth-first
	for _, dfs := range []bool{false, true} {
		plain[dfs] = check(t, p, Options{DepthFirst: dfs, Workers: 1})
	}
	for _, opts := range []Options{
		{}, {DepthFirst: true}, {Workers: 3, early: 100}, {DepthFirst: true, Workers: 2, early: 1000},
	} {
		name := fmt.Sprintf("%s, %d workers", modeName(opts), opts.Workers)
		opts.MemoryLimit = int64(2500+1000*max(opts.Workers, 1)) << 10
		var files []*memFile
		opts.Spill = func() (states.SpillFile, error) {
			files = append(files, &memFile{})
			return files[len(files)-1], nil
		}
		res := check(t, p, opts)
		sameResult(t, name, plain[opts.DepthFirst], res, opts)
		if res.Stat("bytes") > opts.MemoryLimit || len(files) != 1 || files[0].closed != 1 || len(files[0].bytes) == 0 {
			t.Errorf("%s: %d bytes of %d, %d files", name, res.Stat("bytes"), opts.MemoryLimit, len(files))
		}
	}

	// The same in a directory.
	opts := Options{MemoryLimit: 3500 << 10, Spill: func() (states.SpillFile, error) {
		f, err := os.Create(filepath.Join(dir, "states"))
		return osFile{f}, err
	}}
	sameResult(t, "in a directory", plain[false], check(t, p, opts), opts)
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// TestSpillReductions is TestSpill for the reductions.
func TestSpillReductions(t *testing.T) {
	locks, err := lang.Load("../examples/ticket-lock.imp", map[string]int64{"N": 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, symmetry := range []bool{false, true} {
		p, limit := progtest.Filter(t, 3, true), map[Reduction]int64{NoReduction: 1900, LocalFirst: 1800}
		if symmetry {
			p, limit = locks, map[Reduction]int64{NoReduction: 3500, Persistent: 3300, Cartesian: 2400}
		}
		for _, opts := range modes {
			if limit[opts.Reduction] == 0 {
				continue
			}
			opts.Symmetry = Symmetry
			want := check(t, p, opts)
			for workers := 1; workers <= 2; workers++ {
				f := &memFile{}
				opts.Spill = func() (states.SpillFile, error) { return f, nil }
				opts.Workers, opts.early = workers, 1000
				opts.MemoryLimit = (limit[opts.Reduction] + 1000*int64(workers-1)) << 10
				if opts.Reduction == LocalFirst {
					opts.MemoryLimit = limit[LocalFirst] << 10 // there is one worker
				}
				name := fmt.Sprintf("%s, %d workers, symmetry %v", modeName(opts), workers, symmetry)
				res := check(t, p, opts)
				sameResult(t, name, want, res, opts)
				if res.Stat("bytes") > opts.MemoryLimit || f.closed != 1 && workers == 1 {
					t.Errorf("%s: %d bytes of %d, %d in the file", name, res.Stat("bytes"), opts.MemoryLimit, len(f.bytes))
				}
			}
		}
	}
}

// TestSpillViolation: the run to a violation that is found late is found in the
// file.
func TestSpillViolation(t *testing.T) {
	p := progtest.Filter(t, 3, true)
	var last []program.Expr
	seen := map[string]bool{}
	_, err := Closed(context.Background(), p, Options{Model: memory.TSO}, func(*abstract.System, int64) error { return nil },
		func(x *abstract.System, s *abstract.State) error {
			// What registers and buffers hold is not part of the property.
			if key := fmt.Sprint(s.PC, s.Mem); seen[key] {
				return nil
			} else {
				seen[key] = true
			}
			last = last[:0]
			for t, pc := range s.PC {
				last = append(last, program.At{Thread: t, States: []program.StateID{pc}})
			}
			for i, c := range x.Ranges.Cells {
				last = append(last, progtest.Eq(program.Mem{Addr: c.Addr}, s.Mem[i]))
			}
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	p.Properties = []program.Property{{Kind: program.Forbid, Cond: progtest.And(last...)}}
	for i := range 2 * len(modes) {
		opts, workers := modes[i/2], 1+i%2
		opts.Model = memory.TSO
		want := check(t, p, opts)
		f := &memFile{}
		opts.Spill = func() (states.SpillFile, error) { return f, nil }
		opts.Workers, opts.early = workers, 1000
		opts.MemoryLimit = int64(1200+600*workers) << 10
		got := check(t, p, opts)
		if !want.Unsafe() || !got.Unsafe() || got.Run() == nil ||
			opts.Reduction == NoReduction && !opts.DepthFirst && (len(got.Run().Steps) != len(want.Run().Steps) || len(f.bytes) == 0) {
			t.Errorf("%s: %v (%s), want %v, %d bytes in the file", modeName(opts), got.Verdict(), got.Reason(), want.Verdict(), len(f.bytes))
		}
	}
}

// TestSpillFails: what goes wrong with the file is the error of the search.
func TestSpillFails(t *testing.T) {
	p := progtest.Filter(t, 4, true)
	for want, create := range map[string]func() (states.SpillFile, error){
		"no such directory": func() (states.SpillFile, error) { return nil, errors.New("no such directory") },
		"no space left":     func() (states.SpillFile, error) { return &memFile{limit: 300000}, nil },
		"bad sector":        func() (states.SpillFile, error) { return &memFile{broken: true}, nil },
	} {
		for _, workers := range []int{1, 2} {
			res, err := Check(context.Background(), p, Options{Model: memory.TSO, MemoryLimit: int64(2500+1000*workers) << 10, Spill: create, Workers: workers})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%d workers: %v, %v, want %s", workers, res, err, want)
			}
		}
	}
}

// TestSpillClosed: all states are visited, those in the file as well.
func TestSpillClosed(t *testing.T) {
	p := progtest.Filter(t, 3, true)
	f := &memFile{}
	n := int64(0)
	opts := Options{Model: memory.TSO, MemoryLimit: 1800 << 10, Spill: func() (states.SpillFile, error) { return f, nil }}
	res, err := Closed(context.Background(), p, opts,
		func(_ *abstract.System, states int64) error { n = states; return nil },
		func(*abstract.System, *abstract.State) error { n--; return nil })
	if err != nil || !res.Safe() || n != 0 || len(f.bytes) == 0 || f.closed != 1 {
		t.Errorf("%v, %v, %d states not visited, %d bytes in the file", res, err, n, len(f.bytes))
	}
}
