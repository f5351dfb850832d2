package web

import (
	"encoding/xml"
	"time"

	"github.com/gofiber/fiber/v2"
)

// FeedSuffix is what the path of a page and that of its feed differ by.
const FeedSuffix = ".atom"

// maxEntries is how many entries a feed holds.
const maxEntries = 50

// FeedEntry is something that a feed reports. Its ID is the address of
// the page with a fragment, and stays the same.
type FeedEntry struct {
	ID, Title, Summary string
	Tag, TagName       string // what it is about, for programs and for people; empty: it has no tag
	Link               string // to the place on the page
	Published, Updated time.Time
}

// feed is an Atom feed (RFC 4287).
type feed struct {
	XMLName xml.Name     `xml:"http://www.w3.org/2005/Atom feed"`
	Lang    string       `xml:"http://www.w3.org/XML/1998/namespace lang,attr"`
	ID      string       `xml:"id"`
	Title   string       `xml:"title"`
	Updated string       `xml:"updated"`
	Author  feedAuthor   `xml:"author"`
	Links   []feedLink   `xml:"link"`
	Entries []*feedEntry `xml:"entry"`
}

type feedAuthor struct {
	Name string `xml:"name"`
}

type feedLink struct {
	Rel  string `xml:"rel,attr"`
	Href string `xml:"href,attr"`
}

type feedEntry struct {
	ID        string   `xml:"id"`
	Title     string   `xml:"title"`
	Published string   `xml:"published"`
	Updated   string   `xml:"updated"`
	Link      feedLink `xml:"link"`
	Summary   string   `xml:"summary"`
	Category  *feedTag `xml:"category"`
}

type feedTag struct {
	Term  string `xml:"term,attr"`
	Label string `xml:"label,attr"`
}

// SendFeed sends what happened on a page as an Atom feed in the language of the reader: the entries, the
// newest first, of which it holds 50. The feed without entries is as old as since.
func SendFeed(c *fiber.Ctx, f Frame, path, title string, since time.Time, entries []FeedEntry) error {
	Guard(c)
	page := f.BaseURL() + path
	out := feed{Lang: string(f.Lang), ID: page, Title: f.Name() + f.Lang.Pick("\u00a0: ", ": ") + title,
		Author: feedAuthor{f.Name()}, Updated: rfc3339(since),
		Links: []feedLink{{"self", page + FeedSuffix + "?lang=" + string(f.Lang)}, {"alternate", page + "?lang=" +
			string(f.Lang)}}}
	for _, e := range entries[:min(len(entries), maxEntries)] {
		entry := &feedEntry{ID: e.ID, Title: e.Title, Published: rfc3339(e.Published), Updated: rfc3339(e.Updated),
			Link: feedLink{"alternate", e.Link}, Summary: e.Summary}
		if e.Tag != "" {
			entry.Category = &feedTag{e.Tag, e.TagName}
		}
		out.Entries = append(out.Entries, entry)
	}
	if len(out.Entries) > 0 {
		out.Updated = out.Entries[0].Updated
	}
	body, err := xml.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "public, max-age=60")
	c.Set(fiber.HeaderContentType, "application/atom+xml; charset=utf-8")
	return c.Send(append([]byte(xml.Header), append(body, '\n')...))
}

func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }
