package portal_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth/member"
	"arpent/auth/policy"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/portal/settings"
)

// addDomain adds a domain on the page, publishes its record and checks it.
func (c *company) addDomain(name string) (id int64, page *testkit.Page) {
	c.s.t.Helper()
	c.owner.Submit(c.owner.Get(settings.DomainsPath), settings.DomainsPath, "domain",
		name).Want(http.StatusOK, "Le domaine est ajouté")
	var token string
	testkit.NoError(c.s.t, c.s.pool.QueryRow(c.s.t.Context(), `SELECT id, token FROM account.domain WHERE account_id = $1 AND name = $2`, c.id, name).Scan(&id, &token))
	c.s.dns.Set("_arpent."+name, "v=spf1 -all", "arpent-domain="+token)
	return id, c.check(id)
}

func (c *company) check(id int64) *testkit.Page {
	c.s.t.Helper()
	return c.owner.Submit(c.owner.Get(settings.DomainsPath), fill(settings.DomainsPath+"/:id/check", id))
}

// chooseJoining chooses who can join by an address of the domain.
func (c *company) chooseJoining(id int64, joining, role string) {
	c.s.t.Helper()
	c.owner.Submit(c.owner.Get(settings.DomainsPath), fill(settings.DomainsPath+"/:id/joining",
		id), "joining", joining, "role", role).Want(http.StatusOK, "C’est enregistré")
}

// askToJoin has a browser ask to join an organisation, whatever its page offers.
func (b *browser) askToJoin(id ident.AccountID) *testkit.Page {
	b.s.t.Helper()
	return b.Post(settings.JoinPath, url.Values{"token": {b.orgToken()},
		"organisation": {strconv.FormatInt(int64(id), 10)}})
}

func (c *company) members() int {
	c.s.t.Helper()
	return c.s.count(`SELECT count(*) FROM account.member WHERE account_id = $1`, c.id)
}

// An organisation proves its domain by a record; people with a confirmed address there are offered to join,
// by a click of theirs and, where it is so chosen, one of an administrator.
func TestJoiningByADomain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.company("jeanne@exemple.fr", "Alpha")
	marc := s.member("marc@cadastre-fils.fr")
	c.owner.Submit(c.owner.Get(settings.DomainsPath).Want(http.StatusOK), settings.DomainsPath,
		"domain", "Cadastre-Fils.fr.").
		Want(http.StatusOK, "_arpent.cadastre-fils.fr", "TXT", "arpent-domain=", "à vérifier")
	var id int64
	var token string
	testkit.NoError(t, s.pool.QueryRow(t.Context(), `SELECT id, token FROM account.domain`).Scan(&id, &token))
	c.chooseJoining(id, "open", "reader") // counts once it is proven
	c.check(id).Want(http.StatusUnprocessableEntity, "L’enregistrement n’a pas été trouvé")
	c.check(id).Want(http.StatusTooManyRequests, "Réessayez dans 10")
	marc.Get("/account").Lacks("Alpha")
	marc.askToJoin(c.id).Want(http.StatusNotFound)
	s.clock.Advance(10 * time.Second)
	s.dns.Set("_arpent.cadastre-fils.fr", "arpent-domain="+token+"x", "arpent-domain=", token)
	c.check(id).Want(http.StatusUnprocessableEntity)
	s.clock.Advance(10 * time.Second)
	s.dns.Fail(true)
	c.check(id).Want(http.StatusUnprocessableEntity, "n’ont pas répondu")
	s.dns.Fail(false)
	s.clock.Advance(10 * time.Second)
	s.dns.Set("_arpent.cadastre-fils.fr", "arpent-domain="+token)
	c.check(id).Want(http.StatusOK, "le domaine est vérifié", "vérifié depuis", "contrôlé chaque jour")
	if asked := s.dns.Asked(); asked[0] != "_arpent.cadastre-fils.fr." {
		t.Errorf("looked up %q", asked)
	}

	// Off, which it is by default.
	c.chooseJoining(id, "off", "reader")
	marc.Get("/account").Lacks("Alpha")
	marc.askToJoin(c.id).Want(http.StatusNotFound)

	// On request.
	c.chooseJoining(id, "approval", "developer")
	marc.Submit(marc.Get("/account").Want(http.StatusOK, "Alpha", "développeur",
		"Demander à la rejoindre"), settings.JoinPath).
		Want(http.StatusOK, "Votre demande est partie", "Un administrateur doit l’accepter")
	marc.askToJoin(c.id) // again: one request, one mail
	asked := 0
	for _, j := range s.mailsTo("jeanne@exemple.fr") {
		if j.Template == mail.JoinRequested {
			asked++
		}
	}
	if asked != 1 || c.members() != 1 {
		t.Errorf("%d mails, %d members", asked, c.members())
	}
	if j := s.last("jeanne@exemple.fr", mail.JoinRequested); j.Values["member"] != "marc@cadastre-fils.fr" || j.Values["role"] != "developer" {
		t.Errorf("%+v", j)
	}
	approve := fill(settings.OrganisationPath+"/requests/:id/approve", int64(marc.account.ID))
	c.owner.Submit(c.owner.Get(settings.OrganisationPath).Want(http.StatusOK, "Demandes d’adhésion",
		"marc@cadastre-fils.fr"), approve).
		Want(http.StatusOK, "fait maintenant partie")
	s.last("marc@cadastre-fils.fr", mail.JoinApproved)
	s.expectCount(1, `SELECT count(*) FROM account.member WHERE account_id = $1 AND person_id = $2 AND role = 'developer'`, c.id, marc.account.ID)
	c.owner.Post(approve, url.Values{"token": {c.owner.orgToken()}}).Want(http.StatusNotFound) // done already

	// Without a request.
	c.chooseJoining(id, "open", "reader")
	lea := s.member("lea@cadastre-fils.fr")
	if lea.Get("/account"); c.members() != 2 {
		t.Fatal("a person became a member without a click")
	}
	lea.Submit(lea.Get("/account").Want(http.StatusOK, "La rejoindre", "lecteur"),
		settings.JoinPath).Want(http.StatusOK, "Alpha", "Vous faites maintenant partie")
	if j := s.last("jeanne@exemple.fr", mail.JoinedByDomain); j.Values["domain"] != "cadastre-fils.fr" {
		t.Errorf("%+v", j)
	}
	c.owner.Get(settings.OrganisationPath+"/activity").Want(http.StatusOK, "Domaine vérifié", "cadastre-fils.fr",
		"Adhésion demandée", "par marc@cadastre-fils.fr",
		"Adhésion par un domaine changée", "sur demande", "Membre arrivé", "par lea@cadastre-fils.fr")

	// A member who was removed does not come back by themselves, nor does a person who was declined.
	path := fill(settings.OrganisationPath+"/members/:id/remove", int64(lea.account.ID))
	c.owner.Submit(c.owner.Get(path), path).Want(http.StatusOK, "ne fait plus partie")
	lea.Get("/account").Lacks("La rejoindre")
	lea.askToJoin(c.id).Want(http.StatusNotFound)
	c.chooseJoining(id, "approval", "reader")
	zoe := s.member("zoe@cadastre-fils.fr")
	zoe.askToJoin(c.id).Want(http.StatusOK)
	c.owner.Submit(c.owner.Get(settings.OrganisationPath),
		fill(settings.OrganisationPath+"/requests/:id/decline",
			int64(zoe.account.ID))).Want(http.StatusOK, "La demande est refusée")
	zoe.askToJoin(c.id).Want(http.StatusNotFound)
	testkit.Want(t, c.members(), 2, "members")

	// The domain is removed.
	path = fill(settings.DomainsPath+"/:id/remove", id)
	c.owner.Submit(c.owner.Get(path).Want(http.StatusOK, "cadastre-fils.fr"), path).Want(http.StatusOK,
		"Le domaine est retiré")
	s.member("paul@cadastre-fils.fr").askToJoin(c.id).Want(http.StatusNotFound)
}

// A person whose confirmed address is not of the very domain is offered nothing and cannot join, whatever the
// address was when they asked, and sees nothing of the organisation.
func TestJoiningIsForAddressesOfTheDomain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.company("jeanne@exemple.fr", "Alpha")
	id, page := c.addDomain("xn--exmple-cua.fr") // exämple.fr
	page.Want(http.StatusOK, "exämple.fr", "soit xn--exmple-cua.fr")
	c.chooseJoining(id, "open", "developer")
	for _, email := range []string{
		"marc@sous.xn--exmple-cua.fr",     // a sub-domain
		"marc@xn--exmple-cua.fr.autre.fr", // the domain within another
		"marc@exemple.fr",                 // looks alike
		"marc@autre-xn--exmple-cua.fr",    // ends alike
		"xn--exmple-cua.fr@pirate.fr",     // before the @
		"marc@xn--exmple-4uf.fr",          // exåmple.fr
		"marc@xn--exmpl-gra6l.fr",         // another IDN
	} {
		b := s.member(email)
		b.Get("/account").Lacks("Alpha")
		known, unknown := b.askToJoin(c.id).Want(http.StatusNotFound), b.askToJoin(999_999).Want(http.StatusNotFound)
		if known.Text("main") != unknown.Text("main") {
			t.Errorf("%s sees that the organisation exists", email)
		}
	}

	// An address that is not confirmed: the person has not shown that they read its mail.
	b := s.member("eve@exämple.fr")
	s.exec(`UPDATE account.account SET email_confirmed_at = NULL WHERE id = $1`, b.account.ID)
	b.Get("/account").Lacks("Alpha")
	b.askToJoin(c.id).Want(http.StatusNotFound)

	// An address that is of the domain when the person asks, and of another one when they are approved.
	c.chooseJoining(id, "approval", "developer")
	paul := s.member("paul@exämple.fr")
	paul.askToJoin(c.id).Want(http.StatusOK, "Votre demande est partie")
	s.exec(`UPDATE account.account SET email = 'paul@ailleurs.fr' WHERE id = $1`, paul.account.ID)
	c.owner.Get(settings.OrganisationPath).Lacks("paul@")
	c.owner.Post(fill(settings.OrganisationPath+"/requests/:id/approve", int64(paul.account.ID)),
		url.Values{"token": {c.owner.orgToken()}}).Want(http.StatusNotFound)
	// Nor does an id show an administrator who has an account, or make anyone a member who did not ask.
	lea := s.member("lea@exämple.fr")
	for _, id := range []int64{int64(lea.account.ID), int64(b.account.ID), 999_999} {
		for _, act := range []string{"approve", "decline"} {
			c.owner.Post(fill(settings.OrganisationPath+"/requests/:id/"+act, id),
				url.Values{"token": {c.owner.orgToken()}}).Want(http.StatusNotFound)
		}
	}
	testkit.Want(t, c.members(), 1, "members")
}

// A request to join ends with the membership that an invitation gave, and a member who leaves comes back by
// invitation only: no administrator admits a person who did not ask again, and joining and leaving in turns
// sends no mails without end.
func TestFormerMembersComeBackByInvitation(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.company("jeanne@exemple.fr", "Alpha")
	id, _ := c.addDomain("cadastre-fils.fr")
	c.chooseJoining(id, "approval", "reader")
	marc := s.member("marc@cadastre-fils.fr")
	marc.askToJoin(c.id).Want(http.StatusOK, "Votre demande est partie")
	accept := func() {
		t.Helper()
		c.owner.Submit(c.owner.Get(settings.OrganisationPath), settings.OrganisationPath+"/invite",
			"email", "marc@cadastre-fils.fr", "role", "reader")
		link := s.link(s.last("marc@cadastre-fils.fr", mail.Invitation))
		marc.Submit(marc.Get(link), link).Want(http.StatusOK, "Vous faites maintenant partie")
	}
	leave := func() {
		t.Helper()
		marc.Submit(marc.Get(settings.OrganisationPath+"/leave"), settings.OrganisationPath+"/leave").
			Want(http.StatusOK, "Vous avez quitté")
	}
	accept()
	s.expectCount(0, `SELECT count(*) FROM account.join_request`)
	leave()
	c.owner.Get(settings.OrganisationPath).Lacks("marc@")
	c.owner.Post(fill(settings.OrganisationPath+"/requests/:id/approve", int64(marc.account.ID)),
		url.Values{"token": {c.owner.orgToken()}}).Want(http.StatusNotFound)
	marc.askToJoin(c.id).Want(http.StatusNotFound)
	s.clock.Advance(time.Hour) // past the pause between two mails to an address
	accept()
	c.chooseJoining(id, "open", "reader")
	leave()
	marc.askToJoin(c.id).Want(http.StatusNotFound)

	// By the domain alone: once.
	lea := s.member("lea@cadastre-fils.fr")
	lea.askToJoin(c.id).Want(http.StatusOK, "Vous faites maintenant partie")
	lea.Submit(lea.Get(settings.OrganisationPath+"/leave"), settings.OrganisationPath+"/leave").
		Want(http.StatusOK, "Vous avez quitté")
	lea.askToJoin(c.id).Want(http.StatusNotFound)
	testkit.Want(t, c.members(), 1, "members")
}

