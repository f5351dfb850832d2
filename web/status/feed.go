package status

import (
	"strconv"

	"github.com/gofiber/fiber/v2"

	"arpent/web"
)

// serveFeed serves an entry for each incident.
func (p *Pages) serveFeed(c *fiber.Ctx) error {
	v := p.newView(c)
	var entries []web.FeedEntry
	for _, i := range v.report.Incidents {
		entries = append(entries, v.feedEntry(i))
	}
	return web.SendFeed(c, v.Frame, Path, "incidents", v.report.Since.Start(), entries)
}

// feedEntry is an incident. Its id stays the same while it goes on.
func (v view) feedEntry(i Incident) web.FeedEntry {
	state := v.Lang.Pick("en cours", "going on")
	if i.Over {
		state = v.Lang.Pick("terminé", "over")
	}
	page := v.BaseURL() + Path
	return web.FeedEntry{ID: page + "#" + i.Operation + "-" + strconv.FormatInt(i.BeganAt.Unix(), 10),
		Title:     v.operationName(i.Operation) + v.Lang.Pick("\u00a0: ", ": ") + state,
		Published: i.BeganAt, Updated: i.FailedAt, Link: page + "?lang=" + string(v.Lang),
		Summary: incidentSpan(v.Lang, i) + ". " + v.Lang.Count(i.Failures, "appel", "call") +
			v.Lang.Pick(" en échec\u00a0: ", " failed: ") + reasonText(v.Lang, i.Reason) + "."}
}
