package security

import (
	"strconv"

	"github.com/gofiber/fiber/v2"

	"arpent/app/base/audit"
	"arpent/portal/pages"
	"arpent/web"
)

// eventsPerPage is the maximum number of events on a page.
const eventsPerPage = 50

// Activity shows the audit log of the account, the newest first; ?before= is the last entry of the previous page.
func (p *Pages) Activity(c *fiber.Ctx, v *pages.Visitor) error {
	before := int64(0)
	if text := c.Query("before"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 {
			return pages.ErrNothing
		}
		before = n
	}
	events, err := audit.List(v.Ctx, p.DB, v.Session.Account, before, eventsPerPage+1)
	if err != nil {
		return err
	}
	page := Activity{Frame: v.Frame, First: before == 0}
	if len(events) > eventsPerPage { // there is another page
		events = events[:eventsPerPage]
		page.Before = events[eventsPerPage-1].ID
	}
	page.Events = p.events(v, events)
	return web.Send(c, ActivityPage(page))
}

func (p *Pages) events(v *pages.Visitor, events []audit.Entry) []Event {
	rows := make([]Event, 0, len(events))
	for _, e := range events {
		row := Event{At: e.At, What: auditTexts.NameOf(v.Frame.Lang, e.Action),
			Detail: auditDetail(v.Frame.Lang, e, p.SignIn.ProviderLabel), Who: auditActor(v.Frame.Lang, e.Actor), Device: audit.Device(e.Agent)}
		if e.Address.IsValid() {
			row.Address = e.Address.String()
		}
		rows = append(rows, row)
	}
	return rows
}
