package explore

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/api/geocode"
	"arpent/api/parcel"
	"arpent/api/reference"
	"arpent/internal/opendata/geom"
	"arpent/web"
)

// resultsListed is how many answers a search has.
const resultsListed = 8

// searchPlaces finds addresses, places and communes. A cadastral reference leads to its parcel, a position
// to what lies there: their path is returned.
func (p *Pages) searchPlaces(c *fiber.Ctx, v *view) (to string) {
	text := strings.ToUpper(strings.TrimSpace(v.query))
	id, ok := parcel.Read(text)
	if whole, err := parcel.ParseIDU(text); err == nil {
		id, ok = whole, true
	}
	if ok {
		return p.chooseParcel(v, string(id))
	}
	if at := geocode.Coordinates(strings.TrimSpace(v.query)); at != nil {
		lat, lon := strconv.FormatFloat(at.Lat, 'f', -1, 64), strconv.FormatFloat(at.Lon, 'f', -1, 64)
		return Path + "?lat=" + lat + "&lon=" + lon
	}
	ask := geocode.Request{Limit: resultsListed}
	if ask.Query, ok = geocode.CheckQuery(v.query); !ok {
		v.setProblem(fiber.StatusBadRequest, noQuery)
		return ""
	}
	index := p.o.Addresses()
	if index == nil || index.Counts().Places == 0 {
		v.setProblem(fiber.StatusServiceUnavailable, noAddresses)
		return ""
	}
	if p.admitVisitor(c, v) {
		found := index.Search(ask)
		if len(found.Data) == 0 || found.Data[0].Score <= everyWord {
			if to := p.chooseParcel(v, ""); to != "" || v.found != nil {
				return to
			}
			if f, ok := reference.FindBare(p.o.Territory(), p.o.Index(), index, ask.Query); ok {
				v.found = &geocode.FoundPlaces{Query: ask.Query, Count: 1, Data: []geocode.FoundPlace{f}}
				v.note = v.Lang.Pick("Aucune parcelle n’est chargée ici pour "+f.Commune+"\u00a0; voici la commune.",
					"No parcel of "+f.Commune+" is loaded here: this is the commune.")
				v.box = p.resultsBox(v.found.Data)
				return ""
			}
		}
		reference.AddParcels(p.o.Index(), found.Data)
		if to := findOnlyPath(found.Data, v.query); to != "" {
			return to
		}
		switch {
		case len(found.Data) > 0 && found.Data[0].Kind == "commune" && townHall.MatchString(ask.Query):
			found.Data, found.Count = found.Data[:1], 1
			v.note = v.Lang.Pick(noTownHalls[0], noTownHalls[1])
		// What else the words may mean lies elsewhere.
		case len(found.Data) > 0 && found.Data[0].LacksStreet() && !index.HasStreets(found.Data[0].CodeInsee):
			found.Data, found.Count = found.Data[:1], 1
			v.note = web.BareCommune(v.Lang, found.Data[0].Commune)
		}
		v.found, v.box = &found, p.resultsBox(found.Data)
		if snap := p.o.Territory(); snap != nil {
			v.departement, _ = snap.DepartementNamed(v.query)
		}
	}
	return ""
}

// townHall matches a search for a town hall: its word comes first or last, and is not part of the name of a
// street.
var townHall = regexp.MustCompile(`(?i)^(la |l['’])?(mairie|h[oô]tel de ville)( |$)|` +
	`([^a]|[^l]a) (mairie|h[oô]tel de ville)$`)

// findOnlyPath gives the path of the one answer whose label was searched for, as after a suggestion, or of
// the only answer, where it has every word; empty: there is none, or several may be meant. A street is many
// parcels: one that is not chosen by its label is listed.
func findOnlyPath(list []geocode.FoundPlace, query string) (to string) {
	if len(list) == 1 && list[0].Score > everyWord && list[0].Kind != "street" {
		return placePath(list[0])
	}
	for _, f := range list {
		if f.Label != strings.TrimSpace(query) {
			continue
		}
		if to != "" {
			return ""
		}
		to = placePath(f)
	}
	return to
}

// everyWord is the score above which an answer has every word of the query.
const everyWord = 0.8

// chooseParcel gives the path of the parcel whose reference was asked for, or of the one with this reference
// where the file has none; where several may be meant it lists them. Empty: there is none, or there are
// several.
func (p *Pages) chooseParcel(v *view, id string) (to string) {
	found := reference.Find(p.o.Territory(), p.o.Index(), v.query, resultsListed)
	switch {
	case len(found) > 1 || len(found) == 1 && found[0].Fuzzy:
		v.found, v.box = &geocode.FoundPlaces{Query: v.query, Count: len(found), Data: found}, p.resultsBox(found)
		return ""
	case len(found) == 1:
		id = *found[0].IDU
	}
	if id == "" {
		return ""
	}
	return Path + "?parcelle=" + id
}

// resultsBox is the box around the best answer and others that have every word of
// the query; nil: the map stays where it is.
func (p *Pages) resultsBox(list []geocode.FoundPlace) (out *geom.Box) {
	for i, f := range list {
		if f.Lat == nil || f.Lon == nil || i > 0 && len(f.Unmatched) > 0 {
			continue
		}
		box := p.placeBox(f)
		if out != nil {
			box = box.Around(*out)
		}
		out = &box
	}
	return out
}

// placeBox is the box in which the map shows a place: its surroundings, or its commune when
// it is one or has no parcels to draw there.
func (p *Pages) placeBox(f geocode.FoundPlace) geom.Box {
	if snap := p.o.Territory(); snap != nil {
		whole, ok := snap.Bounds(f.CodeInsee)
		if ok && (f.Kind == "commune" || len(p.listSections(snap, f.CodeInsee, whole)) == 0) {
			return whole
		}
	}
	const margin = 50_000 // half a kilometre, in units of positions
	at := geom.Snap(*f.Lon, *f.Lat)
	return geom.Box{MinX: at.X - margin, MinY: at.Y - margin, MaxX: at.X + margin, MaxY: at.Y + margin}
}

// placePath is the path of what was found: a parcel, a commune, else the point. That of an address keeps it
// in the search field: the parcel may have several.
func placePath(f geocode.FoundPlace) string {
	if f.IDU != nil && f.Kind == "housenumber" {
		return viewPath("parcelle", *f.IDU, "q", f.Label)
	}
	if f.IDU != nil {
		return viewPath("parcelle", *f.IDU)
	}
	if f.Kind == "commune" || f.Lat == nil || f.Lon == nil {
		return viewPath("commune", f.CodeInsee)
	}
	return viewPath("lat", strconv.FormatFloat(*f.Lat, 'f', -1, 64), "lon", strconv.FormatFloat(*f.Lon, 'f', -1,
		64), "z", "18")
}