type resolverFunc func(ctx context.Context, name string) ([]string, error)

func (f resolverFunc) LookupTXT(ctx context.Context, name string) ([]string, error) {
	return f(ctx, name)
}

// Name servers that are slow to answer do not keep other domains from being looked up, and neither does a
// domain that another organisation has proven meanwhile.
func TestDomainsAreLookedUpSimultaneously(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a, other := s.company("a@exemple.fr", "Alpha"), s.company("b@exemple.fr", "Beta")
	for i := range 20 {
		name := fmt.Sprintf("exemple%d.fr", i)
		a.domain(name, true)
		s.dns.Set("_arpent."+name, "arpent-domain=token-"+name)
	}
	s.clock.Advance(24 * time.Hour)
	var asked atomic.Int32
	all := make(chan struct{})
	resolver := resolverFunc(func(ctx context.Context, name string) ([]string, error) {
		switch asked.Add(1) {
		case 1: // the first organisation loses a domain between the list and its look-up
			s.exec(`UPDATE account.domain SET proven_at = NULL
				WHERE account_id = $1 AND name = 'exemple0.fr'`, a.id)
			other.domain("exemple0.fr", true)
		case 20:
			close(all)
		}
		select {
		case <-all:
			return s.dns.LookupTXT(ctx, name)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	testkit.NoError(t, policy.NewDomains(s.pool, s.clock, resolver).CheckDue(t.Context()))
	if n := s.count(`SELECT count(*) FROM account.domain
		WHERE account_id = $1 AND proven_at IS NOT NULL AND seen_at = $2`, a.id, s.clock.Now()); n != 19 {
		t.Errorf("the records of %d domains were seen, want 19", n)
	}
}

// A domain counts for one organisation, the one that proved it first, until it removes the domain or its
// record is gone for 7 days; the members then stay, and the organisation gets one mail. Meanwhile no person
// joins: the domain may be another owner's by now.
func TestDomainBelongsToOneOrganisation(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a, other := s.company("a@exemple.fr", "Alpha"), s.company("b@exemple.fr", "Beta")
	id, page := a.addDomain("cadastre-fils.fr")
	page.Want(http.StatusOK, "le domaine est vérifié")
	a.chooseJoining(id, "open", "reader")
	theirs, page := other.addDomain("cadastre-fils.fr") // its record is in the place of the first one
	page.Want(http.StatusUnprocessableEntity, "une autre organisation a déjà fait vérifier ce domaine")
	other.chooseJoining(theirs, "open", "developer")
	marc := s.member("marc@cadastre-fils.fr")
	marc.askToJoin(other.id).Want(http.StatusNotFound)
	marc.Get("/account").Want(http.StatusOK, "Alpha")
	a.chooseJoining(id, "approval", "reader")
	marc.askToJoin(a.id).Want(http.StatusOK, "Votre demande est partie")
	a.chooseJoining(id, "open", "reader")

	check := func(after time.Duration) {
		t.Helper()
		s.clock.Advance(after)
		testkit.NoError(t, s.domains.CheckDue(t.Context()))
	}
	check(24 * time.Hour)
	a.owner = s.signIn("a@exemple.fr")
	s.exec(`UPDATE account.session SET organisation_id = $1 WHERE account_id = $2`, a.id,
		a.owner.session().Account)
	a.owner.Get(settings.DomainsPath).Want(http.StatusOK, "enregistrement introuvable",
		"ne comptera plus à partir du 28\u00a0novembre\u00a02026")
	a.owner.Post(fill(settings.OrganisationPath+"/requests/:id/approve", int64(marc.account.ID)),
		url.Values{"token": {a.owner.orgToken()}}).Want(http.StatusNotFound)
	a.owner.Get(settings.OrganisationPath).Lacks("marc@")
	for range 5 {
		check(24 * time.Hour)
	}
	s.dns.Fail(true) // name servers that do not answer keep nothing alive
	marc.askToJoin(a.id).Want(http.StatusNotFound)
	check(24*time.Hour - time.Minute)
	for range 3 {
		check(24 * time.Hour)
	}
	s.dns.Fail(false)
	lost := 0
	for _, j := range s.mailsTo("a@exemple.fr") {
		if j.Template == mail.DomainLost && j.Values["domain"] == "cadastre-fils.fr" {
			lost++
		}
	}
	if n := s.count(`SELECT count(*) FROM account.domain WHERE id = $1 AND proven_at IS NULL`, id); n != 1 ||
		lost != 1 || a.members() != 1 {
		t.Errorf("lost: %d, %d mails, %d members", n, lost, a.members())
	}
	s.member("lea@cadastre-fils.fr").askToJoin(a.id).Want(http.StatusNotFound)
	other.check(theirs).Want(http.StatusOK, "le domaine est vérifié")
	s.clock.Advance(time.Minute)
	a.check(id).Want(http.StatusUnprocessableEntity, "n’a pas été trouvé")
	s.expectCount(1, `SELECT count(*) FROM account.domain WHERE proven_at IS NOT NULL AND account_id = $1`, other.id)
}

// What is no domain of a company is refused with a reason.
func TestDomainIsChecked(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.company("jeanne@exemple.fr", "Alpha")
	admin := c.join("admin@exemple.fr", member.Admin)
	add := func(name, why string) {
		t.Helper()
		admin.Post(settings.DomainsPath, url.Values{"token": {admin.orgToken()},
			"domain": {name}}).Want(http.StatusUnprocessableEntity, why)
	}
	for _, name := range []string{"gmail.com", "Orange.fr", "mail.gmail.com", "@laposte.net", "hotmail.fr"} {
		add(name, "service de messagerie ouvert à tous")
	}
	for _, name := range []string{"", "fr", "co.uk", "asso.fr", "localhost", "exemple.interne", "192.0.2.1", "[192.0.2.1]", "exemple..fr", "-exemple.fr", "http://exemple.fr",
		"exemple.fr/", "a b.fr", "exemple.fr\r\nx", strings.Repeat("a", 64) + ".fr", "*.exemple.fr", "github.io"} {
		add(name, "Ce n’est pas un domaine")
	}
	for i := range 10 {
		admin.Post(settings.DomainsPath, url.Values{"token": {admin.orgToken()},
			"domain": {"exemple" + strconv.Itoa(i) + ".fr"}}).Want(http.StatusOK)
	}
	add("exemple1.fr", "a déjà ce domaine")
	add("un-de-trop.fr", "Dix domaines au plus")
	// Who can join is the owner's choice.
	id := read[int64](s, `SELECT min(id) FROM account.domain`)
	joining := fill(settings.DomainsPath+"/:id/joining", id)
	admin.Get(settings.DomainsPath).LacksForm(joining)
	admin.Post(joining, url.Values{"token": {admin.orgToken()}, "joining": {"open"},
		"role": {"reader"}}).Want(http.StatusForbidden)
	for _, role := range []string{"admin", "owner", "billing", ""} {
		c.owner.Post(joining, url.Values{"token": {c.owner.orgToken()}, "joining": {"open"},
			"role": {role}}).Want(http.StatusUnprocessableEntity)
	}
	c.owner.Post(joining, url.Values{"token": {c.owner.orgToken()}, "joining": {"always"},
		"role": {"reader"}}).Want(http.StatusUnprocessableEntity)
}
