package litmus

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// A cFunctionKind is what a function does that threads can call.
type cFunctionKind uint8

const (
	callFence    cFunctionKind = iota
	callLoad                   // of an lvalue, where lvalue is set, else at an address
	callStore                  // the same, with the value
	callUpdate                 // reads and writes; operator says what
	callCompare                // compare and exchange, of the kernel
	callCompareC               // of C11, which changes what is expected
	callUnless                 // atomic_add_unless
	callLock
	callUnlock
	callTryLock
	callUnlockWait // which is a lock and an unlock
	callIsLocked
	callNothing
)

// A cFunctionInfo is a function that threads can call.
type cFunctionInfo struct {
	kind   cFunctionKind
	kernel bool
	lvalue bool // the first argument is *x and not x
	either bool // or x as well
	args   int
	// tags of the access, or of the fence. Of the functions of C11 they come from an
	// argument, where order is its index; without explicit they are those of SC.
	tags   []string
	order  int
	second int  // the index of the order of failure; 0: none
	mb     bool // full fences around
	op     program.BinaryOp
	opName string
	// old is true where the old value is what it returns, and test where it is whether
	// the new one is 0.
	old, test, void, negative bool
	first                     bool  // the operand comes before the address
	by                        int64 // the operand where args say nothing
	weak                      bool
}

// c11Orders is the tags of the orders.
var c11Orders = map[string]string{"relaxed": "RLX", "acquire": "ACQ", "release": "REL", "acq_rel": "ACQ_REL", "seq_cst": "SC", "consume": "CON"}

