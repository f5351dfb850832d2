package auth_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/auth/management"
	"arpent/auth/member"
	"arpent/internal/audit"
	"arpent/internal/ident"
	"arpent/internal/mail"
)

// An employee who leaves keeps nothing: the pages, the personal keys and the assistants end at once; the
// keys of the organisation go on, and its mails go to an owner.
func TestMembershipEnds(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j := w.colleague(jeanne)
	org := j.found("Cadastre & Fils")
	dev, admin := j.hire("dev@exemple.fr", member.Developer), j.hire("admin@exemple.fr", member.Admin)
	keys := apikey.NewStore(w.pool, w.clock)
	make := func(c *colleague, name string) apikey.Key {
		t.Helper()
		k, _, err := keys.Create(w.by(c.now()), org, apikey.NewKey{Name: name})
		w.must(err)
		return k
	}
	personal, company := make(dev, "essais"), make(admin, "production")
	if !personal.Personal || company.Personal || *personal.CreatedBy != dev.now().Account {
		t.Fatalf("%+v %+v", personal, company)
	}
	w.must(pgx.BeginFunc(ctx, w.pool, func(tx pgx.Tx) error {
		_, _, err := apikey.CreateAssistant(w.by(admin.now()), tx, org, apikey.Client{ID: "c", Name: "Claude"}, w.clock.Now())
		return err
	}))
	tokens := management.NewStore(w.pool, w.clock)
	_, token, err := tokens.Create(w.by(admin.now()), org, management.NewToken{Name: "tableau", Scopes: management.Scopes, Days: 7})
	w.must(err)
	w.must(w.SetContact(ctx, j.now(), admin.now().Account, home))
	devSession, adminID := dev.now(), admin.now().Account

	w.must(w.RemoveMember(ctx, j.now(), devSession.Account, home))
	if job := w.mail(mail.MemberRemoved); job.To != dev.email || job.Values["organisation"] != "Cadastre & Fils" {
		t.Errorf("%+v", job)
	}
	if s := dev.now(); s.ActsForOrganisation() || s.IsMember {
		t.Errorf("%+v", s)
	}
	w.must(w.LeaveOrganisation(ctx, admin.now(), home))
	live := map[string]bool{}
	all := testkit.Must(keys.List(ctx, org))(t)
	for _, k := range all {
		live[k.Name] = k.Live(w.clock.Now())
	}
	if _, err := tokens.Authenticate(ctx, token); !errors.Is(err, management.ErrUnknown) || w.count(`SELECT count(*) FROM account.management_token`) != 0 {
		t.Errorf("the token of a former member: %v", err)
	}
	if live["essais"] || !live["production"] || live["MCP · Claude"] {
		t.Errorf("live keys: %v", live)
	}
	if _, _, err := keys.Create(audit.With(ctx, audit.Actor{Kind: audit.ActorAccount, Person: adminID}), org, apikey.NewKey{Name: "again"}); problemCode(t, err) != "missing" {
		t.Errorf("a former member makes a key: %v", err)
	}
	if _, _, err := keys.Rotate(audit.With(ctx, audit.Actor{Kind: audit.ActorAccount, Person: adminID}), org, company.ID, 0); problemCode(t, err) != "missing" {
		t.Errorf("a former member rotates a key: %v", err)
	}
	account := testkit.Must(auth.NewAccounts(w.pool, w.clock).ByID(ctx, org))(t)
	if account.Email != jeanne {
		t.Errorf("mails go to %s", account.Email)
	}
	events := testkit.Must(audit.List(ctx, w.pool, org, 0, 100))(t)
	said := map[string]string{}
	for _, e := range events {
		detail, _ := json.Marshal(e.Detail)
		said[e.Action] += string(detail)
	}
	for action, want := range map[string]string{
		audit.ActionOrganisationCreated: jeanne, audit.ActionMemberInvited: dev.email, audit.ActionMemberJoined: dev.email, audit.ActionMemberRemoved: dev.email,
		audit.ActionTokenCreated: admin.email, audit.ActionTokenRevoked: "tableau",
		audit.ActionMemberLeft: admin.email, audit.ActionKeyCreated: `"by":"` + admin.email + `"`, audit.ActionContactChanged: admin.email,
	} {
		if !strings.Contains(said[action], want) {
			t.Errorf("%s says %s, not %s", action, said[action], want)
		}
	}
}

