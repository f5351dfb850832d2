package auth_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
)

// colleague is a person with an account of their own who is signed in.
type colleague struct {
	w     *world
	email string
	token string
}

// colleague signs a person up and in.
func (w *world) colleague(email string) *colleague {
	w.t.Helper()
	w.join(email)
	return &colleague{w, email, w.signIn(email, home).Token}
}

// now is the session as the next request reads it.
func (c *colleague) now() auth.Session { return c.w.session(c.token) }

// found makes an organisation of the person, and chooses it.
func (c *colleague) found(name string) ident.AccountID {
	c.w.t.Helper()
	return testkit.Must(c.w.CreateOrganisation(c.w.t.Context(), c.now(), name, home))(c.w.t)
}

// hire has c invite a person, who accepts.
func (c *colleague) hire(email string, role member.Role) *colleague {
	c.w.t.Helper()
	hired := c.w.colleague(email)
	c.w.must(c.w.Invite(c.w.t.Context(), c.now(), email, role, true, home))
	token := c.w.link(mail.Invitation)
	c.w.must(c.w.AcceptInvitation(c.w.t.Context(), hired.now(), token, home))
	return hired
}

func (w *world) wantRefused(err error) {
	w.t.Helper()
	if !errors.Is(err, member.ErrRole) {
		w.t.Errorf("got %v, want that the role does not allow it", err)
	}
}

// rolesOf are the roles of the members by address.
func (w *world) rolesOf(c *colleague) map[string]member.Role {
	w.t.Helper()
	list := testkit.Must(w.Members(w.t.Context(), c.now()))(w.t)
	roles := map[string]member.Role{}
	for _, m := range list {
		roles[m.Email] = m.Role
	}
	return roles
}

// A person makes an organisation: it has a plan and mails of its own, their own account is as it was, and no
// sign-in or reset reaches its row.
func TestCreateOrganisation(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j := w.colleague(jeanne)
	if alone := j.now(); alone.ActsForOrganisation() || alone.IsMember || alone.Role != member.Owner || alone.Organisation != alone.Account {
		t.Fatalf("alone: %+v", alone)
	}
	for _, name := range []string{"", "  ", "a\x00b", strings.Repeat("x", 81), "a\u202eb"} {
		w.want(testkit.ErrorOf(w.CreateOrganisation(ctx, j.now(), name, home)), auth.CodeNameInvalid)
	}
	id := j.found("  Cadastre   & Fils ")
	s := j.now()
	if !s.ActsForOrganisation() || s.Organisation != id || s.OrganisationName != "Cadastre & Fils" || s.Role != member.Owner || !s.IsMember || s.Email != jeanne {
		t.Fatalf("%+v", s)
	}
	org := testkit.Must(auth.NewAccounts(w.pool, w.clock).ByID(ctx, id))(t)
	if org.Email != jeanne || org.Name != "Cadastre & Fils" || !org.Confirmed() || org.Plan != "free" {
		t.Errorf("%+v", org)
	}
	var stored string
	w.must(w.pool.QueryRow(ctx, `SELECT email FROM account.account WHERE id = $1`, id).Scan(&stored))
	before := len(w.mails())
	w.must(w.RequestReset(ctx, stored, home))
	if _, err := w.SignIn(ctx, stored, goodPassword, home); problemCode(t, err) != auth.CodeSignIn {
		t.Errorf("sign-in: %v", err)
	}
	if n := len(w.mails()); n != before {
		t.Errorf("%d mails after a reset for the address of the row", n-before)
	}
	if again := w.signIn(jeanne, home); !w.session(again.Token).ActsForOrganisation() {
		t.Error("a new session does not show the organisation that was chosen last")
	}
	w.must(w.ChooseOrganisation(ctx, j.now(), s.Account))
	if j.now().ActsForOrganisation() {
		t.Error("still the organisation")
	}
	for range auth.MaxOrganisations - 1 {
		j.found("Another")
	}
	w.want(testkit.ErrorOf(w.CreateOrganisation(ctx, j.now(), "One more", home)), auth.CodeOrganisationsFull)
}

