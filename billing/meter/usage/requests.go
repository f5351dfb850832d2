package usage

import (
	"context"
	_ "embed"
	"net/http"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/ident"
)

// Request is one of the last requests of an account.
type Request struct {
	At        time.Time   // to the second
	KeyID     ident.KeyID // 0: the console of the documentation
	KeyName   string
	KeyPrefix string
	Operation string
	Status    int
	Took      time.Duration // from reading the request to its answer being ready
	RequestID string
	Reason    string // the limit that was met, as in Rejection, or the code of the error; empty: none
	Parameter string // name of the parameter that was wrong; empty: none, or not known
	Requests  int64  // more than 1: that many in a row met the same limit; the rest is of the first one
}

// Latency is how long the account's own requests took. Those that met a limit are left out.
type Latency struct {
	P50, P95 time.Duration
	Requests int // that it is of; 0: there are no figures
}

//go:embed requests.sql
var requestsSQL string

// ReadRequests reads the last requests of an account since a time, at most limit, the newest first, and how
// long all that are listed since then took. One to two thousand are kept a day.
func ReadRequests(ctx context.Context, db *pgxpool.Pool, account ident.AccountID, since time.Time,
	filter Filter, limit int) (
	list []Request, latency Latency, err error) {
	var operation *string
	if filter.Operation != "" {
		operation = &filter.Operation
	}
	var (
		r      Request
		micros int64
		took   []time.Duration
	)
	into := []any{&r.At, &r.KeyID, &r.KeyName, &r.KeyPrefix, &r.Operation, &r.Status, &micros, &r.RequestID,
		&r.Reason, &r.Parameter, &r.Requests}
	err = forEachRow(ctx, db, "read requests", account, into, func() {
		r.Took = time.Duration(micros) * time.Microsecond
		if len(list) < limit {
			list = append(list, r)
		}
		if r.Status != http.StatusTooManyRequests {
			took = append(took, r.Took)
		}
	}, requestsSQL, since, filter.Key, operation, filter.Outcome, filter.Visible)
	return list, latencyOf(took), err
}

// latencyOf gives the shortest duration that half of the requests, and 95 of 100, did not exceed.
func latencyOf(took []time.Duration) Latency {
	if len(took) == 0 {
		return Latency{}
	}
	slices.Sort(took)
	rank := func(percent int) time.Duration { return took[(len(took)*percent+99)/100-1] }
	return Latency{P50: rank(50), P95: rank(95), Requests: len(took)}
}
