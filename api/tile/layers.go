package tile

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/clip"

	"arpent/api/geocode"
	"arpent/api/parcel"
	"arpent/api/territory"
	"arpent/internal/opendata/geom"
)

// The zooms of what is drawn.
const (
	departementsUpTo = 9
	communesFrom     = 9
	namesFrom        = 10
	sectionsFrom     = 13
	parcelsFrom      = 15
	streetsFrom      = 15
	numbersFrom      = 16
)

// maxParcels is the most parcels that a tile is made from. The densest plans have a third
// of that at the first zoom that needs them.
const maxParcels = 40_000

// drawing is one tile while it is made.
type drawing struct {
	Address
	territory *territory.Snapshot
	parcels   *parcel.Index   // nil: none are loaded
	addresses *geocode.Index  // nil: none are loaded
	loaded    map[string]bool // communes with parcels, by code
	box       geom.Box
}

// layerFunc makes one layer; nil: there is nothing in it.
type layerFunc func(*drawing, context.Context) ([]feature, error)

// namedLayer is a layer with its name in tiles.
type namedLayer struct {
	name     string
	drawFunc layerFunc
}

// visibleLayers lists the layers of a zoom. Those at the end are dropped while the tile is too large.
func (d *drawing) visibleLayers() (out []namedLayer) {
	if d.Z <= departementsUpTo {
		out = append(out, namedLayer{"departements", (*drawing).drawDepartements})
	}
	if d.Z < communesFrom && d.parcels != nil {
		out = append(out, namedLayer{"loaded", (*drawing).drawParcelDots})
	}
	if d.Z >= communesFrom {
		out = append(out, namedLayer{"communes", (*drawing).drawCommunes})
	}
	if d.Z >= namesFrom && d.Z < sectionsFrom {
		out = append(out, namedLayer{"names", (*drawing).drawCommuneNames})
	}
	if d.addresses != nil && d.Z >= streetsFrom {
		out = append(out, namedLayer{"streets", (*drawing).drawStreetNames})
	}
	if d.parcels == nil || d.Z < sectionsFrom || d.parcels.Count(d.box, maxParcels) == maxParcels {
		return out
	}
	out = append(out, namedLayer{"letters", (*drawing).drawSectionNames})
	if d.Z >= numbersFrom {
		out = append(out, namedLayer{"numbers", (*drawing).drawParcelNumbers})
	}
	if d.Z >= parcelsFrom {
		return append(out, namedLayer{"parcelles", (*drawing).drawParcelles})
	}
	return append(out, namedLayer{"sections", (*drawing).drawSections})
}

// encodeLayers draws some layers and writes them as a tile.
func (d *drawing) encodeLayers(ctx context.Context, layers []namedLayer) ([]byte, error) {
	var out []byte
	for _, l := range layers {
		features, err := l.drawFunc(d, ctx)
		if err != nil {
			return nil, err
		}
		if len(features) > 0 {
			out = appendLayer(out, l.name, features)
		}
	}
	return out, ctx.Err()
}

func makeProperties(pairs ...[2]string) [][2]string { return pairs }

// outlineStep is the step of the grid of territories: half a pixel on most screens, as long as
// their outlines have more detail than that.
func (d *drawing) outlineStep() float64 {
	if d.Z >= sectionsFrom {
		return 1
	}
	return 4
}

func (d *drawing) drawDepartements(ctx context.Context) (out []feature, err error) {
	p := d.projectionWith(d.outlineStep())
	for t := range d.territory.DepartementsIn(d.box) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if g := p.projectShape(t.Shape); g != nil {
			out = append(out, feature{g, makeProperties([2]string{"code", t.Code})})
		}
	}
	return out, nil
}

// drawCommunes draws the communes with code and name, and parcels=1 for those with loaded parcels.
func (d *drawing) drawCommunes(ctx context.Context) (out []feature, err error) {
	p := d.projectionWith(d.outlineStep())
	for t := range d.territory.CommunesIn(d.box) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if g := p.projectShape(t.Shape); g != nil {
			of := makeProperties([2]string{"code", t.Code}, [2]string{"name", t.Name})
			if d.loaded[t.Code] {
				of = append(of, [2]string{"parcels", "1"})
			}
			out = append(out, feature{g, of})
		}
	}
	return out, nil
}

// communesWithParcels returns the codes of current communes with at least some parcels loaded. A tile may
// show a part of a commune without any.
func communesWithParcels(of edition) map[string]bool {
	out := map[string]bool{}
	if of.parcels == nil {
		return out
	}
	for _, code := range of.parcels.Codes(of.parcels.Communes()) {
		if place, ok := of.territory.Place(code); ok {
			out[place.CodeInsee] = true
		}
	}
	return out
}

