package admin

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/billing/meter/usage"
	"arpent/internal/audit"
	"arpent/internal/clock"
	"arpent/internal/ident"
	"arpent/internal/jobs"
	"arpent/portal/pages"
	"arpent/web"
)

// Overview shows the jobs, today's rejections and the loads. It lists
// what concerns all accounts, and so names none.
func (p *Pages) Overview(c *fiber.Ctx, v *pages.Visitor) error {
	queued, err := jobs.Counts(v.Ctx, p.DB)
	if err != nil {
		return err
	}
	rejected, err := usage.Rejections(v.Ctx, p.DB, clock.Day(p.Now()), pages.MaxRows)
	if err != nil {
		return err
	}
	o := Overview{Frame: v.Frame, Jobs: queued, Rejected: rejected}
	if p.Sources != nil {
		all, err := p.Sources(v.Ctx)
		if err != nil {
			return err
		}
		o.Sources = viewSources(all)
	}
	return web.Send(c, OverviewPage(o))
}

// List finds accounts by a part of their address or by their number. It is not limited
// to one account, because one is looked for.
func (p *Pages) List(c *fiber.Ctx, v *pages.Visitor) error {
	last, err := pages.Before(c)
	if err != nil {
		return err
	}
	l := List{Frame: v.Frame, Done: c.Query("done"), Query: strings.TrimSpace(pages.Field(c, "q")),
		First: last == 0}
	found, err := p.Accounts.Search(v.Ctx, l.Query, ident.AccountID(last), pages.MaxRows+1)
	if err != nil {
		return err
	}
	found, l.Next = pages.Page(found, func(a auth.Account) int64 { return int64(a.ID) })
	for _, a := range found {
		l.Accounts = append(l.Accounts, viewAccount(a))
	}
	return web.Send(c, ListPage(l))
}

// eventsOfAccount is how many of its last events the page of an account shows.
const eventsOfAccount = 10

// Account shows one account: its plan and limits, how its owner signs in, what it has bought, keys, usage of
// today, and what was done to it.
func (p *Pages) Account(c *fiber.Ctx, v *pages.Visitor, a auth.Account) error {
	keys, err := p.Keys.List(v.Ctx, a.ID)
	if err != nil {
		return err
	}
	today := clock.Day(p.Now())
	h, err := usage.ReadHistory(v.Ctx, p.DB, a.ID, today, today, usage.Filter{})
	if err != nil {
		return err
	}
	events, err := audit.List(v.Ctx, p.DB, a.ID, 0, eventsOfAccount)
	if err != nil {
		return err
	}
	access, err := p.Accounts.Access(v.Ctx, a.ID)
	if err != nil {
		return err
	}
	subscription, err := p.readSubscription(v.Ctx, a)
	if err != nil {
		return err
	}
	members, err := p.Accounts.Members(v.Ctx, a.ID)
	if err != nil {
		return err
	}
	memberships, err := p.Accounts.Memberships(v.Ctx, a.ID)
	if err != nil {
		return err
	}
	page := Account{Frame: v.Frame, Done: c.Query("done"), Account: viewAccount(a),
		SignIn: SignIn{access, p.SignIn.ProviderLabel}, Subscription: subscription, Counted: h.Days[0].Counted,
		ByKey: h.ByKey, ByOperation: h.ByOperation, Events: events}
	for _, m := range members {
		page.Members = append(page.Members, Related{m.Person, m.Email, string(m.Role)})
	}
	for _, m := range memberships {
		page.Memberships = append(page.Memberships, Related{m.ID, m.Name, string(m.Role)})
	}
	for _, k := range keys {
		page.Keys = append(page.Keys, viewKey(v.Frame.Lang, k, p.Now()))
	}
	return web.Send(c, AccountPage(page))
}

// AccountAudit shows the record of one account.
func (p *Pages) AccountAudit(c *fiber.Ctx, v *pages.Visitor, a auth.Account) error {
	return showRecord(c, Record{Frame: v.Frame, Of: new(viewAccount(a))},
		func(last int64, limit int) ([]audit.Entry, error) {
			return audit.List(v.Ctx, p.DB, a.ID, last, limit)
		})
}

// Audit shows the record of all accounts, those included that are gone: it names none.
func (p *Pages) Audit(c *fiber.Ctx, v *pages.Visitor) error {
	return showRecord(c, Record{Frame: v.Frame}, func(last int64, limit int) ([]audit.Entry, error) {
		return audit.ListAll(v.Ctx, p.DB, last, limit)
	})
}

// showRecord shows a page of a record.
func showRecord(c *fiber.Ctx, r Record, list func(last int64, limit int) ([]audit.Entry, error)) error {
	last, err := pages.Before(c)
	if err != nil {
		return err
	}
	events, err := list(last, pages.MaxRows+1)
	if err != nil {
		return err
	}
	r.First = last == 0
	r.Events, r.Next = pages.Page(events, func(e audit.Entry) int64 { return e.ID })
	return web.Send(c, RecordPage(r))
}

// MailList shows the last mails, of whatever account, or those that failed.
func (p *Pages) MailList(c *fiber.Ctx, v *pages.Visitor) error {
	m := Mails{Frame: v.Frame, Done: c.Query("done"), Failed: c.Query("failed") == "1"}
	var err error
	if m.Mails, err = p.Mails.List(v.Ctx, m.Failed, pages.MaxRows); err != nil {
		return err
	}
	return web.Send(c, MailsPage(m))
}
