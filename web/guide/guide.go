// Package guide is the documentation that is written by hand, in French and in English: how to
// call the API, and what changed. What exists as one definition in the program (limits,
// states, operations, tools) is printed from it.
package guide

import (
	"strings"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"arpent/api/parcel"
	"arpent/api/recorded"
	"arpent/billing"
	"arpent/clients"
	"arpent/web"
)

// Options are the parameters of New.
type Options struct {
	Site  *web.Site
	Plans []billing.Plan
}

// Pages are the pages of the guide.
type Pages struct{ o Options }

// New makes the pages.
func New(o Options) *Pages { return &Pages{o} }

// entry is a page of the guide.
type entry struct {
	web.Publication
	title [2]string // in French and in English
	body  func(view) templ.Component
}

// guideEntries are the pages, in the order of the documentation.
func guideEntries() []entry {
	out := []entry{
		{web.Publication{Path: "/docs", Description: [2]string{
			"Appeler l’API\u00a0: trois appels pour commencer, la clé, les limites, les erreurs, ce que dit une valeur absente, la licence et les assistants.",
			"How to call the API: your first three calls, keys, limits, errors, what a missing value means, licence and assistants."}},
			[2]string{"Documentation", "Documentation"}, docs},
		{web.Publication{Path: "/docs/addresses", Description: [2]string{
			"Chercher une adresse\u00a0: ce que la recherche comprend, ce que disent kind, score et hint, et que vérifier avant d’utiliser une réponse.",
			"Searching addresses: what is understood, what kind, score and hint mean, and what to check before you use an answer."}},
			[2]string{"Recherche d’adresses", "Address search"}, addresses},
		{web.Publication{Path: "/docs/assistants", Description: [2]string{
			"Écrire un client du serveur MCP\u00a0: les outils et leurs arguments, leurs erreurs, leurs limites, et l’autorisation par OAuth.",
			"Write a client of the MCP server: the tools and their arguments, their errors, their limits, and authorization by OAuth."}},
			[2]string{"Outils des assistants", "Assistant tools"}, assistants},
		accountEntry,
		eventsEntry,
		{web.Publication{Path: clientsPath, Description: [2]string{
			"Les bibliothèques clientes pour TypeScript et Python : les installer, un premier programme, et comment elles respectent les limites du compte.",
			"Client libraries for TypeScript and Python: how to install them, a first program, and how they keep to the limits of the account."}},
			[2]string{"Bibliothèques clientes", "Client libraries"}, clientLibraries},
		{web.Publication{Path: changesPath, Description: [2]string{
			"Ce qui est stable dans la version v1 de l’API, comment les changements sont annoncés, et leur liste datée, du plus récent au plus ancien.",
			"What is stable in version v1 of the API, how changes are announced, and the list of them with dates, the newest first."}},
			[2]string{"Changements", "Changes"}, changes},
		{web.Publication{Path: recipesPath, Description: [2]string{
			"Des programmes à copier\u00a0: d’une adresse à son rapport, comparer deux communes, la carte d’un département, une feuille d’adresses, R, un assistant.",
			"Programs to copy: from an address to its report, compare two communes, the map of a département, a spreadsheet of addresses, R, an assistant."}},
			[2]string{"Recettes", "Recipes"}, recipeList},
	}
	for _, r := range allRecipes() {
		out = append(out, r.entry)
	}
	return out
}

// Register adds the pages to the server, and publishes them.
func (p *Pages) Register(app *fiber.App) {
	for _, e := range guideEntries() {
		p.o.Site.Publish(e.Publication)
		app.Get(e.Path, func(c *fiber.Ctx) error { return web.Send(c, e.body(p.newView(p.o.Site.Frame(c), e))) })
	}
	app.Get(changesPath+web.FeedSuffix, p.serveChangesFeed)
	for _, a := range clients.All() {
		app.Get(archivesPath+a.Name, func(c *fiber.Ctx) error {
			web.Guard(c)
			c.Attachment(a.Name)
			c.Set(fiber.HeaderContentType, "application/octet-stream")
			return c.Send(a.Bytes())
		})
	}
}

// Documents are the pages for the search, in the language of the frame.
func (p *Pages) Documents(f web.Frame) (out []web.Document) {
	for _, e := range guideEntries() {
		out = append(out, web.Document{Path: e.Path, Body: e.body(p.newView(f, e))})
	}
	return out
}

// view is the data of a page.
type view struct {
	web.Frame
	title string
	path  string
	plans []billing.Plan
}

func (p *Pages) newView(f web.Frame, e entry) view {
	title := f.Lang.Pick(e.title[0], e.title[1])
	if e.Path == changesPath {
		f.Feed = changesPath + web.FeedSuffix
	}
	return view{Frame: f.With(title+" · "+f.Name(), "docs"), title: title, path: e.Path, plans: p.o.Plans}
}

func (v view) isFrench() bool { return v.Lang == web.French }

// pick is the text in the language of the page.
func (v view) pick(french, english string) string { return v.Lang.Pick(french, english) }

// Call is a request that the guide shows with its answer, which is recorded under the name.
type Call struct{ Name, Path string }

// Calls are all of them. A test makes each, and compares the answer with the recorded one.
func Calls() []Call { return []Call{firstReport, firstAddress, firstParcel} }

// The three calls of the quick start: each has what the next one needs, or the first one needs.
var (
	firstReport  = Call{"guide-report", "/parcelles/" + parcel.ExampleIDU + "/enrichments?fields=radon,qpv,seisme"}
	firstAddress = Call{"guide-address", "/adresses?q=12+allee+des+Roses+Bondy&limit=1"}
	firstParcel  = Call{"guide-parcel", "/parcelles?lat=48.908793&lon=2.479006"}
)

// answer is what the call was answered with, with the first items of each list.
func (v view) answer(c Call) string {
	return recorded.Excerpt(recorded.Answer(c.Name, v.BaseURL()), func(left int) string {
		return "… " + v.pick("et "+v.Lang.Number(left)+" de plus", v.Lang.Number(left)+" more")
	})
}

// toSentence begins with a capital and ends with a full stop.
func toSentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] + "." }