// tileBounds is what a tile shows without its neighbours: a label is in one tile alone.
var tileBounds = orb.Bound{Max: orb.Point{extent - 1, extent - 1}}

// appendLabel appends a text at a position, where that is inside the tile.
func appendLabel(out []feature, at orb.Point, text string) []feature {
	if !tileBounds.Contains(at) {
		return out
	}
	return append(out, feature{at, makeProperties([2]string{"name", text})})
}

// drawParcelDots draws one dot where parcels are loaded, while communes are too small to be seen; overlapping
// dots are merged.
func (d *drawing) drawParcelDots(context.Context) (out []feature, err error) {
	p := d.projectionWith(dotStep)
	seen := map[orb.Point]bool{}
	for _, box := range d.parcels.CommunesIn(d.box) {
		middle := box.Middle()
		at := p.projectPoint(middle.X, middle.Y)
		if !seen[at] && tileBounds.Contains(at) {
			seen[at] = true
			out = append(out, feature{geometry: at})
		}
	}
	return out, nil
}

// dotStep is how far dots are apart: 8 pixels of a tile of 512.
const dotStep = 64

// drawCommuneNames draws the names of communes, in the middle of their outlines.
func (d *drawing) drawCommuneNames(context.Context) (out []feature, err error) {
	p := d.projectionWith(1)
	for t := range d.territory.CommunesIn(d.box) {
		middle := t.Shape.Middle()
		out = appendLabel(out, p.projectPoint(middle.X, middle.Y), t.Name)
	}
	return out, nil
}

// drawStreetNames draws the names of streets along their house numbers.
func (d *drawing) drawStreetNames(ctx context.Context) (out []feature, err error) {
	p := d.projectionWith(1)
	for t := range d.territory.CommunesIn(d.box) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, s := range d.addresses.LabelStreets(t.Code, d.box) {
			n := len(out)
			out = appendLabel(out, p.projectPoint(s.At.X, s.At.Y), s.Name)
			if len(out) > n && s.Angle != 0 {
				out[n].properties = append(out[n].properties, [2]string{"angle", strconv.Itoa(s.Angle)})
			}
		}
	}
	return out, nil
}

// drawSectionNames are the names of the sections, each in the middle of its parcels.
func (d *drawing) drawSectionNames(context.Context) (out []feature, err error) {
	p := d.projectionWith(1)
	for _, s := range d.parcels.SectionsIn(d.box) {
		out = appendLabel(out, p.projectPoint(s.Middle.X, s.Middle.Y), strings.TrimPrefix(s.Name, "0"))
	}
	return out, nil
}

// drawParcelNumbers draws the numbers of the parcels.
func (d *drawing) drawParcelNumbers(ctx context.Context) (out []feature, err error) {
	p := d.projectionWith(1)
	for drawn, err := range d.parcels.In(d.box) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		middle := drawn.Shape.Middle()
		out = appendLabel(out, p.projectPoint(middle.X, middle.Y), strings.TrimLeft(drawn.IDU.Number(), "0"))
	}
	return out, nil
}

func (d *drawing) drawParcelles(ctx context.Context) (out []feature, err error) {
	p := d.projectionWith(1)
	for drawn, err := range d.parcels.In(d.box) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		if g := p.projectShape(drawn.Shape); g != nil {
			out = append(out, feature{g, makeProperties([2]string{"idu", string(drawn.IDU)})})
		}
	}
	return out, nil
}

// drawSections are drawn by the lines that no two parcels of a section
// share: its outline, and the streets in it.
func (d *drawing) drawSections(ctx context.Context) (out []feature, err error) {
	seams := map[string]*outlineCollector{}
	for drawn, err := range d.parcels.In(d.box) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		key := string(drawn.IDU[:10])
		if seams[key] == nil {
			seams[key] = &outlineCollector{edges: map[edge]bool{}}
		}
		for _, ring := range drawn.Shape.Rings() {
			seams[key].addRing(ring)
		}
	}
	p := d.projectionWith(1)
	for _, key := range slices.Sorted(maps.Keys(seams)) {
		var lines orb.MultiLineString
		for _, line := range seams[key].unsharedLines() {
			var drawn orb.LineString
			for i := 0; i < len(line); i += 2 {
				drawn = appendVertex(drawn, p.projectPoint(line[i], line[i+1]))
			}
			if len(drawn) > 1 {
				lines = append(lines, drawn)
			}
		}
		if lines = clip.MultiLineString(clipFrame, lines); len(lines) > 0 {
			out = append(out, feature{lines, makeProperties([2]string{"section", key})})
		}
	}
	return out, ctx.Err()
}
