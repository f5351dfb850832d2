package auth_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth"
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
	j, m := w.colleague(jeanne), w.colleague(marc)
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
