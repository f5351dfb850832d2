package security

import (
	"github.com/gofiber/fiber/v2"

	"arpent/internal/audit"
	"arpent/portal/pages"
	"arpent/web"
)

// Activity shows the audit log of the account, or of the organisation, the newest first;
// ?before= is the last entry of the previous page.
func (p *Pages) Activity(c *fiber.Ctx, v *pages.Visitor) error {
	last, err := pages.Before(c)
	if err != nil {
		return err
	}
	events, err := audit.List(v.Ctx, p.DB, v.Account, last, pages.MaxRows+1)
	if err != nil {
		return err
	}
	page := Activity{Frame: v.Frame, First: last == 0, Shared: v.Account != v.Session.Account}
	events, page.Before = pages.Page(events, func(e audit.Entry) int64 { return e.ID })
	page.Events = p.viewEvents(v, events)
	return web.Send(c, ActivityPage(page))
}

func (p *Pages) viewEvents(v *pages.Visitor, events []audit.Entry) []Event {
	rows := make([]Event, 0, len(events))
	for _, e := range events {
		row := Event{At: e.At, What: auditTexts.NameOf(v.Frame.Lang, e.Action),
			Detail: auditDetail(v.Frame.Lang, e, p.SignIn.ProviderLabel), Who: auditActor(v.Frame.Lang, e),
			Device: audit.Device(e.Agent)}
		if e.Address.IsValid() {
			row.Address = e.Address.String()
		}
		rows = append(rows, row)
	}
	return rows
}
