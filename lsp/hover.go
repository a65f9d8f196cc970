package lsp

import (
	"fmt"
	"path/filepath"
	"strings"
)

// hover says what a word means: a word of the language, a memory order, a fence, or what a name
// is declared as.
func (s *server) hover(p placeParams) (any, error) {
	d, err := s.document(p.Document.URI)
	if err != nil {
		return nil, err
	}
	word, where := d.word(p.Position)
	if word == "" {
		return nil, nil
	}
	text := meaning(filepath.Ext(d.name), word)
	if x, ok := d.declared(word, p.Position.Line+1); ok && text == "" {
		text = fmt.Sprintf("`%s`: %s", x.Name, x.Kind)
		if x.Inside != "" {
			text += " of " + x.Inside
		}
		line := d.line(x.Pos.Line - 1)
		if x.Pos.File != "" && x.Source != nil {
			line = x.Source.Line(x.Pos.Line)
		}
		text += fmt.Sprintf(", declared at %s\n\n    %s", x.Pos.Where(), strings.TrimSpace(line))
	}
	if text == "" {
		return nil, nil
	}
	return map[string]any{"contents": map[string]string{"kind": "markdown", "value": text}, "range": where}, nil
}

// meaning is what a word of a language means; "" for a name.
func meaning(ext, word string) string {
	switch ext {
	case ".imp":
		return impWords[word]
	case ".litmus":
		if m := litmusWords[strings.ToLower(word)]; m != "" {
			return m
		}
	}
	return cWords[word]
}

// impWords are what the words of IMP mean, as in docs/imp.md.
var impWords = map[string]string{
	"fence":     "**fence** waits until all stores of the thread are in memory: the full fence, `mfence` on x86.",
	"sfence":    "**sfence** keeps the stores before it in order with those after it, which matters under PSO. It waits for nothing.",
	"lock":      "**lock** takes the one lock of the program. Until `unlock` no other thread accesses memory; both act as a fence.",
	"unlock":    "**unlock** gives the lock back, and acts as a fence.",
	"atomic":    "**atomic begin .. end** happens in one step, or, where an `assume` in it fails, not yet. It acts as a fence.",
	"await":     "**await c** reads again until the condition holds.",
	"assume":    "**assume c** reads once; runs in which the condition is false end here and are of no interest.",
	"assert":    "**assert c**: where the condition is false, the program is unsafe.",
	"skip":      "**skip** does nothing. With a label it is a place where a thread can be seen.",
	"cas":       "**cas(x, old, new)** stores `new` in `x` if `x` is `old`, in one step, and is a fence. Its value is 1 if it has stored.",
	"xchg":      "**xchg(x, v)** stores `v` and gives what `x` was, in one step, and is a fence.",
	"fetch_add": "**fetch_add(x, v)** adds `v` and gives what `x` was, in one step, and is a fence.",
	"fetch_sub": "**fetch_sub(x, v)** subtracts `v` and gives what `x` was, in one step, and is a fence.",
	"fetch_or":  "**fetch_or(x, v)** stores `x | v` and gives what `x` was, in one step, and is a fence.",
	"fetch_and": "**fetch_and(x, v)** stores `x & v` and gives what `x` was, in one step, and is a fence.",
	"fetch_xor": "**fetch_xor(x, v)** stores `x ^ v` and gives what `x` was, in one step, and is a fence.",
	"choose":    "**choose .. [] .. end**: any one of the branches runs.",
	"any":       "**any(lo..hi)** is any value of the range.",
	"forbid":    "**forbid c**: the program is unsafe if the condition holds in some reachable state. `forbid deadlock`: if nothing can happen any more in one that is not final.",
	"exists":    "**exists c**: the program is unsafe if the condition holds in some final state: all threads at their ends, all stores in memory.",
	"forall":    "**forall c**: the program is unsafe if the condition does not hold in some final state.",
	"process":   "**process** P is a thread; `process P[i in 0..N-1]` is a family of them.",
	"procedure": "**procedure**: a call stands for its statements. A `var` parameter is another name for what it is given.",
	"include":   "**include** has what stands in another file here. It is looked for beside this one, and read once.",
	"local":     "**local** variables are registers of the thread: using them is no memory access.",
	"variables": "**variables** are shared: every use in an expression is one load, every assignment one store.",
	"goto":      "**goto** a label of the same process.",
	"break":     "**break** leaves the innermost loop.",
	"continue":  "**continue** goes on with the next round of the innermost loop.",
	"return":    "**return** leaves the procedure, with a value where it has one; in a process it goes to the end.",
}

const storeBuffer = "On x86 and SPARC (TSO) a store waits in the buffer of its thread, and later loads may pass it."

