// Package admin serves the pages for operators: accounts, keys without their secrets, limits, usage, rejections, jobs, mails, loads and
// the audit record. It shows what the command line shows, and does what it does, by the same functions. A page about one account names
// it in every statement; those that list accounts, rejections, mails or the whole record are the exceptions, and say so.
package admin

import (
	"context"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"arpent/api/ingest"
	"arpent/app/base/audit"
	"arpent/app/base/ident"
	"arpent/app/base/mail"
	"arpent/auth"
	"arpent/portal/pages"
)

// Pages are the pages for operators.
type Pages struct {
	*pages.Server
	Accounts *auth.Accounts
	Mails    *mail.Queue
	// Sources lists what can be loaded and what is; nil: no data are loaded here.
	Sources func(context.Context) ([]ingest.SourceStatus, error)
}

// Register adds the pages to the server.
func (p *Pages) Register(app *fiber.App) {
	// Any method goes on from here, so that one without a route is answered as at an address without a page: Fiber would answer 405, and
	// with it that there is something.
	app.All("/admin*", func(c *fiber.Ctx) error { return c.Next() })
	app.Get("/admin", p.OperatorPage(p.Overview))
	app.Get("/admin/accounts", p.OperatorPage(p.List))
	app.Get("/admin/accounts/:id", p.OperatorPage(pages.ByID(p.Account)))
	app.Get("/admin/accounts/:id/audit", p.OperatorPage(pages.ByID(p.AccountAudit)))
	app.Get("/admin/mails", p.OperatorPage(p.MailList))
	app.Get("/admin/audit", p.OperatorPage(p.Audit))
	for path, act := range map[string]act{
		"/admin/accounts/:id/limits":           {pages.ByID(p.LimitsForm), pages.ByID(p.SetLimits)},
		"/admin/accounts/:id/sign-out":         {pages.ByID(p.SignOutForm), pages.ByID(p.SignOut)},
		"/admin/accounts/:id/keys/:key/revoke": {p.keyForm(revoke), p.changeKey(revoke)},
		"/admin/accounts/:id/keys/:key/pause":  {p.keyForm(pause), p.changeKey(pause)},
		"/admin/accounts/:id/keys/:key/resume": {p.keyForm(resume), p.changeKey(resume)},
		"/admin/mails/:id/retry":               {pages.ByID(p.RetryForm), pages.ByID(p.Retry)},
	} {
		app.Get(path, p.OperatorAct(act.form))
		app.Post(path, p.OperatorAct(act.do))
	}
}

// act is something that an operator does, and the page that asks for confirmation.
type act struct{ form, do pages.Handler }

// before is the last row of the previous page; 0: this is the first one.
func before(c *fiber.Ctx) (int64, error) {
	text := c.Query("before")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, pages.ErrNothing
	}
	return n, nil
}

// rowsPerPage is the maximum number of rows of a list.
const rowsPerPage = 50

// page cuts a list that was read with one row more than a page has, and gives the id of the last row when there are more.
func page[T any](all []T, id func(T) int64) (rows []T, next int64) {
	if len(all) <= rowsPerPage {
		return all, 0
	}
	return all[:rowsPerPage], id(all[rowsPerPage-1])
}

func accountID(a auth.Account) int64 { return int64(a.ID) }

func entryID(e audit.Entry) int64 { return e.ID }

// accountPath is the address of a page about an account.
func accountPath(id ident.AccountID, then string) string {
	return "/admin/accounts/" + strconv.FormatInt(int64(id), 10) + then
}
