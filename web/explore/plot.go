package explore

import (
	"cmp"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/api/geocode"
	"arpent/api/parcel"
	"arpent/api/reference"
	"arpent/internal/fault"
	"arpent/internal/opendata/geom"
	"arpent/web/landing"
	"arpent/web/report"
)

// plot is a parcel as the page shows it.
type plot struct {
	parcel.Parcelle
	known   bool           // its fields were read; else only its reference is
	report  *report.Report // nil: it cannot be made now
	limited bool           // because the network of the visitor has asked for many
}

// showParcel shows a parcel by its reference, also as deeds write it.
func (p *Pages) showParcel(c *fiber.Ctx, v *view, written string) {
	id, err := parcel.ParseIDU(p.o.Parcels.Spelled(written))
	if err != nil {
		read, ok := reference.Read(p.o.Territory(), p.o.Index(), written)
		if !ok {
			v.setProblem(fiber.StatusBadRequest, noReference)
			return
		}
		id = parcel.IDU(read)
	}
	id = parcel.IDU(strings.Clone(string(id)))
	if !p.admitVisitor(c, v) {
		p.showReference(v, id)
		return
	}
	answer, err := p.o.Parcels.Find(string(id), geom.Members{}, nil)
	if err != nil {
		v.query = cmp.Or(v.query, string(id)) // the field names the parcel
		p.failLookup(c, v, err, noParcel)
		return
	}
	p.showAnswer(c, v, answer.Body)
	p.findAsked(v)
}

// findAsked finds the address in the search field, where it is one of the parcel that is shown or nearest to
// it.
func (p *Pages) findAsked(v *view) {
	index, ok := p.o.Addresses(), false
	ask := geocode.Request{Limit: resultsListed}
	if ask.Query, ok = geocode.CheckQuery(v.query); !ok || index == nil || v.plot == nil {
		return
	}
	found := index.Search(ask).Data
	reference.AddParcels(p.o.Index(), found)
	for i, f := range found {
		if f.Label == ask.Query && f.IDU != nil && *f.IDU == v.plot.IDU {
			v.asked = &found[i]
			return
		}
	}
}

// showReference shows what the map and the lists have of a parcel.
func (p *Pages) showReference(v *view, id parcel.IDU) {
	index, snap := p.o.Index(), p.o.Territory()
	if index == nil || snap == nil {
		return
	}
	box, drawn := index.Bounds(id)
	at, placed := snap.Place(id.Commune())
	if !drawn || !placed {
		return
	}
	v.box = &box
	v.plot = &plot{Parcelle: parcel.Parcelle{IDU: string(id), CodeInsee: at.CodeInsee, Commune: at.CommuneName,
		ParcelleAttributes: parcel.ParcelleAttributes{Section: id.Section(), Numero: id.Number()}}}
}

// showPoint shows the parcel at a point, or where there is none the commune.
func (p *Pages) showPoint(c *fiber.Ctx, v *view) {
	lat, errLat := strconv.ParseFloat(c.Query("lat"), 64)
	lon, errLon := strconv.ParseFloat(c.Query("lon"), 64)
	if errLat != nil || errLon != nil || !(math.Abs(lat) <= 90 && math.Abs(lon) <= 180) {
		v.setProblem(fiber.StatusBadRequest, noPoint)
		return
	}
	zoom, err := strconv.ParseFloat(c.Query("z", "17"), 64)
	if err != nil || !(zoom >= 4 && zoom <= 20) {
		zoom = 17
	}
	v.at = &position{lat, lon, formatDegrees(zoom)}
	if !p.admitVisitor(c, v) {
		return
	}
	if answer, err := p.o.Parcels.At(lat, lon, 0, geom.Members{}, nil); err == nil && zoom >= parcelZoom {
		p.showAnswer(c, v, answer.Body)
		return
	}
	snap := p.o.Territory()
	if snap == nil {
		v.setProblem(fiber.StatusServiceUnavailable, notLoadedYet)
		return
	}
	at, err := snap.PlaceAt(lat, lon)
	if err != nil {
		v.at = nil // the map stays where it is
		p.failLookup(c, v, err, noCommuneThere)
		return
	}
	v.commune = &commune{}
	v.commune.CodeInsee, v.commune.Name = at.CodeInsee, at.CommuneName
	if box, ok := snap.Bounds(at.CodeInsee); ok {
		v.commune.sections = p.listSections(snap, at.CodeInsee, box)
		if zoom >= parcelZoom && len(v.commune.sections) == 0 {
			v.at, v.box = nil, &box // at that zoom there is nothing to draw
		}
	}
	p.readStatistics(snap, v)
}

// parcelZoom is the zoom from which a point means a parcel: on maps below it one chooses communes.
const parcelZoom = 14

// showAnswer shows a parcel from the answer of the API, with its report.
func (p *Pages) showAnswer(c *fiber.Ctx, v *view, body []byte) {
	v.plot = &plot{known: true}
	if err := json.Unmarshal(body, &v.plot.Parcelle); err != nil {
		slog.ErrorContext(c.UserContext(), "parcel not read for the explorer", "error", err)
		v.plot = nil
		v.setProblem(fiber.StatusServiceUnavailable, notLoadedYet)
		return
	}
	if index := p.o.Index(); index != nil {
		if box, ok := index.Bounds(parcel.IDU(v.plot.IDU)); ok {
			v.box = &box
		}
	}
	p.readReport(c, v)
}

// failLookup says why something was not found.
func (p *Pages) failLookup(c *fiber.Ctx, v *view, err error, missing [2]string) {
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Code == fault.NotFound {
		v.setProblem(fiber.StatusNotFound, missing)
		return
	}
	slog.WarnContext(c.UserContext(), "nothing shown in the explorer", "error", err)
	v.setProblem(fiber.StatusServiceUnavailable, notNow)
}

// setProblem says what was wrong.
func (v *view) setProblem(status int, text [2]string) {
	v.status, v.problem = status, v.Lang.Pick(text[0], text[1])
}

// readReport reads the report of the parcel.
func (p *Pages) readReport(c *fiber.Ctx, v *view) {
	begun := p.o.Clock.Now()
	defer func() { v.reporting = p.o.Clock.Now().Sub(begun) }()
	made, err := p.o.Report(c.UserContext(), v.plot.IDU, p.o.Client(c))
	var limited *landing.Limited
	switch {
	case errors.As(err, &limited):
		v.plot.limited = limited.Own
	case err != nil:
		slog.InfoContext(c.UserContext(), "no report in the explorer", "error", err)
	default:
		v.plot.report = made
	}
}
