package ingest

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/source"
)

// Checked is what the last update found at the producer of a source. The zero value: no update asked.
type Checked struct {
	At      time.Time
	Problem string // why the newest edition is not served; empty: it is
}

const lastChecks = `SELECT source, checked_at, coalesce(problem, '') FROM geo.source_check`

// Checks returns what the updates found, by the name of the source.
func Checks(ctx context.Context, pool *pgxpool.Pool) (map[string]Checked, error) {
	out := map[string]Checked{}
	rows, err := pool.Query(ctx, lastChecks)
	if err != nil {
		return nil, fmt.Errorf("read what was checked: %w", err)
	}
	var name string
	var c Checked
	_, err = pgx.ForEachRow(rows, []any{&name, &c.At, &c.Problem}, func() error {
		out[name] = c
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what was checked: %w", err)
	}
	return out, nil
}

// Due is when the producer should be asked again: a while after the last update that asked. Where none did since the load, it counts
// from the edition, which may have been an old one, or from the load where the vintage does not date it. It is zero for a source
// without a rhythm.
func (c Checked) Due(s source.Source, vintage string, loaded time.Time) time.Time {
	from := loaded
	if edition := s.Published(vintage); c.At.After(loaded) {
		from = c.At
	} else if !edition.IsZero() && edition.Before(loaded) {
		from = edition
	}
	return s.Due(from)
}

// Late reports whether what is served may not be the newest edition: that one could not be loaded, or it is time to ask.
func (c Checked) Late(s source.Source, vintage string, loaded, now time.Time) bool {
	due := c.Due(s, vintage, loaded)
	return c.Problem != "" || !due.IsZero() && now.After(due)
}
