package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/riverqueue/river"

	"arpent/internal/config"
	basejobs "arpent/internal/jobs"
)

// UpdateCommand is the command of the program that brings up to date what was fetched.
const UpdateCommand = "update"

// updateTimeout is longer than any update of the whole country; the
// next day's begins anew where this one was.
const updateTimeout = 20 * time.Hour

type updateJob struct{}

// Kind names the job in the queue.
func (updateJob) Kind() string { return "update_data" }

// updater brings the data up to date in a process of its own at the lowest priority: it takes memory, and the
// garbage collector of this process would wait for it.
type updater struct {
	river.WorkerDefaults[updateJob]
	program string
}

func (*updater) Timeout(*river.Job[updateJob]) time.Duration { return updateTimeout }

func (u *updater) Work(ctx context.Context, _ *river.Job[updateJob]) error {
	if u.program == "" {
		return errors.New("cannot find the path of the executable")
	}
	begun := time.Now()
	// this service follows what is loaded
	cmd := exec.CommandContext(ctx, u.program, UpdateCommand, "--no-index")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = rebuildStop
	out, err := runLowPriority(cmd)
	if err != nil {
		return fmt.Errorf("run %s %s: %w: %s", u.program, UpdateCommand, err, lastLines(out))
	}
	slog.InfoContext(ctx, "data brought up to date", "took", time.Since(begun).String(), "result",
		lastLines(out))
	return nil
}

// lastLines returns the end of the output of a program: what it did or why it failed.
func lastLines(out []byte) string {
	const most = 3
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "; ")
}

// updateJobs is the daily update. Any instance may take up what another has
// scheduled; it is scheduled where a time is set.
func updateJobs(c config.Config, program string) ([]basejobs.Job, error) {
	job := basejobs.Of(&updater{program: program})
	if c.Update == "" {
		return []basejobs.Job{job}, nil
	}
	at, err := c.UpdateTime()
	if err != nil {
		return nil, err
	}
	return []basejobs.Job{job.At(basejobs.Daily{Hour: at.Hour(), Minute: at.Minute()}, updateJob{}, 1)}, nil
}