// cFunctions is all there are, made when the first test asks for them.
var cFunctions = sync.OnceValue(func() map[string]cFunctionInfo {
	all := map[string]cFunctionInfo{}
	add := func(name string, f cFunctionInfo) { all[name] = f }
	for suffix, explicit := range map[string]bool{"": false, "_explicit": true} {
		n := func(f cFunctionInfo) cFunctionInfo {
			f.tags = []string{"SC"}
			if explicit {
				f.order = f.args
				f.args++
				if f.kind == callCompareC {
					f.second = f.args
					f.args++
				}
				f.tags = nil
			}
			return f
		}
		add("atomic_load"+suffix, n(cFunctionInfo{kind: callLoad, args: 1}))
		add("atomic_store"+suffix, n(cFunctionInfo{kind: callStore, args: 2}))
		add("atomic_exchange"+suffix, n(cFunctionInfo{kind: callUpdate, args: 2, opName: "xchg", old: true}))
		add("atomic_compare_exchange_strong"+suffix, n(cFunctionInfo{kind: callCompareC, args: 3}))
		add("atomic_compare_exchange_weak"+suffix, n(cFunctionInfo{kind: callCompareC, args: 3, weak: true}))
		for op, b := range map[string]program.BinaryOp{"add": program.Add, "sub": program.Sub, "or": program.BitOr, "and": program.BitAnd, "xor": program.BitXor} {
			add("atomic_fetch_"+op+suffix, n(cFunctionInfo{kind: callUpdate, args: 2, op: b, opName: op, old: true}))
		}
	}
	for suffix, order := range map[string]int{"": 0, "_explicit": 1} {
		tags := []string{"SC"}
		add("atomic_flag_test_and_set"+suffix, cFunctionInfo{kind: callUpdate, args: 1 + order, order: order, tags: tags, opName: "xchg", by: 1, old: true})
		add("atomic_flag_clear"+suffix, cFunctionInfo{kind: callStore, args: 1 + order, order: order, tags: tags})
	}
	add("atomic_signal_fence", cFunctionInfo{kind: callNothing, args: 1})
	add("atomic_thread_fence", cFunctionInfo{kind: callFence, args: 1, order: 0, opName: "c11"})
	add("atomic_init", cFunctionInfo{kind: callStore, args: 2})

	kernel := func(name string, f cFunctionInfo) {
		f.kernel = true
		if _, ok := all[name]; ok {
			name += kernels
		}
		add(name, f)
	}
	for name, tag := range map[string]string{
		"smp_mb": "Mb", "smp_rmb": "Rmb", "smp_wmb": "Wmb", "smp_mb__before_atomic": "Before-atomic", "smp_mb__after_atomic": "After-atomic",
		"smp_mb__after_spinlock": "After-spinlock", "smp_mb__after_unlock_lock": "After-unlock-lock", "smp_mb__after_srcu_read_unlock": "After-srcu-read-unlock", "barrier": "Barrier",
		"rcu_read_lock": "Rcu-lock", "rcu_read_unlock": "Rcu-unlock", "synchronize_rcu": "Sync-rcu", "synchronize_rcu_expedited": "Sync-rcu",
		"smp_mb__before_spinlock": "Before-atomic", "smp_acquire__after_ctrl_dep": "Rmb",
	} {
		kernel(name, cFunctionInfo{kind: callFence, tags: []string{tag}})
	}
	for name, tag := range map[string]string{"READ_ONCE": "Once", "rcu_dereference": "Once", "rcu_dereference_raw": "Once", "rcu_access_pointer": "Once", "lockless_dereference": "Once", "ACCESS_ONCE": "Once"} {
		kernel(name, cFunctionInfo{kind: callLoad, args: 1, lvalue: true, tags: []string{tag}})
	}
	kernel("smp_load_acquire", cFunctionInfo{kind: callLoad, args: 1, tags: []string{"Acquire"}})
	kernel("WRITE_ONCE", cFunctionInfo{kind: callStore, args: 2, lvalue: true, tags: []string{"Once"}})
	kernel("rcu_assign_pointer", cFunctionInfo{kind: callStore, args: 2, lvalue: true, tags: []string{"Release"}})
	kernel("smp_store_release", cFunctionInfo{kind: callStore, args: 2, tags: []string{"Release"}})
	kernel("smp_store_mb", cFunctionInfo{kind: callStore, args: 2, lvalue: true, either: true, tags: []string{"Once"}, mb: true})
	// The value of the first is what the second stores, which tells what ends what.
	kernel("srcu_read_lock", cFunctionInfo{kind: callLoad, args: 1, tags: []string{"Srcu-lock"}})
	kernel("srcu_read_unlock", cFunctionInfo{kind: callStore, args: 2, tags: []string{"Srcu-unlock"}})
	kernel("synchronize_srcu", cFunctionInfo{kind: callLoad, args: 1, tags: []string{"Sync-srcu"}})
	kernel("synchronize_srcu_expedited", cFunctionInfo{kind: callLoad, args: 1, tags: []string{"Sync-srcu"}})
	kernel("srcu_down_read", cFunctionInfo{kind: callLoad, args: 1, tags: []string{"Srcu-lock"}})
	kernel("srcu_up_read", cFunctionInfo{kind: callStore, args: 2, tags: []string{"Srcu-unlock"}})
	for _, lock := range []string{"raw_spin_", "mutex_"} {
		kernel(lock+"lock", cFunctionInfo{kind: callLock, args: 1})
		kernel(lock+"unlock", cFunctionInfo{kind: callUnlock, args: 1})
	}
	kernel("spin_lock", cFunctionInfo{kind: callLock, args: 1})
	kernel("spin_unlock", cFunctionInfo{kind: callUnlock, args: 1})
	kernel("spin_unlock_wait", cFunctionInfo{kind: callUnlockWait, args: 1})
	kernel("spin_trylock", cFunctionInfo{kind: callTryLock, args: 1})
	kernel("spin_is_locked", cFunctionInfo{kind: callIsLocked, args: 1})
	orders := map[string]cFunctionInfo{"": {mb: true, tags: []string{"Once"}}, "_relaxed": {tags: []string{"Once"}}, "_acquire": {tags: []string{"Acquire"}}, "_release": {tags: []string{"Release"}}}
	for suffix, o := range orders {
		with := func(f cFunctionInfo) cFunctionInfo { f.mb, f.tags = o.mb, o.tags; return f }
		for _, prefix := range []string{"", "atomic_", "atomic_long_", "atomic64_"} {
			kernel(prefix+"xchg"+suffix, with(cFunctionInfo{kind: callUpdate, args: 2, opName: "xchg", old: true}))
			kernel(prefix+"cmpxchg"+suffix, with(cFunctionInfo{kind: callCompare, args: 3}))
			kernel(prefix+"try_cmpxchg"+suffix, with(cFunctionInfo{kind: callCompareC, args: 3}))
			if prefix == "" {
				continue
			}
			for op, b := range map[string]program.BinaryOp{"add": program.Add, "sub": program.Sub, "inc": program.Add, "dec": program.Sub, "or": program.BitOr, "and": program.BitAnd, "xor": program.BitXor, "andnot": program.BitAnd} {
				f := cFunctionInfo{kind: callUpdate, args: 2, op: b, opName: op, first: true}
				if op == "inc" || op == "dec" {
					f.args, f.by = 1, 1
				}
				f.old = true
				kernel(prefix+"fetch_"+op+suffix, with(f))
				f.old = false
				kernel(prefix+op+"_return"+suffix, with(f))
				f.void = true
				if suffix == "" {
					f.tags = []string{"Once", "Noreturn"}
					kernel(prefix+op, f)
				}
			}
		}
	}
	for _, prefix := range []string{"atomic_", "atomic_long_", "atomic64_"} {
		kernel(prefix+"read", cFunctionInfo{kind: callLoad, args: 1, tags: []string{"Once"}})
		kernel(prefix+"read_acquire", cFunctionInfo{kind: callLoad, args: 1, tags: []string{"Acquire"}})
		kernel(prefix+"set", cFunctionInfo{kind: callStore, args: 2, tags: []string{"Once"}})
		kernel(prefix+"set_release", cFunctionInfo{kind: callStore, args: 2, tags: []string{"Release"}})
		test := cFunctionInfo{kind: callUpdate, tags: []string{"Once"}, mb: true, test: true, first: true}
		for name, op := range map[string]program.BinaryOp{"sub": program.Sub, "dec": program.Sub, "inc": program.Add} {
			f := test
			if f.op, f.opName, f.args, f.by = op, name, 1, 1; name == "sub" {
				f.args, f.by = 2, 0
			}
			kernel(prefix+name+"_and_test", f)
		}
		f := test
		f.test, f.negative, f.op, f.opName, f.args = false, true, program.Add, "add", 2
		kernel(prefix+"add_negative", f)
		kernel(prefix+"add_unless", cFunctionInfo{kind: callUnless, args: 3, tags: []string{"Once"}, mb: true})
		kernel(prefix+"fetch_add_unless", cFunctionInfo{kind: callUnless, args: 3, tags: []string{"Once"}, mb: true, old: true})
		kernel(prefix+"inc_not_zero", cFunctionInfo{kind: callUnless, args: 1, tags: []string{"Once"}, mb: true})
	}
	kernel("rcu_head_init", cFunctionInfo{kind: callNothing, args: 1})
	kernel("cpu_relax", cFunctionInfo{kind: callNothing})
	kernel("smp_read_barrier_depends", cFunctionInfo{kind: callNothing}) // reads that depend are in order
	return all
})

