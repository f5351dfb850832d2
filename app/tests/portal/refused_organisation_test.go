package portal_test

import (
	"fmt"
	"net/http"
	"time"

	"arpent/app/dev/testkit"
	"arpent/internal/clock"
)

// organises makes an organisation, and the account of a person one, with a member who comes and goes, and
// deletes the first.
func (r *refuser) organises(b *testkit.Browser) {
	r.t.Helper()
	const page, email = "/account/organisation", "lea@exemple.fr"
	lea := r.SignUp(email)
	r.form("/account/organisations/new", b, "name", "Alpha")
	const convert = "/account/organisations/convert"
	r.form(convert, r.SignUp("rose@exemple.fr"), "name", "Beta")
	ofPage := func(act string, values ...string) *testkit.Page {
		return r.submit(page+"/"+act, b, page, page+"/"+act, values...)
	}
	ofInvitation := func(act string) {
		r.submit(page+"/invitations/:id/"+act, b, page, fmt.Sprintf("%s/invitations/%d/%s", page, r.id("invitation"), act))
	}
	ofPage("invite", "email", "autre@exemple.org", "role", "reader") // Link returns the first link to an address
	r.Exec(`DELETE FROM account.throttle`)                           // every try that was refused has counted
	ofInvitation("resend")
	ofInvitation("withdraw")
	r.Exec(`DELETE FROM account.throttle`)
	b.Submit(b.Get(page), page+"/invite", "email", email, "role", "developer").Want(http.StatusSeeOther)
	link := ""
	testkit.Eventually(r.t, testkit.Timeout, "the mail of the last invitation is there", func() bool {
		link = r.LastLink(email, "invitation") // the former ones lead nowhere any more
		return link != "" && lea.Get(link).Status == http.StatusOK
	})
	r.act("/invitation/:token", func() *testkit.Page { return lea.Submit(lea.Get(link), link) })
	member := testkit.Count(r.t, r.Pool, `SELECT person_id FROM account.member WHERE role = 'developer'`)
	ofMember := fmt.Sprintf("%s/members/%d", page, member)
	r.submit(page+"/members/:id/role", b, page, ofMember+"/role", "role", "admin")
	r.submit(page+"/members/:id/remove", b, ofMember+"/remove", ofMember+"/remove")
	r.Exec(`INSERT INTO account.member (account_id, person_id, role, created_at) SELECT id, $1, 'reader', now() FROM account.account WHERE kind = 'organisation'`, member)
	organisation := fmt.Sprint(testkit.Count(r.t, r.Pool, `SELECT id FROM account.account WHERE kind = 'organisation'`))
	r.act("/account/switch", func() *testkit.Page {
		return lea.Submit(lea.Get("/account"), "/account/switch", "organisation", organisation)
	})
	ofPage("name", "name", "Alpha et Cie")
	ofPage("contact", "person", fmt.Sprint(member))
	r.act(page+"/leave", func() *testkit.Page { return lea.Submit(lea.Get(page+"/leave"), page+"/leave") })
	r.makesRules(b)
	r.form(page+"/delete", b, "name", "Alpha et Cie")
}

// makesRules requires a second factor of the members of the organisation, of whom there is one, and lets
// people join it by a domain.
func (r *refuser) makesRules(b *testkit.Browser) {
	r.t.Helper()
	const page = "/account/organisation"
	r.Exec(`UPDATE account.account SET totp_sealed = 'x', totp_enabled_at = now() WHERE email = 'jeanne@exemple.fr'`)
	r.Exec(`UPDATE account.session SET authenticated_at = now()`)
	r.form(page+"/factor", b, "from", (clock.Day(time.Now()) + 20).String())
	r.submit(page+"/factor/off", b, page+"/factor", page+"/factor/off")
	r.Exec(`UPDATE account.account SET totp_sealed = NULL, totp_enabled_at = NULL`)

	r.form(page+"/domains", b, "domain", "cabinet-durand.fr")
	of := fmt.Sprintf("%s/domains/%d", page, r.id("domain"))
	r.submit(page+"/domains/:id/joining", b, page+"/domains", of+"/joining", "joining", "approval", "role", "reader")
	r.Exec(`UPDATE account.domain SET proven_at = now(), seen_at = now(), checked_at = now()`)
	zoe := r.SignUp("zoe@cabinet-durand.fr")
	const join = "/account/organisations/join"
	r.act(join, func() *testkit.Page { return zoe.Submit(zoe.Get("/account"), join) })
	request := fmt.Sprintf("%s/requests/%d", page, testkit.Count(r.t, r.Pool,
		`SELECT person_id FROM account.join_request WHERE declined_at IS NULL`))
	r.submit(page+"/requests/:id/decline", b, page, request+"/decline")
	r.Exec(`UPDATE account.join_request SET declined_at = NULL`)
	r.submit(page+"/requests/:id/approve", b, page, request+"/approve")
	r.submit(page+"/domains/:id/remove", b, of+"/remove", of+"/remove")
}
