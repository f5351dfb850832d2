package uptime

import (
	"encoding/xml"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/api/uptime"
	"arpent/web"
)

// maxEntries is how many incidents the feed holds.
const maxEntries = 50

// feed is an Atom feed (RFC 4287).
type feed struct {
	XMLName xml.Name   `xml:"http://www.w3.org/2005/Atom feed"`
	Lang    string     `xml:"http://www.w3.org/XML/1998/namespace lang,attr"`
	ID      string     `xml:"id"`
	Title   string     `xml:"title"`
	Updated string     `xml:"updated"`
	Author  author     `xml:"author"`
	Links   []feedLink `xml:"link"`
	Entries []entry    `xml:"entry"`
}

type author struct {
	Name string `xml:"name"`
}

type feedLink struct {
	Rel  string `xml:"rel,attr"`
	Href string `xml:"href,attr"`
}

type entry struct {
	ID        string   `xml:"id"`
	Title     string   `xml:"title"`
	Published string   `xml:"published"`
	Updated   string   `xml:"updated"`
	Link      feedLink `xml:"link"`
	Summary   string   `xml:"summary"`
}

// feed serves an entry for each incident, in the language of the reader.
func (p *Pages) feed(c *fiber.Ctx) error {
	web.Guard(c)
	v := p.view(c)
	page := v.BaseURL() + Path
	out := feed{Lang: string(v.Lang), ID: page, Title: v.Name() + v.Lang.Pick("\u00a0: incidents", ": incidents"), Author: author{v.Name()},
		Updated: rfc3339(v.report.Since.Start()), Links: []feedLink{{"self", page + ".atom?lang=" + string(v.Lang)}, {"alternate", page + "?lang=" + string(v.Lang)}}}
	for n, i := range v.report.Incidents {
		if n == maxEntries {
			break
		}
		out.Entries = append(out.Entries, v.entry(page, i))
	}
	if len(out.Entries) > 0 {
		out.Updated = out.Entries[0].Updated
	}
	body, err := xml.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "public, max-age=60")
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Vary(fiber.HeaderAcceptLanguage, fiber.HeaderCookie)
	c.Set(fiber.HeaderContentType, "application/atom+xml; charset=utf-8")
	return c.Send(append([]byte(xml.Header), append(body, '\n')...))
}

// entry is an incident. Its id stays the same while it goes on.
func (v view) entry(page string, i uptime.Incident) entry {
	state := v.Lang.Pick("en cours", "going on")
	if i.Over {
		state = v.Lang.Pick("terminé", "over")
	}
	return entry{ID: page + "#" + i.Operation + "-" + strconv.FormatInt(i.BeganAt.Unix(), 10),
		Title:     v.name(i.Operation) + v.Lang.Pick("\u00a0: ", ": ") + state,
		Published: rfc3339(i.BeganAt), Updated: rfc3339(i.FailedAt), Link: feedLink{"alternate", page + "?lang=" + string(v.Lang)},
		Summary: span(v.Lang, i) + ". " + v.Lang.Count(i.Failures, "appel", "call") + v.Lang.Pick(" en échec\u00a0: ", " failed: ") + reason(v.Lang, i.Reason) + "."}
}

func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }
