package portal_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/assistant"
	"arpent/auth/management"
	"arpent/auth/member"
	"arpent/internal/audit"
	"arpent/internal/mail"
	"arpent/portal/settings"
	"arpent/portal/view"
	"arpent/web"
	"arpent/web/reference"
)

const factorPath = settings.OrganisationPath + "/factor"

// addTOTP gives the person of a browser an authenticator application.
func (b *browser) addTOTP() {
	b.s.t.Helper()
	b.s.exec(`UPDATE account.account SET totp_sealed = 'x', totp_enabled_at = $2 WHERE id = $1`,
		b.account.ID, b.s.clock.Now())
}

// session is that of the browser.
func (b *browser) session() auth.Session {
	b.s.t.Helper()
	sess, err := b.s.auth.Session(b.s.t.Context(), b.Cookie(web.SessionCookie))
	testkit.NoError(b.s.t, err)
	return sess
}

// requireFactor has the owner require a second factor from a day on.
func (c *company) requireFactor(day string) *testkit.Page {
	c.s.t.Helper()
	return c.owner.Submit(c.owner.Get(factorPath).Want(http.StatusOK), factorPath, "from", day)
}

// notifyMembers runs the job, and returns how many mails about a second factor an address has got in all.
func (s *site) notifyMembers(email string) (mails int) {
	s.t.Helper()
	testkit.NoError(s.t, s.factors.NotifyMembers(s.t.Context()))
	for _, j := range s.mailsTo(email) {
		if j.Template == mail.FactorNeeded {
			mails++
		}
	}
	return mails
}

// A member gets one mail a day at most, however often the owner changes the date.
func TestMailsAboutSecondFactorAreOneADay(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.company("jeanne@exemple.fr", "Alpha")
	c.join("marc@exemple.fr", member.Admin)
	c.owner.addTOTP()
	for _, day := range []string{"2026-12-05", "2026-12-06", "2026-11-23", "2026-12-05"} {
		c.requireFactor(day).Want(http.StatusOK, "Obligatoire à partir du")
		if n := s.notifyMembers("marc@exemple.fr"); n != 1 {
			t.Fatalf("%d mails after the date %s", n, day)
		}
	}
	for range 2 { // the date that counts in the end
		s.clock.Advance(24 * time.Hour)
		if n := s.notifyMembers("marc@exemple.fr"); n != 2 {
			t.Fatalf("%d mails a day later", n)
		}
	}
}

