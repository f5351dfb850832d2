package portal_test

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/tidwall/gjson"

	"arpent/api"
	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/auth/assistant"
	"arpent/auth/management"
	"arpent/auth/member"
	"arpent/auth/social"
	"arpent/internal/audit"
	"arpent/internal/event"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/portal"
	"arpent/portal/organisation"
	"arpent/web/reference"
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
	c := &company{s: s, owner: b}
	if err := s.pool.QueryRow(s.t.Context(), `SELECT account_id FROM account.member WHERE person_id = $1 ORDER BY account_id DESC`, b.account.ID).Scan(&c.id); err != nil {
		s.t.Fatal(err)
	}
	return c
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
	if err != nil {
		c.s.t.Fatal(err)
	}
	return k
}

// invitation makes one that waits, and returns its id.
func (c *company) invitation(email string) (id int64) {
	c.s.t.Helper()
	err := c.s.pool.QueryRow(c.s.t.Context(), `INSERT INTO account.invitation (account_id, email, role, bound, invited_by, created_at, expires_at)
		VALUES ($1, $2, 'reader', true, $3, $4, $5) RETURNING id`, c.id, email, c.owner.account.ID, noon, noon.Add(time.Hour)).Scan(&id)
	if err != nil {
		c.s.t.Fatal(err)
	}
	return id
}

