package portal_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/auth/member"
	"arpent/internal/audit"
	"arpent/internal/ident"
	"arpent/internal/mail"
)

// company is an organisation with its owner, who is signed in and has chosen it.
type company struct {
	s     *site
	id    ident.AccountID
	owner *browser
}

func (s *site) company(owner, name string) *company {
	s.t.Helper()
	b := s.member(owner)
	b.Submit(b.Get("/account/organisations/new"), "/account/organisations/new", "name", name).Want(http.StatusOK, name)
	id := read[ident.AccountID](s, `SELECT account_id FROM account.member WHERE person_id = $1 ORDER BY account_id DESC LIMIT 1`, b.account.ID)
	return &company{s: s, id: id, owner: b}
}

// join makes a person a member with that role, in a browser that has chosen the organisation.
func (c *company) join(email string, role member.Role) *browser {
	c.s.t.Helper()
	b := c.s.member(email)
	c.appoint(b, role)
	return b
}

// appoint makes the person of a browser a member with that role, whatever they were before.
func (c *company) appoint(b *browser, role member.Role) {
	c.s.t.Helper()
	c.s.exec(`INSERT INTO account.member (account_id, person_id, role, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (account_id, person_id) DO UPDATE SET role = excluded.role`, c.id, b.account.ID, role, noon)
	c.s.exec(`UPDATE account.session SET organisation_id = $1 WHERE account_id = $2`, c.id, b.account.ID)
}

// key makes a key of the organisation as that person does.
func (c *company) key(b *browser, name string) apikey.Key {
	c.s.t.Helper()
	ctx := audit.With(c.s.t.Context(), audit.Actor{Kind: audit.ActorAccount, Person: b.account.ID, By: b.account.Email})
	k, _, err := c.s.keys.Create(ctx, c.id, apikey.NewKey{Name: name})
	testkit.NoError(c.s.t, err)
	return k
}

// invitation makes one that waits, and returns its id.
func (c *company) invitation(email string) (id int64) {
	c.s.t.Helper()
	err := c.s.pool.QueryRow(c.s.t.Context(), `INSERT INTO account.invitation (account_id, email, role, bound, invited_by, created_at, expires_at)
		VALUES ($1, $2, 'reader', true, $3, $4, $5) RETURNING id`, c.id, email, c.owner.account.ID, noon, noon.Add(time.Hour)).Scan(&id)
	testkit.NoError(c.s.t, err)
	return id
}

// domain adds a domain of the organisation, and returns its id.
func (c *company) domain(name string, proven bool) int64 {
	c.s.t.Helper()
	return read[int64](c.s, `INSERT INTO account.domain (account_id, name, token, created_at, proven_at, seen_at, checked_at)
		SELECT $1, $2, 'token-' || $2::text, $3, at, at, at FROM (SELECT CASE WHEN $4 THEN $3::timestamptz END AS at) x RETURNING id`, c.id, name, noon, proven)
}

// orgToken is the token of the forms of the pages that the browser sees now.
func (b *browser) orgToken() string {
	b.s.t.Helper()
	token := b.Get("/account/settings").Value("token")
	if token == "" {
		b.s.t.Fatal("the settings have no token")
	}
	return token
}

// fill puts an id in the place of the one that a route names.
func fill(route string, id int64) string {
	return strings.Replace(route, ":id", strconv.FormatInt(id, 10), 1)
}

// The person who is invited reads who invites, to what and as what, signs up on the way, comes back to the
// invitation and decides: nothing is accepted before.
func TestInvitationOnTheWayThroughSignUp(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.company("jeanne@exemple.fr", "Alpha")
	c.owner.Submit(c.owner.Get("/account/organisation"), "/account/organisation/invite", "email", "marc@exemple.fr", "role", "developer").
		Want(http.StatusOK, "Une invitation est partie vers marc@exemple.fr", "Invitations en attente", "développeur")
	link := s.link(s.last("marc@exemple.fr", mail.Invitation))
	marc := s.browser()
	page := marc.Get(link).Want(http.StatusOK, "Alpha", "jeanne@exemple.fr", "développeur", "m…c@exemple.fr", "Se connecter", "Créer un compte")
	if page.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Error("the page discloses its link")
	}
	page.LacksForm(link)
	marc.Send(http.MethodPost, link, url.Values{"token": {marc.Token()}}).Want(http.StatusOK, "Se connecter")
	signUp := marc.Get(page.Link("/signup?next="))
	marc.Submit(signUp, "/signup", "email", "marc@exemple.fr", "password", testPassword)
	confirm := marc.Get(s.link(s.last("marc@exemple.fr", mail.Confirm)))
	back := marc.Submit(confirm, confirm.Find("form[action^='/confirm/']").AttrOr("action", "")).Want(http.StatusOK, "Rejoindre l’organisation", "marc@exemple.fr")
	if !strings.HasPrefix(back.Path, "/invitation/") {
		t.Fatalf("the sign-up leads to %s", back.Path)
	}
	s.expectCount(1, `SELECT count(*) FROM account.member WHERE account_id = $1`, c.id)
	marc.Submit(back, link).Want(http.StatusOK, "Alpha", "Vous faites maintenant partie")
	marc.Get("/account/organisation").Want(http.StatusOK, "jeanne@exemple.fr", "marc@exemple.fr")
	marc.Get(link).Want(http.StatusGone, "a déjà servi")
	s.browser().Get("/invitation/AAAA").Want(http.StatusGone)

	// Another person cannot take an invitation that is bound to an address.
	c.owner.Submit(c.owner.Get("/account/organisation"), "/account/organisation/invite", "email", "lea@exemple.fr", "role", "reader")
	bound := s.link(s.last("lea@exemple.fr", mail.Invitation))
	paul := s.member("paul@exemple.fr")
	paul.Get(bound).Want(http.StatusOK, "à une autre adresse").LacksForm(bound)
	paul.Post(bound, nil).Want(http.StatusUnprocessableEntity, "à une autre adresse")
}

