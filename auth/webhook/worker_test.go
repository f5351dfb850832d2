package webhook_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"arpent/app/dev/testkit"
	"arpent/auth/member"
	"arpent/auth/webhook"
	"arpent/internal/clientip"
	"arpent/internal/event"
	"arpent/internal/ident"
	"arpent/internal/jobs"
	"arpent/internal/pgdb"
)

// snooze is how long a job waits for its next attempt; 0: there is none.
func snooze(t *testing.T, err error) time.Duration {
	t.Helper()
	if err == nil {
		return 0
	}
	var wait *rivertype.JobSnoozeError
	if !errors.As(err, &wait) {
		t.Fatal(err)
	}
	return wait.Duration
}

// A customer gets the event as documented, in a request that says what it is, and the log shows the answer.
func TestDelivery(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, answerWith(http.StatusCreated))
	id, secret := w.at(r)
	w.record(w.org, event.QuotaThreshold)
	testkit.NoError(t, work(t.Context(), w.worker(r, webhook.Timeout, allowAny), w.last()))
	got := r.requests()
	if len(got) != 1 {
		t.Fatalf("%d requests", len(got))
	}
	var e struct {
		ID        string
		Type      string
		CreatedAt time.Time
		Data      map[string]any
	}
	testkit.NoError(t, json.Unmarshal([]byte(got[0].body), &e))
	if e.Type != "quota.threshold" || !e.CreatedAt.Equal(noon) || e.Data["percent"] != 80.0 || !strings.HasPrefix(e.ID, "evt_") {
		t.Errorf("%s", got[0].body)
	}
	for name, want := range map[string]string{"Content-Type": "application/json", webhook.EventIDHeader: e.ID,
		webhook.SignatureHeader: webhook.Sign(secret, noon, got[0].body), "User-Agent": "arpent", "Accept-Encoding": ""} {
		testkit.Want(t, got[0].header.Get(name), want, name)
	}
	sent := w.sent(id)
	if len(sent) != 1 || sent[0].State != webhook.Delivered || len(sent[0].Attempts) != 1 || *sent[0].Attempts[0].Status != 201 || sent[0].EventID != e.ID {
		t.Errorf("%+v", sent)
	}
	found, err := w.store.Find(t.Context(), w.org, id)
	if err != nil || found.FailingSince != nil || found.Last == nil || !found.Last.Succeeded() {
		t.Errorf("%+v, %v", found, err)
	}
}

// An answer that is not 2xx, late or missing is a failed attempt: the event comes again, with the same id and
// body, after the times that are documented, and is given up after a day. Nothing of the answer is kept, and
// no redirect is followed.
func TestFailedAttempts(t *testing.T) {
	t.Parallel()
	big := bytes.Repeat([]byte("x"), 10<<20)
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		status int
		reason webhook.Reason
	}{
		"500": {answerWith(http.StatusInternalServerError), 500, ""},
		"410": {answerWith(http.StatusGone), 410, ""},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusMovedPermanently)
		}, 301, ""},
		"10 MB": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502); _, _ = w.Write(big) }, 502, ""},
		"late": {func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-time.After(testkit.Timeout):
			}
		}, 0, webhook.Late},
		"broken": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 0, webhook.Broken},
		"lost":   {nil, 0, webhook.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			r := newReceiver(t, tc.answer)
			if tc.answer == nil { // nothing listens at the local port of a connection, and no other test gets it
				held := testkit.Must(net.Dial("tcp", r.Listener.Addr().String()))(t)
				defer held.Close()
				_, r.port, _ = net.SplitHostPort(held.LocalAddr().String())
			}
			timeout := webhook.Timeout
			if tc.reason == webhook.Late {
				timeout = 300 * time.Millisecond
			}
			id, _ := w.at(r)
			worker := w.worker(r, timeout, allowAny)
			w.record(w.org, event.KeyRevoked)
			job := w.last()
			var waited time.Duration
			for range webhook.Attempts {
				wait := snooze(t, work(t.Context(), worker, job))
				waited += wait
				w.clock.Advance(wait)
			}
			if waited != 23*time.Hour+26*time.Minute {
				t.Errorf("waited %v in all", waited)
			}
			sent := w.sent(id)
			if len(sent) != 1 || sent[0].State != webhook.Failed || len(sent[0].Attempts) != webhook.Attempts {
				t.Fatalf("%+v", sent)
			}
			for _, a := range sent[0].Attempts {
				if tc.reason != "" && (a.Reason == nil || *a.Reason != tc.reason) || tc.status != 0 && (a.Status == nil || *a.Status != tc.status) {
					t.Errorf("%+v", a)
				}
			}
			got := r.requests()
			if tc.answer != nil && len(got) != webhook.Attempts {
				t.Errorf("%d requests", len(got))
			}
			for _, one := range got {
				if one.body != sent[0].Body || one.header.Get(webhook.EventIDHeader) != sent[0].EventID {
					t.Errorf("another event: %s", one.body)
				}
			}
			testkit.WantCount(t, w.Pool, 0, "mails after one day", `SELECT count(*) FROM job.river_job WHERE kind = 'mail' AND args->>'template' = 'webhook_off'`)
		})
	}
}

