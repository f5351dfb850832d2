package portal_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/api"
	"arpent/app/dev/testkit"
	"arpent/auth/assistant"
	"arpent/auth/member"
	"arpent/auth/social"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/portal"
	"arpent/portal/settings"
	"arpent/web/reference"
)

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
	id := func(sql string, args ...any) int64 { return read[int64](s, sql, args...) }
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
	case strings.Contains(path, settings.InvitationPath):
		token, err := s.auth.LinkToken(s.t.Context(), mail.PurposeInvitation, r.invitation(address))
		testkit.NoError(s.t, err)
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
			if strings.Contains(route.Path, ":token") && !strings.HasPrefix(route.Path, settings.InvitationPath) ||
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
			case route.Path == settings.JoinPath && route.Method == fiber.MethodPost:
				want = []int{http.StatusNotFound} // a member is offered nothing
			case route.Path == settings.ConvertPath && route.Method == fiber.MethodPost:
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
		if r.Method == fiber.MethodHead || !slices.ContainsFunc([]string{"/account", settings.InvitationPath,
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

// What belongs to another account or organisation does not exist: on each address that names an object, for a
// person who may do everything in their own, and for a developer where it is a colleague's key, the answer is
// the one for an object that never was.
func TestOtherOrganisationsDoNotExist(t *testing.T) {
	t.Parallel()
	s := matrixSite(t)
	a, other := s.company("a@exemple.fr", "Alpha"), s.company("b@exemple.fr", "Beta")
	dev := a.join("dev@exemple.fr", member.Developer)
	a.owner.stay()
	form := url.Values{"token": {a.owner.orgToken()}, "role": {"reader"}, "name": {"volée"}, "overlap": {"0"}, "expires": {"never"}, "joining": {"off"},
		"url": {"https://exemple.fr/volee"}, "event_key_created": {"yes"}, "per_day": {"5"}, "networks": {"10.0.0.0/8"}}
	ofDev := maps.Clone(form)
	ofDev.Set("token", dev.orgToken())
	count := func() int { return s.count(`SELECT count(*) FROM account.audit WHERE account_id <> $1`, a.id) }
	tested := 0
	for i, route := range s.portal.Routes() {
		if !strings.Contains(route.Path, ":id") {
			continue
		}
		theirs := routeTest{other, other.owner, member.Owner, fmt.Sprintf("theirs-%d", i)}
		of := theirs.target(route.Path)
		before := count()
		ask := func(b *browser, path string, form url.Values) {
			t.Helper()
			if route.Method == fiber.MethodGet {
				form = nil
			}
			p := b.Send(route.Method, path, form, "Sec-Fetch-Site", "same-origin")
			// The address of a form of an organisation leads to the page that has it, whatever it names.
			toPage := route.Method == fiber.MethodGet && p.Status == http.StatusSeeOther &&
				slices.Contains([]string{settings.OrganisationPath, settings.DomainsPath}, p.Location())
			if p.Status != http.StatusNotFound && !toPage {
				t.Errorf("%s %s: %d", route.Method, path, p.Status)
			}
			tested++
		}
		ask(a.owner, of, form)
		for _, id := range []string{"0", "-1", "9223372036854775807", "99999999999999999999", "x", "1%20or%201=1"} {
			ask(a.owner, strings.Replace(route.Path, ":id", id, 1), form)
		}
		if strings.HasPrefix(route.Path, "/account/keys/:id") {
			ask(dev, fill(route.Path, int64(a.key(a.owner, fmt.Sprintf("own-%d", i)).ID)), ofDev)
		}
		if after := count(); after != before {
			t.Errorf("%s %s: %d events of others", route.Method, route.Path, after-before)
		}
		s.exec(`UPDATE account.api_key SET revoked_at = $1 WHERE revoked_at IS NULL`, noon)
		s.exec(`DELETE FROM account.webhook`)
	}
	if tested < 200 {
		t.Errorf("only %d requests", tested)
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
	own := read[ident.KeyID](s, `SELECT id FROM account.api_key WHERE account_id = $1 AND created_by = $2 AND personal`, c.id, dev.account.ID)
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
			p.Lacks(foreign)
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

// Second factors, keys and invitations of colleagues are shown to the members who act on them, and to no
// other; the messages and the reload of a form work for each role.
func TestMembersPageShowsWhatTheRoleNeeds(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.company("jeanne@exemple.fr", "Alpha")
	c.invitation("attend@exemple.fr")
	c.key(c.owner, "production")
	c.owner.addTOTP()
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
	c.owner.Get("/account/keys").Want(http.StatusOK).Lacks("Des clés sont à remplacer")
	c.appoint(admin, member.Admin)
	c.key(admin, "traitement")
	c.appoint(admin, member.Billing)
	c.owner.Get("/account/keys").Want(http.StatusOK, "Des clés sont à remplacer", "n’ont plus accès aux clés")
	open := url.Values{"token": {c.owner.orgToken()}, "email": {"o@exemple.fr"}, "role": {"admin"}, "open": {"yes"}}
	c.owner.Post("/account/organisation/invite", open).Want(http.StatusUnprocessableEntity, "Seule la personne à qui l’invitation est adressée")
}
