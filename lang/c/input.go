package c

import (
	"regexp"
	"strconv"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/operations"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// scanning are the functions that write what they read to the places they are given, as far as they get, and how
// many arguments come before these.
var scanning = map[string]int{"scanf": 1, "sscanf": 2, "fscanf": 2, "__isoc23_scanf": 1, "__isoc23_sscanf": 2, "__isoc23_fscanf": 2, "__isoc99_scanf": 1, "__isoc99_sscanf": 2, "__isoc99_fscanf": 2}

// severalChars is what reads several characters without ending the string.
var severalChars = regexp.MustCompile(`%[0-9]+l?c`)

// anyOf is any number of type t.
func (l *lowerer) anyOf(t *types.Type) value {
	if t.Kind == types.FloatKind {
		return someReal(t)
	}
	return l.choice(t)
}

// inputBuiltins are the functions that tell of the world outside: whatever they say is a free
// choice.
func inputBuiltins() map[string]builtin {
	m := map[string]builtin{}
	for name, first := range scanning {
		m[name] = builtin{^first, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			if strings.HasSuffix(name, "sscanf") {
				l.u.refuse(n, "what sscanf finds in a string")
			}
			format, known := stringOf(args[first-1])
			evaluateAll(l, args[:first])
			if strings.Contains(strings.ReplaceAll(format, "%%", ""), "%n") || strings.Contains(format, "*") {
				l.u.refuse(args[first-1], "a format to read by with %n or *")
			}
			var places []place
			for _, a := range args[first:] {
				p := l.target(a)
				if p.t.Kind != types.FloatKind && !p.t.Integer() || p.t.Size == 1 && (!known || strings.ContainsAny(format, "s[") || severalChars.MatchString(format)) { // a string
					l.u.refuse(a, "reading "+p.t.Name)
				}
				places = append(places, p)
			}
			l.at(n)
			k := l.havoc(types.Int, -1, int64(len(places))) // so many have been read, and no more is written
			l.failsIf(bin(program.Lt, k.e, program.Const(0)), true)
			end := l.node()
			for i, p := range places {
				read := l.node()
				l.split(bin(program.Lt, program.Const(int64(i)), k.e), read, end)
				l.cur = read
				l.store(p, l.anyOf(p.t.Plain()))
			}
			l.land(end)
			return k
		}}
	}
	free := func(t *types.Type, lo, hi int64) builtin {
		return builtin{^0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			evaluateAll(l, args)
			l.at(n)
			return l.havoc(t, lo, hi)
		}}
	}
	m["__VERIFIER_nondet_memory"] = builtin{2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		t := l.pointedTo(args[0])
		p, size := l.pointerArgument(args[0]), l.size(args[1])
		l.at(n)
		k, known := size.e.(program.Const)
		if !known {
			l.u.refuse(args[1], "a number of bytes that is not constant")
		}
		t = l.elementsOf(size, args[1], t)
		for _, s := range l.span(n, t, int64(k)) {
			if !s.Type.Integer() && s.Type.Kind != types.FloatKind {
				l.u.refuse(args[0], "a free choice of "+s.Type.Name)
			}
			l.storeAs(place{t: s.Type.Plain(), addr: plus(p.e, s.Off)}, l.anyOf(s.Type.Plain()), plain)
		}
		return nothing
	}}
	m["clock"] = free(types.Long, 0, 1<<62)
	m["atoi"] = builtin{1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		s, ok := stringOf(args[0])
		k, err := strconv.Atoi(strings.TrimRight(s, "\x00"))
		if !ok || err != nil {
			if l.u.defined["strtol"] == nil {
				l.u.refuse(n, "the number in a string")
			}
			text := l.convert(l.expr(args[0]), types.VoidPointer)
			return l.convert(l.call(n, "strtol", []value{text, number(types.VoidPointer, 0), number(types.Int, 10)}), types.Int)
		}
		return number(types.Int, int64(int32(k)))
	}}
	m["sched_getcpu"] = free(types.Int, 0, 1023)
	processors := free(types.Int, 1, 1<<31-1)
	m["get_nprocs"], m["get_nprocs_conf"] = processors, processors
	m["sysconf"] = builtin{1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		switch k, _ := l.u.constantMaybe(args[0]); k {
		case 30: // _SC_PAGESIZE
			return number(types.Long, operations.PageSize)
		case 83, 84: // _SC_NPROCESSORS_CONF, _SC_NPROCESSORS_ONLN
			return l.convert(processors.do(l, n, args), types.Long)
		}
		return fallible(types.Long, 0, 1<<31).do(l, n, args)
	}}
	m["__sysconf"] = m["sysconf"]
	m["rand_r"], m["lrand48"] = free(types.Int, 0, 1<<31-1), free(types.Long, 0, 1<<31-1)
	m["time"] = builtin{1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		now := l.havoc(types.Long, 0, mostSeconds)
		l.outcome(n, args[0], types.Long)(now)
		return now
	}}
	clock := func(which int) builtin {
		return builtin{^(which + 1), func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			evaluateAll(l, args[:which])
			p := l.libraryTarget(n, args[which])
			evaluateAll(l, args[which+1:])
			l.at(n)
			l.showClock(n, p)
			return number(types.Int, 0)
		}}
	}
	resolution := builtin{2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		evaluateAll(l, args[:1])
		to := l.kept(l.libraryPointer(n, args[1])) // which may be null
		l.at(n)
		given, end := l.node(), l.node()
		l.split(ne(to.e, program.Const(0)), given, end)
		l.cur = given
		l.showClock(n, l.pointee(to))
		l.land(end)
		return number(types.Int, 0)
	}}
	m["gettimeofday"] = clock(0)
	m["timespec_get"] = builtin{2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		switch l.u.constantIn(args[1], "what a time counts from") {
		case 0: // which is none
			evaluateAll(l, args)
			return number(types.Int, 0)
		case 1: // TIME_UTC
		default:
			l.u.refuse(n, "a time that counts from something else than TIME_UTC")
		}
		clock(0).do(l, n, args)
		return number(types.Int, 1)
	}}
	m["clock_gettime"], m["clock_getres"] = onClock(0, readingOf, clock(1)), onClock(0, readingOf, resolution)
	m["getrusage"], m["sched_getparam"], m["getitimer"] = clock(1), clock(1), clock(1)
	m["getppid"], m["getuid"], m["geteuid"], m["getgid"], m["getegid"] = free(types.Int, 0, 1<<22), free(types.UnsignedInt, 0, 1<<32-1), free(types.UnsignedInt, 0, 1<<32-1), free(types.UnsignedInt, 0, 1<<32-1), free(types.UnsignedInt, 0, 1<<32-1)
	m["gettid"] = builtin{0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		return value{t: types.Int, e: l.self()} // that of main is that of the process
	}}
	m["__fp_errno"] = builtin{1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		l.setErrno(program.Const(l.constantArgument(args[0], "a number of an error")))
		return nothing
	}}
	affinity := builtin{3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		if called(n) == "pthread_getaffinity_np" {
			l.needs(n, args[0])
		} else {
			l.effect(args[0])
		}
		evaluateAll(l, args[1:2])
		p := l.target(args[2])
		l.at(n)
		for _, s := range l.u.flatten(p.t.Plain(), "", 0, nil) {
			l.storeAs(place{t: s.Type.Plain(), addr: plus(p.addr, s.Off)}, l.choice(s.Type.Plain()), plain)
		}
		return number(types.Int, 0)
	}}
	m["sched_getaffinity"], m["pthread_getaffinity_np"] = affinity, affinity
	m["feof"], m["ferror"] = free(types.Int, 0, 1), free(types.Int, 0, 1)
	m["pthread_getschedparam"] = builtin{3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		l.needs(n, args[0])
		policy := l.target(args[1])
		l.at(n)
		l.store(policy, l.convert(l.havoc(types.Int, 0, 2), policy.t.Plain()))
		return clock(0).do(l, n, args[2:])
	}}
	m["strerror"] = builtin{1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		l.effect(args[0])
		return l.load(l.literal("error"))
	}}
	m["__errno_location"] = builtin{0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		return value{t: types.PointerTo(types.Int), e: l.errnoPlace().addr}
	}}
	return m
}

