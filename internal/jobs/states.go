package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/pgdb"
)

// Count is how many jobs of one kind are in the queue, by what becomes of them.
type Count struct {
	Kind    string     `json:"kind"`
	Waiting int64      `json:"waiting"` // for their time, an instance, or another attempt
	Running int64      `json:"running"`
	Failed  int64      `json:"failed"`  // given up, shown until they are deleted
	NextAt  *time.Time `json:"next_at"` // of the first that waits; null: none does
}

// The queue is short: what has ended is deleted after some days.
const countJobs = `
SELECT kind, count(*) FILTER (WHERE state IN ('available', 'pending', 'scheduled', 'retryable')), count(*) FILTER (WHERE state = 'running'),
       count(*) FILTER (WHERE state IN ('cancelled', 'discarded')),
       min(scheduled_at) FILTER (WHERE state IN ('available', 'pending', 'scheduled', 'retryable'))
FROM job.river_job GROUP BY kind ORDER BY kind`

// Counts lists the kinds of jobs that are in the queue. It is for the operator.
func Counts(ctx context.Context, db *pgxpool.Pool) ([]Count, error) {
	all, err := pgdb.Collect(ctx, db, pgx.RowToStructByPos[Count], countJobs)
	if err != nil {
		return nil, fmt.Errorf("count the jobs: %w", err)
	}
	return all, nil
}