// domain adds a domain of the organisation, and returns its id.
func (c *company) domain(name string, proven bool) (id int64) {
	c.s.t.Helper()
	err := c.s.pool.QueryRow(c.s.t.Context(), `INSERT INTO account.domain (account_id, name, token, created_at, proven_at, seen_at, checked_at)
		SELECT $1, $2, 'token-' || $2::text, $3, at, at, at FROM (SELECT CASE WHEN $4 THEN $3::timestamptz END AS at) x RETURNING id`, c.id, name, noon, proven).Scan(&id)
	if err != nil {
		c.s.t.Fatal(err)
	}
	return id
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

// matrixSite is a site with every route: that of an authorization and that of the console, which is not
// called.
func matrixSite(t *testing.T) *site {
	t.Helper()
	s, _ := newAssistantSite(t, withAssistants, func(o *portal.Options, _ *social.Options) {
		o.API, o.Reference = new(api.Server), new(reference.Pages)
	})
	return s
}

// routeTest makes what the routes of a company act on, for one person.
type routeTest struct {
	*company
	b    *browser
	role member.Role
	mark string // a text that no other test of the company has
}

// target fills the path of a route with the id of a row of its own, or with the token of an invitation.
func (r routeTest) target(path string) string {
	s := r.s
	id := func(sql string, args ...any) int64 {
		s.t.Helper()
		var n int64
		if err := s.pool.QueryRow(s.t.Context(), sql, args...).Scan(&n); err != nil {
			s.t.Fatal(err)
		}
		return n
	}
	address := r.mark + "@exemple.fr"
	switch {
	case strings.HasPrefix(path, "/account/keys/:id"):
		r.appoint(r.b, member.Admin)
		defer r.appoint(r.b, r.role)
		return fill(path, int64(r.key(r.b, r.mark).ID))
	case strings.Contains(path, "/invitations/:id"):
		return fill(path, r.invitation(address))
	case strings.Contains(path, "/domains/:id"):
		return fill(path, r.domain(r.mark+".fr", false))
	case strings.Contains(path, "/requests/:id"):
		a := s.account("m" + r.mark + "@" + r.mark + ".fr")
		s.exec(`UPDATE account.domain SET join_role = 'reader' WHERE id = $1`, r.domain(r.mark+".fr", true))
		s.exec(`INSERT INTO account.join_request (account_id, person_id, created_at) VALUES ($1, $2, $3)`, r.id, a.ID, noon)
		return fill(path, int64(a.ID))
	case strings.Contains(path, "/members/:id"):
		a := s.account("m" + address)
		s.exec(`INSERT INTO account.member (account_id, person_id, role, created_at) VALUES ($1, $2, 'reader', $3)`, r.id, a.ID, noon)
		return fill(path, int64(a.ID))
	case strings.HasPrefix(path, "/account/tokens/:id"):
		return fill(path, id(`INSERT INTO account.management_token (account_id, created_by, name, scopes, token_hash, last4, created_at, expires_at)
			VALUES ($1, $2, $3, '{usage:read}', sha256($3::text::bytea), 'last', $4::timestamptz, $4::timestamptz + interval '7 days') RETURNING id`, r.id, r.owner.account.ID, r.mark, noon))
	case strings.HasPrefix(path, "/account/webhooks/deliveries/:id"):
		return fill(path, id(insertDelivery, r.id, r.mark, noon))
	case strings.HasPrefix(path, "/account/webhooks/:id"):
		return fill(path, id(insertWebhook, r.id, r.mark, noon))
	case strings.Contains(path, "/plan/recipients/:id"):
		return fill(path, id(`INSERT INTO account.billing_recipient (account_id, email, asked_at) VALUES ($1, $2, $3) RETURNING id`, r.id, address, noon))
	case strings.Contains(path, "/recipients/:id"):
		return fill(path, id(`INSERT INTO account.notice_address (account_id, email, asked_at) VALUES ($1, $2, $3) RETURNING id`, r.id, address, noon))
	case strings.Contains(path, "/identities/:id"):
		return fill(path, id(`INSERT INTO account.identity (account_id, provider, subject, created_at) VALUES ($1, 'github', $2, $3) RETURNING id`, r.b.account.ID, r.mark, noon))
	case strings.Contains(path, "/passkeys/:id"):
		return fill(path, id(`INSERT INTO account.passkey (account_id, credential_id, user_handle, public_key, sign_count, transports, backup_eligible, backed_up, name, created_at)
			VALUES ($1, sha256($2), sha256('handle'), 'x', 0, '{}', false, false, 'Bureau', $3) RETURNING id`, r.b.account.ID, []byte(r.mark), noon))
	case strings.Contains(path, organisation.InvitationPath):
		token, err := s.auth.LinkToken(s.t.Context(), mail.PurposeInvitation, r.invitation(address))
		if err != nil {
			s.t.Fatal(err)
		}
		return strings.Replace(path, ":token", token, 1)
	case path == assistant.AuthorizePath:
		return plain
	}
	return path
}

const (
	insertWebhook = `INSERT INTO account.webhook (account_id, url, events, secret_sealed, created_at, secret_at)
		VALUES ($1, 'https://exemple.fr/' || $2::text, '{key.created}', 'x', $3, $3) RETURNING id`
	insertDelivery = `WITH w AS (` + insertWebhook + `)
		INSERT INTO account.webhook_delivery (webhook_id, account_id, event_id, type, body, created_at)
		SELECT id, $1, 'evt_' || $2::text, 'key.created', '{}', $3 FROM w RETURNING id`
)

// form is one that every route accepts, or rejects by a rule of its own.
func (r routeTest) form(path string) url.Values {
	form := url.Values{"token": {r.b.orgToken()}, "role": {"reader"}, "name": {r.mark}, "email": {"n" + r.mark + "@exemple.fr"}, "recipient": {"n" + r.mark + "@exemple.fr"},
		"overlap": {"0"}, "expires": {"never"}, "plan": {"standard"}, "person": {strconv.FormatInt(int64(r.b.account.ID), 10)},
		"organisation": {strconv.FormatInt(int64(r.id), 10)}, "account": {strconv.FormatInt(int64(r.id), 10)}, "decision": {"allow"}}
	if path == assistant.AuthorizePath {
		form.Set("request", strings.TrimPrefix(plain, path+"?"))
	}
	return form
}

// A member with a role may do what the table of roles says on every page of an account, and nothing else:
// each route is requested as each role, and the answer compared with the table that the code uses. Allowed
// means that the request was served, or that a rule of its own rejected the form.
func TestRolesAreEnforcedOnEveryRoute(t *testing.T) {
	t.Parallel()
	s := matrixSite(t)
	c := s.company("proprietaire@exemple.fr", "Cadastre & Fils")
	executed, refused := 0, 0
	for _, role := range member.Roles {
		b := c.owner
		if role != member.Owner {
			b = c.join(string(role)+"@exemple.fr", role)
		}
		b.stay()
		for i, route := range s.portal.Routes() {
			if strings.Contains(route.Path, ":token") && !strings.HasPrefix(route.Path, organisation.InvitationPath) ||
				strings.HasPrefix(route.Path, "/account/security/sessions") || strings.HasPrefix(route.Path, reference.Path) {
				continue // links and sessions are of the person, whatever the role; TestConsoleAsksTheRole has the console
			}
			c.appoint(b, role)
			r := routeTest{c, b, role, fmt.Sprintf("%s-%d", role, i)}
			path := r.target(route.Path)
			var form url.Values
			if route.Method == fiber.MethodPost {
				form = r.form(route.Path)
			}
			p := b.Send(route.Method, path, form, "Sec-Fetch-Site", "same-origin")
			executed++
			want, why := []int{http.StatusOK, http.StatusCreated, http.StatusSeeOther, http.StatusUnprocessableEntity}, ""
			switch {
			case role.May(route.Action) && route.Action == member.RunKey:
				want = append(want, http.StatusNotFound) // this site has no API to call
			case route.Path == organisation.JoinPath && route.Method == fiber.MethodPost:
				want = []int{http.StatusNotFound} // a member is offered nothing
			case route.Path == organisation.ConvertPath && route.Method == fiber.MethodPost:
				want = []int{http.StatusNotFound} // it is an organisation, and was never the account of a person
			case role.May(route.Action):
			case route.Path == assistant.AuthorizePath: // of the organisation that the form names
				want, why = []int{http.StatusConflict}, "connecter d’assistant à l’organisation choisie"
			default:
				want, why = []int{http.StatusForbidden}, "Votre rôle ne le permet pas"
			}
			if why != "" {
				refused++
			}
			if !slices.Contains(want, p.Status) || !strings.Contains(p.Body, why) {
				t.Errorf("%s %s as %s (%s): %d, not one of %v", route.Method, path, role, route.Action, p.Status, want)
			}
			s.exec(`UPDATE account.api_key SET revoked_at = $2 WHERE account_id = $1 AND revoked_at IS NULL`, c.id, noon)
			s.exec(`DELETE FROM account.invitation WHERE account_id = $1`, c.id)
			s.exec(`DELETE FROM account.member WHERE account_id = $1 AND person_id IN (SELECT id FROM account.account WHERE email LIKE 'm%-%')`, c.id)
			s.exec(`DELETE FROM account.notice_address`)
			s.exec(`DELETE FROM account.domain`)
			s.exec(`UPDATE account.account SET member_factor_from = NULL`)
			s.exec(`DELETE FROM account.billing_recipient`)
			s.exec(`DELETE FROM account.management_token`)
			s.exec(`DELETE FROM account.webhook`)
			s.exec(`DELETE FROM account.identity`)
			s.exec(`DELETE FROM account.throttle`)
		}
	}
	t.Logf("%d requests, %d refused", executed, refused)
	if executed < 5*60 || refused < 100 {
		t.Errorf("the test shows little: %d requests, %d refused", executed, refused)
	}
}

// The routes with their actions and the roles that may do them are one file, in which a change of rights is
// reviewed.
func TestRoutesAndRoles(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, r := range matrixSite(t).portal.Routes() {
		fmt.Fprintf(&text, "%-4s %s → %s →", r.Method, r.Path, r.Action)
		for _, role := range member.Roles {
			if role.May(r.Action) {
				text.WriteString(" " + string(role))
			}
		}
		text.WriteByte('\n')
	}
	testkit.Golden(t, "roles.txt", []byte(text.String()))
}

// No page of an account is served without an action: a route that is registered past the table is found here.
func TestEveryRouteHasAnAction(t *testing.T) {
	t.Parallel()
	s := matrixSite(t)
	known := map[string]bool{}
	for _, r := range s.portal.Routes() {
		known[r.Method+" "+r.Path] = true
		if !member.Owner.May(r.Action) {
			t.Errorf("%s %s has the action %q, which is not in the table", r.Method, r.Path, r.Action)
		}
	}
	for _, r := range s.app.GetRoutes(true) {
		ofAccount := func(prefix string) bool { return strings.HasPrefix(r.Path, prefix) }
		if r.Method == fiber.MethodHead || !slices.ContainsFunc([]string{"/account", organisation.InvitationPath,
			assistant.AuthorizePath, reference.Path + "/:operation"}, ofAccount) || r.Method == fiber.MethodGet && ofAccount(reference.Path) {
			continue
		}
		if !known[r.Method+" "+r.Path] {
			t.Errorf("%s %s has no action", r.Method, r.Path)
		}
	}
	if len(known) < 60 {
		t.Errorf("only %d routes have an action", len(known))
	}
}

// What belongs to another organisation does not exist, for its own members' ids and for every role that may
// act; nor does a colleague's key for a developer.
func TestOtherOrganisationsDoNotExist(t *testing.T) {
	t.Parallel()
	s := newSite(t, withAssistants)
	a, other := s.company("a@exemple.fr", "Alpha"), s.company("b@exemple.fr", "Beta")
	theirKey, theirInvitation := other.key(other.owner, "beta"), other.invitation("x@exemple.fr")
	theirToken, _, err := s.tokens.Create(audit.With(t.Context(), audit.Actor{Kind: audit.ActorAccount, Person: other.owner.account.ID}), other.id,
		management.NewToken{Name: "beta", Scopes: management.Scopes, Days: 7})
	if err != nil {
		t.Fatal(err)
	}
	theirWebhook, _, err := s.webhooks.Add(audit.With(t.Context(), audit.Actor{Kind: audit.ActorAccount, Person: other.owner.account.ID}), other.id,
		"https://exemple.fr/", event.Types)
	if err != nil {
		t.Fatal(err)
	}
	var theirDelivery int64
	if err := s.pool.QueryRow(t.Context(), insertDelivery, other.id, "beta", noon).Scan(&theirDelivery); err != nil {
		t.Fatal(err)
	}
	theirDomain, asks := other.domain("beta.fr", true), s.account("marc@beta.fr")
	s.exec(`UPDATE account.domain SET join_role = 'reader' WHERE id = $1`, theirDomain)
	s.exec(`INSERT INTO account.join_request (account_id, person_id, created_at) VALUES ($1, $2, $3)`, other.id, asks.ID, noon)
	dev := a.join("dev@exemple.fr", member.Developer)
	colleague := a.key(a.owner, "de la propriétaire")
	count := func() (n int) {
		err := s.pool.QueryRow(t.Context(), `SELECT count(*) FROM account.audit WHERE account_id = $1`, other.id).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before, tested := count(), 0
	for _, r := range s.portal.Routes() {
		id := int64(0)
		switch {
		case r.Action == member.ManageSelf: // a redirect from the address of a form, the same for every id
			continue
		case strings.HasPrefix(r.Path, "/account/keys/:id"):
			id = int64(theirKey.ID)
		case strings.Contains(r.Path, "/invitations/:id"):
			id = theirInvitation
		case strings.HasPrefix(r.Path, "/account/tokens/:id"):
			id = int64(theirToken.ID)
		case strings.HasPrefix(r.Path, "/account/webhooks/deliveries/:id"):
			id = theirDelivery
		case strings.HasPrefix(r.Path, "/account/webhooks/:id"):
			id = int64(theirWebhook.ID)
		case strings.Contains(r.Path, "/domains/:id"):
			id = theirDomain
		case strings.Contains(r.Path, "/requests/:id"):
			id = int64(asks.ID)
		case strings.Contains(r.Path, "/members/:id"):
			id = int64(other.owner.account.ID)
		default:
			continue
		}
		ask := func(b *browser, id int64) {
			t.Helper()
			var form url.Values
			if r.Method == fiber.MethodPost {
				form = url.Values{"token": {b.orgToken()}, "role": {"reader"}, "name": {"volée"}, "overlap": {"0"}, "expires": {"never"}, "joining": {"off"}}
			}
			if p := b.Send(r.Method, fill(r.Path, id), form, "Sec-Fetch-Site", "same-origin"); p.Status != http.StatusNotFound {
				t.Errorf("%s %s: %d", r.Method, fill(r.Path, id), p.Status)
			}
			tested++
		}
		ask(a.owner, id)
		if strings.HasPrefix(r.Path, "/account/keys/:id") {
			ask(dev, int64(colleague.ID))
		}
	}
	if tested < 30 || count() != before {
		t.Errorf("%d requests, %d events of the other organisation", tested, count()-before)
	}
	a.owner.Post("/account/switch", url.Values{"organisation": {strconv.FormatInt(int64(other.id), 10)}}).Want(http.StatusNotFound)
	a.owner.Get("/account").Want(http.StatusOK, "Alpha")
}

// A developer sees the keys that they made and the requests of these: on no page does anything of another
// key appear.
func TestDeveloperSeesOwnKeysOnly(t *testing.T) {
	t.Parallel()
	s := newSite(t, withAssistants)
	c := s.company("a@exemple.fr", "Alpha")
	dev := c.join("dev@exemple.fr", member.Developer)
	dev.Submit(dev.Get("/account/keys/new"), "/account/keys/new", "name", "essais du développeur").Want(http.StatusCreated)
	theirs := c.key(c.owner, "production secrète")
	own := ident.KeyID(0)
	if err := s.pool.QueryRow(t.Context(), `SELECT id FROM account.api_key WHERE account_id = $1 AND created_by = $2 AND personal`, c.id, dev.account.ID).Scan(&own); err != nil {
		t.Fatal(err)
	}
	for i, k := range []ident.KeyID{own, theirs.ID} {
		operation := []string{"get_region", "get_commune"}[i]
		s.exec(`INSERT INTO account.usage (account_id, key_id, operation, status_class, day, requests, counted) VALUES ($1, $2, $3, 2, $4, 5, 5)`, c.id, k, operation, noon)
		s.exec(`INSERT INTO account.usage_hour (account_id, key_id, operation, status_class, hour, requests) VALUES ($1, $2, $3, 2, $4, 5)`, c.id, k, operation, noon.Truncate(time.Hour))
		s.exec(`INSERT INTO account.recent_request (account_id, key_id, at, operation, status, micros, request_id, requests) VALUES ($1, $2, $3, $4, 200, 900, $4, 1)`, c.id, k, noon.Add(-time.Minute), operation)
		s.exec(`INSERT INTO account.refusal (account_id, key_id, met, "limit", minute, first_at, last_at, requests) VALUES ($1, $2, 'minute', 10, $3, $3, $3, 2)`, c.id, k, noon.Add(-2*time.Minute).Truncate(time.Minute))
	}
	for _, path := range []string{"/account", "/account/keys", "/account/usage", "/account/usage?period=24h&by=key", "/account/usage?period=30d&by=operation",
		"/account/usage.csv?period=30d", "/account/assistants", fill("/account/keys/:id", int64(own))} {
		p := dev.Get(path).Want(http.StatusOK)
		for _, foreign := range []string{"production secrète", "get_commune"} {
			if strings.Contains(p.Body, foreign) {
				t.Errorf("%s shows %q to a developer", path, foreign)
			}
		}
		if own := strings.Contains(p.Body, "essais du développeur") || path == "/account" || path == "/account/assistants"; !own {
			t.Errorf("%s does not show the developer's own key", path)
		}
		if all := c.owner.Get(path); path != "/account" && path != "/account/assistants" && !strings.HasPrefix(path, "/account/keys/") && !strings.Contains(all.Body, "production secrète") {
			t.Errorf("%s does not show the key to its owner: the test shows nothing", path)
		}
	}
	dev.Get("/account/usage?key=" + strconv.FormatInt(int64(theirs.ID), 10)).Want(http.StatusNotFound)
}

// A form acts for the organisation whose page it is on, or for none: after another one was chosen, in
// another tab, it is refused, and nothing changes.
func TestFormOfAnotherOrganisationIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.company("jeanne@exemple.fr", "Alpha")
	b := c.owner
	page := b.Get("/account/keys/new").Want(http.StatusOK)
	b.Submit(b.Get("/account"), "/account/switch", "organisation", strconv.FormatInt(int64(b.account.ID), 10)).Want(http.StatusOK, "Votre compte")
	b.Submit(page, "/account/keys/new", "name", "pour Alpha").Want(http.StatusConflict, "Cette page concernait une autre organisation", "Rien n’a été fait")
	own := b.Get("/account/keys/new").Want(http.StatusOK)
	b.Submit(b.Get("/account"), "/account/switch", "organisation", strconv.FormatInt(int64(c.id), 10)).Want(http.StatusOK, "Alpha")
	b.Submit(own, "/account/keys/new", "name", "pour moi").Want(http.StatusConflict)
	b.Post("/account/keys/new", url.Values{"name": {"public"}}).Want(http.StatusConflict) // the token of a public page
	var keys int
	if err := s.pool.QueryRow(t.Context(), `SELECT count(*) FROM account.api_key`).Scan(&keys); err != nil || keys != 0 {
		t.Errorf("%d keys, %v", keys, err)
	}
	forged := own.Value("token")
	b.Send(http.MethodPost, "/account/keys/new", url.Values{"token": {forged[:len(forged)-2] + "AA"}, "name": {"x"}}).Want(http.StatusForbidden)
}

// One person in two organisations, with two browsers whose tabs stay open while others are chosen, and
// assistants in all: each key that is made is in the organisation whose page it was asked on, each assistant
// in the one that was chosen on the page of its consent.
func TestOrganisationsAreNeverMixed(t *testing.T) {
	t.Parallel()
	s, oauth := newAssistantSite(t)
	a := s.company("jeanne@exemple.fr", "Alpha")
	other := s.company("paul@exemple.fr", "Beta")
	other.appoint(a.owner, member.Admin)
	second := s.signIn("jeanne@exemple.fr")
	accounts := []ident.AccountID{a.owner.account.ID, a.id, other.id}
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 1))
	type tab struct {
		page *testkit.Page
		of   ident.AccountID
	}
	browsers := []*browser{a.owner, second}
	chosen, tabs := []ident.AccountID{a.id, a.owner.account.ID}, make([][]tab, 2)
	s.exec(`UPDATE account.session SET organisation_id = NULL WHERE account_id = $1`, a.owner.account.ID)
	chosen[0] = a.owner.account.ID
	expected, refused := map[string]ident.AccountID{}, 0
	asks, connected := s.signIn("jeanne@exemple.fr").stay(), []ident.AccountID{}
	request := asks.Get(plain).Want(http.StatusOK).Value("request")
	for step := range testkit.Rounds(400, 10_000) {
		i := r.IntN(2)
		b := browsers[i]
		switch r.IntN(4) {
		case 3: // an assistant, for what the form names and whatever is chosen
			account, want := append(accounts, other.owner.account.ID)[r.IntN(4)], http.StatusSeeOther
			if account == other.owner.account.ID {
				want = http.StatusConflict
			} else {
				connected = append(connected, account)
			}
			asks.Post("/oauth/authorize", url.Values{"request": {request}, "decision": {"allow"}, "organisation": {strconv.FormatInt(int64(account), 10)}}).Want(want)
		case 0:
			chosen[i] = accounts[r.IntN(3)]
			b.Submit(b.Get("/account/settings"), "/account/switch", "organisation", strconv.FormatInt(int64(chosen[i]), 10)).Want(http.StatusOK)
		case 1:
			tabs[i] = append(tabs[i], tab{b.Get("/account/keys/new").Want(http.StatusOK), chosen[i]})
		case 2:
			if len(tabs[i]) == 0 {
				continue
			}
			from, name := tabs[i][r.IntN(len(tabs[i]))], fmt.Sprintf("clé %d", step)
			p := b.Submit(from.page, "/account/keys/new", "name", name)
			switch {
			case from.of == chosen[i] && p.Status == http.StatusCreated:
				expected[name] = from.of
			case from.of != chosen[i] && p.Status == http.StatusConflict:
				refused++
			default:
				t.Fatalf("seed %d, step %d: of %d while %d is chosen: %d", seed, step, from.of, chosen[i], p.Status)
			}
			s.exec(`UPDATE account.api_key SET revoked_at = $1 WHERE revoked_at IS NULL`, noon)
		}
	}
	if !slices.Equal(oauth.grants(), connected) {
		t.Errorf("seed %d: the assistants are connected to %v, not to %v", seed, oauth.grants(), connected)
	}
	rows, err := s.pool.Query(t.Context(), `SELECT name, account_id FROM account.api_key`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	found := 0
	for rows.Next() {
		var name string
		var account ident.AccountID
		if err := rows.Scan(&name, &account); err != nil {
			t.Fatal(err)
		}
		if found++; expected[name] != account {
			t.Errorf("seed %d: %q is of %d, not %d", seed, name, account, expected[name])
		}
	}
	if found != len(expected) || found < 10 || refused < 10 {
		t.Errorf("seed %d: %d keys of %d, %d refused", seed, found, len(expected), refused)
	}
}