// showClock writes to the members of a structure what a clock shows.
func (l *lowerer) showClock(n cc.Node, p place) {
	if !p.t.Aggregate() {
		l.u.refuse(n, "a clock for "+p.t.Name)
	}
	for _, s := range l.u.flatten(p.t.Plain(), "", 0, nil) {
		l.storeAs(place{t: s.Type.Plain(), addr: plus(p.addr, s.Off)}, l.havoc(s.Type.Plain(), 0, mostShown(s)), plain)
	}
}

// mostShown is the largest number that a clock, or the system's account of what was used, has in a member. Seconds are so many that they
// are 64 bits as nanoseconds.
func mostShown(s lowered.Scalar) int64 {
	switch s.Name[strings.LastIndex(s.Name, ".")+1:] {
	case "tv_sec":
		return mostSeconds
	case "tv_nsec":
		return 999_999_999
	case "tv_usec":
		return 999_999
	case "sched_priority", "__sched_priority":
		return 99
	}
	return s.Type.Word().Max()
}

// errnoPlace is where this thread has its errno.
func (l *lowerer) errnoPlace() place {
	if l.errno == nil {
		l.errno = l.object("errno", types.Int)
	}
	return place{t: types.Int, addr: program.Const(l.errno.Base)}
}

// setErrno stores to it, where somebody asks.
func (l *lowerer) setErrno(e program.Expr) {
	if !l.u.usesErrno() {
		return
	}
	at := l.errnoPlace()
	if x := l.u.global("errno"); x != nil && x.spec.thread { // as our header has it
		at.addr = program.Const(l.threadLocal(x).Base)
	}
	l.storeAs(at, value{t: types.Int, e: e}, plain)
}

// choice is a free choice of a value of an integer type.
func (l *lowerer) choice(t *types.Type) value { return l.havoc(t, t.Word().Min(), t.Word().Max()) }

// scans is true of a function of scanning.
func scans(name string) bool { return scanning[strings.TrimSpace(name)] > 0 }
