//go:build soak

package fault_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
)

// kills may be set to something else by ARPENT_KILLS.
const kills = 200

// A server that is killed at any moment has forgotten one second of counts at most, has counted
// nothing twice, has made keys whole or not at all, and has applied events of Stripe whole or not at
// all: what it had not, it does when they come again.
func TestSoakFaultKilled(t *testing.T) {
	sim := stripesim.ForTest(t, stripesim.Options{NoMock: true})
	w := newWorld(t, selling(t, sim)...)
	server := w.start()
	sim.SetWebhook(w.Base+"/webhooks/stripe", stripesim.DefaultWebhookSecret)
	mix := w.mix()
	plans := w.subscribe(sim)
	keys := &keyMaker{world: w, token: w.browser.Token(), shown: map[string]string{}}
	var writers sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	writers.Go(func() { keys.run(ctx) })
	writers.Go(func() { plans.run(ctx) })
	var lives []life
	time.Sleep(2 * time.Second)
	before, begin := w.usedBy(), time.Now()
	end := mix.Start()
	for range number("ARPENT_KILLS", kills) {
		time.Sleep(time.Duration(rand.Int64N(int64(2 * time.Second))))
		one := life{killed: time.Now()}
		server.Kill()
		w.untilSessionsEnd()
		one.used, one.ended = w.usedBy(), time.Now()
		w.whole()
		var err error
		if server, err = w.program.ServeAt(t.Context(), w.Base); err != nil {
			t.Fatal(err)
		}
		one.ready = time.Now()
		lives = append(lives, one)
	}
	t.Cleanup(server.Kill)
	cancel()
	writers.Wait()
	outcomes := end()
	describe(t, fmt.Sprintf("%d kills in %s", len(lives), time.Since(begin).Round(time.Second)), outcomes)
	w.lossOf(before, lives, outcomes)
	wrong(t, served(outcomes, lives), never)
	keys.check()
	plans.check()
}

// served are the outcomes of requests that met a server.
func served(outcomes []outcome, lives []life) (out []outcome) {
	for _, o := range outcomes {
		met := func(l life) bool { return l.in(&o) }
		if o.Status != 0 || !slices.ContainsFunc(lives, met) {
			out = append(out, o)
		}
	}
	return out
}

func number(setting string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(setting)); err == nil {
		return n
	}
	return otherwise
}

// selling are the settings of a server that sells plans, which development alone does without Stripe.
func selling(t *testing.T, sim *stripesim.Simulator) []string {
	env := []string{"ARPENT_MODE=development", "ARPENT_DATA=" + t.TempDir(), "ARPENT_STRIPE_URL=" + sim.URL(),
		"ARPENT_STRIPE_KEY=" + stripesim.DefaultKey, "ARPENT_STRIPE_WEBHOOK_SECRET=" + stripesim.DefaultWebhookSecret}
	for plan, price := range stripesim.Prices() {
		env = append(env, config.PriceSetting(plan)+"="+price)
	}
	return env
}

// life is how the life of a server ended, and the next began.
type life struct {
	killed, ended, ready time.Time
	used                 int // stored when it was dead
}

// in reports whether a request met the time without a server.
func (l life) in(o *outcome) bool { return o.Due.Before(l.ready) && o.Received.After(l.killed) }

// untilSessionsEnd waits for what the dead server had sent to the database.
func (w *world) untilSessionsEnd() {
	w.T.Helper()
	testkit.Eventually(w.T, testkit.Timeout, "the sessions of the dead server end", func() bool {
		return testkit.Count(w.T, w.Pool, `SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'arpent%' AND datname = current_database()`) == 0
	})
}

func (w *world) usedBy() (sum int) {
	for _, email := range callers {
		sum += w.used(email)
	}
	return sum
}

// whole looks for what has been done by half.
func (w *world) whole() {
	w.T.Helper()
	for what, sql := range map[string]string{
		"days whose quota is not what their operations sum up to": `SELECT count(*) FROM account.quota_day q WHERE used <>
			(SELECT sum(counted) FROM account.usage u WHERE u.account_id = q.account_id AND u.day = q.day)`,
		"keys whose requests are not what their operations sum up to": `SELECT count(*) FROM account.api_key k WHERE request_count <>
			(SELECT coalesce(sum(requests), 0) FROM account.usage u WHERE u.key_id = k.id)`,
		"keys without a record of who made them": `SELECT count(*) FROM account.api_key k WHERE kind = 'integration' AND NOT EXISTS
			(SELECT FROM account.audit a WHERE a.account_id = k.account_id AND action = 'key_created' AND (detail ->> 'key')::bigint = k.id)`,
		"records of keys that are not there": `SELECT count(*) FROM account.audit a WHERE action = 'key_created' AND NOT EXISTS
			(SELECT FROM account.api_key k WHERE k.account_id = a.account_id AND k.id = (detail ->> 'key')::bigint)`,
		"accounts on another plan than that of their subscription": `SELECT count(*) FROM account.account a JOIN account.subscription s ON s.account_id = a.id
			WHERE s.status = 'active' AND s.plan <> a.plan`,
	} {
		if n := testkit.Count(w.T, w.Pool, sql); n > 0 {
			w.T.Errorf("%d %s", n, what)
		}
	}
}

