package states

import (
	"encoding/binary"
	"fmt"
	"io"
)

// A SpillFile is where a set puts the states that it has no memory for. Every
// part is written once, after what was written before it, and then read any
// number of times, by several workers at the same time. Close is called once, at
// the end of the search, and should remove the file.
type SpillFile interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

// A disk has the chunks of arenas that have left the memory: of every arena the
// oldest ones, for a search looks more often at what it has found lately. Tables
// do not leave the memory.
type disk struct {
	create func() (SpillFile, error)
	file   SpillFile // nil until the first chunk
	end    int64
	bytes  []byte
	err    error // why writing failed
}

const chunkBytes = chunkWords * 8

// spill lets chunks leave the memory, unless create is nil.
func (st *Shards) spill(create func() (SpillFile, error)) {
	if create != nil {
		st.disk = &disk{create: create}
		st.budget.relief = func() bool {
			st.mu.Lock()
			defer st.mu.Unlock()
			return st.evict()
		}
	}
}

// evict moves some chunks to the disk: a quarter of those of the arena with the
// most of them in memory. It fails where there are none to move: the last chunk
// of an arena stays. The directories must be locked.
func (st *Shards) evict() bool {
	var from *sharedArena
	most := 0
	for i := range st.taken {
		d := st.arenas[i].dir.Load()
		if n := len(d.chunks) - len(d.cold) - 1; n > most {
			from, most = &st.arenas[i], n
		}
	}
	if from == nil {
		return false
	}
	old := from.dir.Load()
	// Others may be looking at the old directory.
	d := &directory{chunks: append([][]uint64(nil), old.chunks...), cold: append([]int64(nil), old.cold...)}
	for range max(most/4, 1) {
		k := len(d.cold)
		at, err := st.disk.write(d.chunks[k])
		if err != nil {
			st.disk.err = err
			return false
		}
		d.chunks[k] = nil
		d.cold = append(d.cold, at)
		st.budget.Give(chunkBytes)
	}
	from.dir.Store(d)
	return true
}

func (d *disk) write(chunk []uint64) (at int64, err error) {
	if d.file == nil {
		if d.file, err = d.create(); err != nil {
			d.file = nil
			return 0, fmt.Errorf("no file for the states that there is no memory for: %w", err)
		}
	}
	d.bytes = d.bytes[:0]
	for _, w := range chunk {
		d.bytes = binary.LittleEndian.AppendUint64(d.bytes, w)
	}
	if _, err := d.file.WriteAt(d.bytes, d.end); err != nil {
		return 0, fmt.Errorf("cannot write the states that there is no memory for: %w", err)
	}
	d.end += chunkBytes
	return d.end - chunkBytes, nil
}

// Failure is why a disk does not work, if it does not.
func (h *Hand) Failure() error {
	if h.cache.err != nil {
		return h.cache.err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.disk == nil {
		return nil
	}
	return h.disk.err
}

// Close ends the use of the disk.
func (st *Shards) Close() error {
	if st.disk == nil || st.disk.file == nil {
		return nil
	}
	if err := st.disk.file.Close(); err != nil {
		return fmt.Errorf("cannot remove the file with the states that there was no memory for: %w", err)
	}
	return nil
}

// A cache is what one worker has read from the disk lately. Whole chunks are
// read of which states are to be expanded, since these lie side by side; a state
// that is only compared is read by itself.
type cache struct {
	chunks [cached]struct {
		at    int64 // on the disk, plus 1; 0: nothing
		words []uint64
	}
	bytes []byte
	rec   []uint64
	err   error // why reading failed
}

const cached = 4

// cacheBytes is what a cache takes.
const cacheBytes = (cached + 1) * chunkBytes

func (c *cache) slot(at int64) int { return int(at / chunkBytes % cached) }

// chunk is the chunk at that place; nil where it cannot be read.
func (c *cache) chunk(d *disk, at int64) []uint64 {
	e := &c.chunks[c.slot(at)]
	if e.at != at+1 {
		e.at = 0
		if e.words = c.read(d, e.words, at, chunkWords); e.words == nil {
			return nil
		}
		e.at = at + 1
	}
	return e.words
}

// words is n words of the chunk at that place, from word off, or more; zeros
// where they cannot be read.
func (c *cache) words(d *disk, at int64, off, n int) []uint64 {
	if e := &c.chunks[c.slot(at)]; e.at == at+1 {
		return e.words[off:]
	}
	rec := c.read(d, c.rec, at+int64(off)*8, min(n, chunkWords-off))
	if rec == nil {
		return make([]uint64, n)
	}
	c.rec = rec
	return rec
}

func (c *cache) read(d *disk, words []uint64, at int64, n int) []uint64 {
	if cap(c.bytes) < n*8 {
		c.bytes = make([]byte, n*8)
	}
	b := c.bytes[:n*8]
	if k, err := d.file.ReadAt(b, at); k < len(b) {
		c.err = fmt.Errorf("cannot read the states that there is no memory for: %w", err)
		return nil
	}
	words = words[:0]
	for i := 0; i < len(b); i += 8 {
		words = append(words, binary.LittleEndian.Uint64(b[i:]))
	}
	return words
}
