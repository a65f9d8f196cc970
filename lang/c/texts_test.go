package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/memory"
)

// TestTexts: functions on texts stay inside of the array that they are given.
func TestTexts(t *testing.T) {
	const before = "#include <assert.h>\n#include <stddef.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n" +
		"struct s { char m[4]; char n[8]; int k; char t[4]; }; struct w { int z; struct s in; char r[2][4]; union { char a[2], b[6]; } u; char e[4]; } g; union h { struct { int n; char d[1]; } h; char room[16]; } h;\n" +
		"int main(void) { struct w *p = calloc(1, sizeof *p), l = {0}; "
	for _, s := range []snippet{
		{"a member behind a pointer", `strcpy(p->in.m, "abcd");`, "UNSAFE"},
		{"a member behind a pointer, with room", `strcpy(p->in.m, "abc"); strcpy(p->in.n, "abcdefg"); assert(!strcmp(p->in.m, "abc"));`, "SAFE"},
		{"a member of a variable", `strcpy(g.in.m, "abcd");`, "UNSAFE"},
		{"a member of a variable, with room", `strcpy(g.in.m, "abc"); strcat(g.in.n, g.in.m); strcat(g.in.n, "wxyz"); assert(!strcmp(g.in.n, "abcwxyz"));`, "SAFE"},
		{"a member of a local variable", `strcpy(l.in.n, "abcdefgh");`, "UNSAFE"},
		{"a member of a variable without unions", `struct s v = {0}; strcpy(v.m, "abcd");`, "UNSAFE"},
		{"a member of a variable without unions, with room", `struct s v = {0}; strcpy(v.m, "abc"); sprintf(v.n, "%s", v.m); assert(v.n[2] == 'c');`, "SAFE"},
		{"a member that is no text", `struct { int v[2]; int k; } x, *q = &x; strcpy((char *)q->v, "abcdefgh");`, "UNSAFE"},
		{"a member that is no text, with room", `struct { int v[2]; int k; } x, *q = &x; strcpy((char *)q->v, "abcdefg"); assert(((char *)q->v)[6] == 'g');`, "SAFE"},
		{"a member that is no text, from an element on", `struct { int v[2]; int k; } x, *q = &x; strcpy((char *)&q->v[1], "abcd");`, "UNSAFE"},
		{"a member of a variable that is no text", `struct { int v[2]; int k; } x; strcpy((char *)x.v, "abcdefgh");`, "UNSAFE"},
		{"a member that is one element, and what comes behind it", `struct { int k, v[1], room[2]; } x; strcpy((char *)x.v, "abcdefgh");`, "SAFE"},
		{"all of a structure", `struct { int v[2]; int k; } x, *q = &x; strcpy((char *)q, "abcdefghijk");`, "SAFE"},
		{"a member, cast", `strcpy((char *)p->in.m, "abcd");`, "UNSAFE"},
		{"by a pointer", `char *q = p->in.m; strcpy(q, "abcd");`, "UNSAFE"},
		{"from an element on", `strcpy(&p->in.m[1], "abc");`, "UNSAFE"},
		{"from an element on, with room", `strcpy(&p->in.m[1], "ab"); strcpy(g.in.m + 2, "c"); assert(p->in.m[2] == 'b' && g.in.m[2] == 'c');`, "SAFE"},
		{"an appended text", `strcat(p->in.m, "ab"); strcat(p->in.m, "cd");`, "UNSAFE"},
		{"a part of a text that is appended", `strncat(p->in.m, "abcdef", 4);`, "UNSAFE"},
		{"a part of a text that is appended, with room", `strncat(p->in.m, "abcdef", 3); assert(strlen(p->in.m) == 3);`, "SAFE"},
		{"so many characters", `strncpy(p->in.m, "a", 5);`, "UNSAFE"},
		{"so many characters, with room", `strncpy(p->in.m, "abcdef", 4); strncpy(g.in.n, p->in.m, 4); assert(g.in.n[3] == 'd');`, "SAFE"},
		{"a text that does not end", `strncpy(p->in.m, "abcdef", 4); size_t k = strlen(p->in.m);`, "UNSAFE"},
		{"a text that does not end, copied", `memset(g.in.m, 'a', 4); strcpy(p->in.n, g.in.m);`, "UNSAFE"},
		{"a text that does not end, compared", `memset(g.in.m, 'a', 4); int k = strcmp("aaaaa", g.in.m);`, "UNSAFE"},
		{"a text that does not end, compared as far as it goes", `memset(g.in.m, 'a', 4); assert(strncmp("aaaaa", g.in.m, 4) == 0);`, "SAFE"},
		{"a number that is printed", `sprintf(p->in.m, "%d", 1234);`, "UNSAFE"},
		{"a number that is printed, with room", `sprintf(p->in.m, "%d", 123); assert(p->in.m[2] == '3');`, "SAFE"},
		{"more room than there is", `snprintf(p->in.m, 8, "%d", 1234);`, "UNSAFE"},
		{"more room than there is, which is not needed", `snprintf(p->in.m, 8, "%d", 123); assert(p->in.m[2] == '3');`, "SAFE"},
		{"a text that is printed", `memset(g.in.m, 'a', 4); sprintf(p->in.n, "%s", g.in.m);`, "UNSAFE"},
		{"a line", `fgets(p->in.m, 5, stdin);`, "UNSAFE"},
		{"a line, with room", `fgets(p->in.m, 4, stdin);`, "SAFE"},
		{"a row", `strcpy(p->r[0], "abcd"); assert(p->r[1][0] == 0);`, "SAFE"},
		{"a row, and what is behind all", `strcpy(p->r[1], "abcd");`, "UNSAFE"},
		{"a member of a union", `strcpy(p->u.a, "abcd"); assert(p->u.b[3] == 'd');`, "SAFE"},
		{"a member of a structure in a union", `strcpy(h.h.d, "abcd"); assert(h.h.d[0] == 'a');`, "SAFE"},
		{"the end of what is allocated", `struct w *q = malloc(sizeof *q + 4); strcpy(q->e, "abcdef");`, "SAFE"},
		{"the end of a variable", `strcpy(g.e, "abcd");`, "UNSAFE"},
		{"all of an object", `strcpy((char *)&p->in, "abcdefgh"); assert(p->in.n[3] == 'h');`, "SAFE"},
		{"bytes of several members", `memset(&p->in.m, 1, offsetof(struct s, k)); memcpy(g.in.m, p->in.m, 12); assert(memcmp(g.in.m, p->in.m, 12) == 0 && g.in.n[7] == 1 && memchr(p->in.m, 1, 12));`, "SAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			underModels(t, before+s.body+" return 0; }", s.want, memory.TSO)
		})
	}
}
