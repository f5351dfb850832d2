package stats_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
)

// liveBytes is what is in use on the heap.
func liveBytes() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// There are two million figures on a small server: 100 000 take at most 4 MB, territories and names included.
// Not at the same time as other tests, whose memory would count.
func TestFiguresAreSmall(t *testing.T) {
	b := openFixture(t)
	b.figures(stats.Commune, "test", "2020", nil)
	b.exec(`INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes)
		SELECT 'commune-actuelle', code, code, '93', '11', code, '{}' FROM (SELECT '93' || n AS code FROM generate_series(100, 999) n) c
		ON CONFLICT DO NOTHING`)
	without := b.read()
	before := liveBytes()
	runtime.KeepAlive(without)
	b.exec(`INSERT INTO geo.stat_value (part, level, code, measure, period, value, status)
		SELECT 'test-test', 'commune', '93' || c, 'measure ' || m, (2000 + y)::text, c * m + y, 'ok'
		FROM generate_series(100, 999) c, generate_series(1, 14) m, generate_series(1, 8) y`)
	without = nil
	with := b.read()
	grown := liveBytes() - before
	if f := with.Find(stats.Commune, "93500").At("measure 14", "2008"); f.Value == nil || *f.Value != 500*14+8 {
		t.Fatalf("the figures are not read: %+v", f)
	}
	runtime.KeepAlive(with)
	if grown > 4e6 {
		t.Errorf("%d bytes for 100 800 figures, at most 4 000 000 are expected", grown)
	}
	t.Logf("%.1f bytes a figure", float64(grown)/100800)
}

// Whatever the order of rows, of two sources the one with a value is served, then the one of the greater
// rank; figures come oldest first, and one that has no value is served as such.
func TestFiguresInOrder(t *testing.T) {
	b := newFixture(t)
	b.figures(stats.Commune, "test", "2021-T2", map[string]float64{"93010": 2})
	b.figures(stats.Commune, "test", "2020", map[string]float64{"93010": 1})
	b.secrets(stats.Commune, "test", "2022", "93010")
	const official, derived = "population-reference", "comparateur-population"
	b.figure(derived, "commune", "93010", source.PopulationMunicipal, "2023", 1)
	b.figure(official, "commune", "93010", source.PopulationMunicipal, "2023", 2)
	b.exec(`INSERT INTO geo.stat_value VALUES ($1, 'commune', '93010', $2, '2024', NULL, 'secret')`, official, source.PopulationMunicipal)
	b.figure(derived, "commune", "93010", source.PopulationMunicipal, "2024", 3)
	c := b.read().Find(stats.Commune, "93010")
	for _, want := range []struct{ measure, figures string }{
		{"test", "2020 1 ok, 2021-T2 2 ok, 2022 none secret"},
		{source.PopulationMunicipal, "2023 2 ok, 2024 3 ok"}, {"nothing", ""},
	} {
		var got []string
		for _, f := range c.Series(want.measure) {
			value := "none"
			if f.Value != nil {
				value = fmt.Sprint(*f.Value)
			}
			got = append(got, f.Period+" "+value+" "+f.Status)
			if at := c.At(want.measure, f.Period); at != f {
				t.Errorf("%s of %s is %+v by its period and %+v in the series", want.measure, f.Period, at, f)
			}
		}
		testkit.Want(t, strings.Join(got, ", "), want.figures, want.measure)
	}
	if f := c.Latest("test"); f.Value == nil || *f.Value != 2 {
		t.Errorf("the newest is %+v", f)
	}
}

// A block that fails on one territory is an error that names both; what was served before still is.
func TestBlockThatPanics(t *testing.T) {
	b := newFixture(t)
	broken := false
	block := stats.Plain("fragile", "", func(_ *stats.Data, of *stats.Territory) (*int, *stats.Origin) {
		if broken && of.Code == "93010" {
			panic("broken for a test")
		}
		return nil, nil
	}).At(stats.Commune, 0)
	s := stats.New(b.db, t.TempDir(), stats.NewCatalogue(topic.Sources(), []stats.Topic{{Blocks: []stats.Block{block}}}))
	testkit.NoError(t, s.Refresh(t.Context()))
	before := s.Snapshot()
	broken = true
	b.figure("population-reference", "commune", "93066", source.PopulationMunicipal, "2023", 1)
	err := s.Refresh(t.Context())
	if err == nil || !strings.Contains(err.Error(), "fragile of commune 93010") {
		t.Errorf("the error is %v", err)
	}
	if s.Snapshot() != before {
		t.Error("another snapshot is served")
	}
}