// A person alone reads no word about organisations, but for the one link that makes one.
func TestAloneThereAreNoOrganisations(t *testing.T) {
	t.Parallel()
	s := newSite(t, withAssistants)
	for _, lang := range []string{"fr", "en"} {
		b := s.member("jeanne-" + lang + "@exemple.fr")
		b.Submit(b.Get("/account/keys/new"), "/account/keys/new", "name", "première")
		for _, r := range s.portal.Routes() {
			if r.Method != fiber.MethodGet || strings.Contains(r.Path, ":") || strings.HasPrefix(r.Path, "/account/organisation") {
				continue
			}
			p := b.Get(r.Path + "?lang=" + lang)
			text := p.Text("main")
			if path, _, _ := strings.Cut(p.Path, "?"); path == "/account/settings" {
				text = strings.NewReplacer("Créer une organisation", "", "Create an organisation", "").Replace(text)
				p.Link("/account/organisations/new")
			}
			if strings.Contains(strings.ToLower(text), "organisation") {
				t.Errorf("%s (%s) speaks of organisations: %s", r.Path, lang, text)
			}
		}
		b.Get("/account/organisation").Want(http.StatusNotFound)
	}
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
	if page.Form(link) != nil {
		t.Error("a visitor who is not signed in can accept")
	}
	marc.Send(http.MethodPost, link, url.Values{"token": {marc.Token()}}).Want(http.StatusOK, "Se connecter")
	signUp := marc.Get(page.Link("/signup?next="))
	marc.Submit(signUp, "/signup", "email", "marc@exemple.fr", "password", testPassword)
	confirm := marc.Get(s.link(s.last("marc@exemple.fr", mail.Confirm)))
	back := marc.Submit(confirm, confirm.Find("form[action^='/confirm/']").AttrOr("action", "")).Want(http.StatusOK, "Rejoindre l’organisation", "marc@exemple.fr")
	if !strings.HasPrefix(back.Path, "/invitation/") {
		t.Fatalf("the sign-up leads to %s", back.Path)
	}
	if n := s.count(`SELECT count(*) FROM account.member WHERE account_id = $1`, c.id); n != 1 {
		t.Fatalf("%d members before it was accepted", n)
	}
	marc.Submit(back, link).Want(http.StatusOK, "Alpha", "Vous faites maintenant partie")
	marc.Get("/account/organisation").Want(http.StatusOK, "jeanne@exemple.fr", "marc@exemple.fr")
	marc.Get(link).Want(http.StatusGone, "a déjà servi")
	s.browser().Get("/invitation/AAAA").Want(http.StatusGone)

	// Another person cannot take an invitation that is bound to an address.
	c.owner.Submit(c.owner.Get("/account/organisation"), "/account/organisation/invite", "email", "lea@exemple.fr", "role", "reader")
	bound := s.link(s.last("lea@exemple.fr", mail.Invitation))
	paul := s.member("paul@exemple.fr")
	if p := paul.Get(bound).Want(http.StatusOK, "à une autre adresse"); p.Form(bound) != nil {
		t.Error("another person has the form")
	}
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
	if leave.Form("/account/organisation/leave") != nil {
		t.Error("the only owner is offered to leave")
	}
	leave.Link("/account/organisation/delete")
	c.owner.Post("/account/organisation/leave", url.Values{"token": {c.owner.orgToken()}}).Want(http.StatusUnprocessableEntity, "toujours un propriétaire")

	admin.Submit(admin.Get("/account/organisation/leave").Want(http.StatusOK, "production"), "/account/organisation/leave").Want(http.StatusOK, "Vous avez quitté")
	p := c.owner.Get("/account/keys").Want(http.StatusOK, "Des clés sont à remplacer", "créateur inconnu")
	p.Link(fill("/account/keys/:id/rotate", int64(company.ID)))
	c.owner.Submit(c.owner.Get(fill("/account/keys/:id/rotate", int64(company.ID))), fill("/account/keys/:id/rotate", int64(company.ID)), "overlap", "0")
	if p := c.owner.Get("/account/keys"); strings.Contains(p.Body, "Des clés sont à remplacer") {
		t.Error("the notice stays after the replacement")
	}

	gone := c.owner.Submit(c.owner.Get("/account/organisation/delete").Want(http.StatusOK, "1\u00a0clé et 1\u00a0webhook cessent de fonctionner dans la seconde", "1\u00a0membre, dont le compte"), "/account/organisation/delete", "name", "Alpha")
	gone.Want(http.StatusUnprocessableEntity, "Ce n’est pas le nom")
	c.owner.Submit(gone, "/account/organisation/delete", "name", "Alpha et Cie").Want(http.StatusOK, "L’organisation est supprimée", "Votre compte")
}

