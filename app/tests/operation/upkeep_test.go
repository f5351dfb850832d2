package operation_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"arpent/app"
	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
)

// insertLoad records a load of a source.
const insertLoad = `INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count,
	refused, started_at, loaded_at, active) VALUES ($1, 't', 't', 't', '[]', '', 0, 0, '[]', now(), now(), true)`

// An operator sees a full disk, files that are not built any more, a database without space and an old backup
// in the metrics and at /readyz?verbose, while clients are still served; the public sees none of it.
func TestUpkeepIsReported(t *testing.T) {
	t.Parallel()
	dir := testkit.SmallDisk(t, "16m")
	s := fixture.New(t, fixture.Territory)
	s.Run(func(c *config.Config) { c.StateDir, c.TrustedProxies = dir, []string{"127.0.0.1"} })
	s.UntilReady()
	key := s.Account("upkeep@example.org", "pro")
	has := func(name string, want float64) {
		t.Helper()
		testkit.Eventually(t, testkit.Timeout, name, func() bool { return s.Metric(name) == want })
	}
	type upkeep struct {
		Files            []app.FileState
		Disks            []app.DiskState
		DatabaseDiskFull bool
		BackupAt         *string
	}
	verbose := func(headers ...string) (u upkeep) {
		t.Helper()
		r := s.Get("/readyz?verbose", headers...)
		if err := json.Unmarshal(r.Body, &u); err != nil || r.Status != http.StatusOK {
			t.Fatalf("%v: %d %s", err, r.Status, r.Body)
		}
		return u
	}
	has("arpent_file_current", 3)
	u := verbose()
	if len(u.Files) != 3 || u.Files[0].BuiltAt == nil || len(u.Disks) != 1 || u.Disks[0].FreeBytes == 0 ||
		u.Disks[0].SizeBytes != 16<<20 || u.DatabaseDiskFull || u.BackupAt != nil {
		t.Errorf("in order: %+v", u)
	}
	if u := verbose("X-Forwarded-For", "198.41.0.4"); u.Files != nil || u.Disks != nil {
		t.Errorf("a client of the Internet reads %+v", u)
	}

	free := testkit.FillDisk(t, dir)
	s.Exec(insertLoad, "cog-communes")
	has("arpent_disk_free_bytes", 0)
	testkit.Eventually(t, testkit.Timeout, "files are older than what is loaded",
		func() bool { return s.Metric("arpent_file_current") < 3 })
	if u := verbose(); u.Disks[0].FreeBytes != 0 {
		t.Errorf("on a full disk: %+v", u)
	}
	for _, path := range servedFromFiles {
		if r := s.Get(path, "X-API-Key", key); r.Status != http.StatusOK {
			t.Errorf("%s on a full disk: %d", path, r.Status)
		}
	}
	free()
	s.Exec(insertLoad, "unknown") // another try follows a load at once, else after a minute
	has("arpent_file_current", 3)

	testkit.NoError(t, os.WriteFile(filepath.Join(dir, app.BackupMark), nil, 0o600))
	if s.Metric("arpent_backup_timestamp_seconds") == 0 || verbose().BackupAt == nil {
		t.Error("a backup is not shown")
	}
	s.Exec(`CREATE FUNCTION refuse_writes() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
		CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON account.quota_day EXECUTE FUNCTION refuse_writes()`)
	s.Get("/api/v1/regions", "X-API-Key", key)
	has("arpent_database_disk_full", 1)
	s.Exec(`DROP TRIGGER full_disk ON account.quota_day`)
	has("arpent_database_disk_full", 0)
}