// No session shows an organisation of which the person is not a member, however it is asked for, and not one
// moment longer than the membership.
func TestOrganisationsOfOthersDoNotExist(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j, m := w.colleague(jeanne), w.colleague("marc@exemple.fr")
	id := j.found("Cadastre & Fils")
	w.want(w.ChooseOrganisation(ctx, m.now(), id), "missing")
	w.want(w.ChooseOrganisation(ctx, m.now(), j.now().Account), "missing")
	testkit.Exec(t, w.pool, `UPDATE account.session SET organisation_id = $1 WHERE account_id = $2`, id, m.now().Account)
	if s := m.now(); s.ActsForOrganisation() || s.Role != member.Owner {
		t.Fatalf("without membership: %+v", s)
	}
	forged := m.now() // as if a request had read it before the removal
	forged.Organisation, forged.Role = id, member.Owner
	person := j.now().Account
	for what, err := range map[string]error{
		"rename": w.RenameOrganisation(ctx, forged, "Mine", home), "invite": w.Invite(ctx, forged, "x@exemple.fr", member.Admin, true, home),
		"role": w.ChangeRole(ctx, forged, person, member.Reader, home), "remove": w.RemoveMember(ctx, forged, person, home),
		"leave": w.LeaveOrganisation(ctx, forged, home), "contact": w.SetContact(ctx, forged, person, home),
		"delete": w.DeleteOrganisation(ctx, forged, home), "notices": w.SetQuotaMails(ctx, forged, []int{50}, home),
	} {
		if problemCode(t, err) != "missing" {
			t.Errorf("%s by another person: %v", what, err)
		}
	}
	m.found("Autre")
	w.want(w.ChangeRole(ctx, m.now(), person, member.Reader, home), "missing")
	w.want(w.RemoveMember(ctx, m.now(), person, home), "missing")
	w.want(w.SetContact(ctx, m.now(), person, home), "missing")
}

// Each act on members asks the table of roles, in the transaction of the act: a role that was taken since the
// request came in allows nothing.
func TestActsOnMembersAskTheRole(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j := w.colleague(jeanne)
	j.found("Cadastre & Fils")
	admin := j.hire("admin@exemple.fr", member.Admin)
	reader := j.hire("lecteur@exemple.fr", member.Reader)
	ownerID, readerID := j.now().Account, reader.now().Account

	// An administrator changes members, but no owner, and makes none.
	w.must(w.ChangeRole(ctx, admin.now(), readerID, member.Billing, home))
	w.must(w.ChangeRole(ctx, admin.now(), readerID, member.Reader, home))
	w.wantRefused(w.ChangeRole(ctx, admin.now(), readerID, member.Owner, home))
	w.wantRefused(w.ChangeRole(ctx, admin.now(), admin.now().Account, member.Owner, home))
	w.wantRefused(w.ChangeRole(ctx, admin.now(), ownerID, member.Reader, home))
	w.wantRefused(w.RemoveMember(ctx, admin.now(), ownerID, home))
	w.wantRefused(w.Invite(ctx, admin.now(), "o@exemple.fr", member.Owner, true, home))
	w.wantRefused(w.RenameOrganisation(ctx, admin.now(), "Autre", home))
	w.wantRefused(w.DeleteOrganisation(ctx, admin.now(), home))
	w.want(w.ChangeRole(ctx, admin.now(), readerID, "king", home), auth.CodeRoleUnknown)

	// A reader changes nothing.
	w.wantRefused(w.Invite(ctx, reader.now(), "r@exemple.fr", member.Reader, true, home))
	w.wantRefused(w.ChangeRole(ctx, reader.now(), readerID, member.Admin, home))
	w.wantRefused(w.RemoveMember(ctx, reader.now(), admin.now().Account, home))
	w.wantRefused(w.SetQuotaMails(ctx, reader.now(), []int{50}, home))

	// The session of a request that came in before the demotion.
	before := admin.now()
	w.must(w.ChangeRole(ctx, j.now(), admin.now().Account, member.Reader, home))
	w.wantRefused(w.ChangeRole(ctx, before, readerID, member.Admin, home))
	if got := w.rolesOf(j); got["lecteur@exemple.fr"] != member.Reader || got["admin@exemple.fr"] != member.Reader {
		t.Errorf("%v", got)
	}
}

