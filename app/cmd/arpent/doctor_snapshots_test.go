package main

import (
	"os"
	"path/filepath"
	"testing"

	"arpent/app/dev/testkit"
)

// An operator reads that statistics are not served, or not those that were loaded last, and what to do about it.
func TestDoctorOnStatistics(t *testing.T) { // not parallel: commands read the environment
	pool, url := testkit.DB(t)
	dir := t.TempDir()
	t.Setenv("ARPENT_DATABASE_URL", url)
	t.Setenv("ARPENT_STATE_DIR", dir)
	doctor := func(want ...string) {
		t.Helper()
		out, _ := arpent(t, "", "doctor") // other findings may fail it
		contains(t, out, want...)
	}
	load := func(source, sql string) {
		t.Helper()
		if _, err := pool.Exec(t.Context(), sql+`INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused,
started_at, loaded_at, active) VALUES ('`+source+`', '', '', '', '[]', 'x', 1, 0, '[]', now(), now(), true)`); err != nil {
			t.Fatal(err)
		}
	}
	doctor("problem  statistics     no snapshot of them in "+dir, "null for every key", "run arpent index statistics")
	contains(t, done(t, "index", "statistics"), "of nothing")
	doctor("problem  statistics     of nothing", "run arpent load")
	load("cog-communes", `INSERT INTO geo.departement (code, name) VALUES ('93', 'Seine-Saint-Denis');
INSERT INTO geo.commune (type, code, name, departement_code, commune_code) VALUES ('commune-actuelle', '93010', 'Bondy', '93', '93010');`)
	doctor("problem  statistics     the snapshot in "+dir+" is older than what is loaded", "run arpent index statistics")
	contains(t, done(t, "index", "statistics"), "0 of 23 keys known of some of 1 communes")
	doctor("ok       statistics     the snapshot in " + dir + " is up to date: 0 of 23 keys")
	load("population-history", `INSERT INTO geo.stat_value (part, level, code, measure, period, value, status)
VALUES ('population-history', 'commune', '93010', 'population.municipal', '2021', 54000, 'ok');`)
	doctor("older than what is loaded")
	contains(t, done(t, "index", "statistics"), "keys known of some of 1 communes")
	if err := os.WriteFile(filepath.Join(dir, "statistics.book"), []byte("no book"), 0o600); err != nil {
		t.Fatal(err)
	}
	doctor("problem  statistics     no snapshot")
}
