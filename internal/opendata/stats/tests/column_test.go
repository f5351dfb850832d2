package stats_test

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"arpent/internal/opendata/stats"
)

// codesOf lists the codes of a column.
func codesOf(t *testing.T, s *stats.Snapshot, field string, ascending bool) []string {
	t.Helper()
	column, err := s.Column(t.Context(), stats.Commune, field)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(column.Codes(ascending))
}

// A caller who asks for the first communes of France gets them in the order of the figure, those with equal
// ones by code in both directions, and none without the figure.
func TestColumnsAreSorted(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	for code, inhabitants := range map[string]float64{"93010": 500, "15031": 700, "15141": 500, "91001": 20} {
		b.figure("population-history", "commune", code, "population.municipal", "2021", inhabitants)
	}
	s := snapshotOf(t, b.read())
	for want, ascending := range map[string]bool{"15031 15141 93010 91001": false, "91001 15141 93010 15031": true} {
		if got := strings.Join(codesOf(t, s, "population.latest.municipal", ascending), " "); got != want {
			t.Errorf("ascending %v: %s, want %s", ascending, got, want)
		}
	}
	for _, field := range []string{"population", "population.nothing", "revenus.medianIncome", "population.latest"} {
		if got := codesOf(t, s, field, false); got != nil {
			t.Errorf("%s: %v have it", field, got)
		}
	}
	var none *stats.Snapshot
	if got := codesOf(t, none, "population.latest.municipal", false); got != nil {
		t.Errorf("without a snapshot: %v", got)
	}
}

// A column is read once and kept while it is asked for: a caller cannot have all statistics read for each
// request, nor fill the memory with columns.
func TestColumnsAreKept(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.figure("population-history", "commune", "93010", "population.municipal", "2021", 500)
	s := snapshotOf(t, b.read())
	read := func(field string) *stats.Column {
		column, err := s.Column(t.Context(), stats.Commune, field)
		if err != nil {
			t.Error(err)
		}
		return column
	}
	const field = "population.latest.municipal"
	first := read(field)
	var group sync.WaitGroup
	for i := range 2 * 16 {
		group.Go(func() {
			read("population." + strconv.Itoa(i/2))
			if read(field) != first {
				t.Error("a column in use was read again")
			}
		})
	}
	group.Wait()
	for i := range 40 {
		read("revenus." + strconv.Itoa(i))
	}
	if read(field) == first {
		t.Error("a column that 40 others came after is still kept")
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Column(over, stats.Commune, "logement.timeline.total"); !errors.Is(err, context.Canceled) {
		t.Errorf("for a caller who has gone: %v", err)
	}
}

// The columns of all communes of France agree with their statistics.
func TestColumnsOfFrance(t *testing.T) {
	t.Parallel()
	realData(t)
	s := realSnapshot(t)
	for _, field := range []string{"population.latest.municipal", "revenus.medianIncome",
		"rankings.unemploymentRate.value", "logement.timeline.vacancyRatePct", "namedServices.hospital.distanceKm"} {
		began := time.Now()
		got := codesOf(t, s, field, false)
		first := time.Since(began)
		began = time.Now()
		again := codesOf(t, s, field, true)
		t.Logf("%s: %d communes, first call %v, next %v", field, len(got), first, time.Since(began))
		names := strings.Split(field, ".")
		values := map[string]float64{}
		for _, code := range got {
			body, _ := s.Of(stats.Commune, code)
			figure := stats.FindFigure(gjson.ParseBytes(body.Append(nil)).Get(names[0]), names[1:], &stats.Origin{})
			if figure.Type != gjson.Number {
				t.Errorf("%s: %s has none", field, code)
			}
			values[code] = figure.Num
		}
		if !slices.IsSortedFunc(got, func(a, b string) int {
			return cmp.Or(cmp.Compare(values[b], values[a]), strings.Compare(a, b))
		}) {
			t.Errorf("%s: not in order", field)
		}
		if len(got) < 1000 || len(again) != len(got) {
			t.Errorf("%s: %d communes one way, %d the other", field, len(got), len(again))
		}
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	kept, err := s.Column(t.Context(), stats.Commune, "population.latest.total")
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	t.Logf("a column takes %d kB", (int64(after.HeapAlloc)-int64(before.HeapAlloc))/1000)
	runtime.KeepAlive(kept)
}