// An invitation is answered once, within its week, by the person it is for, and an ended one by no person.
func TestInvitations(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j := w.colleague(jeanne)
	org := j.found("Cadastre & Fils")
	m, other := w.colleague("marc@exemple.fr"), w.colleague("autre@exemple.fr")
	w.want(w.Invite(ctx, j.now(), "x", member.Reader, true, home), auth.CodeEmailInvalid)
	w.want(w.Invite(ctx, j.now(), jeanne, member.Reader, true, home), auth.CodeMemberKnown)
	w.must(w.Invite(ctx, j.now(), "Marc@exemple.fr", member.Developer, true, home))
	if job := w.mail(mail.Invitation); job.To != m.email || job.Values["organisation"] != "Cadastre & Fils" || job.Values["inviter"] != jeanne || job.Values["role"] != "developer" {
		t.Errorf("%+v", job)
	}
	first := w.link(mail.Invitation)
	w.want(w.Invite(ctx, j.now(), m.email, member.Reader, true, home), auth.CodeWait)

	look := testkit.Must(w.LookInvitation(ctx, first))(t)
	if look.Organisation != "Cadastre & Fils" || look.Role != member.Developer || look.InvitedBy != jeanne || look.Email != m.email || !look.Bound || look.Expired {
		t.Errorf("%+v", look)
	}
	if w.rolesOf(j)[m.email] != "" {
		t.Error("looking accepted")
	}
	w.want(w.AcceptInvitation(ctx, other.now(), first, home), auth.CodeOtherAddress)
	w.clock.Advance(2 * time.Minute)
	list := testkit.Must(w.Invitations(ctx, j.now()))(t)
	if len(list) != 1 || list[0].InvitedBy != jeanne {
		t.Fatalf("%+v", list)
	}
	w.must(w.ResendInvitation(ctx, j.now(), list[0].ID, home))
	second := w.link(mail.Invitation)
	w.want(w.AcceptInvitation(ctx, m.now(), first, home), auth.CodeLinkInvalid)
	w.must(w.AcceptInvitation(ctx, m.now(), second, home))
	if job := w.mail(mail.MemberJoined); job.To != jeanne || job.Values["member"] != m.email {
		t.Errorf("%+v", job)
	}
	if s := m.now(); s.Organisation != org || s.Role != member.Developer {
		t.Errorf("%+v", s)
	}
	w.want(w.AcceptInvitation(ctx, m.now(), second, home), auth.CodeLinkInvalid)

	w.clock.Advance(2 * time.Minute)
	w.must(w.Invite(ctx, j.now(), "equipe@exemple.fr", member.Reader, false, home))
	open := w.link(mail.Invitation)
	w.clock.Advance(auth.InvitationLife)
	look = testkit.Must(w.LookInvitation(ctx, open))(t)
	if !look.Expired {
		t.Error("not expired after a week")
	}
	w.want(w.AcceptInvitation(ctx, other.now(), open, home), auth.CodeLinkInvalid)
	list = testkit.Must(w.Invitations(ctx, j.now()))(t)
	w.must(w.ResendInvitation(ctx, j.now(), list[0].ID, home))
	w.must(w.AcceptInvitation(ctx, other.now(), w.link(mail.Invitation), home)) // its reader is another person, as the inviter allowed

	w.clock.Advance(2 * time.Minute)
	w.must(w.Invite(ctx, j.now(), "tard@exemple.fr", member.Reader, true, home))
	withdrawn := w.link(mail.Invitation)
	list = testkit.Must(w.Invitations(ctx, j.now()))(t)
	w.must(w.WithdrawInvitation(ctx, j.now(), list[0].ID, home))
	w.want(w.WithdrawInvitation(ctx, j.now(), list[0].ID, home), "missing")
	late := w.colleague("tard@exemple.fr")
	w.want(w.AcceptInvitation(ctx, late.now(), withdrawn, home), auth.CodeLinkInvalid)
	for _, broken := range []string{"", "x", withdrawn[:len(withdrawn)-1] + "A", strings.Repeat("A", 43)} {
		look := testkit.Must(w.LookInvitation(ctx, broken))(t)
		if look != (auth.InvitationRequest{}) {
			t.Errorf("%q: %+v", broken, look)
		}
	}
}

