package usage

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/billing"
	"arpent/internal/clock"
	"arpent/internal/ident"
)

// Demand is what an account sent: what was counted, and what a limit of the account rejected. A
// request that was rejected and sent again is in it each time; what a key's own cap rejected is
// not, since no plan would have admitted it.
type Demand struct {
	Days    []DayDemand // every day asked for, the oldest first
	Minutes []MinuteDemand
}

// DayDemand is one day of it.
type DayDemand struct {
	Counted int64 // against the quota
	Refused int64 // for a limit of the account
	OverDay int64 // of these, for the quota
}

func (d DayDemand) sentRequests() int64 { return d.Counted + d.Refused }

// MinuteDemand is a minute in which a limit was met.
type MinuteDemand struct {
	Day         int  // its place in Days
	Enrichments bool // the limit of enrichments, not that of all requests
	Limit       int
	Refused     int64
}

const demandCounted = `
SELECT (day - DATE '1970-01-01')::int, sum(counted)::bigint FROM account.usage
WHERE account_id = $1 AND day BETWEEN DATE '1970-01-01' + $2::int AND DATE '1970-01-01' + $3::int GROUP BY 1`

// One row a minute in which a limit was met, over all keys: 43 200 in a month of a client that never rests.
const demandRejected = `
SELECT ((minute AT TIME ZONE 'Europe/Paris')::date - DATE '1970-01-01')::int, met, "limit", sum(requests)::bigint
FROM account.refusal WHERE account_id = $1 AND minute >= $2 AND minute < $3 AND met <> 'key' GROUP BY minute, met, "limit"`

// ReadDemand reads what an account sent from one day to another, both
// included. Rejections are kept for 30 days.
func ReadDemand(
	ctx context.Context, db *pgxpool.Pool, account ident.AccountID, from, to clock.Date) (Demand, error) {
	var d Demand
	err := readDays(ctx, db, from, to, func(ctx context.Context, tx pgx.Tx) error {
		d.Days = make([]DayDemand, to-from+1)
		var (
			day   clock.Date
			n     int64
			met   string
			limit int
		)
		err := forEachRow(ctx, tx, "read demand", account, []any{&day, &n}, func() { d.Days[day-from].Counted = n },
			demandCounted, int32(from), int32(to))
		if err != nil {
			return err
		}
		return forEachRow(ctx, tx, "read demand", account, []any{&day, &met, &limit, &n}, func() {
			i := int(day - from)
			d.Days[i].Refused += n
			if met == "day" {
				d.Days[i].OverDay += n
			} else {
				d.Minutes = append(d.Minutes, MinuteDemand{Day: i, Enrichments: met == "enrichments", Limit: limit,
					Refused: n})
			}
		}, demandRejected, from.Start(), to.End())
	})
	return d, err
}

// Fit is what some limits would have rejected of a demand.
type Fit struct {
	Sent         int64
	Refused      int64 // for the one or the other
	BeyondQuota  int64 // exact: requests of a day beyond its quota
	QuotaDays    int   // days with such requests
	BeyondMinute int64 // an estimate, from the minutes in which a limit was met
	// MinuteUnknown: a minute may have held more than these limits admit, which counts by day do not show.
	// What is said of the minute, and of all that is rejected, is then the least that it can be.
	MinuteUnknown bool
}

// Rejected returns the requests that the limits of that time rejected.
func (d Demand) Rejected() (f Fit) {
	for _, day := range d.Days {
		f.Sent += day.sentRequests()
		f.Refused += day.Refused
		f.BeyondQuota += day.OverDay
		if day.OverDay > 0 {
			f.QuotaDays++
		}
	}
	f.BeyondMinute = f.Refused - f.BeyondQuota
	return f
}

// Under computes what limits would have rejected. now are the limits that the account has: where they are
// higher, a minute that they admitted may have been too much for the others.
func (d Demand) Under(now, limits billing.Limits) Fit {
	minute := make([]int64, len(d.Days))
	for _, m := range d.Minutes {
		limit := limits.PerMinute
		if m.Enrichments {
			limit = limits.EnrichmentsPerMinute
		}
		minute[m.Day] += max(0, int64(m.Limit)+m.Refused-int64(limit))
	}
	lower := limits.PerMinute < now.PerMinute || limits.EnrichmentsPerMinute < now.EnrichmentsPerMinute
	// a day of no more requests has no minute of more
	least := int64(min(limits.PerMinute, limits.EnrichmentsPerMinute))
	var f Fit
	for i, day := range d.Days {
		beyond := max(0, day.sentRequests()-int64(limits.PerDay))
		f.Sent += day.sentRequests()
		f.BeyondQuota += beyond
		f.BeyondMinute += minute[i]
		f.Refused += max(beyond, minute[i]) // what the minute refuses does not use the quota
		if beyond > 0 {
			f.QuotaDays++
		}
		f.MinuteUnknown = f.MinuteUnknown || lower && day.sentRequests() > least
	}
	return f
}
