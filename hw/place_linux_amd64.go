package hw

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"syscall"
	"unsafe"

	"github.com/fencepost-verifier/fencepost/internal/x64"
)

// Where things are, below 2 GiB, so that instructions can name the places. Variables are where the
// program has them, from 0x10010000 on.
const (
	controlAt = 0x20000000 // what threads share, and a page for each
	recordAt  = 0x21000000 // final states
	codeAt    = 0x30000000
	pageSize  = 4096

	barrierAt = controlAt // a counter, alone in its line
)

// The words in the page of a thread.
const (
	slotRBP = 8 * iota
	slotR14
	slotRun // the number of the run
	slotRandom
	slotTicket // what the counter has to come to
	slotSaved  // registers at the end, sixteen
)

// mapNoReplace is MAP_FIXED_NOREPLACE.
const mapNoReplace = 0x100000

// A mapping is the memory of a test.
type mapping struct {
	areas  [][]byte
	cells  []byte
	base   int64
	shared []byte
	record []byte
	size   int // of a record
	entry  [][]uintptr
}

func (m *mapping) area(at, size int64) ([]byte, error) {
	size = (size + pageSize - 1) / pageSize * pageSize
	addr, _, e := syscall.Syscall6(syscall.SYS_MMAP, uintptr(at), uintptr(size), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON|mapNoReplace, ^uintptr(0), 0)
	if e != 0 || addr != uintptr(at) {
		return nil, &occupied{at, e}
	}
	b := unsafe.Slice(*(**byte)(unsafe.Pointer(&addr)), size)
	m.areas = append(m.areas, b)
	return b, nil
}

func (m *mapping) unmap() {
	for _, a := range m.areas {
		syscall.Syscall(syscall.SYS_MUNMAP, uintptr(unsafe.Pointer(&a[0])), uintptr(len(a)), 0)
	}
}

// place puts the plan into memory.
func (p *plan) place() (*mapping, error) {
	m := &mapping{}
	lo, hi := int64(1)<<40, int64(0)
	for _, c := range p.Cells {
		lo, hi = min(lo, c.Addr), max(hi, c.Addr+8)
	}
	if len(p.Cells) == 0 {
		lo, hi = 0x10010000, 0x10010008
	}
	m.base = lo / pageSize * pageSize
	var err error
	if m.cells, err = m.area(m.base, hi-m.base+2*pageSize); err != nil {
		return nil, err
	}
	if m.shared, err = m.area(controlAt, int64(len(p.Threads)+1)*pageSize); err != nil {
		return nil, err
	}
	m.size = 8 * (16*len(p.Threads) + len(p.Cells))
	if m.record, err = m.area(recordAt, int64(batch*m.size)); err != nil {
		return nil, err
	}
	var code []byte
	for s := range p.Shifts {
		var entry []uintptr
		for t := range p.Threads {
			for len(code)%64 != 0 {
				code = append(code, 0xcc)
			}
			entry = append(entry, uintptr(codeAt+len(code)))
			text, err := p.runner(t, s, m.size)
			if err != nil {
				return nil, err
			}
			code = append(code, text...)
		}
		m.entry = append(m.entry, entry)
	}
	text, err := m.area(codeAt, int64(len(code)))
	if err != nil {
		return nil, err
	}
	copy(text, code)
	if err := syscall.Mprotect(text, syscall.PROT_READ|syscall.PROT_EXEC); err != nil {
		return nil, fmt.Errorf("the system does not let generated code run: %w", err)
	}
	return m, nil
}

func (m *mapping) slot(t, slot int) []byte { return m.shared[(t+1)*pageSize+slot:] }

// prepare makes everything ready for n runs.
func (m *mapping) prepare(p *plan, rng *rand.Rand, n int) {
	clear(m.shared[:64])
	clear(m.cells)
	for s := range p.Shifts {
		for _, c := range p.Cells {
			put(m.cells[c.Addr-m.base+p.Shifts[s]:], uint64(c.Init), c.Bits)
		}
	}
	for t := range p.Threads {
		binary.LittleEndian.PutUint64(m.slot(t, slotRun), uint64(n))
		binary.LittleEndian.PutUint64(m.slot(t, slotRandom), rng.Uint64()|1)
		binary.LittleEndian.PutUint64(m.slot(t, slotTicket), 0)
	}
}