// An owner requires a second factor from a date on: members without one see a notice on each page and get two
// mails, and from the date on reach no page of the organisation until they add one. Programs go on.
func TestSecondFactorIsRequiredFromItsDate(t *testing.T) {
	t.Parallel()
	s, _ := newAssistantSite(t, withAssistants)
	c := s.company("jeanne@exemple.fr", "Alpha")
	marc, lea := c.join("marc@exemple.fr", member.Admin), c.join("lea@exemple.fr", member.Reader)
	lea.addTOTP()
	key := c.key(marc, "production")
	_, token, err := s.tokens.Create(audit.With(t.Context(), audit.Actor{Kind: audit.ActorAccount,
		Person: marc.account.ID}), c.id,
		management.NewToken{Name: "tableau", Scopes: management.Scopes, Days: 30})
	testkit.NoError(t, err)

	// The owner has none, and would be kept out.
	page := c.owner.Get(factorPath).Want(http.StatusOK, "ajoutez d’abord un second facteur",
		"marc@exemple.fr", "jeanne@exemple.fr")
	if page.Form(factorPath) != nil || strings.Contains(page.Text("main"), "lea@exemple.fr") {
		t.Error("an owner without a second factor has the form, or a member with one is listed")
	}
	c.owner.Post(factorPath, url.Values{"token": {c.owner.orgToken()},
		"from": {"2026-12-05"}}).Want(http.StatusUnprocessableEntity, "second facteur")
	s.expectCount(0, `SELECT count(*) FROM account.account WHERE member_factor_from IS NOT NULL`)
	c.owner.addTOTP()
	for _, day := range []string{"2026-11-20", "2027-11-23", "demain", ""} {
		c.owner.Post(factorPath, url.Values{"token": {c.owner.orgToken()},
			"from": {day}}).Want(http.StatusUnprocessableEntity, "à partir d’aujourd’hui")
	}
	c.requireFactor("2026-12-05").Want(http.StatusOK, "Obligatoire à partir du 5\u00a0décembre\u00a02026",
		"1\u00a0membre n’en a pas")
	c.owner.Get(settings.OrganisationPath+"/activity").Want(http.StatusOK, "Second facteur exigé des membres",
		"à partir du 5\u00a0décembre\u00a02026")
	c.owner.Get(settings.OrganisationPath).Want(http.StatusOK, "sans second facteur", "Obligatoire à partir du")
	lea.Get(settings.OrganisationPath).Want(http.StatusOK, "Obligatoire à partir du")

	if n := s.count(`SELECT count(*) FROM job.river_job WHERE kind = 'member_factor_notice'`); n == 0 {
		t.Error("the mails wait for the next hour")
	}
	for range 2 {
		if n := s.notifyMembers("marc@exemple.fr"); n != 1 {
			t.Fatalf("%d mails", n)
		}
	}
	if j := s.last("marc@exemple.fr", mail.FactorNeeded); j.Values["organisation"] != "Alpha" || j.Values["starts"] != "2026-12-04T23:00:00Z" {
		t.Errorf("%+v", j)
	}
	const notice = "exigera un second facteur à partir du 5\u00a0décembre\u00a02026"
	for _, path := range []string{"/account", "/account/keys", "/account/usage", settings.OrganisationPath,
		"/account/settings", "/account/security", "/account/security/two-factor"} {
		marc.Get(path).Want(http.StatusOK, "Alpha", notice)
		lea.Get(path).Lacks(notice)
	}

	s.clock.Set(time.Date(2026, 12, 1, 23, 0, 0, 0, time.UTC)) // three days before
	for range 2 {
		if n := s.notifyMembers("marc@exemple.fr"); n != 2 {
			t.Fatalf("%d mails three days before", n)
		}
	}
	for _, other := range []string{"lea@exemple.fr", "jeanne@exemple.fr"} {
		if n := s.notifyMembers(other); n != 0 {
			t.Errorf("%d mails to %s, who has a second factor", n, other)
		}
	}

	s.clock.Set(time.Date(2026, 12, 4, 22, 59, 59, 0, time.UTC))
	marc.Get("/account/keys").Want(http.StatusOK, "production")
	s.clock.Advance(time.Second)
	marc.Get("/account/keys").Want(http.StatusOK, "Un second facteur est nécessaire",
		"continuent de fonctionner", "Google, GitHub")
	if p := marc.Get("/account/keys"); p.Path != view.FactorNeededPath || strings.Contains(p.Body, "production") {
		t.Errorf("%s shows %s", p.Path, p.Text("main"))
	}
	lea.Get("/account/keys").Want(http.StatusOK, "production")
	testkit.Want(t, s.notifyMembers("marc@exemple.fr"), 2, "mails after the date")

	// No program stops.
	if k, err := s.keys.Get(t.Context(), c.id, key.ID); err != nil || !k.Live(s.clock.Now()) {
		t.Errorf("the key: %+v, %v", k, err)
	}
	if g, err := s.tokens.Authenticate(t.Context(), token); err != nil || g.Account != c.id {
		t.Errorf("the management token: %+v, %v", g, err)
	}

	// The person's own account stays open.
	own := marc.Submit(marc.Get(view.FactorNeededPath), "/account/switch", "organisation",
		strconv.FormatInt(int64(marc.account.ID), 10))
	own.Want(http.StatusOK, "Votre compte", "marc@exemple.fr")
	marc.Get("/account/keys").Want(http.StatusOK)
	marc.Get(view.FactorNeededPath).Want(http.StatusNotFound)
	s.exec(`UPDATE account.session SET organisation_id = $1`, c.id)
	marc.addTOTP()
	marc.Get("/account/keys").Want(http.StatusOK, "production")

	s.exec(`UPDATE account.account SET totp_sealed = NULL, totp_enabled_at = NULL WHERE id = $1`,
		marc.account.ID)
	s.exec(`UPDATE account.session SET authenticated_at = $1`, s.clock.Now())
	c.owner.Submit(c.owner.Get(factorPath).Want(http.StatusOK, "Obligatoire depuis le 5\u00a0décembre\u00a02026"),
		factorPath+"/off").Want(http.StatusOK, "de nouveau facultatif")
	marc.Get("/account/keys").Want(http.StatusOK, "production")
	c.owner.Get(settings.OrganisationPath+"/activity").Want(http.StatusOK,
		"Second facteur des membres rendu facultatif")
}

