package cycles

import (
	"fmt"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/program"
)

// Every test that is written can be read, and asks what its cycle says.
func TestAll(t *testing.T) {
	for _, a := range archs {
		t.Run(a.Of.String(), func(t *testing.T) {
			for size := 2; size <= 4+map[bool]int{false: 1}[testing.Short()]; size++ {
				n := 0
				seen := map[string]bool{}
				All(a, size, func(c *Cycle) bool {
					n++
					if c.Size() != size {
						t.Fatalf("%s has size %d, not %d", c, c.Size(), size)
					}
					if seen[c.String()] {
						t.Fatalf("%s comes twice", c)
					}
					seen[c.String()] = true
					x := c.Text()
					test, err := litmus.ParseTest(&program.Source{Name: x.Name + ".litmus", Text: x.String()})
					if err != nil {
						t.Fatalf("%v\n%s", err, x)
					}
					if test.Program.Arch != a.Of {
						t.Fatalf("%s is a test of %s", c, test.Program.Arch)
					}
					return true
				})
				t.Logf("size %d: %d", size, n)
			}
		})
	}
}

func ExampleAll() {
	All(For(program.AArch64), 6, func(c *Cycle) bool {
		if c.Name() == "MP+dmb.sy+addr" {
			fmt.Print(c.Text())
		}
		return true
	})
	// Output:
	// AArch64 MP+dmb.sy+addr
	// "DMB.SYdWW Rfe DpAddrdRR Fre"
	// {
	// 0:X20=x; 0:X21=y;
	// 1:X20=x; 1:X21=y;
	// }
	//  P0           | P1                   ;
	//  MOV W0,#1    | LDR W0,[X21]         ;
	//  STR W0,[X20] | EOR W1,W0,W0         ;
	//  DMB SY       | LDR W2,[X20,W1,SXTW] ;
	//  MOV W1,#1    |                      ;
	//  STR W1,[X21] |                      ;
	// exists (1:X0=1 /\ 1:X2=0)
}