// The invitations of a member end with the right to send them: a friend of a removed or demoted member
// cannot join.
func TestInvitationsEndWithTheirSender(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j := w.colleague(jeanne)
	j.found("Cadastre & Fils")
	second := j.hire("deux@exemple.fr", member.Owner)
	friend := w.colleague("ami@exemple.fr")
	w.must(w.Invite(ctx, second.now(), "ami@exemple.fr", member.Owner, true, home))
	token := w.link(mail.Invitation)
	w.must(w.ChangeRole(ctx, j.now(), second.now().Account, member.Admin, home))
	w.want(w.AcceptInvitation(ctx, friend.now(), token, home), auth.CodeLinkInvalid)
	w.clock.Advance(2 * time.Minute)
	w.must(w.Invite(ctx, second.now(), "ami@exemple.fr", member.Reader, false, home))
	token = w.link(mail.Invitation)
	w.must(w.RemoveMember(ctx, j.now(), second.now().Account, home))
	w.want(w.AcceptInvitation(ctx, friend.now(), token, home), auth.CodeLinkInvalid)
}

// An employee who leaves keeps nothing: the pages, the personal keys and the assistants end at once; the
// keys of the organisation go on, and its mails go to an owner.
func TestMembershipEnds(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j := w.colleague(jeanne)
	org := j.found("Cadastre & Fils")
	dev, admin := j.hire("dev@exemple.fr", member.Developer), j.hire("admin@exemple.fr", member.Admin)
	keys := apikey.NewStore(w.pool, w.clock)
	by := func(c *colleague) context.Context {
		return audit.With(ctx, audit.Actor{Kind: audit.ActorAccount, Person: c.now().Account, By: c.email})
	}
	make := func(c *colleague, name string) apikey.Key {
		t.Helper()
		k, _, err := keys.Create(by(c), org, apikey.NewKey{Name: name})
		w.must(err)
		return k
	}
	personal, company := make(dev, "essais"), make(admin, "production")
	if !personal.Personal || company.Personal || *personal.CreatedBy != dev.now().Account {
		t.Fatalf("%+v %+v", personal, company)
	}
	w.must(pgx.BeginFunc(ctx, w.pool, func(tx pgx.Tx) error {
		_, _, err := apikey.CreateAssistant(by(admin), tx, org, apikey.Client{ID: "c", Name: "Claude"}, w.clock.Now())
		return err
	}))
	tokens := management.NewStore(w.pool, w.clock)
	_, token, err := tokens.Create(by(admin), org, management.NewToken{Name: "tableau", Scopes: management.Scopes, Days: 7})
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
	key, _, err := keys.Create(audit.With(ctx, audit.Actor{Kind: audit.ActorAccount, Person: dev.now().Account}), org, apikey.NewKey{Name: "essais"})
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
		_, _, err := tokens.Create(audit.With(ctx, audit.Actor{Kind: audit.ActorAccount, Person: c.now().Account}), account,
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
	if left() != 2 {
		t.Errorf("%d tokens", left())
	}
	w.must(w.ChangeRole(ctx, j.now(), admin.now().Account, member.Admin, home))
	make(admin, org, "of the admin")
	w.must(w.EndPersonalKeys(ctx, j.now()))
	if n := w.count(`SELECT count(*) FROM account.management_token WHERE name = 'of the admin'`); n != 1 || left() != 1 {
		t.Errorf("%d tokens, %d of the admin", left(), n)
	}
}

// An organisation always has an owner, while its owners leave, demote and remove each other at the same
// moment.
func TestConcurrentOwnersLeaveOneBehind(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	for round := range 6 {
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
	m := j.hire("marc@exemple.fr", member.Reader)
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

// What makes or unmakes an owner, moves the mails or deletes takes a fresh proof, as a change of the plan
// does: a browser that was left open is not enough.
func TestOwnerActsNeedAFreshProof(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j := w.colleague(jeanne)
	j.found("Cadastre & Fils")
	owner := j.hire("deux@exemple.fr", member.Owner).now().Account
	reader := j.hire("lecteur@exemple.fr", member.Reader).now().Account
	w.must(w.Invite(ctx, j.now(), "owner@exemple.fr", member.Owner, true, home))
	list := testkit.Must(w.Invitations(ctx, j.now()))(t)
	w.clock.Advance(auth.Freshness)
	for what, err := range map[string]error{
		"invite":   w.Invite(ctx, j.now(), "trois@exemple.fr", member.Owner, true, home),
		"resend":   w.ResendInvitation(ctx, j.now(), list[0].ID, home),
		"withdraw": w.WithdrawInvitation(ctx, j.now(), list[0].ID, home),
		"appoint":  w.ChangeRole(ctx, j.now(), reader, member.Owner, home),
		"demote":   w.ChangeRole(ctx, j.now(), owner, member.Admin, home),
		"remove":   w.RemoveMember(ctx, j.now(), owner, home),
		"contact":  w.SetContact(ctx, j.now(), owner, home),
		"delete":   w.DeleteOrganisation(ctx, j.now(), home),
	} {
		if problemCode(t, err) != auth.CodeVerifyFirst {
			t.Errorf("%s: %v", what, err)
		}
	}
	w.must(w.Invite(ctx, j.now(), "admin@exemple.fr", member.Admin, true, home))
	w.must(w.ChangeRole(ctx, j.now(), reader, member.Developer, home))
	w.must(w.Reauthenticate(ctx, j.now(), goodPassword, "", home))
	w.must(w.ChangeRole(ctx, j.now(), reader, member.Owner, home))
	w.must(w.RemoveMember(ctx, j.now(), owner, home))
}

// An owner cannot flood the others with mails by appointing and demoting a member again and again, or by
// moving the address of mails. Taking a right away is always possible.
func TestMailsToOwnersAreLimited(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j := w.colleague(jeanne)
	j.found("Cadastre & Fils")
	other := j.hire("deux@exemple.fr", member.Owner).now().Account
	for i := range auth.MaxOwnerMails {
		if i%2 == 0 {
			w.must(w.ChangeRole(ctx, j.now(), other, member.Admin, home))
			w.must(w.ChangeRole(ctx, j.now(), other, member.Owner, home))
			continue
		}
		person := []ident.AccountID{other, j.now().Account}[i/2%2]
		w.must(w.SetContact(ctx, j.now(), person, home))
	}
	before := len(w.mails())
	err := w.SetContact(ctx, j.now(), other, home)
	if w.want(err, auth.CodeWait); fault.From(err).RetryAfter <= 0 {
		t.Errorf("no time to wait: %v", err)
	}
	if n := len(w.mails()); n != before {
		t.Errorf("%d mails beyond the limit", n-before)
	}
	w.must(w.ChangeRole(ctx, j.now(), other, member.Admin, home))
	w.want(w.ChangeRole(ctx, j.now(), other, member.Owner, home), auth.CodeWait)
	w.clock.Advance(24*time.Hour + time.Second)
	w.must(w.Reauthenticate(ctx, j.now(), goodPassword, "", home))
	w.must(w.ChangeRole(ctx, j.now(), other, member.Owner, home))
}

// An administrator neither replaces nor ends the invitation of an owner, and no invitation that any reader
// of the mail can accept gives a role that invites others.
func TestInvitationsOfOwnersAreTheirs(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j := w.colleague(jeanne)
	j.found("Cadastre & Fils")
	admin := j.hire("admin@exemple.fr", member.Admin)
	w.must(w.Invite(ctx, j.now(), "deux@exemple.fr", member.Owner, true, home))
	token := w.link(mail.Invitation)
	list := testkit.Must(w.Invitations(ctx, j.now()))(t)
	w.clock.Advance(2 * time.Minute)
	w.wantRefused(w.Invite(ctx, admin.now(), "deux@exemple.fr", member.Reader, true, home))
	w.wantRefused(w.ResendInvitation(ctx, admin.now(), list[0].ID, home))
	w.wantRefused(w.WithdrawInvitation(ctx, admin.now(), list[0].ID, home))
	look := testkit.Must(w.LookInvitation(ctx, token))(t)
	if look.Role != member.Owner {
		t.Errorf("%+v", look)
	}
	for _, role := range member.Roles {
		err := w.Invite(ctx, j.now(), string(role)+"@exemple.fr", role, false, home)
		if role == member.Owner || role == member.Admin {
			w.want(err, auth.CodeOpenRole)
		} else {
			w.must(err)
		}
	}
}

// The name of an organisation is in mails to people who did not ask for them: it leads nowhere and shows
// what it is.
func TestOrganisationNames(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j := w.colleague(jeanne)
	j.found("Cadastre & Fils")
	for name, code := range map[string]string{
		"": auth.CodeNameInvalid, "…": auth.CodeNameInvalid, "\u3164": auth.CodeNameInvalid, "a\u200bb": auth.CodeNameInvalid,
		"a\u00adb": auth.CodeNameInvalid, "a\u3164b": auth.CodeNameInvalid, "a\x07b": auth.CodeNameInvalid, "a\u202eb": auth.CodeNameInvalid,
		"Gagnez sur https://evil.example": auth.CodeNameLink, "WWW.evil.example": auth.CodeNameLink,
		"500 € sur bit.ly/x": auth.CodeNameLink, "Cadastre evil.example": auth.CodeNameLink, "éva.рф": auth.CodeNameLink,
	} {
		w.want(w.RenameOrganisation(ctx, j.now(), name, home), code)
	}
	for _, name := range []string{"Mairie de Saint-Étienne (42)", "Ateliers 3", "株式会社", "\u2028 x ", "S.A.R.L. St. Martin", "Lot n°1.2", "Dupont & Cie."} {
		w.must(w.RenameOrganisation(ctx, j.now(), name, home))
	}
}

// Fifty invitations a day and no more, of a person and of an organisation; colleagues who are invited at
// once do not keep one another's network from signing up.
func TestInvitationsHaveALimitOfTheirOwn(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j := w.colleague(jeanne)
	j.found("Cadastre & Fils")
	admin := j.hire("admin@exemple.fr", member.Admin)
	for i := 1; i < auth.MaxInvitations; i++ { // the administrator's is one
		sender := j
		if i%2 == 0 {
			sender = admin
		}
		w.must(w.Invite(ctx, sender.now(), fmt.Sprintf("n%d@exemple.fr", i), member.Reader, true, home))
	}
	for _, sender := range []*colleague{j, admin} {
		err := w.Invite(ctx, sender.now(), "trop@exemple.fr", member.Reader, true, home)
		if w.want(err, auth.CodeWait); fault.From(err).RetryAfter <= 0 {
			t.Errorf("no time to wait: %v", err)
		}
	}
	w.join("collegue@exemple.fr") // from the same network
	w.clock.Advance(24*time.Hour + time.Second)
	w.must(w.Invite(ctx, j.now(), "demain@exemple.fr", member.Reader, true, home))
}

// A network that makes many accounts and organisations does not send more mails to people who know nothing
// of the service: its members share one limit. Another network has its own.
func TestInvitationsOfANetworkAreLimited(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j := w.colleague(jeanne)
	j.found("Cadastre & Fils")
	from := func(n int) auth.Origin { // each in a /56 of its own
		return originAt(fmt.Sprintf("2001:db8:1:%x::1", n<<8))
	}
	sent := 0
	for o := range 5 {
		other := w.colleague(fmt.Sprintf("fondateur%d@exemple.fr", o))
		other.found(fmt.Sprintf("Cabinet %d", o))
		for i := range auth.MaxInvitations {
			err := w.Invite(ctx, other.now(), fmt.Sprintf("n%d-%d@exemple.fr", o, i), member.Reader, true, from(i))
			if err == nil {
				sent++
				continue
			}
			w.want(err, auth.CodeWait)
		}
	}
	if sent != 4*auth.MaxInvitations {
		t.Errorf("one /48 sent %d invitations, want %d", sent, 4*auth.MaxInvitations)
	}
	w.must(w.Invite(ctx, j.now(), "collegue@exemple.fr", member.Reader, true, home))
}

// An invitation that any reader of the mail can accept waits for the colleague it is for: a member who
// follows its link goes to the organisation and does not use it up.
func TestMemberDoesNotUseUpAnInvitation(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j := w.colleague(jeanne)
	org := j.found("Cadastre & Fils")
	w.must(w.Invite(ctx, j.now(), "equipe@exemple.fr", member.Reader, false, home))
	token := w.link(mail.Invitation)
	w.must(w.ChooseOrganisation(ctx, j.now(), j.now().Account))
	w.must(w.AcceptInvitation(ctx, j.now(), token, home))
	if s := j.now(); s.Organisation != org || s.Role != member.Owner {
		t.Errorf("%+v", s)
	}
	m := w.colleague("marc@exemple.fr")
	w.must(w.AcceptInvitation(ctx, m.now(), token, home))
	if w.rolesOf(j)[m.email] != member.Reader {
		t.Error("the colleague found the invitation used up")
	}
}

// Each owner gets a mail of who becomes an owner and who is one no more, that the mails go to another
// address and that the organisation is deleted; so does the person or the address that it is about.
func TestOwnersAreNotified(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j := w.colleague(jeanne)
	j.found("Cadastre & Fils")
	got := func(template mail.Template, want ...string) {
		t.Helper()
		var to []string
		for _, job := range w.mails() {
			if job.Template == template {
				if to = append(to, job.To); job.Values["organisation"] != "Cadastre & Fils" {
					t.Errorf("%s: %v", template, job.Values)
				}
			}
		}
		if slices.Sort(to); !slices.Equal(to, want) {
			t.Errorf("%s went to %v, not to %v", template, to, want)
		}
		testkit.Exec(t, w.pool, `DELETE FROM job.river_job`)
	}
	second := j.hire("deux@exemple.fr", member.Owner)
	got(mail.OwnerAdded, second.email, jeanne)
	third := j.hire("trois@exemple.fr", member.Reader)
	w.must(w.ChangeRole(ctx, j.now(), third.now().Account, member.Owner, home))
	got(mail.OwnerAdded, second.email, jeanne, third.email)
	w.must(w.ChangeRole(ctx, j.now(), third.now().Account, member.Admin, home))
	got(mail.OwnerRemoved, second.email, jeanne, third.email)
	w.must(w.ChangeRole(ctx, j.now(), third.now().Account, member.Reader, home))
	got(mail.OwnerRemoved)
	w.must(w.SetContact(ctx, j.now(), third.now().Account, home))
	got(mail.ContactChanged, jeanne)
	w.must(w.LeaveOrganisation(ctx, second.now(), home))
	got(mail.OwnerRemoved, jeanne)
	w.must(w.DeleteOrganisation(ctx, j.now(), home))
	got(mail.OrganisationDeleted, jeanne, third.email)
}

// The record of a deleted organisation names no person any more, by whichever way it was deleted, and an
// operator's deletion is the operator's.
func TestRecordOfDeletedOrganisationNamesNoPerson(t *testing.T) {
	w := newWorld(t)
	accounts := auth.NewAccounts(w.pool, w.clock)
	for way, want := range map[string]string{"organisation": audit.ActorAccount, "owner": audit.ActorAccount, "operator": audit.ActorOperator} {
		j := w.colleague(way + "@exemple.fr")
		org := j.found("Cadastre & Fils")
		ctx := audit.With(t.Context(), audit.Actor{Kind: audit.ActorAccount, Person: j.now().Account, By: j.email})
		switch way {
		case "organisation":
			w.must(w.DeleteOrganisation(ctx, j.now(), home))
		case "owner":
			w.must(w.Delete(ctx, j.now(), home))
		case "operator":
			w.must(accounts.Delete(audit.AsOperator(t.Context(), 0), j.now().Account, "fraude", nil, nil))
		}
		events := testkit.Must(audit.List(t.Context(), w.pool, org, 0, 100))(t)
		for i, e := range events {
			detail, _ := json.Marshal(e.Detail)
			if strings.Contains(string(detail), "@") || e.Address.IsValid() || e.Agent != "" {
				t.Errorf("%s: %s %s %v %q", way, e.Action, detail, e.Address, e.Agent)
			}
			if i == 0 && (e.Action != audit.ActionAccountDeleted || e.Actor != want || want == audit.ActorOperator && e.Detail["reason"] != "fraude") {
				t.Errorf("%s: %s by %s, %s", way, e.Action, e.Actor, detail)
			}
		}
	}
}

// A mail about a key of an organisation says of which one and who made it, whichever member gets it.
func TestMailsNameTheOrganisation(t *testing.T) {
	w := newWorld(t)
	j := w.colleague(jeanne)
	org := j.found("Cadastre & Fils")
	admin := j.hire("admin@exemple.fr", member.Admin)
	keys := apikey.NewStore(w.pool, w.clock)
	as := func(c *colleague) context.Context {
		return audit.With(t.Context(), audit.Actor{Kind: audit.ActorAccount, Person: c.now().Account, By: c.email})
	}
	_, _, err := keys.Create(as(admin), org, apikey.NewKey{Name: "production"})
	w.must(err)
	if job := w.mail(mail.KeyCreated); job.To != jeanne || job.Values["organisation"] != "Cadastre & Fils" || job.Values["by"] != admin.email {
		t.Errorf("%+v", job)
	}
	_, _, err = keys.Create(as(j), j.now().Account, apikey.NewKey{Name: "essais"})
	w.must(err)
	if job := w.mail(mail.KeyCreated); job.Values["organisation"] != "" || job.Values["by"] != "" {
		t.Errorf("of a person: %+v", job)
	}
}
