package stripegate_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/billing/stripegate"
	"arpent/internal/ident"
)

var plans = stripesim.PriceLists()

func monthly(plan string) billing.Offer { return billing.Offer{Plan: plan} }

func yearly(plan string) billing.Offer { return billing.Offer{Plan: plan, Yearly: true} }

// world is a simulated Stripe, a database, and what is between them; its time is the simulation's.
type world struct {
	*stripesim.Simulator
	t     testing.TB
	gate  *stripegate.Gate
	store *billing.Service
	pool  *pgxpool.Pool
}

func newGate(sim *stripesim.Simulator) *stripegate.Gate {
	return stripegate.New(stripegate.Options{Key: stripesim.DefaultKey, WebhookSecret: stripesim.DefaultWebhookSecret, Prices: plans, YearlyPrices: stripesim.YearlyPriceLists(), ReservePrice: stripesim.ReservePrice,
		PublicURL: "https://arpent.example", Backend: sim.URL(), Clock: sim})
}

func newStore(t testing.TB, pool *pgxpool.Pool, sim *stripesim.Simulator) *billing.Service {
	t.Helper()
	return billing.New(billing.Options{DB: pool, Clock: sim, Gateway: newGate(sim)})
}

func newWorld(t *testing.T, o stripesim.Options) *world {
	t.Helper()
	t.Parallel()
	return openWorld(t, o)
}

// openWorld is newWorld for a test that does not run in parallel, or has several.
func openWorld(t testing.TB, o stripesim.Options) *world {
	t.Helper()
	pool, _ := testkit.DB(t)
	sim := stripesim.ForTest(t, o)
	return &world{Simulator: sim, t: t, gate: newGate(sim), store: newStore(t, pool, sim), pool: pool}
}

func (w *world) must(err error) {
	w.t.Helper()
	testkit.NoError(w.t, err)
}

// account is somebody who is a customer at Stripe.
func (w *world) account(email string) (ident.AccountID, string) {
	w.t.Helper()
	var id ident.AccountID
	w.must(w.pool.QueryRow(w.t.Context(), `INSERT INTO account.account (email, email_confirmed_at, language, created_at, updated_at)
		VALUES ($1, now(), 'fr', now(), now()) RETURNING id`, email).Scan(&id))
	customer := testkit.Must(w.store.EnsureCustomer(w.t.Context(), w.row(id), "fr"))(w.t)
	return id, customer
}

// read reads a customer, also of an account that was deleted.
func (w *world) read(customer string) (billing.Snapshot, error) {
	s, _, err := w.gate.Read(w.t.Context(), billing.Customer{ID: customer, Reference: w.reference(customer)})
	return s, err
}

// reference is that of the account which a customer was made for.
func (w *world) reference(customer string) string { return w.Metadata(customer)["arpent_reference"] }

func (w *world) execute(sql string, args ...any) {
	w.t.Helper()
	testkit.Exec(w.t, w.pool, sql, args...)
}

func (w *world) sign(body []byte) string {
	return stripesim.Sign(body, stripesim.DefaultWebhookSecret, w.Now())
}

// receive delivers one event.
func (w *world) receive(e stripesim.Event) billing.Outcome {
	w.t.Helper()
	outcome, err := w.store.Receive(w.t.Context(), e.Body, w.sign(e.Body))
	if err != nil {
		w.t.Fatalf("receive %s: %v", e.Type, err)
	}
	return outcome
}

// deliver delivers what has happened since the first so many events.
func (w *world) deliver(seen int) int {
	w.t.Helper()
	all := w.Events()
	for _, e := range all[seen:] {
		w.receive(e)
	}
	return len(all)
}

func (w *world) row(account ident.AccountID) billing.Row {
	w.t.Helper()
	return testkit.Must(w.store.Customer(w.t.Context(), account))(w.t)
}

// mails are the templates of the mails to an account, in their order.
func (w *world) mails(account ident.AccountID) string {
	w.t.Helper()
	var out []string
	for _, j := range testkit.Mails(w.t, w.pool) {
		if j.Account == int64(account) {
			out = append(out, string(j.Template))
		}
	}
	return strings.Join(out, " ")
}

func (w *world) count(sql string, args ...any) (n int) {
	w.t.Helper()
	w.must(w.pool.QueryRow(w.t.Context(), sql, args...).Scan(&n))
	return n
}

// formatRow is a row without what depends on when it was read.
func formatRow(r billing.Row) string {
	since := "-"
	if r.PastDueSince != nil {
		since = r.PastDueSince.UTC().Format(time.RFC3339)
	}
	return fmt.Sprintf("%s of %s %s %s until %s, cancel %t, next %q, due since %s, notified %t %t, disputed %t", r.Plan, r.SubscriptionID, r.Snapshot.Plan,
		r.Status, r.PeriodEnd.UTC().Format(time.RFC3339), r.CancelAtPeriodEnd, r.NextPlan, since, r.PastDueNotified, r.GraceOverNotified, r.Disputed)
}
