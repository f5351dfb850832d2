// Package admin serves the pages for operators: accounts, keys without their secrets, limits, usage,
// rejections, jobs, mails, loads and the audit record. It shows what the command line shows, and does what it
// does, by the same functions. A page about one account names it in every statement; those that list
// accounts, rejections, mails or the whole record are the exceptions, and say so.
package admin

import (
	"context"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/opendata/ingest"
	"arpent/portal/pages"
	"arpent/portal/signin"
)

// Pages are the pages for operators.
type Pages struct {
	*pages.Server
	SignIn   *signin.Pages
	Accounts *auth.Accounts
	Mails    *mail.Queue
	// Sources lists what can be loaded and what is; nil: no data are loaded here.
	Sources func(context.Context) ([]ingest.SourceStatus, error)
}

// Register adds the pages to the server.
func (p *Pages) Register(app *fiber.App) {
	// Any method goes on from here, so that one without a route is answered as at an address without a page:
	// Fiber would answer 405, and with it that there is something.
	app.All("/admin*", func(c *fiber.Ctx) error { return c.Next() })
	app.Get("/admin", p.OperatorPage(p.Overview))
	app.Get("/admin/accounts", p.OperatorPage(p.List))
	app.Get("/admin/accounts/:id", p.OperatorPage(p.withAccount(p.Account)))
	app.Get("/admin/accounts/:id/rejections", p.OperatorPage(p.withAccount(p.AccountRejections)))
	app.Get("/admin/keys", p.OperatorPage(p.KeyForm))
	app.Post("/admin/keys", p.OperatorPage(p.FindKey))
	app.Get("/admin/accounts/:id/audit", p.OperatorPage(p.withAccount(p.AccountAudit)))
	app.Get("/admin/mails", p.OperatorPage(p.MailList))
	app.Get("/admin/audit", p.OperatorPage(p.Audit))
	for _, act := range supportActs {
		app.Get("/admin/accounts/:id/"+act.name, p.OperatorAct(p.supportForm(act)))
		app.Post("/admin/accounts/:id/"+act.name, p.OperatorAct(p.runSupportAct(act)))
	}
	for path, act := range map[string]actHandlers{
		"/admin/accounts/:id/limits":           {p.withAccount(p.LimitsForm), p.withAccount(p.SetLimits)},
		"/admin/accounts/:id/sign-out":         {p.withAccount(p.SignOutForm), p.withAccount(p.SignOut)},
		"/admin/accounts/:id/keys/:key/revoke": {p.keyActForm(revokeAct), p.changeKey(revokeAct)},
		"/admin/accounts/:id/keys/:key/pause":  {p.keyActForm(pauseAct), p.changeKey(pauseAct)},
		"/admin/accounts/:id/keys/:key/resume": {p.keyActForm(resumeAct), p.changeKey(resumeAct)},
		"/admin/mails/:id/retry":               {pages.ByID(p.RetryForm), pages.ByID(p.Retry)},
	} {
		app.Get(path, p.OperatorAct(act.form))
		app.Post(path, p.OperatorAct(act.do))
	}
}

// actHandlers is something that an operator does, and the page that asks for confirmation.
type actHandlers struct{ form, do pages.Handler }

// withAccount returns a handler that passes on the account whose id is in the address.
func (p *Pages) withAccount(h func(c *fiber.Ctx, v *pages.Visitor, a auth.Account) error) pages.Handler {
	return pages.ByID(func(c *fiber.Ctx, v *pages.Visitor, id ident.AccountID) error {
		a, err := p.Accounts.ByID(v.Ctx, id)
		if err != nil {
			return err
		}
		return h(c, v, a)
	})
}

// accountPath is the address of a page about an account.
func accountPath(id ident.AccountID, then string) string {
	return "/admin/accounts/" + strconv.FormatInt(int64(id), 10) + then
}