// The notices of an organisation are its own: what its administrator chooses changes nothing of the person's
// account.
func TestNoticesOfOrganisation(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.company("jeanne@exemple.fr", "Alpha")
	page := c.owner.Get("/account/organisation/notices").Want(http.StatusOK, "Avis de quota", "Autres destinataires")
	c.owner.Submit(page, "/account/settings/recipients", "email", "compta@exemple.fr").Want(http.StatusOK, "Un lien est parti vers compta@exemple.fr")
	token := c.owner.orgToken()
	c.owner.Send(http.MethodPost, "/account/settings/notifications", url.Values{"token": {token}, "percent": {"33"}}).Want(http.StatusOK, "Nous vous écrirons")
	c.owner.Send(http.MethodPost, "/account/settings/notifications", url.Values{"token": {token}, "percent": {"333"}}).Want(http.StatusUnprocessableEntity, "nombre entier de 1 à 100")
	var org, own []int
	if err := s.pool.QueryRow(t.Context(), `SELECT (SELECT quota_percents::int[] FROM account.account WHERE id = $1), (SELECT quota_percents::int[] FROM account.account WHERE id = $2)`,
		c.id, c.owner.account.ID).Scan(&org, &own); err != nil || !slices.Equal(org, []int{33}) || !slices.Equal(own, []int{80, 100}) {
		t.Errorf("organisation %v, person %v: %v", org, own, err)
	}
	if p := c.owner.Get("/account/settings"); p.Form("/account/settings/notifications") != nil || strings.Contains(p.Text("main"), "Comparer les offres") {
		t.Error("the settings of the person show those of the organisation")
	}
}

