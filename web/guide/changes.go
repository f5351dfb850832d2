package guide

import (
	_ "embed"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/web"
)

// changesPath is where the list is shown.
const changesPath = "/changes"

// change is something that a caller notices.
type change struct {
	Day             string // on which it was served first
	Tag             string // what it is of: a key of changeTags
	French, English string // code stands between backquotes
}

func (c change) servedDate() time.Time {
	day, err := time.Parse(time.DateOnly, c.Day)
	if err != nil {
		panic(err) // a test reads all of them
	}
	return day.Add(12 * time.Hour) // noon is the same day in Paris
}

// The tags of changes.
const (
	ofAPI        = "api"
	ofData       = "data"
	ofAssistants = "assistants"
	ofClients    = "clients"
	ofAccount    = "account"
	ofDocs       = "docs"
)

var changeTags = web.Texts{
	ofAPI: {"API", "API"}, ofData: {"Données", "Data"}, ofAssistants: {"Assistants", "Assistants"},
	ofClients: {"Bibliothèques", "Libraries"}, ofAccount: {"Compte", "Account"},
	ofDocs: {"Documentation", "Documentation"},
}

//go:embed changes.json
var changesFile []byte

// changeLog holds what changed for callers, the newest first. What only programs of ours or
// pages notice is in the history of the source.
var changeLog = readChanges(changesFile)

func readChanges(file []byte) (all []change) {
	if err := json.Unmarshal(file, &all); err != nil {
		panic(err) // it is part of the program
	}
	return all
}

// changeAnchor is the place of a change on the page. n counts the changes of its day from the oldest: those
// that come later leave it as it is.
func (c change) changeAnchor(n int) string { return "on-" + c.Day + "-" + strconv.Itoa(n) }

// changeDay is what changed on one day.
type changeDay struct {
	id      string
	day     time.Time
	changes []change
}

func changeDays() (out []changeDay) {
	for _, c := range changeLog {
		if n := len(out); n == 0 || out[n-1].id != c.Day {
			out = append(out, changeDay{id: c.Day, day: c.servedDate()})
		}
		last := &out[len(out)-1]
		last.changes = append(last.changes, c)
	}
	return out
}

// serveChangesFeed serves an entry for each change.
func (p *Pages) serveChangesFeed(c *fiber.Ctx) error {
	f := p.o.Site.Frame(c)
	var entries []web.FeedEntry
	for _, d := range changeDays() {
		for i, c := range d.changes {
			entries = append(entries, c.feedEntry(f, len(d.changes)-i))
		}
	}
	return web.SendFeed(c, f, changesPath, f.Lang.Pick("changements", "changes"), entries[0].Updated, entries)
}

// feedEntry is the change in a feed, the nth of its day.
func (c change) feedEntry(f web.Frame, n int) web.FeedEntry {
	text := strings.ReplaceAll(f.Lang.Pick(c.French, c.English), "`", "")
	title, _, _ := strings.Cut(text, ". ")
	page, place := f.BaseURL()+changesPath, "#"+c.changeAnchor(n)
	return web.FeedEntry{ID: page + place, Title: strings.TrimSuffix(title, "."), Summary: text, Tag: c.Tag,
		TagName: changeTags.Of(f.Lang, c.Tag),
		Link:    page + "?lang=" + string(f.Lang) + place, Published: c.servedDate(), Updated: c.servedDate()}
}
