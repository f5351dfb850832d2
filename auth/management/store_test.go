package management_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/dev/testkit"
	"arpent/auth/apikey"
	"arpent/auth/management"
	"arpent/auth/member"
	"arpent/internal/audit"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

var noon = time.Date(2026, 11, 21, 10, 42, 7, 0, time.UTC)

// team is an organisation with an owner, and another one.
type team struct {
	testkit.Accounts
	clock            *clock.Fixed
	store            *management.Store
	org, other, boss ident.AccountID
}

func newTeam(t *testing.T) *team {
	t.Helper()
	t.Parallel()
	pool, url := testkit.DB(t)
	c := clock.At(noon)
	w := &team{Accounts: testkit.Accounts{T: t, Pool: pool, Clock: c}, clock: c}
	w.store = management.NewStore(testkit.Serving(t, url, nil), w.clock)
	w.boss = w.Person("jeanne@exemple.fr", true)
	w.org, w.other = w.Organisation("Alpha"), w.Organisation("Beta")
	w.Appoint(w.org, w.boss, member.Owner)
	return w
}

// as is the context of a page that a person sees of an account.
func (w *team) as(person, account ident.AccountID) context.Context {
	return pgdb.ForAccount(audit.With(w.T.Context(), audit.Actor{Kind: audit.ActorAccount, Person: person,
		By: "jeanne@exemple.fr"}), account)
}

func (w *team) create(person, account ident.AccountID, name string) (management.Token, string) {
	w.T.Helper()
	t, secret, err := w.store.Create(w.as(person, account), account, management.NewToken{Name: name,
		Scopes: []management.Scope{management.ReadKeys, management.ReadUsage}, Days: 30})
	testkit.NoError(w.T, err)
	return t, secret
}

func (w *team) refused(secret string, want error) {
	w.T.Helper()
	if _, err := w.store.Authenticate(w.T.Context(), secret); !errors.Is(err, want) {
		w.T.Errorf("%v, want %v", err, want)
	}
}

// A token reads its account and what was ticked; it is kept as a hash, known to the owner by a mail and by
// the record, and is never accepted where a key is, nor a key where it is.
func TestTokenIsMadeAndUsed(t *testing.T) {
	w := newTeam(t)
	made, secret := w.create(w.boss, w.org, "  tableau de bord ")
	if made.Name != "tableau de bord" || !strings.HasPrefix(secret, management.Mark) || !strings.HasSuffix(secret, made.Last4) {
		t.Errorf("made %+v", made)
	}
	if end := (clock.Day(noon) + 30).End(); !made.ExpiresAt.Equal(end) {
		t.Errorf("expires %s, not %s", made.ExpiresAt, end)
	}
	testkit.WantCount(t, w.Pool, 0, "the secret is stored", `SELECT count(*) FROM account.management_token WHERE row_to_json(management_token)::text LIKE '%' || $1 || '%'`, secret[5:20])
	g, err := w.store.Authenticate(t.Context(), secret)
	if err != nil || g.Account != w.org || g.Name != "Alpha" || g.Email != "" || g.Rate.RetryAfter != 0 || g.Rate.Remaining != management.Burst-1 ||
		!slices.Equal(g.Scopes, []management.Scope{management.ReadUsage, management.ReadKeys}) {
		t.Errorf("%+v, %v", g, err)
	}
	list, err := w.store.List(w.as(w.boss, w.org), w.org)
	if err != nil || len(list) != 1 || list[0].LastUsedAt == nil || !list[0].LastUsedAt.Equal(noon) || list[0].Maker != "jeanne@exemple.fr" || list[0].Void {
		t.Errorf("listed %+v, %v", list, err)
	}
	if list, err := w.store.List(t.Context(), w.other); err != nil || len(list) != 0 {
		t.Errorf("another organisation lists %+v, %v", list, err)
	}
	if m := testkit.Mails(t, w.Pool); len(m) != 1 || m[0].Template != mail.TokenCreated || m[0].To != "jeanne@exemple.fr" ||
		m[0].Values["name"] != "tableau de bord" || m[0].Values["organisation"] != "Alpha" {
		t.Errorf("mails %+v", m)
	}
	key, _ := apikey.New()
	w.refused(key, management.ErrIsKey)
	w.refused("arp_short", management.ErrIsKey)
	w.refused("something", management.ErrNotToken)
	w.refused(secret[:len(secret)-1]+"!", management.ErrNotToken)
	unknown, _ := apikey.Draw(management.Mark)
	w.refused(unknown, management.ErrUnknown)
	if _, ok := apikey.Parse(secret); ok {
		t.Error("the token has the form of an API key")
	}
	testkit.WantCode(t, w.store.Revoke(w.as(w.boss, w.other), w.other, made.ID), fault.NotFound, "revoked by another organisation")
	testkit.NoError(t, w.store.Revoke(w.as(w.boss, w.org), w.org, made.ID))
	w.refused(secret, management.ErrUnknown)
	events, err := audit.List(t.Context(), w.Pool, w.org, 0, 10)
	if err != nil || len(events) != 2 || events[0].Action != audit.ActionTokenRevoked || events[1].Action != audit.ActionTokenCreated ||
		events[1].Detail["name"] != "tableau de bord" || events[1].Detail["by"] != "jeanne@exemple.fr" {
		t.Errorf("on record %+v, %v", events, err)
	}
}

