package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"arpent/api/geocode"
	"arpent/api/parcel"
	"arpent/api/reference"
	"arpent/api/reply"
	"arpent/internal/fault"
)

const (
	addressLimit    = 5
	maxAddressLimit = 20
)

var (
	addressQuery = Param{Name: "q", In: "query", Type: "string", Required: true, MaxLength: 200,
		Example:     "12 allée des Roses, Bondy",
		Description: "What to look for, as people write it, 1 to 200 characters: an address, a street, a locality or a commune; a postcode, or the code or name of a département, may stand anywhere; or a parcel, as in section AY 71 Bondy. Accents, case and hyphens do not matter. Fewer than 3 characters find communes of this name, or whose first word it is, only.",
		Expected:    "1 to 200 characters, without control characters",
		Valid:       func(s string) bool { _, ok := geocode.CheckQuery(s); return ok }}
	addressCount = Param{Name: "limit", In: "query", Type: "integer", Example: addressLimit,
		Default: addressLimit, Min: 1, Max: maxAddressLimit,
		Description: "Greatest number of answers, 1 to 20; 5 if left out.",
		Expected:    "a whole number between 1 and 20",
		Valid:       func(s string) bool { _, ok := parseLimit(s); return ok }}
)

// errNoAddresses is for the log, which is the operator's.
var errNoAddresses = errors.New("no index of addresses, or an empty one: arpent doctor says why")

// searchAddress is the row of the operations table.
func searchAddress() Operation {
	return Operation{
		Name: "search_address", Path: "/adresses", Tag: TagAddresses, Unavailable: true,
		Summary: "Find an address, a locality or a commune", SummaryFrench: "Une adresse ou un lieu, par son nom",
		Description: "Addresses and places that fit the query, best first, with the code of the commune and coordinates. `lat` and `lon`, given together, " +
			"put what is near first among what fits equally well. A street whose number is not known is answered as a `street`, a street that is not known as the `commune` it was asked in, with a lower score. " +
			"There is an answer as soon as a part of the query fits: `matched` and `unmatched` say which words, and only where all were found, and one place alone is called so, is `score` above 0.8. A street without its town scores at most 0.79 where the streets of other communes are not loaded. " +
			"`ambiguous` says that several may be meant, `fuzzy` that an answer is spelt otherwise. Show `label`. A cadastral reference gives its `parcel`, with `idu`; a `housenumber` has the `idu` of the parcel at its point, or of the nearest one, and `distanceM`. " +
			"Nothing found is an empty list, with status 200; `hint` names the right operation for a département, a région or coordinates, and says why nothing was found.",
		DescriptionFrench: "Une adresse, un lieu-dit ou une commune tels qu’on les écrit, fautes de frappe comprises. Les meilleures réponses viennent d’abord, avec le code de la commune et les coordonnées, " +
			"qui servent à toutes les autres opérations. Regardez `kind` et `score` avant de vous fier à la première.",
		Params:  []Param{addressQuery, addressCount, latitude, longitude},
		Results: []any{geocode.FoundPlaces{}}, Example: "/adresses?q=12+allee+des+Roses+Bondy",
		Places: []Place{
			{"12 allée des Roses, Bondy", "12 allée des Roses, Bondy", "/adresses?q=12+allee+des+Roses+Bondy"},
			{"Place de la Mairie, Rennes", "Place de la Mairie, Rennes", "/adresses?q=place+de+la+Mairie+Rennes"},
			{"Ajaccio", "Ajaccio", "/adresses?q=Ajaccio"},
		},
		Run: (*Handlers).SearchAddress,
		Tools: []Tool{
			{
				Name: "search_address", Title: "Search an address or place",
				About: "Finds French addresses, streets, localities and communes from free text, best first: kind, label to show, score from 0 to 1, postcode, commune code (codeInsee) and WGS84 coordinates. " +
					"Use it first whenever you have a name or an address. " +
					"Look at kind and score first: above 0.8 every word was found, and one place alone is called so; below, it is a guess (fuzzy: spelt otherwise), one of several, or unmatched lists the words that it lacks, or no town was named. Name the town: only some communes' streets may be loaded (hint). Where ambiguous is true, namesakes places may be meant: ask which, or add a département or a postcode. " +
					"A housenumber has the idu of its parcel, distanceM away. A parcel as people write it (section AY 71 Bondy) gives kind parcel with its idu. hint names the right tool for a département, a région or coordinates, and says why nothing was found.",
				Example: `{"q":"12 allée des Roses, Bondy","limit":3}`,
				Invalid: "q is 1 to 200 characters; lat and lon come together.",
				Missing: "Try a shorter query.",
				Page: ToolPage{Place: 1, Gives: "Addresses, streets, localities and communes, best first, with commune code and coordinates.",
					French:      "Trouver une adresse, un lieu-dit ou une commune",
					English:     "Find an address, a locality or a commune",
					FrenchAsks:  "Où se trouve le 12, allée des Roses à Bondy\u00a0?",
					EnglishAsks: "Where is 12 allée des Roses in Bondy?"},
			},
		},
	}
}

