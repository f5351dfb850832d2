package app_test

import (
	"context"
	"crypto/sha256"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app"
	"arpent/app/base/clock"
	"arpent/app/base/mail"
	"arpent/app/dev/testkit"
)

// posted is an outbox that remembers.
type posted struct {
	mu   sync.Mutex
	jobs []mail.Job
}

func (p *posted) Send(_ context.Context, _ pgx.Tx, j mail.Job) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.jobs = append(p.jobs, j)
	return nil
}

// take gives what was left since it was last called, as template and recipient.
func (p *posted) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for _, j := range p.jobs {
		out = append(out, string(j.Template)+" "+j.To)
	}
	p.jobs = nil
	slices.Sort(out)
	return out
}

func execute(t *testing.T, pool *pgxpool.Pool, sql string, args ...any) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

const addAccount = `INSERT INTO account.account (email, email_confirmed_at, plan, per_day, quota_mails, language, created_at, updated_at)
	VALUES ($1, CASE WHEN $2 THEN now() END, 'free', $3, $4, $5, now(), now())`

const addNoticeKey = `INSERT INTO account.api_key (account_id, name, secret_hash, prefix, last4, created_at, expires_at, revoked_at, replaces)
	SELECT id, $2, $3, 'arp_1234', 'abcd', $4, $5, $6, (SELECT id FROM account.api_key WHERE name = $7) FROM account.account WHERE email = $1`

// The owner of a key that is about to end hears of it once, a week before, and not of one that was meant to be short,
// has ended already, or was replaced.
func TestExpiryNotices(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	c, day := clock.At(now), 24*time.Hour
	execute(t, pool, addAccount, "fr@exemple.fr", true, nil, true, "fr")
	execute(t, pool, addAccount, "en@exemple.fr", true, nil, false, "en") // quota mails off: this is no quota mail
	execute(t, pool, addAccount, "unconfirmed@exemple.fr", false, nil, true, "fr")
	made := now.Add(-60 * day)
	key := func(email, name string, created time.Time, expires, revoked any, replaces string) {
		sum := sha256.Sum256([]byte(name))
		execute(t, pool, addNoticeKey, email, name, sum[:], created, expires, revoked, replaces)
	}
	key("fr@exemple.fr", "due", made, now.Add(7*day), nil, "")
	key("en@exemple.fr", "tomorrow", made, now.Add(day), nil, "")
	key("fr@exemple.fr", "later", made, now.Add(7*day+time.Minute), nil, "")
	key("fr@exemple.fr", "over", made, now.Add(-time.Minute), nil, "")
	key("fr@exemple.fr", "revoked", made, now.Add(day), now, "")
	key("fr@exemple.fr", "short", now.Add(-day), now.Add(6*day), nil, "")
	key("fr@exemple.fr", "for ever", made, nil, nil, "")
	key("fr@exemple.fr", "replaced", made, now.Add(day), nil, "")
	key("fr@exemple.fr", "its successor", now, nil, nil, "replaced")
	key("unconfirmed@exemple.fr", "nobody's", made, now.Add(day), nil, "")

	out := &posted{}
	n := app.NewNotices(pool, out, c)
	round := func() []string {
		t.Helper()
		var wg sync.WaitGroup
		for range 3 { // instances
			wg.Go(func() {
				if err := n.ExpiringKeys(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		return out.take()
	}
	if err := n.ExpiringKeys(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(out.jobs) == 2 {
		for _, j := range out.jobs {
			want := map[string]string{"fr": "due 2026-05-11T12:00:00Z", "en": "tomorrow 2026-05-05T12:00:00Z"}[j.Language]
			if j.Values["name"]+" "+j.Values["expires"] != want || j.Account == 0 || j.To != j.Language+"@exemple.fr" {
				t.Errorf("%+v", j)
			}
		}
	}
	if got := out.take(); !slices.Equal(got, []string{"key_expiring en@exemple.fr", "key_expiring fr@exemple.fr"}) {
		t.Errorf("first round: %v", got)
	}
	if got := round(); got != nil {
		t.Errorf("second round: %v", got)
	}
	c.Advance(time.Hour)
	if got := round(); !slices.Equal(got, []string{"key_expiring fr@exemple.fr"}) {
		t.Errorf("an hour later: %v", got)
	}
}

// An account hears once a day that 80 % of its quota is used, and once that all of it is: of its own limit, if it
// wants to hear, and whatever the number of instances.
func TestQuotaNotices(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	c := clock.At(now)
	execute(t, pool, addAccount, "plan@exemple.fr", true, nil, true, "fr") // 100 a day
	execute(t, pool, addAccount, "own@exemple.fr", true, 1000, true, "en")
	execute(t, pool, addAccount, "quiet@exemple.fr", true, nil, false, "fr")
	execute(t, pool, addAccount, "unconfirmed@exemple.fr", false, nil, true, "fr")
	use := func(used map[string]int) {
		for _, email := range slices.Sorted(maps.Keys(used)) {
			execute(t, pool, `INSERT INTO account.quota_day (account_id, day, used) SELECT id, $2, $3 FROM account.account WHERE email = $1
				ON CONFLICT (account_id, day) DO UPDATE SET used = excluded.used`, email, clock.Day(c.Now()).Time(), used[email])
		}
	}
	out := &posted{}
	n := app.NewNotices(pool, out, c)
	round := func(step string, want ...string) {
		t.Helper()
		var wg sync.WaitGroup
		for range 3 { // instances
			wg.Go(func() {
				if err := n.Quotas(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := out.take(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", step, got, want)
		}
	}
	use(map[string]int{"plan@exemple.fr": 79, "own@exemple.fr": 799, "quiet@exemple.fr": 100, "unconfirmed@exemple.fr": 100})
	round("below")
	use(map[string]int{"plan@exemple.fr": 80, "own@exemple.fr": 799})
	round("80 of the plan", "quota_80 plan@exemple.fr")
	round("once")
	use(map[string]int{"plan@exemple.fr": 100, "own@exemple.fr": 1000})
	round("all; the other past both at once", "quota_100 own@exemple.fr", "quota_100 plan@exemple.fr")
	round("once")
	execute(t, pool, "UPDATE account.account SET per_day = 200 WHERE email = 'plan@exemple.fr'")
	use(map[string]int{"plan@exemple.fr": 190})
	round("the limit was raised: this day has had its notices")

	c.Set(time.Date(2026, 5, 4, 22, 0, 0, 0, time.UTC)) // midnight in Paris
	round("a new day")
	use(map[string]int{"plan@exemple.fr": 160})
	if err := n.Quotas(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(out.jobs) != 1 || !maps.Equal(out.jobs[0].Values, map[string]string{"used": "160", "limit": "200", "plan": "Free"}) || out.jobs[0].Language != "fr" {
		t.Errorf("%+v", out.jobs)
	}
}
