package apikey_test

import (
	"crypto/sha256"
	"slices"
	"sync"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth/apikey"
	"arpent/internal/clock"
)

const addNoticeKey = `INSERT INTO account.api_key (account_id, name, secret_hash, prefix, last4, created_at, expires_at, revoked_at, replaces)
	SELECT id, $2, $3, 'arp_1234', 'abcd', $4, $5, $6, (SELECT id FROM account.api_key WHERE name = $7) FROM account.account WHERE email = $1`

// The owner of a key that is about to end hears of it once, a week before, and not of one that was meant to
// be short, has ended already, or was replaced.
func TestExpiryNoticesOfSimultaneousInstances(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	c, day := clock.At(now), 24*time.Hour
	testkit.Exec(t, pool, testkit.AddAccount, "fr@exemple.fr", true, nil, true, "fr")
	testkit.Exec(t, pool, testkit.AddAccount, "en@exemple.fr", true, nil, false, "en") // quota mails off: this is no quota mail
	testkit.Exec(t, pool, testkit.AddAccount, "unconfirmed@exemple.fr", false, nil, true, "fr")
	made := now.Add(-60 * day)
	key := func(email, name string, created time.Time, expires, revoked any, replaces string) {
		sum := sha256.Sum256([]byte(name))
		testkit.Exec(t, pool, addNoticeKey, email, name, sum[:], created, expires, revoked, replaces)
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
	key("unconfirmed@exemple.fr", "of an unconfirmed account", made, now.Add(day), nil, "")

	seen := 0
	s := apikey.NewStore(pool, c)
	round := func() []string {
		t.Helper()
		var wg sync.WaitGroup
		for range 3 { // instances
			wg.Go(func() {
				if err := s.NotifyExpiring(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		return testkit.NewMails(t, pool, &seen)
	}
	testkit.NoError(t, s.NotifyExpiring(t.Context()))
	if all := testkit.Mails(t, pool); len(all) == 2 {
		for _, j := range all {
			want := map[string]string{"fr": "due 2026-05-11T12:00:00Z", "en": "tomorrow 2026-05-05T12:00:00Z"}[j.Language]
			if j.Values["name"]+" "+j.Values["expires"] != want || j.Account == 0 || j.To != j.Language+"@exemple.fr" {
				t.Errorf("%+v", j)
			}
		}
	}
	if got := testkit.NewMails(t, pool, &seen); !slices.Equal(got, []string{"key_expiring en@exemple.fr", "key_expiring fr@exemple.fr"}) {
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
