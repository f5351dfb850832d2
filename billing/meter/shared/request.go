package shared

import (
	"context"
	"fmt"
	"net/netip"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"arpent/internal/clock"
	"arpent/internal/ident"
)

// Day names a count: what an account used of a day, or what one of its keys did.
type Day struct {
	Account ident.AccountID
	Date    clock.Date
	Key     ident.KeyID // 0: the whole account
}

// Request is what the store needs to know of a request.
type Request struct {
	Day                                 // of its account and key
	PerMinute, EnrichmentsPerMinute int // EnrichmentsPerMinute is 0 unless it asks for enrichments
	PerDay                          int
	Cost                            int
	Floor                           int64         // what the instance knows to have been used of the day
	Keep                            time.Duration // how long the day's count is still of use

	KeyPerDay int // 0: the key has no cap, and is not counted
	KeyFloor  int64

	Free bool // it counts against the minute alone

	Address netip.Addr // of an anonymous client, in place of all the rest but PerMinute
}

// Answer is what the store decided.
type Answer struct {
	Rejection uint8 // 0: admitted; 1: the minute, 2: the day, 3: the day of the key
	Wait      time.Duration
	Remaining int
	Reset     time.Duration
	Used      int64  // of the day
	UsedByKey int64  // where the key has a cap
	Met       int    // of a rejected request: the limit it met
	Order     uint64 // among the answers to this instance

	at int64 // of the admission, on the store's clock
}

// Admitted reports whether no limit was met.
func (a *Answer) Admitted() bool { return a.Rejection == 0 }

// addToPipeline adds the request to a pipeline.
func (r *Request) addToPipeline(ctx context.Context, pipe redis.Pipeliner) *redis.Cmd {
	if r.Address.IsValid() {
		return admitScript.EvalSha(ctx, pipe, []string{"arpent:{" + r.Address.String() + "}:anonymous"},
			r.PerMinute, 0, 0, 0, 1, 0, 0)
	}
	if r.Free {
		return admitScript.EvalSha(ctx, pipe, windowKeys(r.Account)[:1], r.PerMinute, 0, 0, 0, r.Cost,
			Grace.Microseconds(), 0)
	}
	keys := append(windowKeys(r.Account), Day{Account: r.Account, Date: r.Date}.redisKey())
	args := []any{r.PerMinute, r.EnrichmentsPerMinute, r.PerDay, r.Floor, r.Cost, Grace.Microseconds(),
		int64(r.Keep / time.Second)}
	if r.KeyPerDay > 0 {
		keys, args = append(keys, r.redisKey()), append(args, r.KeyPerDay, r.KeyFloor)
	}
	return admitScript.EvalSha(ctx, pipe, keys, args...)
}

func (c *Call) parseAnswer(cmd *redis.Cmd) error {
	n, err := cmd.Int64Slice()
	if err != nil || len(n) != 8 {
		return fmt.Errorf("%w: %v", ErrMissed, err)
	}
	c.Answer = Answer{Rejection: uint8(n[0]), Wait: Micros(n[1]), Remaining: int(n[2]),
		Reset: Micros(n[3]),
		Used:  n[4], Met: int(n[5]), at: n[6], UsedByKey: n[7]}
	return nil
}

// Names of one account hash to one slot, so that a cluster would do as well.
func accountKey(id ident.AccountID) string {
	return "arpent:{" + strconv.FormatInt(int64(id), 10) + "}"
}

func windowKeys(id ident.AccountID) []string {
	name := accountKey(id)
	return []string{name + ":minute", name + ":enrichments"}
}

// neededWindows are those that a request needs a place in.
func (r *Request) neededWindows() []string {
	names := windowKeys(r.Account)
	if r.EnrichmentsPerMinute == 0 {
		return names[:1]
	}
	return names
}

// redisKey is where the count of a day is kept.
func (d Day) redisKey() string {
	name := accountKey(d.Account) + ":" + d.Date.String()
	if d.Key != 0 {
		name += ":key:" + strconv.FormatInt(int64(d.Key), 10)
	}
	return name
}
