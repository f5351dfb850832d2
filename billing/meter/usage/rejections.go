package usage

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/pgdb"
)

// Rejected is how often one account met one limit on a day.
type Rejected struct {
	Account  ident.AccountID `json:"account"`
	Email    string          `json:"email"`
	Met      string          `json:"met"`   // minute, enrichments, day or key
	Limit    int             `json:"limit"` // requests a minute or a day
	Requests int64           `json:"requests"`
	LastAt   time.Time       `json:"last_at"`
}

// It reads the rejections of thirty days, a row for each minute in which a key met a limit.
const rejectionsOfDay = `
SELECT r.account_id, coalesce(a.contact_email, a.email), r.met, r."limit", sum(r.requests)::bigint, max(r.last_at)
FROM account.refusal r JOIN account.account a ON a.id = r.account_id
WHERE r.minute >= $1 AND r.minute < $2 GROUP BY 1, 2, 3, 4 ORDER BY 5 DESC, 1, 3, 4 LIMIT $3`

// Rejections lists which accounts met a limit on a day, the most often first. It is for
// the operator: unlike the other statements it is not limited to one account.
func Rejections(ctx context.Context, db *pgxpool.Pool, day clock.Date, limit int) ([]Rejected, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	all, err := pgdb.Collect(ctx, db, pgx.RowToStructByPos[Rejected], rejectionsOfDay, day.Start(),
		day.End(), limit)
	return all, fault.Wrap("list the rejections", err)
}
