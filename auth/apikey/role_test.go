package apikey_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth/apikey"
	"arpent/auth/member"
	"arpent/internal/audit"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
)

// keyActs are the acts on a key, with the action that the role of a member has to allow. They get a live key
// that the person made.
var keyActs = []struct {
	name  string
	needs member.Action
	do    func(ctx context.Context, s *apikey.Store, org ident.AccountID, id ident.KeyID) error
}{
	{"create", member.CreateKey, func(ctx context.Context, s *apikey.Store, org ident.AccountID, id ident.KeyID) error {
		_, _, err := s.Create(ctx, org, apikey.NewKey{Name: fmt.Sprint("made next to ", id)})
		return err
	}},
	{"rotate", member.RotateKey, func(ctx context.Context, s *apikey.Store, org ident.AccountID, id ident.KeyID) error {
		_, _, err := s.Rotate(ctx, org, id, 0)
		return err
	}},
	{"rename", member.ChangeKey, func(ctx context.Context, s *apikey.Store, org ident.AccountID, id ident.KeyID) error {
		_, err := s.Rename(ctx, org, id, fmt.Sprint("renamed ", id))
		return err
	}},
	{"pause", member.ChangeKey, func(ctx context.Context, s *apikey.Store, org ident.AccountID, id ident.KeyID) error {
		_, err := s.Pause(ctx, org, id)
		return err
	}},
	{"resume", member.ChangeKey, func(ctx context.Context, s *apikey.Store, org ident.AccountID, id ident.KeyID) error {
		_, err := s.Resume(ctx, org, id)
		return err
	}},
	{"restrict", member.ChangeKey, func(ctx context.Context, s *apikey.Store, org ident.AccountID, id ident.KeyID) error {
		_, err := s.Restrict(ctx, org, id, apikey.Restriction{RefuseInQuery: true})
		return err
	}},
	{"set the expiry", member.ChangeKey, func(ctx context.Context, s *apikey.Store, org ident.AccountID, id ident.KeyID) error {
		_, err := s.SetExpiry(ctx, org, id, nil)
		return err
	}},
	{"revoke", member.RevokeKey, func(ctx context.Context, s *apikey.Store, org ident.AccountID, id ident.KeyID) error {
		_, err := s.Revoke(ctx, org, id)
		return err
	}},
}

// team is an organisation with a person, who has made a key of it.
type team struct {
	testkit.Accounts
	store       *apikey.Store
	org, person ident.AccountID
	as          context.Context // of a request of the person
	made        int
}

func newTeam(t *testing.T) *team {
	t.Helper()
	t.Parallel()
	pool, _ := testkit.DB(t)
	c := clock.At(noon)
	w := &team{Accounts: testkit.Accounts{T: t, Pool: pool, Clock: c}, store: apikey.NewStore(pool, c)}
	w.person, w.org = w.Person("dev@exemple.fr", true), w.Organisation("Alpha")
	w.as = audit.With(t.Context(), audit.Actor{Kind: audit.ActorAccount, Person: w.person, By: "dev@exemple.fr"})
	return w
}

// key makes a key as a person, or as the operator: 0.
func (w *team) key(by ident.AccountID) ident.KeyID {
	w.T.Helper()
	w.made++
	w.Exec(`UPDATE account.api_key SET revoked_at = now() WHERE revoked_at IS NULL`) // the limit of keys is not the subject
	return ident.KeyID(w.ID(`INSERT INTO account.api_key (account_id, name, secret_hash, prefix, last4, created_at, created_by)
		VALUES ($1, $2, sha256($2::text::bytea), 'arp_1234', '5678', now(), nullif($3::bigint, 0)) RETURNING id`, w.org, fmt.Sprint("key ", w.made), by))
}

// An act on a key of an organisation is done if the role of the person allows it, for each act and each role;
// a developer acts on their own keys, whose successors are personal, and on no other; a person who is no
// member on none.
func TestKeyActsAskTheRole(t *testing.T) {
	w := newTeam(t)
	for _, act := range keyActs {
		for _, role := range member.Roles {
			w.Appoint(w.org, w.person, role)
			err := act.do(w.as, w.store, w.org, w.key(w.person))
			if role.May(act.needs) != (err == nil) || err != nil && !errors.Is(err, member.ErrRole) {
				t.Errorf("%s as %s: %v", act.name, role, err)
			}
		}
		w.Appoint(w.org, w.person, member.Developer)
		if err := act.do(w.as, w.store, w.org, w.key(0)); act.needs != member.CreateKey && fault.From(err).Code != fault.NotFound {
			t.Errorf("%s the key of another as a developer: %v", act.name, err)
		}
		w.Exec(`DELETE FROM account.member`)
		if err := act.do(w.as, w.store, w.org, w.key(w.person)); fault.From(err).Code != fault.NotFound {
			t.Errorf("%s without membership: %v", act.name, err)
		}
		if err := act.do(audit.AsOperator(t.Context(), 0), w.store, w.org, w.key(0)); err != nil {
			t.Errorf("%s as the operator: %v", act.name, err)
		}
	}
	for role, personal := range map[member.Role]bool{member.Developer: true, member.Admin: false} {
		w.Appoint(w.org, w.person, role)
		made, _, err := w.store.Create(w.as, w.org, apikey.NewKey{Name: "of " + string(role)})
		if err != nil || made.Personal != personal {
			t.Errorf("%s: %+v, %v", role, made, err)
		}
		if next, _, err := w.store.Rotate(w.as, w.org, made.ID, time.Hour); err != nil || next.Personal != personal {
			t.Errorf("%s rotates: %+v, %v", role, next, err)
		}
	}
}

// A person who is demoted while a request of theirs waits does nothing more with keys: no key is left that
// the demotion has not seen.
func TestSimultaneousDemotionStopsKeyActs(t *testing.T) {
	w := newTeam(t)
	for _, act := range keyActs {
		w.Appoint(w.org, w.person, member.Admin)
		id := w.key(w.person)
		tx := testkit.Must(w.Pool.Begin(t.Context()))(t)
		for _, sql := range []string{`SELECT FROM account.account WHERE id = $1 FOR NO KEY UPDATE`,
			`UPDATE account.member SET role = 'reader' WHERE account_id = $1`} {
			testkit.Exec(t, tx, sql, w.org)
		}
		done := make(chan error, 1)
		go func() { done <- act.do(w.as, w.store, w.org, id) }()
		testkit.Eventually(t, testkit.Timeout, "the act waits for the demotion", func() bool {
			return testkit.Count(t, w.Pool, `SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
				WHERE NOT l.granted AND a.datname = current_database()`) > 0 || len(done) > 0
		})
		testkit.NoError(t, tx.Commit(t.Context()))
		if err := <-done; !errors.Is(err, member.ErrRole) {
			t.Errorf("%s after the demotion: %v", act.name, err)
		}
	}
}
