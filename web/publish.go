package web

import (
	"encoding/xml"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
)

// Publication is a page that search engines may show. What is not published is marked as not to be shown.
type Publication struct {
	Path        string
	Description [2]string // in French and in English, one or two sentences
}

// Publish adds pages to the list that the heads of pages, /sitemap.xml and its tests
// read. It is called before the server serves.
func (s *Site) Publish(pages ...Publication) {
	for _, p := range pages {
		s.published[p.Path] = len(s.publications)
		s.publications = append(s.publications, p)
	}
}

// findPublication returns the entry of a path; nil: it is not published.
func (s *Site) findPublication(path string) *Publication {
	if path != "/" {
		path = strings.TrimSuffix(path, "/") // both are served
	}
	i, ok := s.published[path]
	if !ok {
		return nil
	}
	return &s.publications[i]
}

// languages are those in which each page has an address of its own. Its address without ?lang= is in the
// language that the reader's browser prefers.
var languages = []Lang{French, English}

// pathIn is the path of the page in a language; empty: in that of the reader.
func (p Publication) pathIn(l Lang) string {
	if l == "" {
		return p.Path
	}
	return p.Path + "?lang=" + string(l)
}

// Description says what the page is about, in its language; empty: it is not published.
func (f Frame) Description() string {
	if f.published == nil {
		return ""
	}
	return f.Lang.Pick(f.published.Description[0], f.published.Description[1])
}

// canonicalURL is the address of the page without what does not change it. The one with ?lang= stands for
// itself: search engines read the three addresses of a page as one page in two languages.
func (f Frame) canonicalURL() string { return f.BaseURL() + f.published.pathIn(f.asked) }

// alternateURL is the address of the page in a language; empty: in that of the reader.
func (f Frame) alternateURL(l Lang) string { return f.BaseURL() + f.published.pathIn(l) }

// Link adds the language that this page was asked for in to the path of another one: who came by a
// link to a page in English goes on in English.
func (f Frame) Link(path string) string {
	if f.asked == "" {
		return path
	}
	path, part, _ := strings.Cut(path, "#")
	if strings.Contains(path, "?") {
		path += "&lang=" + string(f.asked)
	} else {
		path += "?lang=" + string(f.asked)
	}
	if part != "" {
		path += "#" + part
	}
	return path
}

// closedPaths are not for search engines: what belongs to an account, what programs call, links that work
// once, and the places of the explorer, of which there are as many as parcels.
var closedPaths = []string{"/account", "/api/", "/auth/", "/billing-mails/", "/confirm/", "/dev/", "/docs/search",
	"/email/", "/explore/suggest", "/explore/tiles/", "/explore?commune", "/explore?lat", "/explore?parcelle", "/explore?q",
	"/invitation/", "/mcp", "/notices/", "/oauth/", "/recover/", "/reset/", "/signup/", "/verify/",
	"/webhooks/"}

func (s *Site) serveRobots(c *fiber.Ctx) error {
	Guard(c)
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for _, path := range closedPaths {
		b.WriteString("Disallow: " + path + "\n")
	}
	b.WriteString("\nSitemap: " + s.o.BaseURL + "/sitemap.xml\n")
	c.Set(fiber.HeaderContentType, "text/plain; charset=utf-8")
	c.Set(fiber.HeaderCacheControl, "public, max-age=3600")
	return c.SendString(b.String())
}

// urlSet is the form of a sitemap, with the languages of each page.
type urlSet struct {
	XMLName xml.Name    `xml:"urlset"`
	Space   string      `xml:"xmlns,attr"`
	XHTML   string      `xml:"xmlns:xhtml,attr"`
	Pages   []siteEntry `xml:"url"`
}

type siteEntry struct {
	Address    string     `xml:"loc"`
	Alternates []siteLink `xml:"xhtml:link"`
}

type siteLink struct {
	Rel      string `xml:"rel,attr"`
	Language string `xml:"hreflang,attr"`
	Address  string `xml:"href,attr"`
}

func (s *Site) serveSitemap(c *fiber.Ctx) error {
	Guard(c)
	set := urlSet{Space: "http://www.sitemaps.org/schemas/sitemap/0.9", XHTML: "http://www.w3.org/1999/xhtml"}
	for _, p := range s.publications {
		var links []siteLink
		for _, l := range languages {
			links = append(links, siteLink{"alternate", string(l), s.o.BaseURL + p.pathIn(l)})
		}
		links = append(links, siteLink{"alternate", "x-default", s.o.BaseURL + p.Path})
		for _, l := range append([]Lang{""}, languages...) {
			set.Pages = append(set.Pages, siteEntry{s.o.BaseURL + p.pathIn(l), links})
		}
	}
	body, err := xml.MarshalIndent(set, "", " ")
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, "application/xml; charset=utf-8")
	c.Set(fiber.HeaderCacheControl, "public, max-age=3600")
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	return c.Send(append([]byte(xml.Header), body...))
}

// rhythms are how often producers renew their data, in words.
var rhythms = map[string][2]string{
	"daily": {"chaque jour", "daily"}, "weekly": {"chaque semaine", "weekly"}, "monthly": {"chaque mois",
		"monthly"},
	"quarterly": {"chaque trimestre", "quarterly"}, "half-yearly": {"chaque semestre", "twice a year"},
	"yearly":      {"chaque année", "yearly"},
	"irregularly": {"sans calendrier", "without a schedule"}, "once": {"une seule édition", "a single edition"},
}

// RhythmIn formats how often a producer renews its data.
func (s Source) RhythmIn(l Lang) string {
	words, known := rhythms[s.Rhythm]
	if !known {
		return l.Pick("fréquence inconnue", "frequency not known")
	}
	return l.Pick(words[0], words[1])
}

// FreshnessIn says whether what is served is the newest edition, as far as this server knows;
// empty: it never asked, and it is not time to.
func (s Source) FreshnessIn(l Lang, now time.Time) string {
	switch {
	case s.Problem:
		return l.Pick("une édition plus récente n’a pas pu être chargée", "a newer edition could not be loaded")
	case s.Late(now):
		return l.Pick("en retard : à vérifier depuis le ", "late: should have been checked by ") + l.Day(s.DueAt)
	case s.CheckedAt.IsZero():
		return ""
	}
	return l.Pick("à jour, vérifié le ", "current, checked on ") + l.Day(s.CheckedAt)
}
