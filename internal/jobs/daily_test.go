package jobs_test

import (
	"testing"
	"time"

	"arpent/internal/jobs"
)

// A daily moment comes once a day in Paris, at the same hour on the nights the clock changes.
func TestDaily(t *testing.T) {
	t.Parallel()
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	daily := jobs.Daily{Hour: 3, Minute: 30}
	at := time.Date(2026, 3, 27, 3, 30, 0, 0, paris)
	for range 400 {
		next := daily.Next(at)
		y, m, d := at.AddDate(0, 0, 1).Date()
		if want := time.Date(y, m, d, 3, 30, 0, 0, paris); !next.Equal(want) {
			t.Fatalf("after %s comes %s", at, next.In(paris))
		}
		if again := daily.Next(next.Add(-time.Second)); !again.Equal(next) {
			t.Fatalf("a second before %s comes %s", next, again)
		}
		at = next
	}
}