// An assistant is connected to the organisation that the person chooses on the page of the consent, not to
// the one that the session shows, and to none of which they may not connect one.
func TestAssistantOfOrganisation(t *testing.T) {
	t.Parallel()
	s, a := newAssistantSite(t)
	c := s.company("jeanne@exemple.fr", "Alpha")
	reading := s.company("paul@exemple.fr", "Beta")
	reading.appoint(c.owner, member.Reader)
	c.appoint(c.owner, member.Owner)
	b := c.owner.stay()
	page := b.Get(plain).Want(http.StatusOK, "Le relier à", "Alpha", "Mon compte personnel")
	if strings.Contains(page.Text("main"), "Beta") || page.Find(`input[name="organisation"][checked]`).AttrOr("value", "") != strconv.FormatInt(int64(c.id), 10) {
		t.Errorf("the choice is %s", page.Text("fieldset"))
	}
	answer := func(organisation ident.AccountID) *testkit.Page {
		t.Helper()
		return b.Post("/oauth/authorize", url.Values{"request": {page.Value("request")}, "decision": {"allow"}, "organisation": {strconv.FormatInt(int64(organisation), 10)}})
	}
	answer(c.id).Want(http.StatusSeeOther)
	answer(b.account.ID).Want(http.StatusSeeOther)
	answer(reading.id).Want(http.StatusConflict, "connecter d’assistant à l’organisation choisie")
	answer(reading.owner.account.ID).Want(http.StatusConflict)
	b.Post("/oauth/authorize", url.Values{"request": {page.Value("request")}, "decision": {"allow"}}).Want(http.StatusConflict)
	s.exec(`UPDATE account.member SET role = 'reader' WHERE person_id = $1`, b.account.ID) // since the page was shown
	answer(c.id).Want(http.StatusConflict)
	s.exec(`DELETE FROM account.member WHERE person_id = $1`, b.account.ID)
	answer(c.id).Want(http.StatusConflict) // not silently to their own account
	if got := a.grants(); !slices.Equal(got, []ident.AccountID{c.id, b.account.ID}) {
		t.Errorf("granted %v", got)
	}
	for _, r := range a.requests() {
		if r.Person != b.account.ID {
			t.Errorf("agreed by %d", r.Person)
		}
	}
}

