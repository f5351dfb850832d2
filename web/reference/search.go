package reference

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"arpent/web"
)

// SearchOptions are the parameters of NewSearch.
type SearchOptions struct {
	Site      *web.Site
	Documents func(web.Frame) []web.Document // what is searched, in the language of the frame
	Summary   func(web.Frame) string         // what /llms.txt says
	Reference func() string                  // the reference as Markdown
}

// SearchPages find parts of the documentation. Their index is made of the pages themselves, once after each
// load; the server searches it, so that it works without scripts. They are the page of results and the text
// of the whole documentation.
type SearchPages struct {
	o     SearchOptions
	index web.Kept[int, web.Lang, []section]
	text  web.Kept[int, web.Lang, *web.Body]
}

// NewSearch makes the pages.
func NewSearch(o SearchOptions) *SearchPages { return &SearchPages{o: o} }

// Register adds the pages to the server.
func (p *SearchPages) Register(app *fiber.App) {
	app.Get("/docs/search", p.serveSearch)
	app.Get("/llms-full.txt", p.serveFullText)
}

const (
	maxQuery   = 100 // characters
	maxWords   = 8
	maxResults = 30

	shortestWord = 3 // characters of a word that is looked for apart from the others
)

// searchView is the data of the page.
type searchView struct {
	web.Frame
	query   string
	results []result
	partial bool // no section has all words: results are those with the most
	more    int
}

func (p *SearchPages) serveSearch(c *fiber.Ctx) error {
	f := p.o.Site.Frame(c)
	sections, err := p.indexedSections(f)
	if err != nil {
		return err
	}
	title := f.Lang.Pick("Recherche dans la documentation", "Search the documentation")
	v := searchView{Frame: f.With(title+" · "+f.Name(), "docs"), query: parseQuery(c)}
	v.results, v.partial = matchSections(sections, v.query)
	if v.more = len(v.results) - maxResults; v.more > 0 {
		v.results = v.results[:maxResults]
	}
	return web.Send(c, searchPage(v))
}

// parseQuery returns the text to search for, cut to maxQuery characters.
func parseQuery(c *fiber.Ctx) string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(c.Query("q"), "")), " ")
	if utf8.RuneCountInString(text) > maxQuery {
		text = string([]rune(text)[:maxQuery])
	}
	return strings.Clone(text)
}

// indexedSections returns the sections of all pages in a language.
func (p *SearchPages) indexedSections(f web.Frame) ([]section, error) {
	return p.index.Get(p.o.Site.Status().Edition, f.Lang, func() (all []section, err error) {
		for _, d := range p.o.Documents(f.Anonymous()) {
			found, err := sectionsOf(d)
			if err != nil {
				return nil, fmt.Errorf("index %s: %w", d.Path, err)
			}
			all = append(all, found...)
		}
		return all, nil
	})
}

// serveFullText answers with the documentation in one text, in English.
func (p *SearchPages) serveFullText(c *fiber.Ctx) error {
	f := p.o.Site.Frame(c).Anonymous()
	f.Lang = web.English
	edition := p.o.Site.Status().Edition
	text, err := p.text.Get(edition, f.Lang, func() (*web.Body, error) { return p.fullText(f) })
	if err != nil {
		return err
	}
	return text.Send(c, "text/plain; charset=utf-8")
}

// fullText returns the documentation in one text: what the pages say, then the reference.
func (p *SearchPages) fullText(f web.Frame) (*web.Body, error) {
	sections, err := p.indexedSections(f)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString(p.o.Summary(f))
	for _, s := range sections {
		switch {
		case strings.HasPrefix(s.Address, "/docs/reference"):
			continue // as Markdown below
		case s.Page == "":
			fmt.Fprintf(&b, "\n# %s (%s%s)\n\n%s\n", s.Title, f.BaseURL(), s.Address, s.Text)
		default:
			fmt.Fprintf(&b, "\n## %s\n\n%s\n", s.Title, s.Text)
		}
	}
	b.WriteString("\n" + p.o.Reference())
	return web.NewBody([]byte(b.String())), nil
}

// result is a section that has words of a query.
type result struct {
	section
	Excerpt []part
	score   int
}

// describePlace returns what sections of one title differ by: the path of a field in its answer, the level of
// a key of the statistics; empty: neither.
func (r result) describePlace(l web.Lang) string {
	page, anchor, _ := strings.Cut(r.Address, "#")
	if strings.Contains(anchor, ".") {
		return anchor
	}
	if level, _, ok := strings.Cut(anchor, "-"); ok && strings.HasPrefix(page, "/docs/statistics") {
		return web.Levels.Of(l, level)
	}
	return ""
}

// pageResults are the sections of one page that were found.
type pageResults struct {
	page    string
	results []result
}

// groupByPage puts the results of a page together, with the page of the best result first.
func (v searchView) groupByPage() (out []pageResults) {
	places := map[string]int{}
	for _, r := range v.results {
		path, _, _ := strings.Cut(r.Address, "#")
		at, known := places[path]
		if !known {
			at, out = len(out), append(out, pageResults{page: cmp.Or(r.Page, r.Title)})
			places[path] = at
		}
		out[at].results = append(out[at].results, r)
	}
	return out
}

// part is a part of an excerpt; Hit: it is a word of the query.
type part struct {
	Text string
	Hit  bool
}

// matchSections finds the sections that have every word of a query in their title or text, the
// best first: those that are called so, then those with the words in the title, then the
// others, in the order of the documentation. Where there are none, partial, it finds those with the most of
// its words, at least half of them; a name such as X-RateLimit-Remaining is several.
func matchSections(sections []section, query string) (out []result, partial bool) {
	folded := string(foldText(query))
	words := slices.Compact(strings.Fields(folded))
	words = words[:min(len(words), maxWords)]
	if out = matchWords(sections, words, len(words)); len(out) > 0 {
		return out, false
	}
	words = strings.FieldsFunc(folded, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	words = slices.DeleteFunc(words, func(w string) bool { return utf8.RuneCountInString(w) < shortestWord })
	words = words[:min(len(words), maxWords)]
	for n := len(words); n > 0 && 2*n >= len(words); n-- {
		if out = matchWords(sections, words, n); len(out) > 0 {
			return out, true
		}
	}
	return nil, false
}

// matchWords finds the sections that have at least some of the words, the best first.
func matchWords(sections []section, words []string, atLeast int) (out []result) {
	if len(words) == 0 {
		return nil
	}
	type content struct{ title, text string }
	seen := map[content]bool{} // a field that several answers have is found once
	for _, s := range sections {
		if score, n := s.scoreWords(words); n >= atLeast && !seen[content{s.Title, s.Text}] {
			seen[content{s.Title, s.Text}] = true
			out = append(out, result{section: s, score: score, Excerpt: s.excerptAround(words)})
		}
	}
	slices.SortStableFunc(out, func(a, b result) int { return b.score - a.score })
	return out
}

// scoreWords counts the words that a section has, and scores them by where they stand.
func (s *section) scoreWords(words []string) (score, found int) {
	title, text := string(s.title), string(s.text)
	for _, w := range words {
		switch {
		case strings.HasPrefix(title+" ", w+" "):
			score += 100
		case strings.HasPrefix(title, w):
			score += 30
		case strings.Contains(title, w):
			score += 10
		case strings.Contains(text, w):
			score++
		default:
			continue
		}
		found++
	}
	if s.Page == "" {
		score += 5
	}
	return score, found
}
