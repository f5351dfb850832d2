package explore

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/tidwall/gjson"

	"arpent/api/parcel"
	"arpent/api/reference"
	"arpent/internal/fault"
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/state"
	"arpent/web"
)

// plot is a parcel as the page shows it.
type plot struct {
	parcel.Parcelle
	known  bool // its fields were read; else only its reference is
	groups []group
}

// showParcel shows a parcel by its reference, also as deeds write it.
func (p *Pages) showParcel(c *fiber.Ctx, v *view, written string) {
	id, err := parcel.ParseIDU(p.o.Parcels.Spelled(written))
	if err != nil {
		read, ok := reference.Read(p.o.Territory(), written)
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
	answer, err := p.o.Parcels.Find(string(id), false, nil)
	if err != nil {
		p.failLookup(c, v, err, noParcel)
		return
	}
	p.showAnswer(c, v, answer.Body)
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
	v.plot = &plot{Parcelle: parcel.Parcelle{IDU: string(id), CodeInsee: at.CodeInsee, Commune: at.CommuneName, Section: id.Section(), Numero: id.Number()}}
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
	if answer, err := p.o.Parcels.At(lat, lon, 0, false, nil); err == nil && zoom >= parcelZoom {
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
		p.failLookup(c, v, err, noCommuneThere)
		return
	}
	v.commune = &commune{}
	v.commune.CodeInsee, v.commune.Name = at.CodeInsee, at.CommuneName
	if box, ok := snap.Bounds(at.CodeInsee); ok {
		v.commune.sections = p.listSections(snap, at.CodeInsee, box)
	}
	p.readStatistics(snap, v)
}

// parcelZoom is the zoom from which a point means a parcel: on maps below it one chooses communes.
const parcelZoom = 14

// showAnswer shows a parcel from the answer of the API, with a part of its report.
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
	v.plot.groups = p.readReport(c.UserContext(), p.o.Client(c), v)
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

// reportTimeout limits how long a visitor waits for the reports of others and for their own.
const reportTimeout = time.Second

// readReport makes the part of the report that the page shows; nil: it cannot be made now.
func (p *Pages) readReport(ctx context.Context, client netip.Addr, v *view) []group {
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	release, err := p.slots.Take(ctx, client)
	if err != nil {
		return nil
	}
	defer release()
	idu := v.plot.IDU
	place, outline, err := p.o.Parcels.PlaceAndOutline(idu)
	if err != nil {
		return nil
	}
	made, err := p.o.Report(ctx, report.Parcel{IDU: idu, Outline: outline, Commune: place.CodeInsee,
		Arrondissement: idu[:5], Departement: place.CodeDep, Keys: shownKeys()})
	if err != nil {
		slog.InfoContext(ctx, "no report in the explorer", "error", err)
		return nil
	}
	return p.reportGroups(v.Lang, made)
}

// shownValue is a key of the report, and how its value is written.
type shownValue struct {
	key             string
	french, english string
	write           func(web.Lang, gjson.Result) (value, detail string)
}

// shownValues are the keys of the report that the page shows: facts of the place that its producers publish
// one by one. What takes work to gather is what the call is for.
var shownValues = []shownValue{
	{"address", "Adresse", "Address", func(l web.Lang, v gjson.Result) (string, string) {
		return v.Get("label").String(), web.AddressMatch(l, v.Get("match").String(), int(v.Get("distanceM").Int()))
	}},
	{"radon", "Radon", "Radon", func(l web.Lang, v gjson.Result) (string, string) {
		return v.Get("label").String(), l.Pick("catégorie ", "category ") + v.Get("category").String() + l.Pick(" sur 3", " of 3")
	}},
	{"seisme", "Sismicité", "Seismicity", func(l web.Lang, v gjson.Result) (string, string) {
		return v.Get("label").String(), "zone " + v.Get("zone").String() + l.Pick(" sur 5", " of 5")
	}},
	{"qpv", "Quartier prioritaire", "Priority district", func(l web.Lang, v gjson.Result) (string, string) {
		return v.Get("name").String(), l.Percent(v.Get("sharePct").Float()/100) + l.Pick(" de la parcelle", " of the parcel")
	}},
	{"nearestGare", "Gare la plus proche", "Nearest station", formatNearest},
	{"nearestPharmacy", "Pharmacie la plus proche", "Nearest pharmacy", formatNearest},
}

func formatNearest(l web.Lang, v gjson.Result) (value, detail string) {
	return v.Get("name").String(), l.Pick("à ", "") + l.Number(int(v.Get("distanceM").Int())) + l.Pick("\u00a0m", " m away")
}

func shownKeys() (out []string) {
	for _, s := range shownValues {
		out = append(out, s.key)
	}
	return out
}

// reportGroups orders the keys of a report by group: those that are shown, those that
// the call has, those that are not loaded here.
func (p *Pages) reportGroups(l web.Lang, made *report.Report) (out []group) {
	for i, k := range p.o.Keys {
		title := web.ReportGroups.Of(l, string(k.Group))
		at := slices.IndexFunc(out, func(g group) bool { return g.title == title })
		if at < 0 {
			at, out = len(out), append(out, group{title: title})
		}
		g := &out[at]
		shown := slices.IndexFunc(shownValues, func(s shownValue) bool { return s.key == k.Name })
		named := key{web.ReportKeys.NameOf(l, k.Name), "/docs/report#" + k.Name}
		switch {
		case shown >= 0:
			g.facts = append(g.facts, newFact(l, shown, made.Values[i], made.States[i]))
		case slices.ContainsFunc(made.Loads, func(of report.Load) bool { return slices.ContainsFunc(of.Layers, k.DrawsOn) }):
			g.there = append(g.there, named)
		default:
			g.missing = append(g.missing, named)
		}
	}
	return out
}

func newFact(l web.Lang, shown int, value json.RawMessage, of state.KeyState) fact {
	s := shownValues[shown]
	f := fact{title: l.Pick(s.french, s.english), state: of.State}
	if of.Vintage != nil {
		f.vintage = *of.Vintage
	}
	if of.State == state.Value {
		f.value, f.detail = s.write(l, gjson.ParseBytes(value))
	}
	return f
}
