package imp

// foreign are words of other languages, and what IMP has in their place.
var foreign = map[string]string{
	"int": "int32, or int8 to int64 and uint8 to uint64", "unsigned": "uint8 to uint64",
	"long": "int64", "short": "int16", "char": "int8", "uint": "uint32", "boolean": "bool", "byte": "int8", "_Bool": "bool",
	"var": "variables for what is shared, and local in a process", "shared": "variables", "global": "variables", "volatile": "variables",
	"thread": "process", "proc": "process", "proctype": "process", "active": "process", "init": "process",
	"function": "procedure", "func": "procedure", "fn": "procedure", "def": "procedure", "void": "procedure", "inline": "procedure",
	"mutex": "lock and unlock, and cas or xchg for locks of your own", "synchronized": "lock and unlock",
	"mfence": "fence", "barrier": "fence", "lfence": "nothing: loads stay in order; the full fence is fence",
	"do": "while", "loop": "while true do .. od", "repeat": "while", "until": "await, or while not", "switch": "if .. elif .. fi", "case": "if .. elif .. fi",
	"exit": "return", "wait": "await", "print": "nothing: look at the states", "printf": "nothing: look at the states",
	"compare_and_swap": "cas", "CAS": "cas", "swap": "xchg", "exchange": "xchg", "atomic_exchange": "xchg", "faa": "fetch_add",
	"ensure": "assert", "require": "assert", "nondet": "any(lo..hi)", "random": "any(lo..hi)",
	"invariant": "forbid not (..)", "never": "forbid", "ltl": "forbid",
}

// foreignWord is a hint for what another language would have here: the word, and the
// token after it.
func foreignWord(word string, next token) string {
	if has, ok := foreign[word]; ok {
		return "IMP has " + has + " for that"
	}
	switch {
	case next.Is("+"):
		return "IMP has x += 1 for x++"
	case next.Is("-"):
		return "IMP has x -= 1 for x--"
	}
	return ""
}
