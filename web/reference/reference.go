// Package reference is the reference of the API: a page for each operation, made from the description that is
// served as the OpenAPI document, and the same pages as Markdown. It also holds the page on how figures are
// computed, and the search over the documentation.
package reference

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"arpent/api"
	"arpent/web"
)

// Path is where the pages are; those of operations are below it.
const Path = web.ReferencePath

// Options are the parameters of New.
type Options struct {
	Site     *web.Site
	BaseURL  string
	Document *huma.OpenAPI
	Sources  Sources
}

// Sources are the data sets of fields, each with its producer, by
// operation and path: "get_commune stats.population".
type Sources map[string][]string

// Pages are the pages of the reference.
type Pages struct {
	site       *web.Site
	operations []operation // in the order of the operations table
}

// New makes the pages.
func New(o Options) *Pages {
	p := &Pages{site: o.Site}
	for _, op := range api.Operations() {
		p.operations = append(p.operations, o.describeOperation(op))
	}
	return p
}

// Register adds the pages to the server.
func (p *Pages) Register(app *fiber.App) {
	app.Get(Path, func(c *fiber.Ctx) error { return web.Send(c, indexPage(p.newView(p.site.Frame(c), nil))) })
	app.Get(Path+".md", p.serveIndexMarkdown)
	app.Get(Path+"/:operation", p.serveOperation)
	p.site.Publish(web.Publication{Path: Path, Description: [2]string{
		"Les opérations de l’API, une page pour chacune\u00a0: paramètres, chaque champ de la réponse, statuts, appels en plusieurs langages et une réponse enregistrée.",
		"The operations of the API, a page for each: parameters, every field of the answer, statuses, calls in several languages and a recorded answer."}})
	for _, o := range p.operations {
		p.site.Publish(web.Publication{Path: o.pagePath(),
			Description: [2]string{cutSummary(o.DescriptionFrench), cutSummary(o.Description)}})
	}
}

// maxSummary is about as many characters as search engines show of a description.
const maxSummary = 200

// maxLead is about as many characters as three lines of a phone have, at the size of a lead.
const maxLead = 120

// cutSummary returns the first sentences of a description for search engines, without marks of code.
func cutSummary(description string) string {
	first, _ := cutSentences(strings.ReplaceAll(description, "`", ""), maxSummary)
	return first
}

// cutSentences cuts a text after the last sentence that ends within limit characters, but not before the end
// of its first sentence.
func cutSentences(text string, limit int) (first, rest string) {
	end := 0
	for at := 0; at < len(text); {
		i := strings.Index(text[at:], ". ")
		if i < 0 {
			i = len(text) - at - 1
		}
		if at += i + 1; end > 0 && utf8.RuneCountInString(text[:at]) > limit {
			break
		}
		end = at
	}
	return text[:end], strings.TrimSpace(text[end:])
}

// view is the data of a page.
type view struct {
	web.Frame
	operations []operation
	shown      *operation // nil: the index
	console    *Console   // nil: there is none
}

// Documents are the pages.
func (p *Pages) Documents(f web.Frame) []web.Document {
	out := []web.Document{{Path: Path, Body: indexPage(p.newView(f, nil))}}
	for i := range p.operations {
		out = append(out, web.Document{Path: p.operations[i].pagePath(), Body: operationPage(p.newView(f,
			&p.operations[i]))})
	}
	return out
}

func (p *Pages) newView(f web.Frame, shown *operation) view {
	title, path := f.Lang.Pick("Référence de l’API", "API reference"), Path
	if shown != nil {
		title, path = shown.titleText(f.Lang), shown.pagePath()
	}
	f = f.With(title+" · "+f.Name(), "docs")
	f.Markdown = path + ".md"
	f.Code = true
	out := view{Frame: f, operations: p.operations, shown: shown}
	if shown != nil && f.Token != "" && f.Accounts() { // the pages have forms, and there are accounts here
		out.console = &Console{Member: f.HasSession, Values: shown.Values(shown.Example)}
	}
	return out
}

func (p *Pages) serveOperation(c *fiber.Ctx) error {
	name, markdown := strings.CutSuffix(c.Params("operation"), ".md")
	i := p.operationIndex(name)
	if i < 0 {
		return c.Next() // there is no such page
	}
	if markdown {
		return sendMarkdown(c, p.operations[i].markdownText())
	}
	f := p.site.Frame(c)
	if f.HasSession { // its console is this person's
		c.Set(fiber.HeaderCacheControl, "private, no-cache")
	}
	return web.Send(c, operationPage(p.newView(f, &p.operations[i])))
}

// operationIndex returns the index of an operation; below 0: there is none.
func (p *Pages) operationIndex(name string) int {
	return slices.IndexFunc(p.operations, func(o operation) bool { return o.Name == name })
}

func (p *Pages) serveIndexMarkdown(c *fiber.Ctx) error { return sendMarkdown(c, p.indexText()) }

func sendMarkdown(c *fiber.Ctx, text string) error {
	c.Set(fiber.HeaderContentType, "text/markdown; charset=utf-8")
	web.Guard(c)
	return c.SendString(text)
}

// group is the operations about one thing.
type group struct {
	Tag, About string
	Operations []operation
}

func (v view) operationGroups() (out []group) {
	for _, tag := range api.Tags {
		g := group{Tag: tag[0], About: tag[1]}
		for _, o := range v.operations {
			if o.Tag == tag[0] {
				g.Operations = append(g.Operations, o)
			}
		}
		out = append(out, g)
	}
	return out
}
