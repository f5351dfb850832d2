package stripegate_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/billing"
)

var errCut = errors.New("the connection is cut")

// cutter cuts connections at one of the messages to the database: before it leaves, or when its answer would
// be read, so that the database has done what the client never hears of.
type cutter struct {
	armed atomic.Bool
	left  atomic.Int64 // messages until the cut
	reply bool
	cut   atomic.Bool
}

func (c *cutter) arm(after int64, reply bool) {
	c.left.Store(after)
	c.reply = reply
	c.cut.Store(false)
	c.armed.Store(true)
}

type cutConn struct {
	net.Conn
	c   *cutter
	cut atomic.Bool
}

func (k *cutConn) Write(b []byte) (int, error) {
	if k.cut.Load() {
		return 0, errCut
	}
	if k.c.armed.Load() && k.c.left.Add(-1) < 0 && k.c.cut.CompareAndSwap(false, true) {
		k.cut.Store(true)
		if !k.c.reply {
			_ = k.Conn.Close()
			return 0, errCut
		}
	}
	return k.Conn.Write(b)
}

// Read cuts here and not in Write: where a write is slow, pgx is reading already.
func (k *cutConn) Read(b []byte) (int, error) {
	n, err := k.Conn.Read(b)
	if k.cut.Load() { // it has been done once the answer begins
		_ = k.Conn.Close()
		return 0, errCut
	}
	return n, err
}

func cutPool(t *testing.T, url string, c *cutter) *pgxpool.Pool {
	t.Helper()
	config := testkit.Must(pgxpool.ParseConfig(url))(t)
	config.MaxConns = 2
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec // one message a statement
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		return &cutConn{Conn: conn, c: c}, err
	}
	pool := testkit.Must(pgxpool.NewWithConfig(t.Context(), config))(t)
	t.Cleanup(pool.Close)
	return pool
}

// A server that dies before, or right after, any statement of the handler has lost nothing once Stripe
// delivers the event again: one change, one record, one mail.
func TestCrashAtEachStatement(t *testing.T) {
	t.Parallel()
	pool, url := testkit.DB(t)
	sim := stripesim.ForTest(t, stripesim.Options{NoMock: true})
	w := &world{Simulator: sim, t: t, gate: newGate(sim), store: newStore(t, pool, sim), pool: pool}
	crashes := 0
	for _, reply := range []bool{false, true} {
		for after := int64(0); ; after++ {
			if after > 60 {
				t.Fatal("the handler never ends without a cut")
			}
			c := &cutter{}
			dying := cutPool(t, url, c)
			account, customer := w.account(fmt.Sprintf("crash-%t-%d@exemple.fr", reply, after))
			sub := testkit.Must(w.Subscribe(customer, stripesim.ProPrice, stripesim.CardOK))(t)
			var e stripesim.Event
			for _, each := range w.Events() {
				if each.Type == "customer.subscription.created" && each.Object("id") == sub {
					e = each
				}
			}
			w.must(dying.Ping(t.Context()))
			store := newStore(t, dying, sim)
			c.arm(after, reply)
			_, err := store.Receive(t.Context(), e.Body, w.sign(e.Body))
			dying.Close()
			if !c.cut.Load() {
				w.must(err)
				if after < 8 {
					t.Errorf("only %d messages were seen", after)
				}
				break
			}
			crashes++
			w.receive(e)
			if r := w.row(account); r.Plan != billing.Pro || r.Status != billing.Active {
				t.Errorf("cut at %d, reply %t: %s", after, reply, formatRow(r))
			}
			if got := w.mails(account); got != "plan_started" {
				t.Errorf("cut at %d, reply %t: mails %q", after, reply, got)
			}
			if n := w.count(`SELECT count(*) FROM account.audit WHERE account_id = $1`, account); n != 1 {
				t.Errorf("cut at %d, reply %t: %d records", after, reply, n)
			}
			if n := w.count(`SELECT count(*) FROM account.stripe_event WHERE id = $1`, e.ID); n != 1 {
				t.Errorf("cut at %d, reply %t: the event is kept %d times", after, reply, n)
			}
		}
	}
	t.Logf("%d crashes", crashes)
}
