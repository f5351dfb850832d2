package source_test

import (
	"testing"
	"time"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/source"
)

// An edition came out by the day that its vintage says, and figures up to three years after the year that
// they are of: by that it is seen which files were old when they were loaded.
func TestLatestPublication(t *testing.T) {
	t.Parallel()
	figures, others := source.Source{Target: source.FigureTarget}, source.Source{}
	for _, c := range []struct {
		of            source.Source
		vintage, want string
	}{
		{others, "2022-01-27", "2022-01-27"},
		{figures, "2023-12-31", "2023-12-31"},
		{others, "2024-02", "2024-02-29"},
		{others, "2022", "2022-12-31"},
		{figures, "2018", "2021-12-31"},
		{others, "2025-T4", "2025-12-31"},
		{figures, "2025-T1", "2025-07-09"},
	} {
		if got := c.of.LatestPublication(c.vintage).Format(time.DateOnly); got != c.want {
			t.Errorf("%s came out by %s, expected %s", c.vintage, got, c.want)
		}
	}
	for _, vintage := range []string{"", "v3", "2021-2022", "2025-T5", "2025-13-01"} {
		if got := others.LatestPublication(vintage); !got.IsZero() {
			t.Errorf("%q came out by %s", vintage, got)
		}
	}
}

// A source without a rhythm is never due.
func TestDue(t *testing.T) {
	t.Parallel()
	asked := time.Date(2022, 1, 27, 0, 0, 0, 0, time.UTC)
	if got := (source.Source{}).Due(asked); !got.IsZero() {
		t.Errorf("a source without a rhythm is due on %s", got)
	}
	quarterly := source.Source{Origins: []fetch.Origin{{Rhythm: "quarterly"}}}
	if got := quarterly.Due(asked).Format(time.DateOnly); got != "2022-05-07" {
		t.Errorf("it is due on %s", got)
	}
}