// A share that is exactly between two hundredths is rounded up, as producers do: 23 of 160 are 14.375 %.
func TestSharesRoundHalvesUp(t *testing.T) {
	t.Parallel()
	for part, want := range map[float64]float64{23: 14.38, 41: 25.63, 97: 60.63} {
		if got := stats.Share(&part, new(160.0)); *got != want {
			t.Errorf("%v of 160 are %v %%, want %v", part, *got, want)
		}
	}
	if got := stats.Share(new(41.0), new(4000.0)); *got != 1.03 {
		t.Errorf("41 of 4000 are %v %%, want 1.03", *got)
	}
}

// codesOf lists the codes of a column.
func codesOf(t *testing.T, s *stats.Snapshot, field string, ascending bool) []string {
	t.Helper()
	column := testkit.Must(s.Column(t.Context(), stats.Commune, field))(t)
	return slices.Collect(column.Codes(ascending))
}

// A caller who asks for the first communes of France gets them in the order of the figure, those with equal
// ones by code in both directions, and none without the figure.
func TestColumnsAreSorted(t *testing.T) {
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
	column := testkit.Must(s.Column(t.Context(), stats.Commune, "population.latest.municipal"))(t)
	for code, want := range map[string]bool{"15031": true, "93010": true, "91001": false, "75056": false, "99999": false} {
		if got := column.AtLeast(500)(code); got != want {
			t.Errorf("%s has 500 inhabitants or more: %v", code, got)
		}
	}
	var none *stats.Snapshot
	if got := codesOf(t, none, "population.latest.municipal", false); got != nil {
		t.Errorf("without a snapshot: %v", got)
	}
}