// A person who is the last owner among others reads what stands in the way of the deletion before it is
// asked for, and nothing is deleted; alone in an organisation, they read that it goes with the account.
func TestDeletionOfAnOwner(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.company("jeanne@exemple.fr", "Alpha")
	c.owner.Get("/account/delete").Want(http.StatusOK, "Organisations supprimées", "Alpha")
	reader := c.join("lecteur@exemple.fr", member.Reader)
	if p := c.owner.Get("/account/delete").Want(http.StatusOK, "ne peut pas encore être supprimé", "Alpha"); p.Form("/account/delete") != nil {
		t.Error("the form is shown")
	}
	c.owner.Post("/account/delete", url.Values{"email": {"jeanne@exemple.fr"}}).Want(http.StatusUnprocessableEntity, "toujours un propriétaire")
	reader.Submit(reader.Get("/account/delete").Want(http.StatusOK, "Organisations quittées", "Alpha"), "/account/delete", "email", "lecteur@exemple.fr").Want(http.StatusOK, "Votre compte est supprimé")
	if n := s.count(`SELECT count(*) FROM account.member WHERE account_id = $1`, c.id); n != 1 {
		t.Errorf("%d members", n)
	}
}

// A person whose account was in the hands of another ends with one button what was made in it for
// themselves, in organisations too; the keys of the organisations go on.
func TestAccessInOrganisationsEndsToo(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.company("jeanne@exemple.fr", "Alpha")
	dev := c.join("dev@exemple.fr", member.Owner)
	company := c.key(dev, "production")
	c.appoint(dev, member.Developer)
	personal := c.key(dev, "intrus")
	colleague := c.join("autre@exemple.fr", member.Developer)
	other := c.key(colleague, "de l’autre")
	page := dev.Get("/account/security/access").Want(http.StatusOK, "intrus", "Alpha", "Révoquer 1\u00a0clé")
	if strings.Contains(page.Body, "production") || strings.Contains(page.Body, "de l’autre") {
		t.Error("keys of others are listed")
	}
	dev.Submit(page, "/account/security/access").Want(http.StatusOK, "Tout est révoqué")
	for key, want := range map[ident.KeyID]bool{company.ID: true, personal.ID: false, other.ID: true} {
		if k, err := s.keys.Get(t.Context(), c.id, key); err != nil || k.Live(noon) != want {
			t.Errorf("%s: live %v, %v", k.Name, k.Live(noon), err)
		}
	}
	c.owner.Get("/account/organisation/activity").Want(http.StatusOK, "Clé révoquée", "par dev@exemple.fr")
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
	if n := s.count(`SELECT count(*) FROM account.member WHERE account_id = $1 AND role = 'owner'`, c.id); n != 1 {
		t.Errorf("%d owners", n)
	}
}

