package api

import (
	"encoding/json"
	"fmt"
	"strconv"

	"arpent/api/geocode"
	"arpent/api/reply"
	"arpent/app/fault"
)

const (
	addressLimit     = 5
	addressLimitMost = 20
)

var (
	addressQuery = Param{Name: "q", In: "query", Type: "string", Required: true, Example: "12 rue de Paris, Bondy",
		Description: "What to look for, as people write it: an address, a street, a locality or a commune; a postcode, or the code or name of a département, may stand anywhere. Fewer than 3 characters find communes of exactly this name only.",
		Expected:    "1 to 200 characters, without control characters",
		Valid:       func(s string) bool { _, ok := geocode.CheckQuery(s); return ok }}
	addressCount = Param{Name: "limit", In: "query", Type: "integer", Example: addressLimit,
		Description: "Greatest number of answers; 5 if left out.", Expected: "a whole number between 1 and 20",
		Valid: func(s string) bool { _, ok := parseLimit(s); return ok }}
)

// searchAddress is the row of the operations table.
func searchAddress() Operation {
	return Operation{
		Name: "search_address", Path: "/adresses", Unavailable: true,
		Summary: "Find an address, a locality or a commune",
		Description: "Addresses and places that fit the query, best first, with the code of the commune and coordinates. `lat` and `lon`, given together, " +
			"put what is near first among what fits equally well. A street whose number is not known is answered as a `street`, with a lower score. Nothing found is an empty list.",
		Params:  []Param{addressQuery, addressCount, latitude, longitude},
		Results: []any{geocode.FoundPlaces{}}, Example: "/adresses?q=12+rue+de+Paris+Bondy", Run: (*Handlers).SearchAddress,
	}
}

func parseLimit(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 1 && n <= addressLimitMost && s[0] != '+'
}

// SearchAddress answers search_address.
func (h *Handlers) SearchAddress(r *Request) (reply.Reply, error) {
	_, hasLat := r.Query("lat")
	_, hasLon := r.Query("lon")
	if hasLat != hasLon {
		return reply.Reply{}, fault.Invalid("%s is missing; expected lat and lon together", missingOf(hasLat))
	}
	x := h.addresses.Index()
	if x == nil {
		return reply.Reply{}, fault.Down("The addresses are not ready yet. Try again in a moment.", nil)
	}
	text, _ := r.Query("q")
	ask := geocode.Ask{Limit: addressLimit}
	ask.Query, _ = geocode.CheckQuery(text)
	if text, ok := r.Query("limit"); ok {
		ask.Limit, _ = parseLimit(text)
	}
	if hasLat {
		lat, lon := r.Point()
		ask.Near = &geocode.Point{Lat: lat, Lon: lon}
	}
	body, err := json.Marshal(x.Search(ask))
	if err != nil {
		return reply.Reply{}, fmt.Errorf("encode the addresses: %w", err)
	}
	return reply.New(body), nil
}
