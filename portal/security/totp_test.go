package security

import (
	"fmt"
	"strings"
	"testing"

	"github.com/boombuler/barcode/qr"

	"arpent/app/dev/testkit"
)

// The picture of a second factor is the code itself, module for module, with the empty border that readers
// need: one that does not scan sends people away from it.
func TestDrawQR(t *testing.T) {
	t.Parallel()
	const text = "otpauth://totp/Arpent:jeanne@exemple.fr?issuer=Arpent&secret=LFCAZOYEQWJ3EW6R7HGQE7NIADAB337C"
	picture := testkit.Must(drawQR(text))(t)
	code := testkit.Must(qr.Encode(text, qr.M, qr.Auto))(t)
	size := code.Bounds().Dx()
	if picture.Size != size+8 {
		t.Fatalf("%d modules wide, want %d and a border of 4", picture.Size, size)
	}
	drawn := map[[2]int]bool{}
	for run := range strings.SplitSeq(strings.TrimSuffix(picture.Path, "z"), "z") {
		var x, y, width, back int
		if _, err := fmt.Sscanf(run, "M%d %dh%dv1h-%d", &x, &y, &width, &back); err != nil || width != back {
			t.Fatalf("%q: %v", run, err)
		}
		for i := range width {
			drawn[[2]int{x + i - 4, y - 4}] = true
		}
	}
	for y := range size {
		for x := range size {
			r, _, _, _ := code.At(x, y).RGBA()
			if drawn[[2]int{x, y}] != (r == 0) {
				t.Fatalf("the module at %d, %d is wrong", x, y)
			}
			delete(drawn, [2]int{x, y})
		}
	}
	if len(drawn) > 0 {
		t.Errorf("%d modules are drawn outside", len(drawn))
	}
	if _, err := drawQR(strings.Repeat("x", 5000)); err == nil {
		t.Error("a text that fits no code is drawn")
	}
}

// A secret is copied in groups, and nothing is lost between them.
func TestGroups(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "", "ABC": "ABC", "ABCD": "ABCD", "ABCDE": "ABCD E", "ABCDEFGHI": "ABCD EFGH I"} {
		testkit.Want(t, groupCharacters(in, 4), want, in)
	}
}