// A member who is kept out gets nothing of the organisation on any route and changes nothing there; a form
// that was open before is refused as well.
func TestNoRouteIsOpenWithoutTheSecondFactor(t *testing.T) {
	t.Parallel()
	s := matrixSite(t)
	c := s.company("jeanne@exemple.fr", "Cadastre secret")
	c.key(c.owner, "production secrète")
	second := c.join("marc@exemple.fr", member.Owner)
	open := second.Get("/account/keys/new").Want(http.StatusOK)
	s.exec(`UPDATE account.account SET member_factor_from = $2 WHERE id = $1`, c.id, noon)
	if p := second.Submit(open, "/account/keys/new", "name", "ouverte avant"); p.Path != view.FactorNeededPath {
		t.Errorf("a form that was open before: %d %s", p.Status, p.Path)
	}
	second.stay()
	count := func() int {
		return s.count(`SELECT (SELECT count(*) FROM account.audit WHERE account_id = $1) + (SELECT count(*) FROM account.api_key WHERE account_id = $1)
			+ (SELECT count(*) FROM account.member WHERE account_id = $1) + (SELECT count(*) FROM account.invitation WHERE account_id = $1)
			+ (SELECT count(*) FROM account.management_token WHERE account_id = $1) + (SELECT count(*) FROM account.notice_address WHERE account_id = $1)`, c.id)
	}
	tested := 0
	for i, route := range s.portal.Routes() {
		r := routeTest{c, second, member.Owner, fmt.Sprintf("kept-%d", i)}
		if route.Action == member.ManageSelf && !strings.HasPrefix(route.Path, "/account/organisation") || strings.Contains(route.Path, ":token") ||
			strings.HasPrefix(route.Path, reference.Path) { // TestConsoleAsksTheRole has the console
			continue
		}
		path := r.target(route.Path)
		var form url.Values
		if route.Method == fiber.MethodPost {
			form = r.form(route.Path)
		}
		before := count()
		p := second.Send(route.Method, path, form, "Sec-Fetch-Site", "same-origin")
		tested++
		isClosed := p.Status == http.StatusSeeOther && p.Header.Get("Location") == view.FactorNeededPath ||
			route.Path == "/account/usage/now" && p.Status == http.StatusForbidden || // a part of a page
			route.Path == assistant.AuthorizePath && p.Status == http.StatusConflict ||
			route.Action == member.ManageSelf && (p.Status == http.StatusSeeOther || route.Path == view.FactorNeededPath || strings.HasPrefix(route.Path, "/account/organisations/"))
		if !isClosed || strings.Contains(p.Body, "production secrète") {
			t.Errorf("%s %s: %d to %q", route.Method, path, p.Status, p.Header.Get("Location"))
		}
		if after := count(); after != before && !strings.HasPrefix(route.Path, "/account/organisations/") {
			t.Errorf("%s %s changed the organisation", route.Method, path)
		}
		s.exec(`UPDATE account.session SET organisation_id = $1 WHERE account_id = $2`, c.id, second.account.ID)
	}
	if tested < 60 {
		t.Errorf("only %d requests", tested)
	}
	if err := s.auth.RenameOrganisation(t.Context(), second.session(), "Renommée", auth.Origin{}); err == nil {
		t.Error("the service acts for a session that is kept out")
	}
}

// A passkey counts in the sessions in which it was added or used, as a stolen password opens others: there it
// has to be used first. It counts for the rule, the list and the mails as an authenticator application does.
func TestPasskeyIsASecondFactor(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.company("jeanne@exemple.fr", "Alpha")
	marc := c.join("marc@exemple.fr", member.Reader)
	k := testkit.NewPasskey(t, "http://localhost", "localhost")
	r := testkit.Must(s.auth.BeginPasskey(t.Context(), c.owner.session()))(t)
	if _, err := s.auth.AddPasskey(t.Context(), c.owner.session(), r.Sealed, k.Create(r.Options), auth.Origin{}); err != nil {
		t.Fatal(err)
	}
	page := c.requireFactor("2026-11-21").Want(http.StatusOK, "Obligatoire depuis le 21\u00a0novembre\u00a02026",
		"marc@exemple.fr") // today: at once
	if page.Find("li.address").Length() != 1 {
		t.Error("a person with a passkey is listed as without a second factor")
	}
	testkit.Want(t, s.notifyMembers("jeanne@exemple.fr")+10*s.notifyMembers("marc@exemple.fr"), 10, "mails")
	marc.Get("/account").Want(http.StatusOK, "Un second facteur est nécessaire",
		"Votre compte n’en a pas encore")
	c.owner.Get("/account/keys").Want(http.StatusOK, "Alpha")

	byPassword := s.signIn("jeanne@exemple.fr")
	page = byPassword.Get("/account").Want(http.StatusOK, "Un second facteur est nécessaire",
		"servez-vous-en dans cette session")
	page.Link("/account/verify?next=/account")
	byPassword.Get("/account/security").Want(http.StatusOK, "vous ne pouvez pas ouvrir les pages").Link("/account/verify?next=/account")
	sess := byPassword.session()
	proof := testkit.Must(s.auth.BeginPasskeyProof(t.Context(), sess))(t)
	testkit.NoError(t, s.auth.ReauthenticateWithPasskey(t.Context(), sess, proof.Sealed, k.Sign(proof.Options), auth.Origin{}))
	byPassword.Get("/account/keys").Want(http.StatusOK, "Alpha")

	// A proof by password makes no second factor of one.
	third := s.signIn("jeanne@exemple.fr")
	testkit.NoError(t, s.auth.Reauthenticate(t.Context(), third.session(), testPassword, "", auth.Origin{}))
	third.Get("/account/keys").Want(http.StatusOK, "Un second facteur est nécessaire")
}
