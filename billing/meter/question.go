package meter

import (
	"context"
	"fmt"
	"net/netip"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"arpent/app/base/clock"
	"arpent/app/base/ident"
	"arpent/billing"
)

// question is what the store needs to know of a request.
type question struct {
	account ident.AccountID
	class   Class
	limits  billing.Limits
	cost    int
	day     clock.Date
	floor   int64
	keep    time.Duration // how long the day's count is still of use

	key       ident.KeyID
	keyPerDay int // 0: the key has no cap, and is not counted
	keyFloor  int64

	free bool // it counts against the minute alone

	address netip.Addr // of an anonymous client, in place of all the rest
}

type answer struct {
	refusal   Refusal
	wait      time.Duration
	remaining int
	reset     time.Duration
	used      int64
	met       int
	at        int64  // of the admission, on the store's clock
	order     uint64 // among the answers to this instance
}

func ask(ctx context.Context, pipe redis.Pipeliner, q *question) *redis.Cmd {
	if q.address.IsValid() {
		return admitScript.EvalSha(ctx, pipe, []string{"arpent:{" + q.address.String() + "}:anonymous"}, AnonymousPerMinute, 0, 0, 0, 1, 0, 0)
	}
	if q.free {
		return admitScript.EvalSha(ctx, pipe, windowNames(q.account)[:1], q.limits.PerMinute, 0, 0, 0, q.cost, Grace.Microseconds(), 0)
	}
	tighter := 0
	if q.class == Enrichments {
		tighter = q.limits.EnrichmentsPerMinute
	}
	day := dayOfKey{quotaKey: quotaKey{q.account, q.day}}
	keys := append(windowNames(q.account), day.name())
	args := []any{q.limits.PerMinute, tighter, q.limits.PerDay, q.floor, q.cost, Grace.Microseconds(), int64(q.keep / time.Second)}
	if q.keyPerDay > 0 {
		day.key = q.key
		keys, args = append(keys, day.name()), append(args, q.keyPerDay, q.keyFloor)
	}
	return admitScript.EvalSha(ctx, pipe, keys, args...)
}

func (c *call) read(cmd *redis.Cmd) error {
	n, err := cmd.Int64Slice()
	if err != nil || len(n) != 7 {
		return fmt.Errorf("%w: %v", errMissed, err)
	}
	c.answer = answer{
		refusal: Refusal(n[0]), wait: micros(n[1]), remaining: int(n[2]), reset: micros(n[3]), used: n[4], met: int(n[5]), at: n[6],
	}
	return nil
}

// Names of one account hash to one slot, so that a cluster would do as well.
func accountKey(id ident.AccountID) string {
	return "arpent:{" + strconv.FormatInt(int64(id), 10) + "}"
}

func windowNames(id ident.AccountID) []string {
	name := accountKey(id)
	return []string{name + ":minute", name + ":enrichments"}
}

// windows are those that a request needs a place in.
func (q *question) windows() []string {
	names := windowNames(q.account)
	if q.class != Enrichments {
		return names[:1]
	}
	return names
}

// name is where the count of a day is kept: an account's, or of a key with a cap.
func (d dayOfKey) name() string {
	name := accountKey(d.account) + ":" + d.day.String()
	if d.key != 0 {
		name += ":key:" + strconv.FormatInt(int64(d.key), 10)
	}
	return name
}
