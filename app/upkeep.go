package app

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/netip"
	"os"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5/pgconn"

	"arpent/internal/clientip"
	"arpent/internal/clock"
	"arpent/internal/config"
	"arpent/internal/disk"
)

const (
	diskEvery    = time.Minute // how often disks are looked at
	diskFullCode = "53100"     // SQLSTATE disk_full
)

// BackupMark is the file in the state folder whose time is that of the last backup.
const BackupMark = "backup"

// folderDisks returns the disks of the folders that the configuration names.
func folderDisks(c config.Config) []*disk.Watch {
	out := []*disk.Watch{{Folder: "state", Path: c.StateDir}}
	if c.DataDir != "" {
		out = append(out, &disk.Watch{Folder: "data", Path: c.DataDir})
	}
	return out
}

// watchDisks logs that a disk is almost full, and that it is no longer, until ctx ends.
func (a *App) watchDisks(ctx context.Context) {
	disks := folderDisks(a.in.Config)
	for again := true; again; again = clock.Sleep(ctx, diskEvery) {
		for _, d := range disks {
			d.Check(slog.Default(), time.Now())
		}
	}
}

// diskFull reports whether PostgreSQL refused the last counts for want of space on its disk.
func (a *App) diskFull() bool {
	refused, ok := errors.AsType[*pgconn.PgError](a.meter.FlushError())
	return ok && refused.Code == diskFullCode
}

// lastBackup is when arpent backup last ended well on this machine; the zero value: it is not known.
func (a *App) lastBackup() time.Time {
	info, err := os.Stat(a.in.Config.State(BackupMark))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// registerUpkeep adds what fills up or grows old while every request is still answered.
func (a *App) registerUpkeep() {
	r := a.in.Metrics
	for _, d := range folderDisks(a.in.Config) {
		addGauge(r, "arpent_disk_free_bytes", "Free bytes on the disk of a folder.", func() float64 {
			free, _, err := disk.Space(d.Path)
			return knownGauge(free, err)
		}, "folder", d.Folder)
		addGauge(r, "arpent_disk_size_bytes", "Bytes that the disk of a folder has.", func() float64 {
			_, size, err := disk.Space(d.Path)
			return knownGauge(size, err)
		}, "folder", d.Folder)
	}
	for _, j := range a.snapshots {
		addGauge(r, "arpent_file_built_timestamp_seconds",
			"When a file that is served was built, in Unix seconds; 0: none is.",
			func() float64 { return unixSeconds(j.store.Built()) }, "file", j.name)
		addGauge(r, "arpent_file_current", "1 while a file that is served is of what is loaded.",
			func() float64 { return boolGauge(j.current.Load()) }, "file", j.name)
	}
	addGauge(r, "arpent_database_disk_full", "1 while the database refuses counts for want of space.",
		func() float64 { return boolGauge(a.diskFull()) })
	addGauge(r, "arpent_backup_timestamp_seconds",
		"When a backup last ended well on this machine, in Unix seconds; 0: not known.",
		func() float64 { return unixSeconds(a.lastBackup()) })
}

// knownGauge is a number of bytes; NaN where it cannot be read, which no alert takes for a full disk.
func knownGauge(bytes int64, err error) float64 {
	if err != nil {
		return math.NaN()
	}
	return float64(bytes)
}

// unixSeconds is a moment as metrics have it: 0 is none.
func unixSeconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.Unix())
}

// FileState is a file that is served, as /readyz?verbose shows it.
type FileState struct {
	Name    string     `json:"name"`
	BuiltAt *time.Time `json:"builtAt"`
	Current bool       `json:"current"`
}

// DiskState is the disk of a folder there.
type DiskState struct {
	Folder    string `json:"folder"`
	FreeBytes int64  `json:"freeBytes"`
	SizeBytes int64  `json:"sizeBytes"`
}

// describeUpkeep returns what /readyz?verbose adds; nil for a client of the public Internet.
func (a *App) describeUpkeep(client netip.Addr) fiber.Map {
	if clientip.IsPublic(client) {
		return nil
	}
	var files []FileState
	for _, j := range a.snapshots {
		files = append(files, FileState{j.name, timeOrNull(j.store.Built()), j.current.Load()})
	}
	var disks []DiskState
	for _, d := range folderDisks(a.in.Config) {
		if free, size, err := disk.Space(d.Path); err == nil {
			disks = append(disks, DiskState{d.Folder, free, size})
		}
	}
	return fiber.Map{"files": files, "disks": disks, "databaseDiskFull": a.diskFull(),
		"backupAt": timeOrNull(a.lastBackup())}
}

func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC())
}
