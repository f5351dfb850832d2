package explore

import (
	"time"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"arpent/api/geocode"
	"arpent/api/parcel"
	"arpent/api/reference"
	"arpent/internal/budget"
	"arpent/web"
)

// SuggestPath is asked by search fields while their visitor types.
const SuggestPath = Path + "/suggest"

// What suggestions may cost: a twentieth of one processor in the long run. One client gets twelve a minute, which
// is a search typed letter by letter, and has room for ten searches at once. Suggestions are labels without
// positions: opening one counts as two visits, the search of its label and the place.
const (
	suggestShare   = 0.05
	suggestReserve = 5 * time.Second
	suggestAtOnce  = 120
	suggestEvery   = 5 * time.Second

	suggestListed = 8
	suggestFrom   = 3 // characters
	suggestAge    = "private, max-age=300"
)

// suggestion is a place that the typed text may mean: the label that finds it, and its kind in a word.
type suggestion struct {
	Label string `json:"label"`
	Kind  string `json:"kind"`
}

// suggestLimits limit what suggestions cost.
type suggestLimits struct {
	turns *budget.Clients
	work  *budget.Shared
}

func newSuggestLimits(o Options) suggestLimits {
	return suggestLimits{
		turns: budget.NewClients(budget.ClientOptions{Clock: o.Clock, Every: suggestEvery, Burst: suggestAtOnce,
			Known: addressesKnown}),
		work: budget.NewShared(budget.Options{Clock: o.Clock, Share: suggestShare, Reserve: suggestReserve}),
	}
}

// serveSuggestions answers with the places that the text in q may mean, as JSON. A client over its limits gets
// 429 with Retry-After; the form works without suggestions.
func (p *Pages) serveSuggestions(c *fiber.Ctx) error {
	web.Guard(c)
	client := p.o.Client(c)
	wait := p.suggest.work.Wait(client)
	if wait == 0 {
		_, wait = p.suggest.turns.Take(client)
	}
	if wait > 0 {
		c.Set(fiber.HeaderRetryAfter, retrySeconds(wait))
		c.Set(fiber.HeaderCacheControl, "no-store")
		return c.SendStatus(fiber.StatusTooManyRequests)
	}
	begun := p.o.Clock.Now()
	out, age := []suggestion{}, suggestAge
	if p.o.Addresses() == nil { // it is being read
		age = "no-store"
	}
	lang := p.o.Site.Frame(c).Lang
	for _, f := range p.suggestPlaces(c.Query("q")) {
		out = append(out, suggestion{f.Label, kinds.Of(lang, f.Kind)})
	}
	p.suggest.work.Spend(client, p.o.Clock.Now().Sub(begun))
	c.Set(fiber.HeaderCacheControl, age)
	return c.JSON(out)
}

// suggestPlaces finds the parcels whose reference the text is, then the places and streets that it begins.
func (p *Pages) suggestPlaces(text string) []geocode.FoundPlace {
	query, ok := geocode.CheckQuery(text)
	index := p.o.Addresses()
	if !ok || index == nil || utf8.RuneCountInString(query) < suggestFrom {
		return nil
	}
	found := p.suggestParcels(index, query)
	if len(found) < suggestListed {
		typed := geocode.Request{Query: query, Limit: suggestListed - len(found), Typing: true}
		found = append(found, index.Search(typed).Data...)
	}
	return found
}

// suggestParcels finds the parcels of a reference, also of one whose commune is being typed.
func (p *Pages) suggestParcels(index *geocode.Index, query string) []geocode.FoundPlace {
	territory, parcels := p.o.Territory(), p.o.Index()
	found := reference.Find(territory, parcels, query, suggestListed)
	w, ok := parcel.ReadWritten(query)
	if len(found) > 0 || !ok || w.Place == "" {
		return found
	}
	for _, place := range index.Search(geocode.Request{Query: w.Place, Limit: suggestListed,
		Typing: true}).Data {
		if place.Kind == "commune" && len(found) < suggestListed {
			written := place.CodeInsee + " " + w.Prefix + " " + w.Section + " " + w.Number
			found = append(found, reference.Find(territory, parcels, written, suggestListed-len(found))...)
		}
	}
	return found
}