// A role without keys ends the personal keys of a member: who may no longer make keys does not go on using
// them.
func TestRoleWithoutKeysEndsPersonalKeys(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j := w.colleague(jeanne)
	org := j.found("Cadastre & Fils")
	dev := j.hire("dev@exemple.fr", member.Developer)
	keys := apikey.NewStore(w.pool, w.clock)
	key, _, err := keys.Create(w.by(dev.now()), org, apikey.NewKey{Name: "essais"})
	w.must(err)
	isLive := func() bool {
		t.Helper()
		k := testkit.Must(keys.Get(ctx, org, key.ID))(t)
		return k.Live(w.clock.Now())
	}
	w.must(w.ChangeRole(ctx, j.now(), dev.now().Account, member.Admin, home))
	if !isLive() {
		t.Error("ended by a role with keys")
	}
	w.must(w.ChangeRole(ctx, j.now(), dev.now().Account, member.Billing, home))
	if isLive() {
		t.Error("goes on without a role for it")
	}
}

// A role that may not manage tokens ends those that a member has made; a person whose account was in the
// hands of another ends theirs everywhere, and those of others stay.
func TestManagementTokensEnd(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j := w.colleague(jeanne)
	org := j.found("Cadastre & Fils")
	admin := j.hire("admin@exemple.fr", member.Admin)
	tokens := management.NewStore(w.pool, w.clock)
	make := func(c *colleague, account ident.AccountID, name string) {
		t.Helper()
		_, _, err := tokens.Create(w.by(c.now()), account,
			management.NewToken{Name: name, Scopes: management.Scopes, Days: 7})
		w.must(err)
	}
	left := func() int { t.Helper(); return w.count(`SELECT count(*) FROM account.management_token`) }
	make(admin, org, "of the admin")
	make(j, org, "of the owner")
	make(j, j.now().Account, "her own")
	w.must(w.ChangeRole(ctx, j.now(), admin.now().Account, member.Owner, home))
	if left() != 3 {
		t.Error("ended by a role that may manage tokens")
	}
	w.must(w.ChangeRole(ctx, j.now(), admin.now().Account, member.Developer, home))
	testkit.Want(t, left(), 2, "tokens")
	w.must(w.ChangeRole(ctx, j.now(), admin.now().Account, member.Admin, home))
	make(admin, org, "of the admin")
	w.must(w.EndPersonalKeys(ctx, j.now()))
	if n := w.count(`SELECT count(*) FROM account.management_token WHERE name = 'of the admin'`); n != 1 || left() != 1 {
		t.Errorf("%d tokens, %d of the admin", left(), n)
	}
}

// An organisation always has an owner, while its owners leave, demote and remove each other at the same
// moment.
func TestSimultaneousOwnersLeaveOneBehind(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	for round := range 4 {
		j := w.colleague(strings.Repeat("a", round+1) + "@exemple.fr")
		org := j.found("Cadastre & Fils")
		owners := []*colleague{j}
		for _, name := range []string{"b", "c", "d"} {
			owners = append(owners, j.hire(strings.Repeat(name, round+1)+"@exemple.fr", member.Owner))
		}
		var sessions []auth.Session
		for _, o := range owners {
			sessions = append(sessions, o.now())
		}
		acts := []func(s, next auth.Session) error{
			func(s, _ auth.Session) error { return w.LeaveOrganisation(ctx, s, home) },
			func(s, _ auth.Session) error { return w.ChangeRole(ctx, s, s.Account, member.Reader, home) },
			func(s, next auth.Session) error { return w.RemoveMember(ctx, s, next.Account, home) },
			func(s, _ auth.Session) error { return w.Delete(ctx, s, home) },
		}
		var wait sync.WaitGroup
		errs := make([]error, len(sessions))
		for i, s := range sessions {
			wait.Go(func() { errs[i] = acts[(i+round)%len(acts)](s, sessions[(i+1)%len(sessions)]) })
		}
		wait.Wait()
		if n := w.count(`SELECT count(*) FROM account.member WHERE account_id = $1 AND role = 'owner'`, org); n < 1 {
			t.Fatalf("round %d: no owner is left: %v", round, errs)
		}
		for _, err := range errs {
			if err != nil && !errors.Is(err, member.ErrRole) && !errors.Is(err, auth.ErrNoSession) &&
				!slices.Contains([]string{auth.CodeLastOwner, "missing"}, problemCode(t, err)) {
				t.Errorf("round %d: %v", round, err)
			}
		}
		for range auth.MaxOrganisations { // no window of mails or organisations carries over
			w.clock.Advance(24 * time.Hour)
		}
	}
}