// countingConn counts the bytes that are read from it.
type countingConn struct {
	net.Conn
	read *atomic.Int64
}

func (c countingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.read.Add(int64(n))
	return n, err
}

// A huge answer with a good status is an accepted event, and is not read to its end.
func TestLongAnswerIsNotRead(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		block := bytes.Repeat([]byte("x"), 64<<10)
		for range 160 { // 10 MB
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	id, _ := w.at(r)
	var read atomic.Int64
	client := clientip.NewClient(clientip.ClientOptions{Timeout: webhook.Timeout, Port: r.port,
		IsPublic: allowAny, Roots: r.roots,
		Resolver: testkit.Resolver(t, "127.0.0.1")})
	transport := client.Transport.(*http.Transport)
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		return countingConn{conn, &read}, err
	}
	worker := webhook.NewWorker(w.store)
	worker.Use(client)
	w.record(w.org, event.KeyRevoked)
	testkit.NoError(t, work(t.Context(), worker, w.last()))
	if n := read.Load(); n == 0 || n > 64<<10 { // the handshake, the header, and one record of TLS more than is wanted
		t.Errorf("%d bytes were read", n)
	}
	if sent := w.sent(id); sent[0].State != webhook.Delivered {
		t.Errorf("%+v", sent)
	}
}

// A worker that is killed after it has sent an event, before it has written so, has it sent again, with the
// same id: a customer can recognize it.
func TestKilledWorkerSendsTheSameIDAgain(t *testing.T) {
	w := newWorld(t)
	ctx, kill := context.WithCancel(t.Context())
	r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200); kill() })
	id, _ := w.at(r)
	worker := w.worker(r, webhook.Timeout, allowAny)
	w.record(w.org, event.KeyRevoked)
	if err := work(ctx, worker, w.last()); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if sent := w.sent(id); sent[0].State != webhook.Waiting || len(sent[0].Attempts) != 0 {
		t.Fatalf("the killed worker has written: %+v", sent)
	}
	testkit.NoError(t, work(t.Context(), worker, w.last()))
	got := r.requests()
	if len(got) != 2 || got[0].body != got[1].body || got[0].header.Get(webhook.EventIDHeader) != got[1].header.Get(webhook.EventIDHeader) {
		t.Fatalf("%+v", got)
	}
	// Once it was written, the same job again sends nothing.
	if err := work(t.Context(), worker, w.last()); err != nil || len(r.requests()) != 2 {
		t.Errorf("%v, %d requests", err, len(r.requests()))
	}
}

// Several instances send each event once.
func TestSimultaneousInstancesSendOnce(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, answerWith(http.StatusOK))
	w.at(r)
	const events = 20
	for range events {
		w.record(w.org, event.KeyCreated)
	}
	for range 2 {
		workers, _ := jobs.Workers(jobs.Of(w.worker(r, webhook.Timeout, allowAny)))
		client := testkit.Must(river.NewClient(riverpgxv5.New(w.db), &river.Config{Schema: pgdb.JobSchema, Workers: workers,
			Queues: map[string]river.QueueConfig{jobs.SlowQueue: {MaxWorkers: 2}}, FetchPollInterval: 100 * time.Millisecond}))(t)
		testkit.NoError(t, client.Start(context.WithoutCancel(t.Context())))
		t.Cleanup(func() { _ = client.Stop(context.Background()) })
	}
	testkit.Eventually(t, testkit.Timeout, "all jobs are done", func() bool {
		return testkit.Count(t, w.Pool, `SELECT count(*) FROM job.river_job WHERE kind = 'webhook' AND state = 'completed'`) == events
	})
	ids := map[string]bool{}
	for _, one := range r.requests() {
		ids[one.header.Get(webhook.EventIDHeader)] = true
	}
	if n := len(r.requests()); n != events || len(ids) != events {
		t.Errorf("%d requests with %d ids", n, len(ids))
	}
}

