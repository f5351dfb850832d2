package explore

import (
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"strings"

	"arpent/api/coverage"
	"arpent/api/territory"
	"arpent/internal/opendata/geom"
	"arpent/web"
)

// staticMap is a picture that stands in for the map until it is used: the map is much to load and to draw for
// a visitor who only searches or reads. It shows the chosen parcel or commune among its neighbours, else the
// country.
type staticMap struct {
	viewBox      string
	land, marked string // the paths of départements, communes or parcels, and of those that stand out
	isPlan       bool   // it shows a place among its neighbours
	pin          string // the address that was searched, as a point of a path; empty: none was
	scale        *scaleBar
}

// scaleBar is a scale bar in the lower left corner of a plan.
type scaleBar struct {
	path           string
	label          string
	x, y, fontSize string // of the label
}

// addScale draws a scale bar of a round length, a quarter of the plan's width at most.
func (m *staticMap) addScale(metresPerUnit float64) {
	var left, top, width, height float64
	_, err := fmt.Sscan(m.viewBox, &left, &top, &width, &height)
	quarter := width / 4 * metresPerUnit
	if err != nil || quarter < 1 {
		return
	}
	metres := math.Pow10(int(math.Log10(quarter)))
	for _, digit := range []float64{5, 2} {
		if digit*metres <= quarter {
			metres *= digit
			break
		}
	}
	label := strconv.Itoa(int(metres)) + "\u00a0m"
	if metres >= 1000 {
		label = strconv.Itoa(int(metres/1000)) + "\u00a0km"
	}
	x, y, tick := left+width/40, top+height-width/40, width/80
	m.scale = &scaleBar{label: label, x: fmt.Sprint(x), y: fmt.Sprint(y - tick*1.5), fontSize: fmt.Sprint(width / 40),
		path: fmt.Sprintf("M%f %fv%fh%fv%f", x, y-tick, tick, metres/metresPerUnit, -tick)}
}

// pictureParcels is how many parcels the picture of a parcel shows.
const pictureParcels = 100

// drawPicture draws what the map shows first; nil: nothing is loaded yet.
func (p *Pages) drawPicture(v view) *staticMap {
	if v.plot == nil {
		if drawn := drawCommune(p.o.Territory(), v.commune); drawn != nil {
			return drawn
		}
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
	if v.asked != nil {
		drawn.pin = sheet.Place(*v.asked.Lon, *v.asked.Lat)
	}
	drawn.addScale(0.1) // a unit is a decimetre
	return drawn
}

// pictureUnits is the longer side of a commune in the units of its picture. Vertices less than a unit apart
// are drawn as one.
const pictureUnits = 400

// drawCommune draws a commune among its neighbours; nil: it has no outline. North is up.
func drawCommune(snap *territory.Snapshot, of *commune) *staticMap {
	if snap == nil || of == nil {
		return nil
	}
	box, ok := snap.Bounds(of.CodeInsee)
	if !ok {
		return nil
	}
	_, latitude := box.Middle().Degrees()
	narrowing := math.Cos(latitude * math.Pi / 180) // of a degree of longitude
	width, height := float64(box.MaxX-box.MinX)*narrowing, float64(box.MaxY-box.MinY)
	unit := max(width, height, 1) / pictureUnits
	margin := int32(unit * pictureUnits)
	around := geom.Box{MinX: box.MinX - margin, MinY: box.MinY - margin, MaxX: box.MaxX + margin,
		MaxY: box.MaxY + margin}
	var land, marked []byte
	for t := range snap.CommunesIn(around) {
		to := &land
		if t.Code == of.CodeInsee {
			to = &marked
		}
		for _, ring := range t.Shape.Rings() {
			lastX, lastY := math.MinInt, math.MinInt
			for i := 0; i+1 < len(ring); i += 2 {
				x := int(float64(ring[i]-box.MinX) * narrowing / unit)
				y := int(float64(box.MaxY-ring[i+1]) / unit)
				if x != lastX || y != lastY {
					*to = fmt.Appendf(*to, "%c%d %d", "ML"[min(i, 1)], x, y)
				}
				lastX, lastY = x, y
			}
			*to = append(*to, 'Z')
		}
	}
	drawn := &staticMap{viewBox: fmt.Sprint(-pictureUnits/4, -pictureUnits/4, int(width/unit)+pictureUnits/2,
		int(height/unit)+pictureUnits/2), land: string(land), marked: string(marked), isPlan: true}
	drawn.addScale(unit * geom.MetresPerUnit)
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
