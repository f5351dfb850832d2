package usage

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/ident"
)

// Hours is what an account did over some hours.
type Hours struct {
	Breakdown

	Starts []time.Time // of every hour asked for, the oldest first
}

//go:embed hours.sql
var hoursSQL string

// maxHours is the length of the longest period of hours, a day of 25 included.
const maxHours = 48

// ReadHours reads what an account did in each hour from one that begins at from until to, which is left out.
// Hours are kept two days.
func ReadHours(
	ctx context.Context, db *pgxpool.Pool, account ident.AccountID, from, to time.Time, filter Filter,
) (Hours, error) {
	if !from.Before(to) || to.Sub(from) > maxHours*time.Hour {
		return Hours{}, fmt.Errorf("%s to %s are not 1 to %d hours", from, to, maxHours)
	}
	var h Hours
	for at := from; at.Before(to); at = at.Add(time.Hour) {
		h.Starts = append(h.Starts, at)
	}
	var (
		r    usageRow
		hour time.Time
	)
	into := []any{&r.key, &r.name, &r.operation, &r.class, &hour, &r.requests}
	err := forEachRow(ctx, db, "read hours", account, into, func() {
		r.nth = int(hour.Sub(from) / time.Hour)
		h.addRow(&r, filter, len(h.Starts), true)
	}, hoursSQL, from, to)
	return h, err
}