// Second factors, keys and invitations of colleagues are shown to the members who act on them, and to no
// other; the messages and the reload of a form work for each role.
func TestMembersPageShowsWhatTheRoleNeeds(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.company("jeanne@exemple.fr", "Alpha")
	c.invitation("attend@exemple.fr")
	c.key(c.owner, "production")
	s.exec(`UPDATE account.account SET totp_sealed = 'x', totp_enabled_at = $2 WHERE id = $1`, c.owner.account.ID, noon)
	admin := c.join("admin@exemple.fr", member.Admin)
	for _, role := range member.Roles[1:] {
		c.appoint(admin, role)
		p := admin.Get("/account/organisation").Want(http.StatusOK, "jeanne@exemple.fr")
		for _, text := range []string{"attend@exemple.fr", "1\u00a0clé créée", ", second facteur"} {
			if shown := strings.Contains(p.Text("main"), text); shown != (role == member.Admin) {
				t.Errorf("as %s %q is shown: %v", role, text, shown)
			}
		}
		admin.Get("/account?done=joined").Want(http.StatusOK, "Vous faites maintenant partie de cette organisation")
		for _, form := range []string{"/invitations/1/resend", "/invitations/1/withdraw", "/members/1/role", "/invite"} {
			if p := admin.Get("/account/organisation" + form).Want(http.StatusOK); p.Path != "/account/organisation" {
				t.Errorf("as %s %s leads to %s", role, form, p.Path)
			}
		}
	}
	if p := c.owner.Get("/account/keys").Want(http.StatusOK); strings.Contains(p.Body, "Des clés sont à remplacer") {
		t.Error("a key of a member who may have keys is to be replaced")
	}
	c.appoint(admin, member.Admin)
	c.key(admin, "traitement")
	c.appoint(admin, member.Billing)
	c.owner.Get("/account/keys").Want(http.StatusOK, "Des clés sont à remplacer", "n’ont plus accès aux clés")
	open := url.Values{"token": {c.owner.orgToken()}, "email": {"o@exemple.fr"}, "role": {"admin"}, "open": {"yes"}}
	c.owner.Post("/account/organisation/invite", open).Want(http.StatusUnprocessableEntity, "Seule la personne à qui l’invitation est adressée")
}