// cWords are what operations and orders of C mean.
var cWords = map[string]string{
	"memory_order_relaxed":  "**memory_order_relaxed**: atomic, and nothing more is ordered. On x86 a plain `mov`. " + storeBuffer,
	"memory_order_consume":  "**memory_order_consume** is treated as acquire, as compilers do.",
	"memory_order_acquire":  "**memory_order_acquire** (loads): what comes after stays after. What was released by the store that it reads has happened before. On x86 a plain `mov`.",
	"memory_order_release":  "**memory_order_release** (stores): what comes before stays before. On x86 a plain `mov`: a later load may still pass it.",
	"memory_order_acq_rel":  "**memory_order_acq_rel** (read-modify-writes): acquire and release. On x86 a locked instruction, which is a full fence.",
	"memory_order_seq_cst":  "**memory_order_seq_cst**: one order of all such operations. On x86 a store of this order is an `xchg` (or `mov; mfence` with `--mapping mfence`), a load a plain `mov`.",
	"atomic_thread_fence":   "**atomic_thread_fence(order)**: with `memory_order_seq_cst` an `mfence` on x86; with weaker orders no instruction there, but order for the compiler and other processors.",
	"atomic_signal_fence":   "**atomic_signal_fence** orders for the compiler only.",
	"atomic_exchange":       "**atomic_exchange** stores and gives what was there, in one step. On x86 a locked instruction, which is a full fence.",
	"atomic_fetch_add":      "**atomic_fetch_add** adds and gives what was there, in one step. On x86 a locked instruction, which is a full fence.",
	"atomic_store_explicit": "**atomic_store_explicit(p, v, order)**. On x86 a plain `mov`, unless the order is seq_cst. " + storeBuffer,
	"atomic_load_explicit":  "**atomic_load_explicit(p, order)**. On x86 a plain `mov`, whatever the order.",
	"atomic_store":          "**atomic_store** is sequentially consistent: on x86 an `xchg`, which is a full fence.",
	"atomic_load":           "**atomic_load** is sequentially consistent: on x86 a plain `mov`.",
	"volatile":              "**volatile** is neither atomic nor a fence.",
	"smp_mb":                "**smp_mb()** is the kernel's full fence.",
	"smp_rmb":               "**smp_rmb()** keeps loads in order. On x86 they are anyway.",
	"smp_wmb":               "**smp_wmb()** keeps stores in order. On x86 they are anyway.",
	"smp_store_release":     "**smp_store_release(p, v)**: what comes before stays before.",
	"smp_load_acquire":      "**smp_load_acquire(p)**: what comes after stays after.",
	"READ_ONCE":             "**READ_ONCE(x)** is one load; it orders nothing else.",
	"WRITE_ONCE":            "**WRITE_ONCE(x, v)** is one store; it orders nothing else.",
	"__sync_synchronize":    "**__sync_synchronize()** is a full fence.",
	"__VERIFIER_assume":     "**__VERIFIER_assume(c)**: runs in which the condition is false end here and are of no interest.",
	"__VERIFIER_nondet_int": "**__VERIFIER_nondet_int()** is any value.",
	"reach_error":           "**reach_error()**: a program that can call it is unsafe.",
	"pthread_mutex_lock":    "**pthread_mutex_lock** waits for the mutex and takes it: acquire.",
	"pthread_mutex_unlock":  "**pthread_mutex_unlock** gives the mutex back: release.",
}

const x86Move = "**MOV** (x86) loads from memory, or stores to it: a store waits in the buffer of its thread, and later loads may pass it."

// litmusWords are what instructions mean.
var litmusWords = map[string]string{
	"mov":    x86Move,
	"movl":   x86Move,
	"movq":   x86Move,
	"ldr":    "**LDR** (AArch64) is a load, which nothing but dependencies and barriers keep in order with others.",
	"str":    "**STR** (AArch64) is a store, which nothing but dependencies and barriers keep in order with others.",
	"ld":     "**LD** (RISC-V, PPC) is a load, which nothing but dependencies and fences keep in order with others.",
	"lw":     "**LW** (RISC-V) is a load, which nothing but dependencies and fences keep in order with others.",
	"lwz":    "**lwz** (PPC) is a load, which nothing but dependencies and fences keep in order with others.",
	"sd":     "**SD** (RISC-V) is a store, which nothing but dependencies and fences keep in order with others.",
	"sw":     "**SW** (RISC-V) is a store, which nothing but dependencies and fences keep in order with others.",
	"stw":    "**stw** (PPC) is a store, which nothing but dependencies and fences keep in order with others.",
	"mfence": "**MFENCE** (x86) waits until all stores of the thread are in memory.",
	"sfence": "**SFENCE** (x86) keeps stores in order, which they are anyway.",
	"lfence": "**LFENCE** (x86) keeps loads in order, which they are anyway.",
	"xchg":   "**XCHG** (x86) with memory is locked: an atomic exchange and a full fence.",
	"lock":   "**LOCK** (x86) makes a read-modify-write atomic, and a full fence.",
	"stlr":   "**STLR** (AArch64): store-release.",
	"ldar":   "**LDAR** (AArch64): load-acquire; it does not pass an earlier STLR.",
	"ldapr":  "**LDAPR** (AArch64): load-acquire that may pass an earlier STLR of another address.",
	"dmb":    "**DMB** (AArch64): SY and ISH order everything, LD and ISHLD loads with what follows, ST and ISHST stores with stores.",
	"isb":    "**ISB** (AArch64): with a control dependency on a load before it, later loads stay after.",
	"sync":   "**sync** (PPC) is the full fence.",
	"lwsync": "**lwsync** (PPC) orders all but stores with later loads.",
	"isync":  "**isync** (PPC): with a control dependency on a load before it, later loads stay after.",
	"eieio":  "**eieio** (PPC) keeps stores in order.",
	"fence":  "**fence** pred,succ (RISC-V) orders accesses of the first kind before it with those of the second after it.",
	"exists": "**exists**: is there an execution that ends like this?",
	"forall": "**forall**: do all executions end like this?",
}