// lossOf compares what each life has stored with what it answered.
func (w *world) lossOf(before int, lives []life, outcomes []outcome) {
	w.T.Helper()
	stored, from := before, time.Time{}
	lost, worst, answered := 0, 0, 0
	for n, l := range lives {
		sure, most := 0, 0
		for i := range outcomes {
			o := &outcomes[i]
			switch {
			case o.Key == "" || o.Received.Before(from) || o.Sent.After(l.ended):
			case o.Grade == fine:
				most++
				if o.Received.Before(l.killed.Add(-time.Second)) {
					sure++
				}
			case o.Status == 0 && !refusedConnection(o):
				most++ // it may have been answered, and the answer lost
			}
		}
		got := l.used - stored
		if got < sure || got > most {
			w.T.Errorf("life %d: %d were stored; %d were answered a second before the kill or earlier, %d at most in all", n, got, sure, most)
		}
		lost, worst, answered = lost+most-got, max(worst, most-got), answered+most
		stored, from = l.used, l.ended
	}
	w.T.Logf("of %d requests that were counted or may have been, %d were forgotten in %d kills, %d at most in one", answered, lost, len(lives), worst)
}

// refusedConnection reports whether a request never left.
func refusedConnection(o *outcome) bool {
	var network *net.OpError
	return errors.As(o.Err, &network) && network.Op == "dial"
}

// keyMaker makes keys by the form of the portal, one after the other,
// and keeps the secrets that it was shown.
type keyMaker struct {
	*world
	token string
	made  int
	shown map[string]string // by name
}

var secret = regexp.MustCompile(`arp_[0-9A-Za-z]{38}`)

func (k *keyMaker) run(ctx context.Context) {
	client := &http.Client{Jar: k.browser.Jar, Timeout: 10 * time.Second}
	for n := 0; ctx.Err() == nil; n++ {
		name := fmt.Sprintf("made %d", n)
		form := url.Values{"token": {k.token}, "name": {name}, "expires": {"never"}}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, k.Base+"/account/keys/new", strings.NewReader(form.Encode()))
		if err != nil {
			k.T.Error(err)
			return
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", k.Base)
		res, err := client.Do(req)
		if err != nil {
			time.Sleep(20 * time.Millisecond) // no server is there
			continue
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		switch {
		case err != nil:
		case res.StatusCode == http.StatusCreated:
			k.shown[name] = secret.FindString(string(body))
		case res.StatusCode == http.StatusUnprocessableEntity:
			k.Exec(`UPDATE account.api_key SET revoked_at = now() WHERE revoked_at IS NULL AND name LIKE 'made %'`) // there may be 20
			clear(k.shown)
		default:
			k.T.Errorf("a key: %d %.300s", res.StatusCode, body)
		}
		k.made++
		time.Sleep(10 * time.Millisecond)
	}
}

// check calls with each key that was shown and not revoked since.
func (k *keyMaker) check() {
	k.T.Helper()
	for name, key := range k.shown {
		if r := k.Get("/api/v1", "X-API-Key", key); r.Status != http.StatusOK {
			k.T.Errorf("the key %q was shown, and is answered %d", name, r.Status)
		}
	}
	k.T.Logf("%d forms for keys were answered, %d keys are stored; the last %d that were shown work", k.made,
		testkit.Count(k.T, k.Pool, `SELECT count(*) FROM account.api_key WHERE name LIKE 'made %'`), len(k.shown))
}

// plans is a subscription that changes all the time.
type plans struct {
	*world
	sim          *stripesim.Simulator
	subscription string
	plan         string // the last one
	changes      int
}

// subscribe has the member take a plan.
func (w *world) subscribe(sim *stripesim.Simulator) *plans {
	w.T.Helper()
	w.browser.Post("/account/plan/subscribe", url.Values{"plan": {"standard"}})
	var customer string
	testkit.NoError(w.T, w.Pool.QueryRow(w.T.Context(), `SELECT customer_id FROM account.subscription`).Scan(&customer))
	id, err := sim.Subscribe(customer, stripesim.Prices()["standard"], stripesim.CardOK)
	testkit.NoError(w.T, err)
	return &plans{world: w, sim: sim, subscription: id, plan: "standard"}
}

func (p *plans) run(ctx context.Context) {
	for ctx.Err() == nil {
		p.plan = map[string]string{"standard": "pro", "pro": "standard"}[p.plan]
		if err := p.sim.Change(p.subscription, stripesim.Prices()[p.plan]); err != nil {
			p.T.Error(err)
			return
		}
		p.changes++
		select {
		case <-ctx.Done():
		case <-time.After(300 * time.Millisecond):
		}
	}
}

// check delivers what still waits, the newest first, and compares the plan.
func (p *plans) check() {
	p.T.Helper()
	p.sim.ReleaseReversed()
	testkit.NoError(p.T, p.sim.Quiet(p.T.Context()))
	p.whole()
	var plan string
	testkit.NoError(p.T, p.Pool.QueryRow(p.T.Context(), `SELECT plan FROM account.account WHERE email = $1`, member).Scan(&plan))
	if plan != p.plan {
		p.T.Errorf("the plan is %s, it was last changed to %s", plan, p.plan)
	}
	report := p.world.run("billing", "reconcile", "--dry-run", "--json")
	p.T.Logf("%d changes of plan, %d events stored; %s", p.changes, testkit.Count(p.T, p.Pool, `SELECT count(*) FROM account.stripe_event`), report)
	if !strings.Contains(report, `"repaired":[]`) && !strings.Contains(report, `"repaired": []`) {
		p.T.Errorf("something is out of step with Stripe: %s", report)
	}
}