// What a form can get wrong is an error that says so, and makes nothing.
func TestTokenIsRefused(t *testing.T) {
	w := newTeam(t)
	w.create(w.boss, w.org, "first")
	all := management.Scopes
	for name, tc := range map[string]struct {
		n    management.NewToken
		want error
	}{
		"no name":   {management.NewToken{Scopes: all, Days: 7}, apikey.ErrNameLength},
		"invisible": {management.NewToken{Name: "a\x00", Scopes: all, Days: 7}, apikey.ErrNameText},
		"taken":     {management.NewToken{Name: "FIRST", Scopes: all, Days: 7}, management.ErrNameTaken},
		"no scope":  {management.NewToken{Name: "a", Days: 7}, management.ErrScopes},
		"unknown scope": {management.NewToken{Name: "a", Scopes: []management.Scope{"usage:read",
			"usage:write"}, Days: 7}, management.ErrScopes},
		"a lifetime of ours": {management.NewToken{Name: "a", Scopes: all, Days: 8}, management.ErrLifetime},
		"no lifetime":        {management.NewToken{Name: "a", Scopes: all}, management.ErrLifetime},
	} {
		if _, secret, err := w.store.Create(w.as(w.boss, w.org), w.org, tc.n); !errors.Is(err, tc.want) || secret != "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	unconfirmed := w.Person("new@exemple.fr", false)
	if _, _, err := w.store.Create(w.as(unconfirmed, unconfirmed), unconfirmed, management.NewToken{Name: "a", Scopes: all, Days: 7}); !errors.Is(err, management.ErrUnconfirmed) {
		t.Errorf("without a confirmed address: %v", err)
	}
	for _, role := range []member.Role{member.Developer, member.Billing, member.Reader} {
		p := w.Person(string(role)+"@exemple.fr", true)
		w.Appoint(w.org, p, role)
		if _, _, err := w.store.Create(w.as(p, w.org), w.org, management.NewToken{Name: "a", Scopes: all, Days: 7}); !errors.Is(err, member.ErrRole) {
			t.Errorf("%s makes a token: %v", role, err)
		}
	}
	outsider := w.Person("x@exemple.fr", true)
	if _, _, err := w.store.Create(w.as(outsider, w.org), w.org, management.NewToken{Name: "a", Scopes: all, Days: 7}); fault.From(err).Code != fault.NotFound {
		t.Errorf("a person who is no member makes a token: %v", err)
	}
	w.Exec(`INSERT INTO account.management_token (account_id, created_by, name, scopes, token_hash, last4, created_at, expires_at)
		SELECT $1, $2, 'n' || n, '{keys:read}', sha256(n::text::bytea), 'last', $3, $3::timestamptz + interval '1 day' FROM generate_series(2, 20) n`, w.org, w.boss, noon)
	if _, _, err := w.store.Create(w.as(w.boss, w.org), w.org, management.NewToken{Name: "a", Scopes: all, Days: 7}); !errors.Is(err, management.ErrTooMany) {
		t.Errorf("the 21st: %v", err)
	}
	w.clock.Advance(48 * time.Hour) // the others have expired
	if _, _, err := w.store.Create(w.as(w.boss, w.org), w.org, management.NewToken{Name: "a", Scopes: all, Days: 7}); err != nil {
		t.Error(err)
	}
}

// A token ends with its time, and with the right of the person who made it, even where the version before
// ended the membership, which knows no tokens; who comes back does not bring the old ones back.
func TestTokenEndsWithItsMaker(t *testing.T) {
	w := newTeam(t)
	admin := w.Person("admin@exemple.fr", true)
	w.Appoint(w.org, admin, member.Admin)
	_, secret := w.create(admin, w.org, "one")
	_, own := w.create(admin, admin, "own")
	use := func() error { _, err := w.store.Authenticate(t.Context(), secret); return err }
	testkit.NoError(t, use())
	w.Appoint(w.org, admin, member.Reader)
	w.refused(secret, management.ErrUnknown)
	if list, err := w.store.List(t.Context(), w.org); err != nil || !list[0].Void {
		t.Errorf("listed %+v, %v", list, err)
	}
	w.Appoint(w.org, admin, member.Admin)
	if err := use(); err != nil {
		t.Error(err)
	}
	w.Exec(`DELETE FROM account.member WHERE person_id = $1`, admin)
	w.refused(secret, management.ErrUnknown)
	w.clock.Advance(time.Minute)
	w.Appoint(w.org, admin, member.Admin)
	w.refused(secret, management.ErrUnknown)
	if g, err := w.store.Authenticate(t.Context(), own); err != nil || g.Account != admin || g.Name != "" || g.Email != "admin@exemple.fr" {
		t.Errorf("the person's own: %+v, %v", g, err)
	}
	made, err := w.store.ListMadeBy(w.as(admin, admin), admin)
	if err != nil || len(made) != 2 || made[0].Organisation != "" || made[1].Organisation != "Alpha" {
		t.Errorf("made %+v, %v", made, err)
	}
	err = pgx.BeginFunc(t.Context(), w.Pool, func(tx pgx.Tx) error {
		return management.RevokeOf(w.as(admin, w.org), tx, w.org, admin, w.clock.Now())
	})
	if n := testkit.Count(t, w.Pool, `SELECT count(*) FROM account.management_token`); err != nil || n != 1 {
		t.Errorf("%d tokens are left, %v", n, err)
	}
	w.clock.Advance(31 * 24 * time.Hour)
	w.refused(own, management.ErrExpired)
}

// A program that asks two instances at once gets no more than its limit.
func TestSimultaneousRequestsShareTheLimit(t *testing.T) {
	w := newTeam(t)
	_, secret := w.create(w.boss, w.org, "loop")
	var admitted, rejected atomic.Int64
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 15 {
				g, err := w.store.Authenticate(t.Context(), secret)
				switch {
				case err != nil:
					t.Error(err)
				case g.Rate.RetryAfter > 0:
					rejected.Add(1)
				default:
					admitted.Add(1)
				}
			}
		})
	}
	group.Wait()
	if admitted.Load() != management.Burst || rejected.Load() != 60-management.Burst {
		t.Errorf("%d admitted, %d rejected", admitted.Load(), rejected.Load())
	}
}

