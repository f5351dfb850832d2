package stripegate_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/billing/stripegate"
)

// An event that is not from Stripe, or not meant for this server, is refused and stores nothing.
func TestForeignEventsAreRefused(t *testing.T) {
	w := newWorld(t, stripesim.Options{NoMock: true})
	account, customer := w.account("jeanne@exemple.fr")
	testkit.Must(w.Subscribe(customer, stripesim.ProPrice, stripesim.CardOK))(t)
	events := w.Events()
	good := events[len(events)-1]
	other := func(fields map[string]any) []byte { return good.With(fields) }
	signed := func(body []byte) string { return w.sign(body) }
	for name, c := range map[string]struct {
		body      []byte
		signature string
		want      string
	}{
		"no signature":                          {good.Body, "", "signature"},
		"nonsense":                              {good.Body, "t=1,v1=zz", "signature"},
		"other secret":                          {good.Body, stripesim.Sign(good.Body, "whsec_other", w.Now()), "signature"},
		"other body":                            {append([]byte(" "), good.Body...), signed(good.Body), "signature"},
		"only an old scheme":                    {good.Body, strings.ReplaceAll(signed(good.Body), "v1=", "v0="), "signature"},
		"old":                                   {good.Body, stripesim.Sign(good.Body, stripesim.DefaultWebhookSecret, w.Now().Add(-stripegate.Tolerance-2*time.Second)), "old"},
		"other version":                         {other(map[string]any{"api_version": "2024-06-20"}), "", "version"},
		"no version":                            {other(map[string]any{"api_version": nil}), "", "version"},
		"the event is from a connected account": {other(map[string]any{"account": "acct_1"}), "", "account"},
		"real money on a test":                  {other(map[string]any{"livemode": true}), "", "livemode"},
		"no id":                                 {other(map[string]any{"id": ""}), "", "malformed"},
		"no data":                               {other(map[string]any{"data": nil}), "", "malformed"},
		"not JSON":                              {[]byte("{"), "", "malformed"},
		"a list":                                {[]byte("[]"), "", "malformed"},
		"a text that no table takes":            {other(map[string]any{"type": "x\x00y"}), "", "malformed"},
	} {
		if c.signature == "" && c.want != "signature" {
			c.signature = signed(c.body)
		}
		_, err := w.store.Receive(t.Context(), c.body, c.signature)
		var refused *billing.EventError
		if !errors.As(err, &refused) || refused.Reason != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	live := stripegate.New(stripegate.Options{Key: "sk_live_1", WebhookSecret: stripesim.DefaultWebhookSecret, Prices: plans, Backend: w.URL(), Clock: w.Simulator})
	var refused *billing.EventError
	if _, err := live.Verify(t.Context(), good.Body, signed(good.Body)); !errors.As(err, &refused) || refused.Reason != "livemode" {
		t.Errorf("a test event on live: %v", err)
	}
	closed := stripegate.New(stripegate.Options{Key: stripesim.DefaultKey, Prices: plans, Backend: w.URL(), Clock: w.Simulator})
	if _, err := closed.Verify(t.Context(), good.Body, stripesim.Sign(good.Body, "", w.Now())); !errors.As(err, &refused) || refused.Reason != "signature" {
		t.Errorf("without a secret: %v", err)
	}
	if n := w.count(`SELECT count(*) FROM account.stripe_event`); n != 0 || w.row(account).Plan != billing.Free || w.mails(account) != "" {
		t.Errorf("%d events, %s, mails %q", n, formatRow(w.row(account)), w.mails(account))
	}
	testkit.Want(t, w.receive(good), billing.Applied, "the good one")
}

// An event that arrives five times, at once, is applied once and notified once; what
// concerns no account here is kept and does nothing.
func TestSimultaneousEventsAreHandledOnce(t *testing.T) {
	w := newWorld(t, stripesim.Options{NoMock: true})
	account, customer := w.account("jeanne@exemple.fr")
	testkit.Must(w.Subscribe(customer, stripesim.ProPrice, stripesim.CardOK))(t)
	var wg sync.WaitGroup
	for _, e := range w.Events() {
		for range 5 {
			wg.Go(func() {
				_, err := w.store.Receive(t.Context(), e.Body, w.sign(e.Body))
				for range 20 { // Stripe sends again what was not received; a busy machine may pass the deadline of a read
					if err == nil || !errors.Is(err, context.DeadlineExceeded) {
						break
					}
					_, err = w.store.Receive(t.Context(), e.Body, w.sign(e.Body))
				}
				if err != nil {
					t.Errorf("%s: %v", e.Type, err)
				}
			})
		}
	}
	wg.Wait()
	if n := w.count(`SELECT count(*) FROM account.stripe_event`); n != len(w.Events()) {
		t.Errorf("%d of %d events are kept", n, len(w.Events()))
	}
	if w.row(account).Plan != billing.Pro || w.mails(account) != "plan_started" {
		t.Errorf("%s, mails %q", formatRow(w.row(account)), w.mails(account))
	}
	testkit.WantCount(t, w.pool, 1, "records",
		`SELECT count(*) FROM account.audit WHERE action = 'plan_changed'`)
	last := w.Events()[len(w.Events())-1]
	for kind, body := range map[string][]byte{
		"unknown type":     last.With(map[string]any{"id": "evt_new", "type": "radar.early_fraud_warning.created"}),
		"unknown customer": last.With(map[string]any{"id": "evt_other", "data": map[string]any{"object": map[string]any{"object": "subscription", "id": "sub_x", "customer": "cus_x", "email": "secret@exemple.fr"}}}),
	} {
		if got, err := w.store.Receive(t.Context(), body, w.sign(body)); err != nil || got != billing.Ignored {
			t.Errorf("%s: %s, %v", kind, got, err)
		}
	}
	testkit.WantCount(t, w.pool, 2, "are kept", `SELECT count(*) FROM account.stripe_event WHERE id IN ('evt_new', 'evt_other') AND outcome = 'ignored'`)
	testkit.WantCount(t, w.pool, 0, "what an event says of an unknown customer is kept", `SELECT count(*) FROM account.stripe_event WHERE payload::text LIKE '%secret@exemple.fr%'`)
}

// While Stripe cannot be read nothing is written and Stripe is asked to
// call again; then the same event does its work.
func TestStripeAwayDuringAnEvent(t *testing.T) {
	w := newWorld(t, stripesim.Options{NoMock: true})
	account, customer := w.account("jeanne@exemple.fr")
	testkit.Must(w.Subscribe(customer, stripesim.ProPrice, stripesim.CardOK))(t)
	e := w.Events()[len(w.Events())-1]
	w.Fail(stripesim.Error500, 0)
	testkit.WantError(t, testkit.ErrorOf(w.store.Receive(t.Context(), e.Body, w.sign(e.Body))), billing.ErrUnavailable)
	testkit.WantCount(t, w.pool, 0, "events", `SELECT count(*) FROM account.stripe_event`)
	w.Fail(stripesim.Works, 0)
	if got := w.receive(e); got != billing.Applied || w.row(account).Plan != billing.Pro {
		t.Errorf("%s, %s", got, formatRow(w.row(account)))
	}
}

// billingEvent is the data of an event about a payment.
type billingEvent struct {
	Plan  string
	Until time.Time
}

// A payment that fails leaves seven days, with one mail and one event at their beginning and one at their
// end; paying brings the plan back at once. So does the bank's claim end it at once.
func TestFailureAndRecovery(t *testing.T) {
	w := newWorld(t, stripesim.Options{AfterRetries: stripesim.LeavePastDue})
	account, customer := w.account("jeanne@exemple.fr")
	w.execute(`INSERT INTO account.webhook (account_id, url, events, secret_sealed, created_at, secret_at)
		VALUES ($1, 'https://exemple.fr/', '{payment.failed}', 'x', now(), now())`, account)
	testkit.Must(w.Subscribe(customer, stripesim.ProPrice, stripesim.CardFailsNext))(t)
	seen := w.deliver(0)
	period := w.row(account).PeriodEnd
	w.Advance(period.Sub(w.Now()) + 3*time.Hour)
	seen = w.deliver(seen)
	r := w.row(account)
	end, ok := r.GraceEnd()
	if r.Status != billing.PastDue || r.Plan != billing.Pro || !ok || end.Before(period.Add(billing.Grace)) || end.After(w.Now().Add(billing.Grace)) {
		t.Fatalf("failed: %s", formatRow(r))
	}
	w.Advance(end.Sub(w.Now()) - time.Minute)
	seen = w.deliver(seen)
	var event billingEvent
	w.must(w.pool.QueryRow(t.Context(), `SELECT body::jsonb->'data' FROM account.webhook_delivery`).Scan(&event))
	if n := testkit.Count(t, w.pool, `SELECT count(*) FROM account.webhook_delivery`); n != 1 || event.Plan != billing.Pro || !event.Until.Equal(end) {
		t.Errorf("%d events, %+v, want one until %v", n, event, end)
	}
	if n, err := w.store.EndGracePeriods(t.Context()); err != nil || n != 0 || w.row(account).Plan != billing.Pro {
		t.Errorf("a minute before: %d, %v, %s", n, err, formatRow(w.row(account)))
	}
	w.Advance(time.Minute + time.Second)
	for i, want := range []int{1, 0} {
		if n, err := w.store.EndGracePeriods(t.Context()); err != nil || n != want {
			t.Errorf("check %d: %d, %v", i, n, err)
		}
	}
	if w.row(account).Plan != billing.Free {
		t.Errorf("grace over: %s", formatRow(w.row(account)))
	}
	w.must(w.SetCard(customer, stripesim.CardOK))
	if paid, err := w.PayOpen(customer); err != nil || !paid {
		t.Fatalf("paid %t, %v", paid, err)
	}
	seen = w.deliver(seen)
	if r := w.row(account); r.Plan != billing.Pro || r.PastDueSince != nil {
		t.Errorf("recovered: %s", formatRow(r))
	}
	w.must(w.Dispute(customer))
	seen = w.deliver(seen)
	if r := w.row(account); r.Plan != billing.Free || !r.Disputed {
		t.Errorf("disputed: %s", formatRow(r))
	}
	w.deliver(seen)
	if got, want := w.mails(account), "plan_started payment_failed grace_over payment_recovered plan_ended"; got != want {
		t.Errorf("mails %s, want %s", got, want)
	}
}

// What is given back whole ends the plan, and so does an account that Stripe gave up.
func TestRefundAndUnpaid(t *testing.T) {
	w := newWorld(t, stripesim.Options{NoMock: true, AfterRetries: stripesim.MarkUnpaid})
	refunded, customer := w.account("jeanne@exemple.fr")
	testkit.Must(w.Subscribe(customer, stripesim.ProPrice, stripesim.CardOK))(t)
	seen := w.deliver(0)
	w.must(w.Refund(customer))
	seen = w.deliver(seen)
	if r := w.row(refunded); r.Plan != billing.Free || !r.Disputed {
		t.Errorf("refunded: %s", formatRow(r))
	}
	unpaid, customer := w.account("marie@exemple.fr")
	testkit.Must(w.Subscribe(customer, stripesim.StandardPrice, stripesim.CardFailsNext))(t)
	w.Advance(70 * day)
	w.deliver(seen)
	if r := w.row(unpaid); r.Plan != billing.Free || r.Status != billing.Unpaid {
		t.Errorf("unpaid: %s", formatRow(r))
	}
	declined, customer := w.account("anne@exemple.fr")
	testkit.Must(w.Subscribe(customer, stripesim.StandardPrice, stripesim.CardDeclined))(t)
	w.Advance(25 * time.Hour)
	w.deliver(seen)
	if r := w.row(declined); r.Plan != billing.Free || r.Status != billing.IncompleteExpired || w.mails(declined) != "" {
		t.Errorf("never paid: %s, mails %q", formatRow(r), w.mails(declined))
	}
}

// Two tabs that both pay leave one subscription, and the money of the other is given back.
func TestTwoTabsPay(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	account, customer := w.account("jeanne@exemple.fr")
	for i := range 2 {
		testkit.Must(w.Subscribe(customer, []string{stripesim.StandardPrice, stripesim.ProPrice}[i], stripesim.CardOK))(t)
		w.Advance(time.Second)
	}
	w.deliver(0)
	if r := w.row(account); r.Plan != billing.Standard || r.Status != billing.Active {
		t.Errorf("%s", formatRow(r))
	}
	s, err := w.read(customer)
	if err != nil || s.Plan != billing.Standard {
		t.Errorf("%+v, %v", s, err)
	}
	refunds := 0
	for _, r := range w.Requests() {
		if r.Method == http.MethodPost && r.Path == "/v1/refunds" {
			refunds++
		}
	}
	testkit.Want(t, refunds, 1, "refunds")
	bills, err := w.gate.Invoices(t.Context(), customer, 5)
	if err != nil || len(bills) != 2 || bills[0].RefundedCents != bills[0].TotalCents || bills[1].RefundedCents != 0 {
		t.Errorf("bills %+v, %v; the second is refunded", bills, err)
	}
}

// Lives at random, whose events arrive while they go on: in any order, again and again,
// at once. Each ends where Stripe has it, as a reading at the end says, and so do the
// limits and the number of notices of its end.
func TestRandomSimultaneousLives(t *testing.T) {
	t.Parallel()
	lives := testkit.Rounds(16, 500)
	const shards = 2
	for shard := range shards {
		t.Run(fmt.Sprint(shard), func(t *testing.T) {
			t.Parallel()
			pool, _ := testkit.DB(t)
			seed := uint64(time.Now().UnixNano())
			t.Logf("seed %d", seed)
			dice := rand.New(rand.NewPCG(seed, 2))
			ends := map[string]int{}
			for n := range lives / shards {
				ends[randomLife(t, pool, dice, fmt.Sprintf("seed %d, life %d", seed, n))]++
			}
			t.Logf("they end as %v", ends)
		})
	}
}

// randomLife is one of them, in a Stripe of its own, and gives the status it ends with.
func randomLife(t *testing.T, pool *pgxpool.Pool, dice *rand.Rand, name string) string {
	t.Helper()
	sim := testkit.Must(stripesim.Start(t.Context(), stripesim.Options{NoMock: true, AfterRetries: stripesim.MarkUnpaid}))(t)
	defer sim.Close()
	w := &world{Simulator: sim, t: t, gate: newGate(sim), store: newStore(t, pool, sim), pool: pool}
	w.execute(`DELETE FROM account.stripe_event`) // each simulator counts its ids from the beginning
	w.execute(`DELETE FROM account.account`)
	account, customer := w.account("jeanne@exemple.fr")
	for range 2 + dice.IntN(6) {
		w.turn(dice, customer)
		if dice.IntN(3) > 0 {
			w.shuffled(dice, dice.IntN(3))
		}
	}
	w.shuffled(dice, 5)
	testkit.Must(w.store.EndGracePeriods(t.Context()))(t)
	snapshot := testkit.Must(w.read(customer))(t)
	ordered, _ := billing.Observe(billing.State{}, billing.Reading{Snapshot: snapshot, At: w.Now()})
	ordered, _ = billing.Notices(billing.State{}, ordered, w.Now())
	want := billing.Row{State: ordered}
	want.Plan, _ = billing.InForce(ordered, billing.Free, w.Now())
	if got := formatRow(w.row(account)); got != formatRow(want) {
		t.Fatalf("%s:\n%s\nwant\n%s", name, got, formatRow(want))
	}
	return snapshot.Status
}

// turn has something happen to a customer.
func (w *world) turn(dice *rand.Rand, customer string) {
	s := testkit.Must(w.read(customer))(w.t)
	cards := []stripesim.Card{stripesim.CardOK, stripesim.CardDeclined, stripesim.CardFailsNext, stripesim.CardFailsNext}
	prices := []string{stripesim.StandardPrice, stripesim.ProPrice}
	if !s.Live() {
		if s.Status == billing.Incomplete {
			w.Advance(24 * time.Hour)
		}
		testkit.Must(w.Subscribe(customer, prices[dice.IntN(2)], cards[dice.IntN(4)]))(w.t)
		return
	}
	switch dice.IntN(11) {
	case 0:
		_ = w.Change(s.SubscriptionID, prices[dice.IntN(2)]) // may be declined, or be the same
	case 1:
		_ = w.gate.Downgrade(w.t.Context(), s.SubscriptionID, monthly(billing.Standard))
	case 2:
		_ = w.CancelAtPeriodEnd(s.SubscriptionID, dice.IntN(2) == 0)
	case 3:
		w.must(w.CancelNow(s.SubscriptionID))
	case 4:
		w.must(w.SetCard(customer, cards[dice.IntN(4)]))
	case 5:
		_, _ = w.PayOpen(customer)
	case 6:
		_ = w.Dispute(customer)
	default:
		w.Advance(time.Duration(1+dice.IntN(35*24)) * time.Hour)
	}
}

// shuffled delivers what has happened since, in any order, some of it
// up to so many times more, two at a time.
func (w *world) shuffled(dice *rand.Rand, more int) {
	w.t.Helper()
	events := w.Events()
	sent := append([]stripesim.Event(nil), events...)
	for _, e := range events {
		if more > 0 && dice.IntN(4) == 0 {
			for range dice.IntN(more) {
				sent = append(sent, e)
			}
		}
	}
	dice.Shuffle(len(sent), func(i, j int) { sent[i], sent[j] = sent[j], sent[i] })
	var wg sync.WaitGroup
	for half := range 2 {
		wg.Go(func() {
			for i := half; i < len(sent); i += 2 {
				if _, err := w.store.Receive(w.t.Context(), sent[i].Body, w.sign(sent[i].Body)); err != nil {
					w.t.Errorf("%s: %v", sent[i].Type, err)
				}
			}
		})
	}
	wg.Wait()
}
