package disk_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/internal/disk"
)

// A full disk is a line of the log, again each hour while it stays so, and so is its end.
func TestFullDiskIsLogged(t *testing.T) {
	t.Parallel()
	dir := testkit.SmallDisk(t, "1m")
	var log bytes.Buffer
	watch, logger := disk.Watch{Folder: "state", Path: dir}, slog.New(slog.NewTextHandler(&log, nil))
	now := time.Now()
	logged := func(after time.Duration, want string) {
		t.Helper()
		log.Reset()
		watch.Check(logger, now.Add(after))
		got := log.String()
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("after %s: %q, want %q", after, got, want)
		}
	}
	logged(0, "")
	free := testkit.FillDisk(t, dir)
	logged(time.Minute, `level=ERROR msg="disk almost full" folder=state path=`+dir+" free_bytes=0 size_bytes=1048576")
	logged(2*time.Minute, "")
	logged(62*time.Minute, "disk almost full")
	free()
	logged(63*time.Minute, "disk has space again")
	logged(64*time.Minute, "")
}
