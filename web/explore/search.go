package explore

import (
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/api/geocode"
	"arpent/api/parcel"
	"arpent/api/reference"
	"arpent/internal/opendata/geom"
)

// resultsListed is how many answers a search has.
const resultsListed = 8

// searchPlaces finds addresses, places and communes. A cadastral reference leads to its parcel, a position
// to what lies there: their path is returned.
func (p *Pages) searchPlaces(c *fiber.Ctx, v *view) (to string) {
	if id, ok := parseReference(v.query); ok {
		return p.chooseParcel(v, string(id))
	}
	if at := geocode.Coordinates(strings.TrimSpace(v.query)); at != nil {
		return Path + "?lat=" + strconv.FormatFloat(at.Lat, 'f', -1, 64) + "&lon=" + strconv.FormatFloat(at.Lon, 'f', -1, 64)
	}
	ask := geocode.Request{Limit: resultsListed}
	var ok bool
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
		}
		v.found, v.box = &found, p.resultsBox(found.Data)
		if snap := p.o.Territory(); snap != nil {
			v.departement, _ = snap.DepartementNamed(v.query)
		}
	}
	return ""
}

// everyWord is the score above which an answer has every word of the query.
const everyWord = 0.8

// chooseParcel gives the path of the parcel whose reference was asked for, or of the one with this reference
// where the file has none; where several may be meant it lists them. Empty: there is none, or there are
// several.
func (p *Pages) chooseParcel(v *view, id string) (to string) {
	found := reference.Find(p.o.Territory(), p.o.Index(), v.query, resultsListed)
	switch {
	case len(found) > 1:
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

func parseReference(query string) (parcel.IDU, bool) {
	text := strings.ToUpper(strings.TrimSpace(query))
	if id, err := parcel.ParseIDU(text); err == nil {
		return id, true
	}
	return parcel.Read(text)
}

// resultLink is the address of what was found: a parcel, a commune, else the point.
func (v view) resultLink(f geocode.FoundPlace) string {
	if f.IDU != nil {
		return v.viewLink("parcelle", *f.IDU)
	}
	if f.Kind == "commune" || f.Lat == nil || f.Lon == nil {
		return v.viewLink("commune", f.CodeInsee)
	}
	return v.viewLink("lat", strconv.FormatFloat(*f.Lat, 'f', -1, 64), "lon", strconv.FormatFloat(*f.Lon, 'f', -1, 64), "z", "18")
}
