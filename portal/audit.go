package portal

import (
	"strconv"

	"github.com/gofiber/fiber/v2"

	"arpent/app/base/audit"
	"arpent/portal/view"
	"arpent/web"
)

// eventsPerPage is how much of the record one page shows.
const eventsPerPage = 50

// activity shows the record of the account, the newest first; ?before= is the last entry of the page before.
func (p *Portal) activity(c *fiber.Ctx, v *visitor) error {
	before := int64(0)
	if text := c.Query("before"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 {
			return errNothing
		}
		before = n
	}
	events, err := audit.List(v.ctx, p.o.DB, v.session.Account, before, eventsPerPage+1)
	if err != nil {
		return err
	}
	page := view.Activity{Frame: v.frame, First: before == 0}
	if len(events) > eventsPerPage { // the one more tells that there is another page
		events = events[:eventsPerPage]
		page.Before = events[eventsPerPage-1].ID
	}
	page.Events = p.eventRows(v, events)
	return web.Send(c, view.ActivityPage(page))
}

func (p *Portal) eventRows(v *visitor, events []audit.Entry) []view.Event {
	rows := make([]view.Event, 0, len(events))
	for _, e := range events {
		row := view.Event{At: e.At, What: view.AuditText(v.frame.Lang, e.Action), Detail: view.AuditDetail(v.frame.Lang, e, p.providerLabel),
			Who: view.AuditActor(v.frame.Lang, e.Actor), Device: audit.Device(e.Agent)}
		if e.Address.IsValid() {
			row.Address = e.Address.String()
		}
		rows = append(rows, row)
	}
	return rows
}
