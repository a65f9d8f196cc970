package cat

import (
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// A Vocabulary is the predefined names of an architecture: what the tags of its events
// are called in models.
type Vocabulary struct {
	arch program.Arch
	// sets are those of the events that bear one of these tags.
	sets map[string][]string
	// defined names are short for an expression over others.
	defined map[string]string
	// accesses lists the tags that reads and writes can bear.
	accesses []string
}

// named is a set for each of the names, of the events that bear the tag of that name.
func named(names string) map[string][]string {
	m := map[string][]string{}
	for n := range strings.FieldsSeq(names) {
		m[n] = []string{n}
	}
	return m
}

// called adds sets under other names than those of their tags: "name=tag|tag ...".
func called(m map[string][]string, names string) map[string][]string {
	for n := range strings.FieldsSeq(names) {
		name, tags, _ := strings.Cut(n, "=")
		m[name] = strings.Split(tags, "|")
		if tags == "" {
			m[name] = nil
		}
	}
	return m
}

// common are the names that mean the same everywhere.
var common = map[string]string{
	"M":        "R | W",
	"IW":       "I",
	"FW":       `W \ domain(co)`,
	"emptyset": "domain(0)",
	"id":       "[_]",
	"si":       "part^*", // the accesses of one instruction that po has no order for
	"sm":       "part?",  // those of one wide access
	"whole":    "id",     // those that happen at once
	"po-loc":   "po & loc",
	"rfe":      "rf & ext",
	"rfi":      "rf & int",
	"coe":      "co & ext",
	"coi":      "co & int",
	"fre":      "fr & ext",
	"fri":      "fr & int",
	"co0":      `loc & ((IW * (W \ IW)) | ((W \ FW) * FW))`,
}

var vocabularies = map[program.Arch]*Vocabulary{
	// herd calls the accesses of locked instructions X, and older models A.
	program.X86: {
		sets:     called(named("X MFENCE SFENCE LFENCE"), "A=X"),
		accesses: []string{program.TagLocked},
		// An access that is wider than others to the variable is not torn.
		defined: map[string]string{"whole": "part?"},
	},
	// NA are the accesses that are not atomic, A the others. Where there are no locks
	// and no heap, there is nothing in the sets that are about them.
	program.C11: {
		sets: called(named("RLX ACQ REL ACQ_REL SC CON RMW"),
			"A=RLX|ACQ|REL|ACQ_REL|SC|CON STRONG= LK= UL= LS= ALLOC= FREE= UB="),
		defined: map[string]string{
			"NA": `M \ A`, "lo": "0", "allocptr": "0", "allocmem": "0",
		},
		accesses: strings.Fields("RLX ACQ REL ACQ_REL SC CON RMW"),
	},
	// A is acquire, Q the weaker acquire of LDAPR, L release, X exclusive; Second what the second
	// register of a pair is accessed by, which is an access of its own, unless it is exclusive.
	program.AArch64: {
		sets: called(named("A Q L X ISB NoRet Second "+
			"DMB.SY DMB.ISH DMB.OSH DMB.NSH DMB.LD DMB.ISHLD DMB.OSHLD DMB.NSHLD DMB.ST DMB.ISHST DMB.OSHST DMB.NSHST "+
			"DSB.SY DSB.ISH DSB.OSH DSB.NSH DSB.LD DSB.ISHLD DSB.OSHLD DSB.NSHLD DSB.ST DSB.ISHST DSB.OSHST DSB.NSHST"),
			"UB="),
		defined: map[string]string{
			"sm":         "(part & (Second * Second | ~Second * ~Second))?",
			"iico_order": "part & (~Second * Second)",
		},
		accesses: strings.Fields("A Q L X AMO NoRet Second"),
	},
	// X is what herd calls the accesses of an amo, and others those of lr and sc, which
	// are EX to herd: here it is both. Sc is what lr and sc with both aq and rl bear.
	program.RISCV: {
		sets: called(named("Acq Rel AcqRel Sc AMO Fence.tso Fence.i "+
			"Fence.r.r Fence.r.w Fence.r.rw Fence.w.r Fence.w.w Fence.w.rw Fence.rw.r Fence.rw.w Fence.rw.rw"),
			"X=X|AMO EX=X UB="),
		accesses: strings.Fields("Acq Rel AcqRel Sc X AMO"),
	},
	program.PPC: {
		sets:     called(map[string][]string{}, "SYNC=sync LWSYNC=lwsync EIEIO=eieio ISYNC=isync X=X EX=X AMO=AMO UB="),
		accesses: strings.Fields("X AMO"),
	},
	program.LKMM: {
		sets: called(named("Once Acquire Release Noreturn Mb Rmb Wmb Rcu-lock Rcu-unlock Sync-rcu "+
			"Before-atomic After-atomic After-spinlock After-unlock-lock After-srcu-read-unlock Barrier Srcu-lock Srcu-unlock Sync-srcu LKR LKW UL LF RL RU"),
			"AMO=RMW ONCE=Once ACQUIRE=Acquire RELEASE=Release NORETURN=Noreturn MB=Mb RMB=Rmb WMB=Wmb UB="),
		defined: map[string]string{
			"RMW":   "(domain(amo) | range(amo)) \\ (LKR | LKW)",
			"Plain": `M \ (Once | Acquire | Release | Noreturn | LKR | LKW | UL | LF | RL | RU | Srcu-lock | Srcu-unlock | Sync-srcu | AMO | I)`,
			"crit":  "rcu-rscs",
			// Of a sleepable reader, which says what domain it is of: that is the location.
			"srcu-rscs": "([Srcu-lock]; data; [Srcu-unlock]) & loc",
		},
		accesses: strings.Fields("Once Acquire Release Noreturn LKR LKW UL LF RL RU Srcu-lock Srcu-unlock Sync-srcu"),
	},
}

func init() {
	for a, v := range vocabularies {
		v.arch = a
	}
}

// For is the vocabulary of an architecture.
func For(a program.Arch) *Vocabulary { return vocabularies[a] }

// Arch is whose vocabulary it is.
func (v *Vocabulary) Arch() program.Arch { return v.arch }

// AccessTags lists the tags that reads and writes can bear.
func (v *Vocabulary) AccessTags() []string { return slices.Clone(v.accesses) }

// lookup is the expression that a predefined name stands for.
func (v *Vocabulary) lookup(name string) (text string, ok bool) {
	if text, ok = v.defined[name]; ok {
		return text, true
	}
	text, ok = common[name]
	return text, ok
}

// names lists what is predefined, sorted, by what it is.
func (v *Vocabulary) names() (sets, rels, functions []string) {
	for n := range isBase {
		if isSet[n] {
			sets = append(sets, n)
		} else {
			rels = append(rels, n)
		}
	}
	sets = append(sets, slices.Collect(maps.Keys(v.sets))...)
	r := &resolver{vocabulary: v, b: builder{known: map[termKey]*Term{}}}
	for _, defs := range []map[string]string{common, v.defined} {
		for n := range defs {
			if t, err := r.predefined(n); err == nil && t.typ == Set {
				sets = append(sets, n)
			} else {
				rels = append(rels, n)
			}
		}
	}
	functions = slices.Collect(maps.Keys(builtins))
	slices.Sort(functions)
	// What is common, an architecture may define in its own way.
	return distinct(sets), distinct(rels), functions
}

// distinct sorts names, and leaves each once.
func distinct(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
