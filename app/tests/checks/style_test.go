package checks_test

import (
	"os"
	"testing"

	"arpent/app/dev/style"
	"arpent/app/dev/testkit"
)

// The shares that the code had when they were last measured, rounded up to a
// tenth of a percent. They may only be lowered.
const (
	maxOneWordShare  = 0.021
	maxLongLineShare = 0.020
)

// A reader can expect names that say what a function does and lines that fit the screen: the shares of those
// that do not do not grow. make style prints them.
func TestStyleDoesNotGetWorse(t *testing.T) {
	t.Parallel()
	f, err := style.Measure(os.DirFS(testkit.Root(t)))
	if err != nil {
		t.Fatal(err)
	}
	if got := f.OneWordShare(); got > maxOneWordShare {
		t.Errorf("%.2f %% of the functions are named by one lower-case word, at most %.1f %%: "+
			"name new ones with a verb and an object", 100*got, 100*maxOneWordShare)
	}
	if got := f.LongLineShare(); got > maxLongLineShare {
		t.Errorf("%.2f %% of the lines have more than 110 columns, at most %.1f %%: wrap new ones",
			100*got, 100*maxLongLineShare)
	}
}
