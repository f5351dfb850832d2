package assistant

import (
	"context"
	"log/slog"
	"net/netip"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5"
)

// waitingBounds are about clients that registered and that nobody has let in yet. Anybody can register, and hosted
// assistants register for all their users from a few networks: whoever fills the table pays for it before others do.
type waitingBounds struct {
	most int // beyond it some are forgotten, of the network that has most
	// Of one network, this many of the last hour are forgotten only when there are maxTimes as many as most in all.
	share int
	// A network with this many of the last hour has to wait, once the table is nearly full.
	crowd int
}

var defaultBounds = waitingBounds{most: 10_000, share: 200, crowd: 500}

const (
	// maxTimes is the end of it, however many networks a stranger has: what the table holds is this many times most.
	maxTimes = 3
	// justNow is how long a person may take to sign up and agree.
	justNow = time.Hour
	// crowdWait is what a network that has to wait is told.
	crowdWait = 5 * time.Minute
	// waitingKept is how long a client may wait for somebody to let it in.
	waitingKept = 3 * 24 * time.Hour
)

// nearlyFull is how many wait when networks begin to be refused. Below it nobody is, whatever comes from one network.
func (b waitingBounds) nearlyFull() int { return b.most / 5 * 4 }

// address is where a request comes from; invalid: it is not known.
func (s *Server) address(c *fiber.Ctx) netip.Addr {
	if s.o.Client != nil {
		return s.o.Client(c)
	}
	a, _ := netip.AddrFromSlice(c.Context().RemoteIP())
	return a
}

// networkOf is what one subscriber has at the least; nil: the address is not known.
func networkOf(a netip.Addr) *netip.Prefix {
	if !a.IsValid() {
		return nil
	}
	a = a.Unmap().WithZone("")
	bits := 64
	if a.Is4() {
		bits = 24
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return nil
	}
	return &p
}

const countWaiting = `
SELECT count(*), count(*) FILTER (WHERE network IS NOT DISTINCT FROM $1 AND created_at > $2)
FROM account.assistant_client WHERE granted_at IS NULL`

// register keeps a new client, and the number of those who only registered within bounds.
func (s *Server) register(ctx context.Context, c Client) error {
	var (
		now           = s.o.Clock.Now()
		total, recent int
	)
	if err := s.o.DB.QueryRow(ctx, countWaiting, c.network, now.Add(-justNow)).Scan(&total, &recent); err != nil {
		return down("count the clients that wait", err)
	}
	if total >= s.waiting.nearlyFull() && recent >= s.waiting.crowd {
		return &oauthError{status: fiber.StatusTooManyRequests, code: "temporarily_unavailable", wait: crowdWait,
			detail: "more than " + strconv.Itoa(s.waiting.crowd) + " clients from this network registered within the hour and were let in by nobody: try again later"}
	}
	err := s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error { return keepClient(ctx, tx, insertClient, c, now) })
	if err != nil {
		return down("register a client", err)
	}
	if total+1 > s.waiting.most {
		s.forget(ctx, total+1, now)
	}
	return nil
}

// The oldest of the network that has most go first. Of each network the first of the last hour stay: a person may be
// signing up for one of them, and nobody can push it out by registering more.
const forgetCrowd = `
DELETE FROM account.assistant_client c WHERE c.granted_at IS NULL AND c.id IN (
    SELECT w.id FROM (
        SELECT id, created_at, count(*) OVER (PARTITION BY network) AS held,
            row_number() OVER (PARTITION BY network, created_at > $1 ORDER BY created_at, id) AS place
        FROM account.assistant_client WHERE granted_at IS NULL) w
    WHERE (w.created_at <= $1 OR w.place > $2) AND NOT EXISTS (SELECT FROM account.assistant_code k WHERE k.client_id = w.id)
    ORDER BY w.held DESC, w.created_at, w.id LIMIT $3)`

const forgetOldest = `
DELETE FROM account.assistant_client c WHERE c.granted_at IS NULL AND c.id IN (
    SELECT w.id FROM account.assistant_client w
    WHERE w.granted_at IS NULL AND NOT EXISTS (SELECT FROM account.assistant_code k WHERE k.client_id = w.id)
    ORDER BY w.created_at, w.id LIMIT $1)`

// forget makes room for a while: counting by network takes some time, and is not to be done at every registration.
func (s *Server) forget(ctx context.Context, total int, now time.Time) {
	b := s.waiting
	_, err := s.o.DB.Exec(ctx, forgetCrowd, now.Add(-justNow), b.share, total-b.most+b.most/100)
	if err == nil && total > maxTimes*b.most {
		_, err = s.o.DB.Exec(ctx, forgetOldest, total-maxTimes*b.most)
	}
	if err != nil {
		slog.WarnContext(ctx, "clients that nobody let in were not forgotten; the next registration does", "error", err)
	}
}
