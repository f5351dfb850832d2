package explore

import (
	"time"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"arpent/api/geocode"
	"arpent/api/parcel"
	"arpent/api/reference"
	"arpent/api/territory"
	"arpent/internal/budget"
	"arpent/web"
)

// SuggestPath is asked by search fields while their visitor types.
const SuggestPath = Path + "/suggest"

// What suggestions may cost: a twentieth of one processor in the long run. One client gets twelve a minute,
// which is a search typed letter by letter, and has room for ten searches at once. Suggestions are labels
// without positions: opening one counts as two visits, the search of its label and the place.
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

// serveSuggestions answers with the places that the text in q may mean, as JSON. A client over its limits
// gets 429 with Retry-After; the form works without suggestions.
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
	snap, parcels, addresses := p.o.Territory(), p.o.Index(), p.o.Addresses()
	out, age := []suggestion{}, suggestAge
	if snap == nil || parcels == nil || addresses == nil { // they are being read
		age = "no-store"
	}
	lang := p.o.Site.Frame(c).Lang
	for _, f := range suggestPlaces(snap, parcels, addresses, c.Query("q")) {
		out = append(out, suggestion{f.Label, kinds.Of(lang, f.Kind)})
	}
	p.suggest.work.Spend(client, p.o.Clock.Now().Sub(begun))
	c.Set(fiber.HeaderCacheControl, age)
	return c.JSON(out)
}

// suggestPlaces finds the parcels whose reference the text is, then the places and streets that it begins.
func suggestPlaces(snap *territory.Snapshot, parcels *parcel.Index, addresses *geocode.Index,
	text string) []geocode.FoundPlace {
	query, ok := geocode.CheckQuery(text)
	if !ok || addresses == nil || utf8.RuneCountInString(query) < suggestFrom {
		return nil
	}
	found := suggestParcels(snap, parcels, addresses, query)
	if len(found) < suggestListed {
		typed := geocode.Request{Query: query, Limit: suggestListed - len(found), Typing: true}
		found = append(found, addresses.Search(typed).Data...)
	}
	return found
}

// suggestParcels finds the parcels of a reference, also of one whose commune is being typed.
func suggestParcels(snap *territory.Snapshot, parcels *parcel.Index, addresses *geocode.Index,
	query string) []geocode.FoundPlace {
	found := reference.Find(snap, parcels, query, suggestListed)
	w, ok := parcel.ReadWritten(query)
	if len(found) > 0 || !ok || w.Place == "" {
		return found
	}
	for _, place := range addresses.Search(geocode.Request{Query: w.Place, Limit: suggestListed,
		Typing: true}).Data {
		if place.Kind == "commune" && len(found) < suggestListed {
			written := place.CodeInsee + " " + w.Prefix + " " + w.Section + " " + w.Number
			found = append(found, reference.Find(snap, parcels, written, suggestListed-len(found))...)
		}
	}
	return found
}