func parseLimit(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 1 && n <= maxAddressLimit && s[0] != '+'
}

// poorScore is the score below which an answer has little of the query.
const poorScore = 0.5

// everyWord is the score above which an answer has every word of the query.
const everyWord = 0.8

// findReference puts the parcels in place of other answers whose reference was asked for; where they are not
// known it says what could be asked.
func (h *Handlers) findReference(found *geocode.FoundPlaces, limit int) {
	snap := h.territory.Snapshot()
	parcels := reference.Find(snap, h.parcels.Index(), found.Query, limit)
	commune, bare := reference.FindBare(snap, h.parcels.Index(), h.addresses.Index(), found.Query)
	several := []geocode.FoundPlace(nil)
	if len(parcels) == 0 {
		several = reference.FindSeveral(snap, h.parcels.Index(), found.Query, limit)
	}
	switch idu, ok := reference.Read(snap, h.parcels.Index(), found.Query); {
	case several != nil:
		found.Data, found.Count, found.Namesakes = several, len(several), 1
		found.Truncated, found.Ambiguous = false, false
		found.Hint = new("The query names several parcels: each is an answer.")
	case len(parcels) > 0:
		unloaded := reference.Unloaded(snap, h.parcels.Index(), found.Query)
		found.Data, found.Count, found.Namesakes = parcels, len(parcels), len(parcels)+len(unloaded)
		found.Truncated, found.Hint, found.Ambiguous = false, nil, found.Namesakes > 1
		var said []string
		if parcels[0].Fuzzy {
			said = append(said, "No commune is called so as written: unmatched lists the words that are spelt otherwise.")
		}
		if len(unloaded) > 0 {
			said = append(said, reference.SayUnloaded(unloaded))
		}
		if lot := reference.SayLot(found.Query); lot != "" {
			said = append(said, lot)
		}
		if said != nil {
			found.Hint = new(strings.Join(said, " "))
		}
	case ok && !bare:
		found.Hint = new("If this is a cadastral reference: GET /parcelles/" + idu +
			" (tool get_parcel) says what is known of the parcel.")
	case bare:
		found.PutFirst(commune, limit)
		found.Hint = new("If this is a cadastral reference: no parcel of " + commune.Commune + " (" +
			commune.CodeInsee + ") is loaded on this server.")
	default:
		text := parcel.ExplainUnread(found.Query)
		if len(found.Data) == 0 || found.Data[0].Score < poorScore {
			text = cmp.Or(text, reference.ExplainNear(snap, h.parcels.Index(), found.Query))
		}
		if text != "" && geocode.Coordinates(found.Query) == nil && !found.NamesArea {
			found.Hint = new("If this is a cadastral reference: " + strings.ToLower(text[:1]) + text[1:])
		}
	}
}

// SearchAddress answers search_address.
func (h *Handlers) SearchAddress(r *Request) (reply.Reply, error) {
	hasLat, hasLon := r.Given("lat"), r.Given("lon")
	if hasLat != hasLon {
		return reply.Reply{}, fault.Invalid("%s is missing; expected lat and lon together",
			missingCoordinate(hasLat)).About(missingCoordinate(hasLat))
	}
	x := h.addresses.Index()
	if x == nil || x.Counts().Places == 0 {
		return reply.Reply{}, fault.Down("The addresses are not ready yet: nothing is loaded, or their index is being built. Try again in a few minutes.", errNoAddresses)
	}
	ask := geocode.Request{Limit: addressLimit}
	ask.Query, _ = geocode.CheckQuery(r.Text("q"))
	if r.Given("limit") {
		ask.Limit, _ = parseLimit(r.Text("limit"))
	}
	if hasLat {
		lat, lon := r.Point()
		ask.Near = &geocode.Point{Lat: lat, Lon: lon}
	}
	found := x.Search(ask)
	if len(found.Data) == 0 || found.Data[0].Score <= everyWord {
		h.findReference(&found, ask.Limit)
		if snap := h.territory.Snapshot(); snap != nil && !found.NamesArea {
			if said := snap.PointToBody(found.Query); said != "" {
				found.Hint = &said
			}
		}
	}
	reference.AddParcels(h.parcels.Index(), found.Data)
	body, err := json.Marshal(found)
	if err != nil {
		return reply.Reply{}, fmt.Errorf("encode the addresses: %w", err)
	}
	return reply.New(body), nil
}
