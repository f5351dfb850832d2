package explore

import (
	"log/slog"
	"strings"

	"arpent/api/coverage"
	"arpent/web"
)

// staticMap is a picture that stands in for the map until it is used: the map is much to load and to draw for
// a visitor who only searches or reads. It shows the chosen parcel among its neighbours, else the country.
type staticMap struct {
	viewBox      string
	land, marked string // the paths of départements or parcels, and of those that stand out
	isPlan       bool   // it shows parcels
}

// pictureParcels is how many parcels the picture of a parcel shows.
const pictureParcels = 100

// drawPicture draws what the map shows first; nil: nothing is loaded yet.
func (p *Pages) drawPicture(v view) *staticMap {
	if v.plot == nil {
		return drawCountry(p.o.Coverage())
	}
	around, err := p.o.Parcels.Around(v.plot.IDU, pictureParcels)
	if err != nil {
		slog.Warn("parcel not drawn for the explorer", "parcel", v.plot.IDU, "error", err)
	}
	var outlines []web.Outline
	for _, o := range around {
		outlines = append(outlines, web.Outline{IDU: o.IDU, Rings: [][][2]float64{o.Ring}})
	}
	sheet := web.Draw(v.plot.Commune, outlines)
	if sheet == nil {
		return drawCountry(p.o.Coverage())
	}
	chosen := sheet.Choose(v.plot.IDU)
	drawn := &staticMap{viewBox: chosen.ViewBox(), marked: chosen.Path, isPlan: true}
	for i := range sheet.Parcels {
		if one := &sheet.Parcels[i]; one != chosen {
			drawn.land += one.Path
		}
	}
	return drawn
}

// drawCountry draws the country, where départements with parcels stand out; nil: there are no outlines yet.
func drawCountry(held *coverage.Served) *staticMap {
	if held == nil || held.Map == nil {
		return nil
	}
	var land, loaded strings.Builder
	for _, path := range held.Map.Paths {
		to := &land
		if d := held.Find(path.Code); d != nil && !d.Data[coverage.Parcels].None() {
			to = &loaded
		}
		to.WriteString(path.D)
	}
	return &staticMap{viewBox: held.Map.ViewBox, land: land.String(), marked: loaded.String()}
}
