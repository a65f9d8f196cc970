package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReplay(t *testing.T) {
	saved := filepath.Join(t.TempDir(), "run.json")
	const dekker = "../../examples/dekker.imp"
	for _, tt := range []struct {
		args, stdin string
		status      int
		want        []string
	}{
		{"check -q --save-run " + saved + " " + dekker, "", exitUnsafe, nil},
		{"replay " + dekker + " " + saved, "", exitSafe, []string{"UNSAFE", "forbid P0@cs & P1@cs"}},
		{"replay --to litmus " + dekker + " " + saved, "", exitSafe, []string{"X86_64 dekker", "exists (0:rax=0 /\\ 1:rax=0)"}},
		{"replay -i " + dekker + " " + saved, "f\n\nb\nm\n2\nnonsense\n99\nq\n", exitSafe, []string{"after step 2 of 6", "can read next", "beside the saved run", "no step 99"}},
		{"replay -i " + dekker + " " + saved, strings.Repeat("1", 1<<17) + "\n\n", exitSafe, []string{"after step 1 of 6"}},
		{"replay -i " + dekker + " " + saved, strings.Repeat("1", 1<<17), exitSafe, nil},
		{"replay -i " + dekker + " " + saved, "f", exitSafe, []string{"after step 1 of 6"}},
		{"replay -i -o json " + dekker + " " + saved, "", exitInput, nil},
		{"replay --to litmus -o json " + dekker + " " + saved, "", exitInput, nil},
		{"check -q --property race --save-run " + saved + ".race ../../examples/c/lazy-flag.c", "", exitUnsafe, nil},
		{"replay ../../examples/c/lazy-flag.c " + saved + ".race", "", exitSafe, []string{"UNSAFE", "data race on made"}},
		{"replay -D FIXED=1 ../../examples/c/lazy-flag.c " + saved + ".race", "", exitUnsafe, []string{"another program"}},
		{"check -q --property liveness --save-run " + saved + ".hang ../../examples/parker.imp", "", exitUnsafe, nil},
		{"replay ../../examples/parker.imp " + saved + ".hang", "", exitSafe, []string{"UNSAFE", "liveness, under TSO", "nothing can go on", "stands: permit = 0"}},
		{"check -q --property deadlock --save-run " + saved + ".dead ../../examples/c/parker.c", "", exitUnsafe, nil},
		{"replay ../../examples/c/parker.c " + saved + ".dead", "", exitSafe, []string{"UNSAFE", "deadlocks, under TSO", "no deadlock"}},
		{"check -q --save-run " + saved + ".wide ../../examples/c/collocation.c", "", exitUnsafe, nil},
		{"replay ../../examples/c/collocation.c " + saved + ".wide", "", exitSafe, []string{"UNSAFE", "assert"}},
		{"replay -i ../../examples/c/collocation.c " + saved + ".wide", "f\nq\n", exitSafe, []string{"after step 1 of "}},
		{"check -q --property liveness --save-run " + saved + ".asleep ../../examples/c/lock-with-waiters.c", "", exitUnsafe, nil},
		{"replay ../../examples/c/lock-with-waiters.c " + saved + ".asleep", "", exitSafe, []string{"UNSAFE", "liveness, under TSO"}},
		{"replay ../../examples/dekker-fenced.imp " + saved, "", exitUnsafe, []string{"another program"}},
		{"replay " + dekker + " " + dekker, "", exitInput, nil},
		{"check --save-run " + saved + " " + dekker + " " + dekker, "", exitInput, nil},
	} {
		var out, errs bytes.Buffer
		status := run(context.Background(), strings.Fields(tt.args), strings.NewReader(tt.stdin), &out, &errs)
		if status != tt.status {
			t.Fatalf("%s: status %d\n%s%s", tt.args, status, out.String(), errs.String())
		}
		for _, w := range tt.want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("%s: no %q in\n%s", tt.args, w, out.String())
			}
		}
	}
	if info, err := os.Stat(saved); err != nil || info.Size() == 0 {
		t.Error("the run is lost", err)
	}
}