// A column is read once and kept while it is asked for, and the columns that are kept are so many at most.
func TestColumnsAreKeptForConcurrentCallers(t *testing.T) {
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

// leavingCaller is the context of a caller who goes after the first look.
type leavingCaller struct {
	context.Context
	looks int
}

func (c *leavingCaller) Err() error {
	if c.looks++; c.looks > 1 {
		return context.Canceled
	}
	return nil
}

// The communes are sorted to the end also where the caller goes meanwhile: on a busy machine each call would
// begin anew, and all of them would fail at their deadline.
func TestColumnsAreReadToTheEnd(t *testing.T) {
	b := newFixture(t)
	b.figure("population-history", "commune", "93010", "population.municipal", "2021", 500)
	s := snapshotOf(t, b.read())
	const field = "population.latest.municipal"
	_, err := s.Column(&leavingCaller{Context: t.Context()}, stats.Commune, field)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, later := s.Column(over, stats.Commune, field); err != nil || later != nil {
		t.Errorf("the first call: %v, the next: %v", err, later)
	}
}

// A caller cannot have all statistics read by sorting by a name that no commune has: whether a figure exists
// is known from the types of the values, before anything is read.
func TestPartsAreDeclared(t *testing.T) {
	t.Parallel()
	of := topic.Statistics()
	for field, isNumber := range map[string]bool{
		"population": false, "population.latest": false, "population.latest.municipal": true,
		"revenus.medianIncome": true, "logement.timeline.total": true, "logement.total": false,
		"securite.burglary": false, "securite.burglary.count": true, "securite.categories.burglary.count": true,
		"securite.homicides.ratePer1000": true, "election.presidential.round2.results.LEPEN.sharePct": true,
		"election.presidential.round1.MELENCHON.votes": true, "election.presidential.round2.results": false,
	} {
		part, found := of.FindPart(stats.Commune, field)
		if !found && field != "logement.total" || found && part.IsNumber() != isNumber {
			t.Errorf("%s: found %v, a number %v", field, found, found && part.IsNumber())
		}
	}
	for _, field := range []string{"", "a1", "sources", "population.a1", "population.latest.municipal.a1", "population.latest.a1",
		"securite.a1", "securite.a1.count", "securite.categories.a1", "securite.burglary.a1", "logement.timeline.a1", "population.",
		"election.presidential.round2.results.a1"} {
		if of.HasPart(stats.Commune, field) {
			t.Errorf("there is a part %q", field)
		}
		if _, found := of.FindPart(stats.Commune, field); found {
			t.Errorf("%q is found", field)
		}
	}
	// None of the items of a list without years, periods or keys stands for all; they have parts nevertheless.
	for field, isFound := range map[string]bool{"securite.categories.count": false, "election.municipal.results.votes": false,
		"demography.deathRatePer1000": true, "populationTimeline.population": true} {
		if _, found := of.FindPart(stats.Departement, field); found != isFound || !of.HasPart(stats.Departement, field) {
			t.Errorf("%s: found %v", field, found)
		}
	}
	part, _ := of.FindPart(stats.Commune, "securite.burglary")
	if got := strings.Join(part.Numbers(), " "); got != "count ratePer1000 base allDepartementsRatePer1000" {
		t.Errorf("the numbers of burglaries are %s", got)
	}
	part, _ = of.FindPart(stats.Commune, "securite")
	if got := part.Names(); !slices.Contains(got, "burglary") || !slices.Contains(got, "categories") {
		t.Errorf("the parts of securite are %v", got)
	}
}

// Every number that a commune of France has can be sorted by, and is in lists of the year, quarter or period
// that the object around it in the commune's own answer names, or the next one further out that names any.
func TestPartsOfFrance(t *testing.T) {
	t.Parallel()
	realData(t)
	s, of := realSnapshot(t), topic.Statistics()
	checked := map[string]bool{}
	var check func(whole, value gjson.Result, names []string, dated string)
	check = func(whole, value gjson.Result, names []string, dated string) {
		field := strings.Join(names, ".")
		origin := stats.Origin{}
		figure := stats.FindFigure(whole, names[1:], &origin)
		if of := []any{origin.Year, origin.Quarter, origin.Period}; figure.Type == gjson.Number && figure.Raw == value.Raw {
			if got, _ := json.Marshal(of); !strings.HasPrefix(field, "population.growth") && string(got) != dated {
				t.Errorf("%s is of %s in lists and of %s in the answer", field, got, dated)
			}
		}
		isType := len(names) == 3 && names[0] == "equipementTypes" // by its name in the file, no part
		if figure.Type == gjson.Number && !checked[field] && !isType {
			checked[field] = true
			if part, found := of.FindPart(stats.Commune, field); !found || !part.IsNumber() {
				t.Errorf("%s is a number of a commune and none by its type", field)
			}
		}
		if !value.IsObject() && !value.IsArray() {
			return
		}
		if value.IsObject() {
			year, quarter, period := value.Get("year"), value.Get("quarter"), value.Get("period")
			switch {
			case year.Exists() && period.Exists():
				dated = `[` + year.Raw + `,"",` + period.Raw + `]`
			case year.Exists():
				dated = `[` + year.Raw + `,"",""]`
			case quarter.Type == gjson.String:
				dated = `[` + quarter.Str[:4] + `,` + quarter.Raw + `,""]`
			case value.Get("periodEnd").Exists(): // a change
				end := value.Get("periodEnd").Raw
				dated = `[` + end + `,"","` + value.Get("periodStart").Raw + `-` + end + `"]`
			}
		}
		var newest int64
		for _, item := range value.Get("#.year").Array() {
			newest = max(newest, item.Int())
		}
		value.ForEach(func(name, member gjson.Result) bool {
			below, dated := slices.Clone(names), dated
			if value.IsArray() && member.Get("year").Int() != newest { // lists have the newest
				return true
			}
			if own := value.Get(strings.TrimSuffix(name.Str, "Km2") + "Year"); own.Type == gjson.Number {
				dated = `[` + own.Raw + `,"",""]`
			}
			switch {
			case stats.IsSeries(value):
				below = append(below, member.Get("key").Str)
			case value.IsObject():
				below = append(below, name.Str)
			}
			check(whole, member, below, dated)
			if stats.IsSeries(member) { // its name may be left out
				check(whole, member, names, dated)
			}
			return true
		})
	}
	codes := codesOf(t, s, "population.latest.municipal", false)
	for i := 0; i < len(codes); i += len(codes) / testkit.Rounds(60, 180) {
		code := codes[i]
		body, _ := s.Of(stats.Commune, code)
		answer := gjson.Parse(`{"stats":` + string(body.Append(nil)) + `}`).Get("stats")
		for _, key := range of.Keys(stats.Commune) {
			check(answer.Get(key), answer.Get(key), []string{key}, `[null,"",""]`)
		}
	}
	t.Logf("%d fields", len(checked))
	if len(checked) < 100 {
		t.Errorf("%d fields were compared", len(checked))
	}
}

// The columns of all communes of France agree with their statistics; in make test those of every tenth are
// looked up, and in make soak of all.
func TestColumnsOfFrance(t *testing.T) {
	t.Parallel()
	realData(t)
	s := realSnapshot(t)
	fields := []string{"rankings.unemploymentRate.value", "logement.timeline.vacancyRatePct",
		"population.latest.municipal", "revenus.medianIncome", "namedServices.hospital.distanceKm"}
	for _, field := range fields[:testkit.Rounds(2, len(fields))] {
		began := time.Now()
		got := codesOf(t, s, field, false)
		first := time.Since(began)
		began = time.Now()
		again := codesOf(t, s, field, true)
		t.Logf("%s: %d communes, first call %v, next %v", field, len(got), first, time.Since(began))
		names := strings.Split(field, ".")
		last, step := "", 10/testkit.Rounds(1, 10)
		for i, before := 0, 0.0; i < len(got); i += step {
			body, _ := s.Of(stats.Commune, got[i])
			figure := stats.FindFigure(gjson.ParseBytes(body.Append(nil)).Get(names[0]), names[1:], &stats.Origin{})
			if figure.Type != gjson.Number {
				t.Errorf("%s: %s has none", field, got[i])
			}
			if i > 0 && (figure.Num > before || figure.Num == before && got[i] < last) {
				t.Errorf("%s: not in order: %s before %s", field, last, got[i])
			}
			last, before = got[i], figure.Num
		}
		if len(got) < 1000 || len(again) != len(got) {
			t.Errorf("%s: %d communes one way, %d the other", field, len(got), len(again))
		}
	}
}

// A series stands for its newest year, however its items are found: a ranking by the figures of ten years ago
// would be read as that of today.
func TestSeriesStandForTheirNewestYear(t *testing.T) {
	t.Parallel()
	for value, field := range map[string]string{
		`{"timeline":[{"year":2016,"key":"a","n":1},{"year":2025,"key":"b","n":9},{"year":2024,"key":"a","n":2}]}`: "timeline.a.n",
		`{"timeline":[{"year":2024,"n":2},{"year":2016,"n":1}]}`:                                                   "timeline.n",
		`{"timeline":[{"periodStart":2013,"periodEnd":2016,"n":1},{"periodStart":2016,"periodEnd":2024,"n":2}]}`:   "timeline.n",
	} {
		origin := stats.Origin{}
		got := stats.FindFigure(gjson.Parse(value), strings.Split(field, "."), &origin)
		if got.Num != 2 || origin.Year == nil || *origin.Year != 2024 {
			t.Errorf("%s of %s: %s of %v", field, value, got.Raw, origin.Year)
		}
	}
}

// A rate per 1 000 says of what, and a growth between which years and whether it is of few; the counts next
// to them do not.
func TestFiguresNameTheirBase(t *testing.T) {
	t.Parallel()
	for field, want := range map[string]string{
		"securite.burglary.ratePer1000": `{"source":"SSMSI","year":2025,"denominator":"dwellings"}`,
		"securite.assault.ratePer1000":  `{"source":"SSMSI","year":2025,"denominator":"inhabitants"}`,
		"securite.burglary.count":       `{"source":"SSMSI","year":2025}`,
		"population.growthPctPerYear":   `{"source":"INSEE","year":2021,"period":"2016-2021","unit":"percent per year"} of few`,
		"rankings.growth.value":         `{"source":"INSEE","year":2023,"period":"2016-2023","unit":"percent per year"}`,
		"population.latest.municipal":   `{"source":"INSEE","year":2021}`,
		"population.landAreaKm2":        `{"source":"INSEE","year":2020}`,

		"demography.deathRatePer1000":            `{"source":"","year":2018,"period":"2013-2018"}`,
		"election.round2.results.LEPEN.sharePct": `{"source":"Ministère","year":2022,"beforeAnnulments":true}`,
		"election.round2.LEPEN.sharePct":         `{"source":"Ministère","year":2022,"beforeAnnulments":true}`,
		"election.municipal.turnoutPct":          `{"source":"Ministère","year":2026,"provisional":true}`,
		"logement.timeline.vacancyRatePct":       `{"source":"INSEE","year":2021,"rounded":true}`,

		// Next to a census rate of a year stands a rate of a quarter, and a year that is not known is none.
		"emploi.censusUnemploymentRatePct":          `{"source":"INSEE","year":2021}`,
		"emploi.employmentZone.unemploymentRatePct": `{"source":"INSEE, zones","year":2025,"quarter":"2025-T4"}`,
		"rankings.unemploymentRate.value":           `{"source":"INSEE","year":2025,"period":"2025-T4","unit":"percent"}`,
		"logementRP.socialHousing.pct":              `{"source":"SDES","year":null}`,
		"logementRP.main":                           `{"source":"INSEE","year":2019,"rounded":true}`,

		// A list by year, whole or a figure of it, is of its newest year, whatever the block around it is of.
		"population.births":        `{"source":"INSEE","year":2022}`,
		"population.births.births": `{"source":"INSEE","year":2022}`,
	} {
		names := strings.Split(field, ".")
		origin := stats.Origin{}
		figure := stats.FindFigure(gjson.Parse(`{"securite":{"source":"SSMSI","year":2025,"categories":[
				{"key":"burglary","count":9,"ratePer1000":5,"denominator":"dwellings"},
				{"key":"assault","count":9,"ratePer1000":4,"denominator":"inhabitants"}]},
			"population":{"source":"INSEE","year":2021,"latest":{"year":2021,"municipal":11},"growthPeriod":"2016-2021",
				"landAreaKm2":5.5,"landAreaYear":2020,"births":[{"year":2022,"births":3},{"year":2020,"births":4}],"growthPctPerYear":22.4,"growthSmallBase":true},
			"emploi":{"source":"INSEE","year":2021,"censusUnemploymentRatePct":16,"employmentZone":{
				"unemploymentRatePct":6.9,"quarter":"2025-T4","source":"INSEE, zones"}},
			"rankings":{"growth":{"year":2023,"period":"2016-2023","value":-0.8,"unit":"percent per year","source":"INSEE"},"unemploymentRate":{"year":2025,"period":"2025-T4","value":10.1,"unit":"percent","source":"INSEE"}},
			"demography":[{"periodStart":2008,"periodEnd":2013,"deathRatePer1000":5.9},{"periodStart":2013,"periodEnd":2018,"deathRatePer1000":6.1}],
			"election":{"source":"Ministère","year":2022,"municipal":{"year":2026,"provisional":true,"turnoutPct":50},
				"round2":{"beforeAnnulments":true,"results":[{"key":"MACRON","sharePct":55},{"key":"LEPEN","sharePct":45}]}},
			"logement":{"source":"INSEE","year":2021,"rounded":true,"timeline":[{"year":2021,"vacancyRatePct":12.44}]},
			"logementRP":{"source":"INSEE","year":2021,"rounded":true,"main":5,"mainYear":2019,
				"socialHousing":{"pct":12,"source":"SDES","year":null}}}`).Get(names[0]), names[1:], &origin)
		text := testkit.Must(json.Marshal(origin))(t)
		got := string(text)
		if origin.SmallBase {
			got += " of few"
		}
		if figure.Type != gjson.Number && !figure.IsArray() || got != want {
			t.Errorf("%s: %s is of %s, want %s", field, figure, got, want)
		}
	}
}
