package explore

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/api/geocode"
	"arpent/internal/opendata/geom"
	"arpent/web"
	"arpent/web/report"
)

// view is the data of the page.
type view struct {
	web.Frame
	query       string // as it was typed
	status      int
	looked      bool                 // something was looked up, whose time counts
	refused     bool                 // nothing is looked up for this visitor now
	reporting   time.Duration        // how long the report took, which has limits of its own
	problem     string               // what was wrong with the address; empty: nothing
	found       *geocode.FoundPlaces // nil: nothing was searched
	note        string               // why the answers are less than was searched; empty: they are not
	departement string               // code of the one whose name was searched; empty: it is none
	commune     *commune             // nil: none is shown
	plot        *plot                // a parcel; nil: none is shown
	asked       *geocode.FoundPlace  // the address that led to the parcel; nil: none did
	loaded      []place              // communes with parcels, where nothing else is shown
	today       time.Time
	more        int        // how many of them are not in loaded
	layers      []mapLayer // that the map offers
	isStart     bool       // the address asks for nothing
	still       *staticMap // the picture until the map is used; nil: the map comes at once
	at          *position  // the point that the address names
	box         *geom.Box  // what the map shows; nil: all of France
}

type position struct {
	lat, lon float64
	zoom     string
}

// place is a commune in a list.
type place struct{ code, name string }

func (p *Pages) newView(c *fiber.Ctx) view {
	v := view{Frame: p.o.Site.Frame(c), query: strings.Clone(c.Query("q")), status: fiber.StatusOK,
		today: p.o.Clock.Now()}
	v.layers = p.listLayers(c, v.Lang)
	if len(v.query) > 800 {
		v.query = ""
	}
	v.isStart = c.Query("parcelle")+c.Query("commune")+c.Query("lat")+c.Query("lon")+c.Query("q") == ""
	return v
}

// loadedListed is how many communes with parcels the page lists.
const loadedListed = 60

// loadedPlaces lists communes with parcels, and says how many more codes there are.
func (p *Pages) loadedPlaces() (out []place, more int) {
	index, snap := p.o.Index(), p.o.Territory()
	if index == nil || snap == nil {
		return nil, 0
	}
	codes := index.Codes(loadedListed)
	for _, code := range codes {
		at, ok := snap.Place(code)
		if one := (place{at.CodeInsee, at.CommuneName}); ok && !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out, index.Communes() - len(codes)
}

// boundsText returns the box that the map shows, as west, south, east, north; empty: all of France.
func (v view) boundsText() string {
	if v.box == nil {
		return ""
	}
	west, south := geom.Point{X: v.box.MinX, Y: v.box.MinY}.Degrees()
	east, north := geom.Point{X: v.box.MaxX, Y: v.box.MaxY}.Degrees()
	return formatDegrees(west) + "," + formatDegrees(south) + "," + formatDegrees(east) + "," +
		formatDegrees(north)
}

// showsLayer reports whether the address names a layer that is shown.
func (v view) showsLayer() bool {
	return slices.ContainsFunc(v.layers, func(l mapLayer) bool { return l.shown })
}

// pinText is where the address that was searched lies, as longitude and latitude; empty: none was.
func (v view) pinText() string {
	if v.asked == nil {
		return ""
	}
	return formatDegrees(*v.asked.Lon) + "," + formatDegrees(*v.asked.Lat)
}

// isAtAsked reports whether the parcel that is shown contains the address that was searched.
func (v view) isAtAsked() bool { return v.asked != nil && *v.asked.DistanceM == 0 }

// isAsked reports whether an address of the parcel is the one that was searched, which the heading has.
// Theirs differ by a comma before the postcode.
func (v view) isAsked(label string) bool {
	withoutCommas := func(s string) string { return strings.ReplaceAll(s, ",", "") }
	return v.isAtAsked() || v.asked != nil && strings.EqualFold(withoutCommas(label), withoutCommas(v.asked.Label))
}

// askedMatch says how the parcel was matched with the address that was searched.
func (v view) askedMatch() string {
	if v.isAtAsked() {
		return v.Lang.Pick("à cette adresse", "at this address")
	}
	return v.Lang.Pick("la plus proche de cette adresse, à ", "the nearest to this address, ") +
		v.Lang.Number(*v.asked.DistanceM) + v.Lang.Pick("\u00a0m", "\u00a0m away")
}

func formatDegrees(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// chosenPlace is the reference or code that the map marks.
func (v view) chosenPlace() (kind, code string) {
	switch {
	case v.plot != nil:
		return "parcelle", v.plot.IDU
	case v.commune != nil:
		return "commune", v.commune.CodeInsee
	}
	return "", ""
}

// pageTitle names what is shown.
func (v view) pageTitle() string {
	switch {
	case v.asked != nil:
		return v.asked.Label + " · " + v.Name()
	case v.plot != nil:
		return v.Lang.Pick("Parcelle ", "Parcel ") + v.plot.IDU + " · " + v.Name()
	case v.commune != nil:
		return v.commune.Name + " (" + v.commune.CodeInsee + ") · " + v.Name()
	}
	return v.Lang.Pick("Explorer la carte · ", "Explore the map · ") + v.Name()
}

// viewLink is the address of a view, in the language of this one.
func (v view) viewLink(pairs ...string) string { return v.Link(viewPath(pairs...)) }

// viewPath is the path of a view.
func viewPath(pairs ...string) string {
	var b strings.Builder
	b.WriteString(Path)
	for i := 0; i < len(pairs); i += 2 {
		b.WriteByte("?&"[min(i, 1)])
		b.WriteString(pairs[i] + "=" + url.QueryEscape(pairs[i+1]))
	}
	return b.String()
}

// shareLink is the address of what is shown, for others: without the language of this reader.
func (v view) shareLink() string {
	if v.asked != nil {
		return v.BaseURL() + viewPath("parcelle", v.plot.IDU, "q", v.asked.Label)
	}
	if kind, code := v.chosenPlace(); kind != "" {
		return v.BaseURL() + Path + "?" + kind + "=" + code
	}
	return v.BaseURL() + Path
}

// curlCommand returns the call whose answer the page shows.
func (v view) curlCommand() string {
	path := ""
	switch {
	case v.plot != nil:
		path = "/parcelles/" + v.plot.IDU + "/enrichments"
	case v.commune != nil:
		path = "/communes/" + v.commune.CodeInsee + "?include=stats"
	case v.found != nil:
		path = "/adresses?q=" + url.QueryEscape(v.found.Query)
	}
	return "curl -H \"X-API-Key: $ARPENT_KEY\" \\\n  '" + v.BaseURL() + "/api/v1" + path + "'"
}

// fact is one figure that is known.
type fact struct{ title, value, vintage string }

// key is one that the call has and this page does not show: its name for people, and where it is explained.
type key struct{ title, anchor string }

// group is the facts and the keys of one subject.
type group struct {
	title   string
	facts   []fact
	there   []key           // loaded for this place: the call has them
	missing []report.Absent // those that have no value
}
