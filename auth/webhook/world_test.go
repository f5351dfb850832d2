package webhook_test

import (
	"context"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"

	"arpent/app/dev/testkit"
	"arpent/auth/member"
	"arpent/auth/webhook"
	"arpent/internal/audit"
	"arpent/internal/clientip"
	"arpent/internal/clock"
	"arpent/internal/event"
	"arpent/internal/ident"
)

var noon = time.Date(2026, 11, 21, 10, 42, 7, 0, time.UTC)

var secretOfServer = []byte("a secret of exactly 32 bytes for")

// world is an organisation with an owner, and another one.
type world struct {
	testkit.Accounts
	db               *pgxpool.Pool // as the service has it
	clock            *clock.Fixed
	store            *webhook.Store
	org, other, boss ident.AccountID
}

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	return openWorld(t)
}

// openWorld is newWorld for a test that does not run in parallel, or has several.
func openWorld(t *testing.T) *world {
	t.Helper()
	pool, url := testkit.DB(t)
	c := clock.At(noon)
	w := &world{Accounts: testkit.Accounts{T: t, Pool: pool, Clock: c}, db: testkit.Serving(t, url, nil), clock: c}
	w.store = webhook.NewStore(w.db, w.clock, secretOfServer, nil)
	w.boss = w.Person("jeanne@exemple.fr", true)
	w.org, w.other = w.Organisation("Alpha"), w.Organisation("Beta")
	w.Appoint(w.org, w.boss, member.Owner)
	return w
}

// as is a context in which a person acts.
func (w *world) as(person ident.AccountID) context.Context {
	return audit.With(w.T.Context(), audit.Actor{Kind: audit.ActorAccount, Person: person})
}

// add makes an endpoint of the organisation with all events.
func (w *world) add(url string) (webhook.ID, string) {
	w.T.Helper()
	e, secret, err := w.store.Add(w.as(w.boss), w.org, url, event.Types)
	testkit.NoError(w.T, err)
	return e.ID, secret
}

// record leaves an event of an account.
func (w *world) record(account ident.AccountID, t event.Type) {
	w.T.Helper()
	err := pgx.BeginFunc(w.T.Context(), w.db, func(tx pgx.Tx) error {
		return event.Record(w.T.Context(), tx, account, t, w.clock.Now(), event.QuotaData{Day: "2026-11-21", Percent: 80, Used: 80, Limit: 100, Plan: "free"})
	})
	testkit.NoError(w.T, err)
}

// queued are the arguments of the jobs that wait, the oldest first.
func (w *world) queued() []event.Delivery {
	w.T.Helper()
	rows, _ := w.Pool.Query(w.T.Context(), `SELECT args FROM job.river_job WHERE kind = 'webhook' ORDER BY id`)
	return testkit.Must(pgx.CollectRows(rows, pgx.RowTo[event.Delivery]))(w.T)
}

// last is the newest of them.
func (w *world) last() event.Delivery {
	w.T.Helper()
	all := w.queued()
	if len(all) == 0 {
		w.T.Fatal("no delivery is queued")
	}
	return all[len(all)-1]
}

// work does a job once.
func work(ctx context.Context, worker *webhook.Worker, d event.Delivery) error {
	return worker.Work(ctx, &river.Job[event.Delivery]{Args: d})
}

// sent lists what was sent to an endpoint, the newest first.
func (w *world) sent(id webhook.ID) []webhook.Sent {
	w.T.Helper()
	return testkit.Must(w.store.Deliveries(w.T.Context(), w.org, id, 0, 100))(w.T)
}

// request is one that a receiver got.
type request struct {
	header http.Header
	body   string
}

// receiver is a server of a customer on this machine, which answers as a test wants.
type receiver struct {
	*httptest.Server
	roots *x509.CertPool
	port  string

	mu     sync.Mutex
	got    []request
	opened int // connections
}

func newReceiver(t *testing.T, answer http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{roots: x509.NewCertPool()}
	r.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		r.got = append(r.got, request{req.Header, string(body)})
		r.mu.Unlock()
		answer(w, req)
	}))
	r.Config.ErrorLog = log.New(io.Discard, "", 0)
	r.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			r.mu.Lock()
			r.opened++
			r.mu.Unlock()
		}
	}
	r.StartTLS()
	t.Cleanup(r.Close)
	r.roots.AddCert(r.Certificate())
	u := testkit.Must(url.Parse(r.URL))(t)
	r.port = u.Port()
	return r
}

func (r *receiver) requests() []request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]request(nil), r.got...)
}

func (r *receiver) connections() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.opened
}

func allowAny(netip.Addr) bool { return true }

// worker makes one as in service, but for the port and the certificate of the receiver, to which all names
// lead. The address of an endpoint in the database names that port: add refuses it.
func (w *world) worker(r *receiver, timeout time.Duration, allow func(netip.Addr) bool) *webhook.Worker {
	worker := webhook.NewWorker(w.store)
	worker.Use(clientip.NewClient(clientip.ClientOptions{Timeout: timeout, Port: r.port, IsPublic: allow,
		Roots:    r.roots,
		Resolver: testkit.Resolver(w.T, "127.0.0.1")}))
	return worker
}

// at makes an endpoint whose requests reach the receiver.
func (w *world) at(r *receiver) (webhook.ID, string) {
	w.T.Helper()
	id, secret := w.add("https://example.com/arpent")
	w.Exec(`UPDATE account.webhook SET url = $2 WHERE id = $1`, id, "https://example.com:"+r.port+"/arpent")
	return id, secret
}

func answerWith(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}