// Owners find who did what and when among the activity of the organisation, and take it away as a file that
// runs nothing in a spreadsheet; other roles read neither, and nothing of another organisation is in it.
func TestActivityIsFilteredAndDownloaded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.company("jeanne@exemple.fr", "Cadastre & Fils")
	admin := c.join("admin@exemple.fr", member.Admin)
	c.key(admin, "=HYPERLINK(1)")
	c.key(c.owner, "import")
	other := s.company("x@exemple.fr", "Beta")
	other.key(other.owner, "clé de Beta")
	s.clock.Advance(48 * time.Hour)
	c.key(c.owner, "plus tard")
	s.exec(`INSERT INTO account.audit (account_id, at, actor, action, detail) VALUES ($1, $2, 'operator', 'limits_changed', '{"operator": 77, "per_day": 9}')`, c.id, noon)

	const path = "/account/organisation/activity"
	shows := func(query string, wanted, unwanted []string) {
		t.Helper()
		table := c.owner.Get(path + query).Want(http.StatusOK).Text("tbody")
		for _, text := range wanted {
			if !strings.Contains(table, text) {
				t.Errorf("%q: no %q in %s", query, text, table)
			}
		}
		for _, text := range unwanted {
			if strings.Contains(table, text) {
				t.Errorf("%q: %q in %s", query, text, table)
			}
		}
	}
	shows("", []string{"Organisation créée", "HYPERLINK", "import", "plus tard", "Limites changées"}, []string{"Beta"})
	shows("?by=admin@exemple.fr", []string{"HYPERLINK"}, []string{"import", "Organisation créée", "Limites"})
	shows("?by=operator", []string{"Limites changées"}, []string{"import", "Organisation créée"})
	shows("?kind=keys", []string{"HYPERLINK", "import", "plus tard"}, []string{"Organisation créée", "Limites"})
	shows("?kind=members", []string{"Organisation créée"}, []string{"import"})
	shows("?from=2026-11-23&to=2026-11-23", []string{"plus tard"}, []string{"import"})
	shows("?to=2026-11-21&kind=keys&by=jeanne@exemple.fr", []string{"import"}, []string{"HYPERLINK", "plus tard"})
	c.owner.Get(path+"?kind=nothing&by=unknown@exemple.fr").Want(http.StatusOK, "Aucune activité ne correspond", "gardée un an")
	for _, wrong := range []string{"?from=2026-11-32", "?from=2026-11-23&to=2026-11-21"} {
		c.owner.Get(path+wrong).Want(http.StatusBadRequest, "premier jour avant le dernier")
		c.owner.Get(path+".csv"+wrong).Want(http.StatusBadRequest, "premier jour avant le dernier")
	}

	file := c.owner.Get(path + ".csv?kind=keys").Want(http.StatusOK)
	rows, err := csv.NewReader(strings.NewReader(file.Body)).ReadAll()
	if err != nil || len(rows) != 4 || strings.Join(rows[0], ",") != "at,action,what,detail,by,device,address" {
		t.Fatalf("%v in %s", err, file.Body)
	}
	if last := rows[3]; last[0] != "2026-11-21T10:42:07Z" || last[1] != "key_created" || last[4] != "admin@exemple.fr" {
		t.Errorf("%q", last)
	}
	for _, row := range rows {
		for _, cell := range row {
			if strings.ContainsAny(cell[:min(1, len(cell))], "=+-@") {
				t.Errorf("a spreadsheet runs %q", cell)
			}
		}
	}
	if name := file.Header.Get("Content-Disposition"); name != `attachment; filename="activity-2026-11-23.csv"` {
		t.Error(name)
	}
	body := c.owner.Get(path + ".json").Want(http.StatusOK).Body
	all := gjson.Get(body, "events")
	if all.Get("#").Int() != 5 || strings.Contains(body, "77") || strings.Contains(body, "Beta") ||
		all.Get(`#(action=="limits_changed").by`).Str != "operator" || all.Get(`#(detail.name=="import").by`).Str != "jeanne@exemple.fr" {
		t.Error(body)
	}
	own := c.owner.Get("/account/security/activity.json").Want(http.StatusOK).Body
	if v := gjson.Get(own, `events.#(action=="signed_in").by`); v.Type != gjson.Null || strings.Contains(own, "key_created") {
		t.Error(own)
	}
	reader := c.join("lecteur@exemple.fr", member.Reader)
	for _, suffix := range []string{"", ".csv", ".json"} {
		reader.Get(path + suffix).Want(http.StatusForbidden)
	}
	s.exec(`INSERT INTO account.audit (account_id, at, actor, action) SELECT $1, $2, 'system', 'plan_changed' FROM generate_series(1, 20001)`, c.id, noon)
	c.owner.Get(path+".csv?by=system").Want(http.StatusBadRequest, "plus de 20\u202f000\u00a0lignes")
}
