package suite

import (
	"context"
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestBits has what instructions of Arm that move bits make of X3 = 0x8123456789abcdef,
// X4 = 0xfedcba9876543210 and X5 = 7. Those of 64 bits, and those without a sign of 32, herd7 agrees with; it
// leaves what is above bit 31 there where an instruction of 32 bits has a sign, or takes it in.
func TestBits(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"UBFM W2,W3,#1,#3", "7"},
		{"UBFM W2,W3,#5,#2", "939524096"},
		{"UBFM X2,X3,#8,#39", "1737075661"},
		{"UBFM X2,X3,#40,#9", "8304721920"},
		{"SBFM W2,W3,#1,#3", "4294967295"},
		{"SBFM W2,W3,#5,#2", "4160749568"},
		{"SBFM X2,X3,#8,#63", "18411035532664089549"},
		{"SBFM X2,X3,#40,#9", "8304721920"},
		{"EXTR W2,W3,W4,#7", "3740051556"},
		{"EXTR X2,X3,X4,#20", "13609596520749434725"},
		{"EXTR X2,X3,X4,#0", "18364758544493064720"},
		{"LSLV W2,W3,W5", "3588683648"},
		{"LSLV X2,X3,X5", "10494147739710322560"},
		{"RBIT W2,W3", "4155757969"},
		{"RBIT X2,X3", "17848844570815808641"},
		{"MNEG W2,W3,W4", "446591760"},
		{"MNEG X2,X3,X4", "15981348115137327888"},
		{"UMADDL X2,W3,W4,X5", "4585359552083496183"},
		{"ABS W2,W3", "1985229329"},
		{"ABS X2,X3", "9141386507638288913"},
	} {
		text := "AArch64 bits\n{ uint64_t 0:X3=0x8123456789abcdef; uint64_t 0:X4=0xfedcba9876543210; uint64_t 0:X5=7; uint64_t 0:X2; }\n P0 ;\n " + tt.text + " ;\nexists (0:X2=1)"
		file := File{Path: "bits.litmus", Source: &program.Source{Name: "bits.litmus", Text: text}}
		err := Run(context.Background(), slices.Values([]File{file}), Options{}, func(_ File, l *verdict.Litmus) error {
			if want := []string{"0:X2=" + tt.want + ";"}; l.Err != nil || !slices.Equal(l.States, want) {
				t.Errorf("%s: %v, want %v (%v)", tt.text, l.States, want, l.Err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
