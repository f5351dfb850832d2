package auth_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/member"
	"arpent/internal/fault"
	"arpent/internal/mail"
)

// An invitation is answered once, within its week, by the person it is for, and an ended one by no person.
func TestInvitations(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	j := w.colleague(jeanne)
	org := j.found("Cadastre & Fils")
	m, other := w.colleague(marc), w.colleague("autre@exemple.fr")
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
	m := w.colleague(marc)
	w.must(w.AcceptInvitation(ctx, m.now(), token, home))
	if w.rolesOf(j)[m.email] != member.Reader {
		t.Error("the colleague found the invitation used up")
	}
}
