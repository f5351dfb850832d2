package stats_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
)

// figure activates one figure, as a load of its own source.
func (b *fixture) figure(part, level, code, measure, period string, value float64) {
	b.t.Helper()
	b.exec(`INSERT INTO geo.load (source, scope, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
		SELECT $1, '', 'INSEE', 'Essai', 'test', '[]', md5(random()::text), 0, 0, '[]', now(), now(), true
		WHERE NOT EXISTS (SELECT FROM geo.load WHERE source = $1)`, part)
	b.exec(`INSERT INTO geo.stat_value VALUES ($1, $2, $3, $4, $5, $6, 'ok')
		ON CONFLICT (part, level, code, measure, period) DO UPDATE SET value = EXCLUDED.value`, part, level, code, measure, period, value)
	b.exec(`UPDATE geo.load SET checksum = md5(random()::text) WHERE source = $1`, part)
}

func appended(b stats.Reader, level stats.Level, code string) string {
	return string(b.Of(level, code).Append(nil))
}

// Every key of the contract is there for every territory, also for those of which nothing is known.
func TestNothingIsNulls(t *testing.T) {
	b := newFixture(t)
	s := stats.New(b.db, t.TempDir(), topic.Statistics())
	before := s.Reader()
	testkit.NoError(t, s.Refresh(t.Context()))
	for _, level := range []stats.Level{stats.Commune, stats.Departement, stats.Region} {
		code := map[stats.Level]string{stats.Commune: "15031", stats.Departement: "15", stats.Region: "84"}[level]
		for _, reader := range []stats.Reader{before, s.Reader()} {
			var answer struct {
				Stats  map[string]any
				States map[string]state.KeyState
			}
			text := appended(reader, level, code)
			testkit.NoError(t, json.Unmarshal([]byte(`{"stats":`+text+`}`), &answer))
			all := answer.Stats
			maps.DeleteFunc(all, func(key string, _ any) bool { // the years of numbers
				_, of := all[strings.TrimSuffix(key, stats.YearSuffix)]
				return of && strings.HasSuffix(key, stats.YearSuffix)
			})
			for key, s := range answer.States {
				if s.State != state.NotLoaded || s.Source == "" {
					t.Errorf("%s %s: %+v", level, key, s)
				}
			}
			if len(answer.States) != len(topic.Statistics().Keys(level)) {
				t.Errorf("%s has %d states", level, len(answer.States))
			}
			if len(all) != len(topic.Statistics().Keys(level))+1 {
				t.Errorf("%s has %d keys, expected %d and sources", level, len(all), len(topic.Statistics().Keys(level)))
			}
			for key, value := range all {
				if value != nil && key != "sources" {
					t.Errorf("%s %s is %v", level, key, value)
				}
			}
			if length := reader.Of(level, code).Len(); length != len(text) {
				t.Errorf("%s: %d bytes announced, %d given", level, length, len(text))
			}
		}
	}
}

// A version of the program with another key makes the file anew, although no load has changed.
func TestNewKeyIsComputed(t *testing.T) {
	b, dir := newFixture(t), t.TempDir()
	with := func(key string) *stats.Store {
		block := stats.Plain(key, "", func(*stats.Data, *stats.Territory) (*int, *stats.Origin) { return nil, nil }).At(stats.Commune, 0)
		return stats.New(b.db, dir, stats.NewCatalogue(topic.Sources(), []stats.Topic{{Blocks: []stats.Block{block}}}))
	}
	testkit.NoError(t, with("former").Refresh(t.Context()))
	for key, want := range map[string]bool{"former": true, "new": false} {
		if current, err := with(key).Current(t.Context()); err != nil || current != want {
			t.Errorf("with the key %s the file is current: %v, %v", key, current, err)
		}
	}
}

// A load is seen after Refresh, whole; the file of before is opened by the
// next process; what is damaged is made anew.
func TestSnapshotFollowsConcurrentLoads(t *testing.T) {
	b := newFixture(t)
	dir := t.TempDir()
	s := stats.New(b.db, dir, topic.Statistics())
	refresh := func() {
		t.Helper()
		testkit.NoError(t, s.Refresh(t.Context()))
	}
	refresh()
	empty := s.Reader()
	b.figure("population-reference", "departement", "93", "population.municipal", "2023", 1700000)
	if current, err := s.Current(t.Context()); err != nil || current {
		t.Errorf("current %v, %v after a load", current, err)
	}
	refresh()
	if got := appended(s.Reader(), stats.Departement, "93"); got == appended(empty, stats.Departement, "93") {
		t.Errorf("the load is not seen: %s", got)
	}
	if current, err := s.Current(t.Context()); err != nil || !current {
		t.Errorf("current %v, %v after Refresh", current, err)
	}
	b.exec("UPDATE geo.load SET title = 'Corrected' WHERE source = 'population-reference'")
	if current, err := s.Current(t.Context()); err != nil || current {
		t.Errorf("current %v, %v after a title that it shows was corrected", current, err)
	}
	refresh()
	again := stats.New(b.db, dir, topic.Statistics())
	if err := again.Open(); err != nil || again.Snapshot() == nil || again.Snapshot().Source() != s.Snapshot().Source() {
		t.Fatalf("the file is not opened again: %v", err)
	}
	path := filepath.Join(dir, "statistics.book")
	whole := testkit.Must(os.ReadFile(path))(t)
	for name, damaged := range map[string][]byte{
		"cut": whole[:len(whole)-3], "empty": {}, "another version": slices.Concat(whole[:8], []byte{9}, whole[9:]),
		"a bit flipped": slices.Concat(whole[:100], []byte{whole[100] ^ 1}, whole[101:]), "other bytes": bytes.Repeat([]byte("x"), 500),
	} {
		testkit.NoError(t, os.WriteFile(path, damaged, 0o600))
		fresh := stats.New(b.db, dir, topic.Statistics())
		if err := fresh.Open(); err != nil || fresh.Snapshot() != nil {
			t.Errorf("%s: opened (%v)", name, err)
		}
		if err := fresh.Refresh(t.Context()); err != nil || fresh.Snapshot() == nil {
			t.Errorf("%s: not made anew: %v", name, err)
		}
	}
}

// When the new snapshot cannot be written, the one before is still served.
func TestSnapshotStaysWhenWritingFails(t *testing.T) {
	b := newFixture(t)
	dir := filepath.Join(t.TempDir(), "state")
	s := stats.New(b.db, dir, topic.Statistics())
	testkit.NoError(t, s.Refresh(t.Context()))
	before := s.Snapshot()
	testkit.NoError(t, os.Rename(dir, dir+".gone"))
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // a file where the folder should be
		t.Fatal(err)
	}
	b.figure("population-reference", "departement", "93", "population.municipal", "2023", 1700000)
	if err := s.Refresh(t.Context()); err == nil || s.Snapshot() != before {
		t.Errorf("error %v, the same snapshot: %v", err, s.Snapshot() == before)
	}
}