func put(b []byte, v uint64, bits uint8) {
	var w [8]byte
	binary.LittleEndian.PutUint64(w[:], v)
	copy(b[:bits/8], w[:])
}

// collect counts the final states.
func (m *mapping) collect(p *plan, n int, seen map[string]*sighting) {
	for i := range n {
		r := m.record[i*m.size : (i+1)*m.size]
		var key []byte
		for t := range p.Threads {
			for _, k := range p.Threads[t].Regs {
				if k >= 0 {
					key = append(key, r[8*(16*t+k):8*(16*t+k+1)]...)
				}
			}
		}
		key = append(key, r[8*16*len(p.Threads):]...)
		s := seen[string(key)]
		if s == nil {
			s = &sighting{}
			word := func(i int) uint64 { return binary.LittleEndian.Uint64(r[8*i:]) }
			for t := range p.Threads {
				regs := make([]uint64, len(p.Threads[t].Regs))
				for j, k := range p.Threads[t].Regs {
					if k >= 0 {
						regs[j] = word(16*t + k)
					}
				}
				s.Regs = append(s.Regs, regs)
			}
			for c := range p.Cells {
				s.Cells = append(s.Cells, word(16*len(p.Threads)+c))
			}
			seen[string(key)] = s
		}
		s.Count++
	}
}

// runner is the code of a thread around that of the test: again and again it waits for the others,
// for a random while, does what the test does, and records what came of it.
func (p *plan) runner(t, shift, size int) ([]byte, error) {
	c := &x64.Code{}
	page := int64(controlAt + (t+1)*pageSize)
	at := func(slot int) x64.Operand { return x64.At(page + int64(slot)) }
	// Go keeps its stack pointer, its frame pointer and the goroutine.
	c.Store(at(slotRBP), x64.RBP, 64)
	c.Store(at(slotR14), x64.R14, 64)
	c.Label("again")
	p.perturb(c, at, p.Shifts[shift])
	p.barrier(c, at, "start")
	p.delay(c, at)
	for r := range 16 {
		if v := p.Threads[t].Start[r]; x64.Reg(r) != x64.RSP {
			c.Set(x64.Reg(r), v)
		}
	}
	c.Raw(p.Threads[t].Code[shift]...)
	for r := range 16 {
		if x64.Reg(r) != x64.RSP {
			c.Store(at(slotSaved+8*r), x64.Reg(r), 64)
		}
	}
	// The record of the run, from its end backwards: runs count down.
	c.Load(x64.RSI, at(slotRun), 64)
	c.Emit(x64.Op{Bits: 64, Opcode: []byte{0x69}, Reg: x64.RSI, RM: x64.R(x64.RSI)}) // imul
	c.Imm(int64(size), 32)
	record := func(word int) x64.Operand { return x64.Based(x64.RSI, int64(recordAt-size+8*word)) }
	for r := range 16 {
		if x64.Reg(r) != x64.RSP {
			c.Load(x64.RAX, at(slotSaved+8*r), 64)
			c.Store(record(16*t+r), x64.RAX, 64)
		}
	}
	p.barrier(c, at, "end")
	if t == 0 { // who also tidies up, while the others wait
		for k, cell := range p.Cells {
			c.Load(x64.RAX, x64.At(cell.Addr+p.Shifts[shift]), cell.Bits)
			c.Store(record(16*len(p.Threads)+k), x64.RAX, 64)
			c.Set(x64.RAX, cell.Init)
			c.Store(x64.At(cell.Addr+p.Shifts[shift]), x64.RAX, cell.Bits)
		}
	}
	c.Emit(x64.Op{Bits: 64, Opcode: []byte{0xff}, Reg: 1, Digit: true, RM: at(slotRun)}) // dec
	c.Jump(5, "again")
	c.Load(x64.RBP, at(slotRBP), 64)
	c.Load(x64.R14, at(slotR14), 64)
	c.Raw(0x45, 0x0f, 0x57, 0xff) // xorps xmm15, xmm15
	c.Raw(0xfc, 0xc3)             // cld, ret
	return c.Finish()
}