// A name that led to a public address when the webhook was added, and leads into our network now, is not
// followed: not one connection arrives.
func TestNameThatLeadsElsewhereLater(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, answerWith(http.StatusOK))
	id, _ := w.at(r)
	for n, worker := range []*webhook.Worker{w.worker(r, webhook.Timeout, allowAny), w.worker(r, webhook.Timeout, nil)} {
		w.record(w.org, event.KeyCreated)
		wait := snooze(t, work(t.Context(), worker, w.last()))
		a := w.sent(id)[0].Attempts[0]
		if private := n == 1; private != (wait > 0) || private && (a.Reason == nil || *a.Reason != webhook.Private) {
			t.Errorf("%d: %v, %+v", n, wait, a)
		}
	}
	if n := r.connections(); n != 1 {
		t.Errorf("%d connections, want that of the first event", n)
	}
}

// The log says why a server was not reached: its certificate is not one that browsers accept, or its name
// leads nowhere. Nothing is sent then.
func TestUnreachableServers(t *testing.T) {
	t.Parallel()
	for reason, o := range map[webhook.Reason]clientip.ClientOptions{
		webhook.Insecure: {Roots: x509.NewCertPool(), Resolver: testkit.Resolver(t, "127.0.0.1")},
		webhook.NoName:   {Resolver: testkit.Resolver(t)},
	} {
		w := openWorld(t)
		r := newReceiver(t, answerWith(http.StatusOK))
		id, _ := w.at(r)
		o.Timeout, o.Port, o.IsPublic = webhook.Timeout, r.port, allowAny
		worker := w.worker(r, webhook.Timeout, allowAny)
		worker.Use(clientip.NewClient(o))
		w.record(w.org, event.KeyCreated)
		wait := snooze(t, work(t.Context(), worker, w.last()))
		if a := w.sent(id)[0].Attempts[0]; wait == 0 || a.Reason == nil || *a.Reason != reason || len(r.requests()) != 0 {
			t.Errorf("%s: %+v, %d requests", reason, a, len(r.requests()))
		}
	}
}

// An organisation that was deleted gets nothing any more, not even what waited.
func TestEndedOrganisationGetsNothing(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, answerWith(http.StatusOK))
	w.at(r)
	w.record(w.org, event.KeyCreated)
	job := w.last()
	w.Exec(`DELETE FROM account.account WHERE id = $1`, w.org)
	if err := work(t.Context(), w.worker(r, webhook.Timeout, allowAny), job); err != nil || len(r.requests()) != 0 {
		t.Errorf("%v, %d requests", err, len(r.requests()))
	}
	testkit.WantCount(t, w.Pool, 0, "rows are left", `SELECT (SELECT count(*) FROM account.webhook) + (SELECT count(*) FROM account.webhook_delivery) + (SELECT count(*) FROM account.webhook_attempt)`)
}

// An account whose servers do not answer holds two workers, and the events of others go on. What waits for it
// has made no attempt.
func TestAccountHoldsTwoWorkers(t *testing.T) {
	w := newWorld(t)
	release := make(chan struct{})
	r := newReceiver(t, func(rw http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/arpent" {
			<-release
		}
		rw.WriteHeader(http.StatusOK)
	})
	id, _ := w.at(r)
	w.Appoint(w.other, w.boss, member.Owner)
	quick, _, err := w.store.Add(w.as(w.boss), w.other, "https://example.com/quick", event.Types)
	testkit.NoError(t, err)
	w.Exec(`UPDATE account.webhook SET url = $2 WHERE id = $1`, quick.ID, "https://example.com:"+r.port+"/quick")
	for _, account := range []ident.AccountID{w.org, w.org, w.org, w.other} {
		w.record(account, event.KeyCreated)
	}
	queued, worker := w.queued(), w.worker(r, webhook.Timeout, allowAny)
	done := make(chan error, 2)
	for _, job := range queued[:2] {
		go func() { done <- work(t.Context(), worker, job) }()
	}
	testkit.Eventually(t, testkit.Timeout, "two requests are under way", func() bool { return len(r.requests()) == 2 })
	if wait := snooze(t, work(t.Context(), worker, queued[2])); wait != 5*time.Second || len(w.sent(id)[0].Attempts) != 0 {
		t.Errorf("the third: waits %v, %+v", wait, w.sent(id)[0])
	}
	if err := work(t.Context(), worker, queued[3]); err != nil || len(r.requests()) != 3 {
		t.Errorf("that of another account: %v, %d requests", err, len(r.requests()))
	}
	close(release)
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if err := work(t.Context(), worker, queued[2]); err != nil || w.sent(id)[0].State != webhook.Delivered {
		t.Errorf("the third once the others have ended: %v", err)
	}
}
