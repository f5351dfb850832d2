package explore

import (
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/api/geocode"
	"arpent/api/geom"
	"arpent/api/parcel"
)

// resultsListed is how many answers a search has.
const resultsListed = 8

// search finds addresses, places and communes. A cadastral reference leads to its parcel, a position to what lies there: their path is
// returned.
func (p *Pages) search(c *fiber.Ctx, v *view) (to string) {
	if id, ok := referenceIn(v.query); ok {
		return Path + "?parcelle=" + string(id)
	}
	if at := geocode.Coordinates(strings.TrimSpace(v.query)); at != nil {
		return Path + "?lat=" + strconv.FormatFloat(at.Lat, 'f', -1, 64) + "&lon=" + strconv.FormatFloat(at.Lon, 'f', -1, 64)
	}
	ask := geocode.Request{Limit: resultsListed}
	var ok bool
	if ask.Query, ok = geocode.CheckQuery(v.query); !ok {
		v.fail(fiber.StatusBadRequest, noQuery)
		return ""
	}
	index := p.o.Addresses()
	if index == nil || index.Counts().Places == 0 {
		v.fail(fiber.StatusServiceUnavailable, noAddresses)
		return ""
	}
	if p.admit(c, v) {
		found := index.Search(ask)
		v.found, v.box = &found, p.around(found.Data)
		if snap := p.o.Territory(); snap != nil {
			v.departement, _ = snap.DepartementNamed(v.query)
		}
	}
	return ""
}

// around is the box around the best answer and others that have every word of the query; nil: the map stays where it is.
func (p *Pages) around(list []geocode.FoundPlace) (out *geom.Box) {
	for i, f := range list {
		if f.Lat == nil || f.Lon == nil || i > 0 && len(f.Unmatched) > 0 {
			continue
		}
		box := p.boxOf(f)
		if out != nil {
			box = box.Around(*out)
		}
		out = &box
	}
	return out
}

// boxOf is the box in which the map shows a place: its surroundings, or its commune when it is one or has no parcels to draw there.
func (p *Pages) boxOf(f geocode.FoundPlace) geom.Box {
	if snap := p.o.Territory(); snap != nil {
		whole, ok := snap.Bounds(f.CodeInsee)
		if ok && (f.Kind == "commune" || len(p.sections(snap, f.CodeInsee, whole)) == 0) {
			return whole
		}
	}
	const margin = 50_000 // half a kilometre, in units of positions
	at := geom.Snap(*f.Lon, *f.Lat)
	return geom.Box{MinX: at.X - margin, MinY: at.Y - margin, MaxX: at.X + margin, MaxY: at.Y + margin}
}

func referenceIn(query string) (parcel.IDU, bool) {
	text := strings.ToUpper(strings.TrimSpace(query))
	if id, err := parcel.ParseIDU(text); err == nil {
		return id, true
	}
	return parcel.Read(text)
}

// result is the address of what was found: a commune, else the point.
func (v view) result(f geocode.FoundPlace) string {
	if f.Kind == "commune" || f.Lat == nil || f.Lon == nil {
		return v.address("commune", f.CodeInsee)
	}
	return v.address("lat", strconv.FormatFloat(*f.Lat, 'f', -1, 64), "lon", strconv.FormatFloat(*f.Lon, 'f', -1, 64), "z", "18")
}