var cRefused = map[string]string{
	"call_rcu": "callbacks are not modelled", "read_lock": "locks for readers and writers are not modelled", "write_lock": "locks for readers and writers are not modelled",
	"free": "the heap is not modelled", "malloc": "the heap is not modelled",
}

// kernels is behind the name of a function of the kernel that C11 has, too: its operand
// comes before the address.
const kernels = " of the kernel"

// function is what a call calls.
func function(x cCall) (f cFunctionInfo, ok bool) {
	f, ok = cFunctions()[x.name.Text]
	if k, both := cFunctions()[x.name.Text+kernels]; both && len(x.args) == k.args {
		if _, addr := x.args[k.args-1].(cAddress); addr {
			return k, true
		}
	}
	return f, ok
}

// checkCall refuses functions that are not known, and notes of what language they are.
func (c *cTest) checkCall(x cCall) {
	name := x.name.Text
	f, ok := function(x)
	if !ok {
		if why := cRefused[name]; why != "" {
			c.refuse(x.at, name, why)
		}
		c.fail(x.at, text.DidYouMean(name, slices.Collect(maps.Keys(cFunctions()))), "unknown function %s", name)
	}
	if len(x.args) != f.args {
		c.fail(x.at, "", "%s has %s, not %d", name, plural(f.args, "argument"), len(x.args))
	}
	if f.kernel {
		c.kernel = x.name
	} else {
		c.c11 = x.name
	}
	for _, i := range []int{f.order, f.second} {
		if i > 0 || f.opName == "c11" {
			c.orderOf(x.args[i])
		}
	}
	if f.lvalue && !f.either {
		if _, ok := lvalue(x.args[0]); !ok {
			c.fail(x.args[0].where(), "such as "+name+"(*x)", "%s takes something in memory", name)
		}
	}
}

// lvalue is the address of an expression that means something in memory.
func lvalue(x cExpr) (addr cExpr, ok bool) {
	switch x := x.(type) {
	case cDeref:
		return x.x, true
	case cCast:
		return lvalue(x.x)
	}
	return nil, false
}

// orderOf is the tag of a memory order.
func (c *cTest) orderOf(x cExpr) string {
	if order, ok := x.(cOrder); ok {
		name := strings.TrimPrefix(strings.TrimPrefix(order.name.Text, "memory_order_"), "mo_")
		if tag := c11Orders[name]; tag != "" {
			return tag
		}
	}
	c.fail(x.where(), "orders are memory_order_relaxed, _acquire, _release, _acq_rel, _seq_cst, _consume", "this is no memory order")
	return ""
}