// The owner of an account gets one mail a week before a token expires. A token of a week, and one that is
// refused as its maker has left, cause none.
func TestOwnerIsWarnedBeforeATokenExpires(t *testing.T) {
	w := newTeam(t)
	left := w.Person("parti@exemple.fr", true)
	w.Appoint(w.org, left, member.Admin)
	w.create(w.boss, w.org, "tableau de bord")
	w.create(left, w.org, "de la personne partie")
	w.Exec(`DELETE FROM account.member WHERE person_id = $1`, left) // as the version before the tokens does
	if _, _, err := w.store.Create(w.as(w.boss, w.org), w.org, management.NewToken{Name: "court", Scopes: management.Scopes, Days: 7}); err != nil {
		t.Fatal(err)
	}
	warned := func(after time.Duration) (names []string) {
		t.Helper()
		w.clock.Advance(after)
		testkit.NoError(t, w.store.NotifyExpiring(t.Context()))
		for _, j := range testkit.Mails(t, w.Pool) {
			if j.Template == mail.TokenExpiring {
				if j.To != "jeanne@exemple.fr" || j.Account != int64(w.org) || j.Values["expires"] == "" {
					t.Errorf("%+v", j)
				}
				names = append(names, j.Values["name"])
			}
		}
		return names
	}
	if names := warned(0); len(names) != 0 {
		t.Errorf("at first: %q", names)
	}
	end := (clock.Day(noon) + 30).End()
	if names := warned(end.Add(-7*24*time.Hour - time.Second).Sub(noon)); len(names) != 0 {
		t.Errorf("more than a week before: %q", names)
	}
	for range 2 {
		if names := warned(time.Second); !slices.Equal(names, []string{"tableau de bord"}) {
			t.Errorf("a week before: %q", names)
		}
	}
}
