package figures

import "testing"

// A list of parts says once what the values say that they are parts of, unless it differs by item; whole
// values have their note already.
func TestNotesOfLists(t *testing.T) {
	t.Parallel()
	rows := []Row{{notes: []string{"368 are in no commune.", "368 are in no commune.", "Old.", "Whole."}},
		{notes: []string{"", "", "New.", "Whole."}}}
	fields := []string{"icpe.total", "icpe.shown", "schools.total", "securite"}
	if got, want := JoinNotes(rows, fields), " icpe: 368 are in no commune."; got != want {
		t.Errorf("the note is %q, want %q", got, want)
	}
}