// barrier waits until all threads have come here, and leaves the processor to others where that
// takes long.
func (p *plan) barrier(c *x64.Code, at func(int) x64.Operand, name string) {
	c.Arith(x64.Add, at(slotTicket), int64(len(p.Threads)), 64, false)
	c.Load(x64.RBX, at(slotTicket), 64)
	c.Arith(x64.Add, x64.At(barrierAt), 1, 64, true)
	c.Label(name + " more")
	c.Set(x64.RDX, 4000)
	c.Label(name + " spin")
	c.Emit(x64.Op{Bits: 64, Opcode: []byte{0x3b}, Reg: x64.RBX, RM: x64.At(barrierAt)}) // cmp
	c.Jump(14, name+" over")                                                            // jle
	c.Emit(x64.Op{Bits: 64, Opcode: []byte{0xff}, Reg: 1, Digit: true, RM: x64.R(x64.RDX)})
	c.Jump(5, name+" spin")
	c.Set(x64.RAX, syscall.SYS_SCHED_YIELD)
	c.Raw(0x0f, 0x05) // syscall, which leaves all but rax, rcx and r11
	c.Jump(-1, name+" more")
	c.Label(name + " over")
}

// random puts another number into rax (xorshift, Marsaglia 2003).
func random(c *x64.Code, at func(int) x64.Operand) {
	c.Load(x64.RAX, at(slotRandom), 64)
	for _, s := range []struct {
		digit x64.Reg
		by    byte
	}{{4, 13}, {5, 7}, {4, 17}} {
		c.Emit(x64.Op{Bits: 64, Opcode: []byte{0x88}, Wide: true, Reg: x64.RAX, RM: x64.R(x64.RCX)})
		c.Emit(x64.Op{Bits: 64, Opcode: []byte{0xc1}, Reg: s.digit, Digit: true, RM: x64.R(x64.RCX)})
		c.Raw(s.by)
		c.Emit(x64.Op{Bits: 64, Opcode: []byte{0x31}, Reg: x64.RCX, RM: x64.R(x64.RAX)})
	}
	c.Store(at(slotRandom), x64.RAX, 64)
}

// delay waits a little, mostly not at all.
func (p *plan) delay(c *x64.Code, at func(int) x64.Operand) {
	random(c, at)
	c.Arith(x64.And, x64.R(x64.RAX), 0x1f, 64, false)
	c.Arith(x64.Sub, x64.R(x64.RAX), 16, 64, false)
	c.Jump(14, "launch") // jle: half of the runs
	c.Label("wait")
	c.Emit(x64.Op{Bits: 64, Opcode: []byte{0xff}, Reg: 1, Digit: true, RM: x64.R(x64.RAX)})
	c.Jump(5, "wait")
	c.Label("launch")
}

// perturb touches the variables, or turns them out of the cache, or leaves them alone.
func (p *plan) perturb(c *x64.Code, at func(int) x64.Operand, shift int64) {
	random(c, at)
	for k, cell := range p.Cells {
		if k >= 16 {
			break
		}
		other, next := fmt.Sprintf("other %d", k), fmt.Sprintf("next %d", k)
		v := x64.At(cell.Addr + shift)
		bit := func(n int) { // of rax, into the carry flag
			c.Emit(x64.Op{Bits: 64, Opcode: []byte{0x0f, 0xba}, Reg: 4, Digit: true, RM: x64.R(x64.RAX)})
			c.Raw(byte(n))
		}
		bit(8 + 2*k)
		c.Jump(3, other) // jnc
		c.Load(x64.RCX, v, cell.Bits)
		c.Jump(-1, next)
		c.Label(other)
		bit(9 + 2*k)
		c.Jump(3, next)
		c.Emit(x64.Op{Bits: 32, Opcode: []byte{0x0f, 0xae}, Reg: 7, Digit: true, RM: v}) // clflush
		c.Label(next)
	}
}
