package figures

import (
	"testing"

	"github.com/tidwall/gjson"

	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
)

// What a series lacks is no reason why another part of its value is null: a caller would take it for one.
func TestLoadedYearsAreNoReason(t *testing.T) {
	t.Parallel()
	answer := gjson.Parse(`{"stats":{"population":{"density":null}},
		"states":{"population":{"state":"value","reason":"` + state.YearsLoaded + `2023. Other censuses are not."}}}`)
	if got := absentState(answer, []string{"population", "density"}); got.State != state.Value || got.Reason != "" {
		t.Errorf("the state of a part is %+v", got)
	}
}

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

// A ranking by numbers of several registers says so: the place with the fuller register would be read as the
// one that has most.
func TestMixedSourcesAreNamed(t *testing.T) {
	t.Parallel()
	row := func(source, figure string) Row {
		return Row{Figures: []gjson.Result{gjson.Parse(figure)}, origins: []stats.Origin{{Source: source}}}
	}
	rows := []Row{row("CASIAS", "59"), row("ADEME", "5"), row("ADEME", "3"), row("", "null")}
	const want = " pollutedSites.total is of 2 sources here, which may not count the same: ADEME (2); CASIAS (1)."
	if got := DescribeMixedSources(rows, []string{"pollutedSites.total"}); got != want {
		t.Errorf("the note is %q, want %q", got, want)
	}
	if got := DescribeMixedSources(rows[1:], []string{"pollutedSites.total"}); got != "" {
		t.Errorf("of one source: %q", got)
	}
}