// The page of the members does what its buttons say, and the record names the person who did it.
func TestMembersPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.company("jeanne@exemple.fr", "Alpha")
	admin := c.join("admin@exemple.fr", member.Admin)
	reader := c.join("lecteur@exemple.fr", member.Reader)
	readerPath := fill("/account/organisation/members/:id", int64(reader.account.ID))
	show := func(b *browser) *testkit.Page { t.Helper(); return b.Get("/account/organisation").Want(http.StatusOK) }

	admin.Submit(show(admin), readerPath+"/role", "role", "developer").Want(http.StatusOK, "Le rôle est changé")
	if p := show(admin); p.Form(fill("/account/organisation/members/:id/role", int64(c.owner.account.ID))) != nil || p.Find(`option[value="owner"]`).Length() != 0 || p.Form("/account/organisation/name") != nil {
		t.Error("an administrator is offered what only owners may do")
	}
	if p := show(reader); p.Find("form.form").Length() != 0 {
		t.Error("a member without rights is offered forms")
	}
	key := c.key(reader, "essais")
	company := c.key(admin, "production")
	adminPath := fill("/account/organisation/members/:id/remove", int64(admin.account.ID))
	const check = "vérifiez leurs adresses"
	if text := c.owner.Get(adminPath).Want(http.StatusOK, "production").Text("main"); strings.Contains(text, check) {
		t.Errorf("without a webhook: %s", text)
	}
	s.exec(insertWebhook, c.id, "mark", noon)
	c.owner.Get(adminPath).Want(http.StatusOK, "production", check)
	ask := admin.Get(readerPath+"/remove").Want(http.StatusOK, "lecteur@exemple.fr", "essais")
	if text := ask.Text("main"); strings.Contains(text, check) {
		t.Errorf("of a member who manages no webhook: %s", text)
	}
	open := reader.Get("/account/organisation/leave").Want(http.StatusOK)
	c.appoint(reader, member.Reader)
	if p := reader.Get("/account/usage").Want(http.StatusOK, "membres qui ont une clé"); p.Find("#first-call").Length() != 0 {
		t.Error("a reader is shown a call with a key that they cannot have")
	}
	c.appoint(reader, member.Developer)
	c.owner.Get("/account/usage").Want(http.StatusOK, "curl")
	admin.Submit(ask, readerPath+"/remove").Want(http.StatusOK, "ne fait plus partie")
	if k, err := s.keys.Get(t.Context(), c.id, key.ID); err != nil || k.RevokedAt == nil {
		t.Errorf("the personal key goes on: %v", err)
	}
	if job := s.last("lecteur@exemple.fr", mail.MemberRemoved); job.Values["organisation"] != "Alpha" {
		t.Errorf("%+v", job)
	}
	reader.Submit(open, "/account/organisation/leave").Want(http.StatusConflict, "Vous ne faites plus partie de cette organisation", "Rien n’a été fait")
	reader.Get("/account").Want(http.StatusOK, "Votre compte")
	reader.Get("/account/organisation").Want(http.StatusNotFound)

	c.owner.Submit(show(c.owner), "/account/organisation/name", "name", "Alpha et Cie").Want(http.StatusOK, "Alpha et Cie", "nouveau nom")
	c.owner.Submit(show(c.owner), "/account/organisation/name", "name", " ").Want(http.StatusUnprocessableEntity, "Donnez un nom")
	c.owner.Submit(show(c.owner), "/account/organisation/contact", "person", strconv.FormatInt(int64(admin.account.ID), 10)).Want(http.StatusOK, "iront désormais")
	c.owner.Get("/account/organisation/activity").Want(http.StatusOK, "Membre retiré", "lecteur@exemple.fr", "par admin@exemple.fr", "par jeanne@exemple.fr", "Clé créée")
	c.owner.Get("/account/delete").Want(http.StatusOK, "Supprimer mon compte personnel",
		"Vous êtes le seul propriétaire de Alpha et Cie, qui a d’autres membres.", "Voir les membres de Alpha et Cie")
	for next, to := range map[string]string{"/account/organisation": "/account/organisation", "https://evil.example/": "/account"} {
		p := c.owner.Send(http.MethodPost, "/account/switch", url.Values{"token": {c.owner.orgToken()},
			"organisation": {strconv.FormatInt(int64(c.id), 10)}, "next": {next}}).Want(http.StatusOK, "Alpha et Cie")
		if p.Path != to {
			t.Errorf("after the choice of an organisation %s shows %s", next, p.Path)
		}
	}
	leave := c.owner.Get("/account/organisation/leave").Want(http.StatusOK, "Vous ne pouvez pas encore quitter", "seul propriétaire")
	leave.LacksForm("/account/organisation/leave")
	leave.Link("/account/organisation/delete")
	c.owner.Post("/account/organisation/leave", url.Values{"token": {c.owner.orgToken()}}).Want(http.StatusUnprocessableEntity, "toujours un propriétaire")

	admin.Submit(admin.Get("/account/organisation/leave").Want(http.StatusOK, "production"), "/account/organisation/leave").Want(http.StatusOK, "Vous avez quitté")
	p := c.owner.Get("/account/keys").Want(http.StatusOK, "Des clés sont à remplacer", "créateur inconnu")
	p.Link(fill("/account/keys/:id/rotate", int64(company.ID)))
	c.owner.Submit(c.owner.Get(fill("/account/keys/:id/rotate", int64(company.ID))), fill("/account/keys/:id/rotate", int64(company.ID)), "overlap", "0")
	c.owner.Get("/account/keys").Lacks("Des clés sont à remplacer")

	gone := c.owner.Submit(c.owner.Get("/account/organisation/delete").Want(http.StatusOK, "1\u00a0clé et 1\u00a0webhook cessent de fonctionner dans la seconde", "1\u00a0membre, dont le compte"), "/account/organisation/delete", "name", "Alpha")
	gone.Want(http.StatusUnprocessableEntity, "Ce n’est pas le nom")
	c.owner.Submit(gone, "/account/organisation/delete", "name", "Alpha et Cie").Want(http.StatusOK, "L’organisation est supprimée", "Votre compte")
}

// An act on the role of an owner from a browser that was left open asks for the password first.
func TestOwnerActsAskAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.company("jeanne@exemple.fr", "Alpha")
	reader := c.join("lecteur@exemple.fr", member.Reader)
	page := c.owner.Get("/account/organisation").Want(http.StatusOK)
	person := strconv.FormatInt(int64(reader.account.ID), 10)
	s.clock.Advance(auth.Freshness)
	c.owner.stay()
	leadsTo := func(p *testkit.Page, want string) {
		t.Helper()
		if to := p.Header.Get("Location"); p.Status != http.StatusSeeOther || !strings.HasPrefix(to, want) {
			t.Errorf("%d, leads to %q, not to %s", p.Status, to, want)
		}
	}
	role := "/account/organisation/members/" + person + "/role"
	leadsTo(c.owner.Submit(page, role, "role", "owner"), "/account/verify?next=")
	leadsTo(c.owner.Submit(page, "/account/organisation/invite", "email", "o@exemple.fr", "role", "owner"), "/account/verify?next=")
	leadsTo(c.owner.Submit(page, "/account/organisation/contact", "person", person), "/account/verify?next=")
	leadsTo(c.owner.Submit(page, role, "role", "admin"), "/account/organisation?done=role")
	s.expectCount(1, `SELECT count(*) FROM account.member WHERE account_id = $1 AND role = 'owner'`, c.id)
}
