package meter

import (
	"github.com/jackc/pgx/v5"

	"arpent/internal/ident"
)

const (
	// maxUnwrittenRequests limits the requests of an account that wait for a flush. Above some 300 requests a
	// second, and while the database is away, the oldest of them are not listed.
	maxUnwrittenRequests = 100
	// keptRequests is how many requests of an account stay listed. There may be twice as many for a while,
	// and those of each instance.
	keptRequests = 1000
)

// recentRequest is a request as it is listed for the owner of its key. It holds no value of an argument and
// no address.
type recentRequest struct {
	Answer

	key      ident.KeyID
	at       int64 // Unix seconds
	met      limitKind
	rejected bool  // met a limit
	requests int64 // more than 1: that many in a row met the same limit; the rest is of the first one
}

// recentRequests are the last requests of an account since the last flush. A crash loses them.
type recentRequests struct {
	list    []recentRequest
	oldest  int // where the list is full: the place of the next one
	written int // rows since the account was trimmed
}

// addRequest adds a request. One that meets the limit that the one before it met is added to that one, so
// that a client that hammers costs an addition for each.
func (r *recentRequests) addRequest(v *Decision, answer *Answer) {
	q := recentRequest{Answer: *answer, key: v.key, at: v.seen, requests: 1, rejected: v.Rejection != None}
	if q.rejected {
		q.met = v.limitMet()
		if n := len(r.list); n > 0 {
			last := &r.list[(r.oldest+n-1)%n]
			if last.rejected && last.met == q.met && last.key == q.key && last.Operation == q.Operation {
				last.requests++
				return
			}
		}
	}
	if len(r.list) < maxUnwrittenRequests {
		r.list = append(r.list, q)
		return
	}
	r.list[r.oldest] = q
	r.oldest = (r.oldest + 1) % len(r.list)
}

// accountRequest is a request in a batch.
type accountRequest struct {
	account ident.AccountID
	recentRequest
}

// takeRecent moves the requests of an account into the batch, the oldest first. The memory of the list is
// used again.
func (b *batch) takeRecent(a *account) {
	r := &a.recent
	for i := range r.list {
		b.recent = append(b.recent, accountRequest{a.id, r.list[(r.oldest+i)%len(r.list)]})
	}
	r.written += len(r.list)
	r.list, r.oldest = r.list[:0], 0
	if r.written >= keptRequests {
		b.trimmed = append(b.trimmed, a.id)
		r.written = 0
	}
}

// A key that is gone, or is not the account's, is left out.
const recentAdd = `
INSERT INTO account.recent_request (account_id, key_id, at, operation, status, micros, request_id, reason, parameter, requests)
SELECT d.account_id, d.key_id, to_timestamp(d.at), d.operation, d.status, d.micros, d.id, nullif(d.reason, ''), nullif(d.parameter, ''), d.requests
FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::smallint[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::bigint[])
    WITH ORDINALITY AS d (account_id, key_id, at, operation, status, micros, id, reason, parameter, requests, nth)
JOIN account.api_key k ON k.id = d.key_id AND k.account_id = d.account_id ORDER BY d.nth`

// An account is trimmed once an instance has added $2 rows, and so has about as many to remove.
const recentTrim = `
DELETE FROM account.recent_request r USING (
    SELECT a.account_id, (SELECT n.id FROM account.recent_request n WHERE n.account_id = a.account_id ORDER BY n.id DESC OFFSET $2 LIMIT 1) AS last
    FROM unnest($1::bigint[]) AS a (account_id)) AS old
WHERE r.account_id = old.account_id AND r.id <= old.last`

func (l *ledger) addRecent(rest *pgx.Batch, b *batch) {
	if len(b.recent) == 0 {
		return
	}
	var (
		accounts, keys, seconds, micros, requests []int64
		operations, ids, reasons, parameters      []string
		statuses                                  []int16
	)
	for i := range b.recent {
		q := &b.recent[i]
		reason := q.Reason
		if q.rejected {
			reason = limitKindNames[q.met]
		}
		id := string(q.RequestID[:])
		if q.RequestID == [16]byte{} {
			id = ""
		}
		accounts, keys, seconds = append(accounts, int64(q.account)), append(keys, int64(q.key)),
			append(seconds, q.at)
		operations, statuses = append(operations, l.operations[q.Operation]), append(statuses, int16(q.Status))
		micros, ids = append(micros, q.Took.Microseconds()), append(ids, id)
		reasons, parameters = append(reasons, reason), append(parameters, q.Parameter)
		requests = append(requests, q.requests)
	}
	rest.Queue(recentAdd, accounts, keys, seconds, operations, statuses, micros, ids, reasons, parameters,
		requests)
	if len(b.trimmed) > 0 {
		rest.Queue(recentTrim, b.trimmed, keptRequests)
	}
}