// The last owner can neither leave nor be demoted nor delete their account while others are members; alone,
// the organisation goes with its owner.
func TestLastOwnerStays(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j := w.colleague(jeanne)
	org := j.found("Cadastre & Fils")
	m := j.hire(marc, member.Reader)
	w.want(w.LeaveOrganisation(ctx, j.now(), home), auth.CodeLastOwner)
	w.want(w.ChangeRole(ctx, j.now(), j.now().Account, member.Admin, home), auth.CodeLastOwner)
	w.want(w.Delete(ctx, j.now(), home), auth.CodeLastOwner)
	w.want(auth.NewAccounts(w.pool, w.clock).Delete(ctx, j.now().Account, "ticket", nil, nil), auth.CodeLastOwner)
	document := testkit.Must(w.Export(ctx, j.now(), home))(t)
	var exported struct {
		Organisations []struct{ Name, Role string }
	}
	w.must(json.Unmarshal(document, &exported))
	if len(exported.Organisations) != 1 || exported.Organisations[0].Role != "owner" || exported.Organisations[0].Name != "Cadastre & Fils" {
		t.Errorf("exported: %+v", exported)
	}
	w.must(w.RemoveMember(ctx, j.now(), m.now().Account, home))
	w.must(w.Delete(ctx, j.now(), home))
	testkit.WantCount(t, w.pool, 0, "the organisation is left without a member",
		`SELECT count(*) FROM account.account WHERE id = $1`, org)
	w.session(m.token) // the other person's account is as it was
}

// The mails of an organisation follow the address of the member who gets them.
func TestContactFollowsItsMember(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	var moved []ident.AccountID
	w.Service = auth.New(auth.Options{DB: w.pool, Clock: w.clock, Secret: make([]byte, 32), Passwords: w.hasher,
		AfterEmailChange: func(_ context.Context, _ pgx.Tx, account ident.AccountID, former string) error {
			if former != jeanne {
				t.Errorf("bills went to %s", former)
			}
			moved = append(moved, account)
			return nil
		}})
	j := w.colleague(jeanne)
	org := j.found("Cadastre & Fils")
	w.must(w.RequestEmailChange(ctx, j.now(), "jeanne@ailleurs.fr", home))
	w.must(w.ConfirmEmailChange(ctx, j.now(), w.link(mail.EmailChange), home))
	account := testkit.Must(auth.NewAccounts(w.pool, w.clock).ByID(ctx, org))(t)
	if account.Email != "jeanne@ailleurs.fr" {
		t.Errorf("mails go to %s", account.Email)
	}
	testkit.Must(auth.NewAccounts(w.pool, w.clock).SetAddress(ctx, j.now().Account, "jeanne@encore.fr", nil))(t)
	account = testkit.Must(auth.NewAccounts(w.pool, w.clock).ByID(ctx, org))(t)
	if account.Email != "jeanne@encore.fr" {
		t.Errorf("after an operator's change mails go to %s", account.Email)
	}
	if !slices.Contains(moved, org) || !slices.Contains(moved, j.now().Account) || len(moved) != 2 {
		t.Errorf("moved the bills of %v", moved)
	}
}

// A mail about a key of an organisation says of which one and who made it, whichever member gets it.
func TestMailsNameTheOrganisation(t *testing.T) {
	w := newWorld(t)
	j := w.colleague(jeanne)
	org := j.found("Cadastre & Fils")
	admin := j.hire("admin@exemple.fr", member.Admin)
	keys := apikey.NewStore(w.pool, w.clock)
	_, _, err := keys.Create(w.by(admin.now()), org, apikey.NewKey{Name: "production"})
	w.must(err)
	if job := w.mail(mail.KeyCreated); job.To != jeanne || job.Values["organisation"] != "Cadastre & Fils" || job.Values["by"] != admin.email {
		t.Errorf("%+v", job)
	}
	_, _, err = keys.Create(w.by(j.now()), j.now().Account, apikey.NewKey{Name: "essais"})
	w.must(err)
	if job := w.mail(mail.KeyCreated); job.Values["organisation"] != "" || job.Values["by"] != "" {
		t.Errorf("of a person: %+v", job)
	}
}
