package web

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Outline is a parcel as read from the database, in degrees: rings of longitude, latitude.
type Outline struct {
	IDU    string
	Rings  [][][2]float64
	Answer []byte // what the API returns for it
}

// Sheet is a drawn part of the cadastral plan.
type Sheet struct {
	Commune string
	ViewBox string
	Parcels []SheetParcel
	letters SheetLabel
	middle  int // the parcel nearest to the middle
	origin  [2]float64
	Step    string // distance of the crosses
	grid    string // the crosses
}

// SheetParcel is a parcel on the sheet.
type SheetParcel struct {
	IDU, Section, Number, Path string
	Label                      SheetLabel
	Answer                     string     // JSON, indented
	width                      float64    // on average; a road is long and narrow
	fromMiddle                 float64    // distance from the middle of the sheet
	low, high                  [2]float64 // corners of the rectangle around it
}

// SheetLabel is the position of a text.
type SheetLabel struct{ X, Y, Size string }

// The aspect ratio of the sheet is three by two, like that of its column.
const sheetRatio = 1.5

// Draw returns a sheet of the parcels around their middle. North is up; a unit is a decimetre. It
// returns nil when there is nothing to draw.
func Draw(commune string, parcels []Outline) *Sheet {
	if len(parcels) == 0 || len(parcels[0].Rings) == 0 || len(parcels[0].Rings[0]) == 0 {
		return nil
	}
	origin := parcels[0].Rings[0][0]
	s := &Sheet{Commune: commune, origin: origin}
	var xs, ys []float64
	for _, o := range parcels {
		p := SheetParcel{IDU: o.IDU, Section: sectionName(o.IDU), Number: parcelNumber(o.IDU),
			Answer: Indent(o.Answer)}
		var path []byte
		var middle [2]float64
		for i, ring := range o.Rings {
			flat := make([][2]float64, len(ring))
			for j, at := range ring {
				flat[j] = projectToSheet(origin, at)
			}
			path = appendPath(path, flat)
			if i == 0 {
				middle, p.width = ringCentroid(flat), meanWidth(flat)
				p.low, p.high = flat[0], flat[0]
				for _, at := range flat {
					p.low = [2]float64{min(p.low[0], at[0]), min(p.low[1], at[1])}
					p.high = [2]float64{max(p.high[0], at[0]), max(p.high[1], at[1])}
				}
			}
		}
		xs, ys = append(xs, middle[0]), append(ys, middle[1])
		p.Path = string(path)
		s.Parcels = append(s.Parcels, p)
	}
	s.cropToExtent(xs, ys)
	return s
}

// cropToExtent crops the sheet to the extent of the parcels' centroids, and places the texts.
func (s *Sheet) cropToExtent(xs, ys []float64) {
	left, right := slices.Min(xs), slices.Max(xs)
	top, bottom := slices.Min(ys), slices.Max(ys)
	x, y := (left+right)/2, (top+bottom)/2
	// Slightly inside the extent, so that parcels fill the sheet to its edges.
	width := max(0.85*min(right-left, (bottom-top)*sheetRatio), 200)
	height := width / sheetRatio
	s.ViewBox = formatRounded(x-width/2) + " " + formatRounded(y-height/2) + " " + formatRounded(width) + " " +
		formatRounded(height)
	nearest := math.Inf(1)
	for i := range s.Parcels {
		if size := width / 55; s.Parcels[i].width > size { // a number that does not fit hides the parcel
			s.Parcels[i].Label = SheetLabel{formatRounded(xs[i]), formatRounded(ys[i]), formatRounded(size)}
		}
		s.Parcels[i].fromMiddle = math.Hypot(xs[i]-x, ys[i]-y)
		if d := s.Parcels[i].fromMiddle; d < nearest {
			s.middle, nearest = i, d
		}
	}
	s.letters = SheetLabel{formatRounded(x), formatRounded(y), formatRounded(height / 2.5)}
	s.drawGrid(x-width/2, y-height/2, width, height, xs, ys)
}

// ViewBox returns the part of the sheet that shows the parcel and, on each side, half as much of its
// neighbours.
func (p *SheetParcel) ViewBox() string {
	margin := max(p.high[0]-p.low[0], p.high[1]-p.low[1]) / 2
	return formatRounded(p.low[0]-margin) + " " + formatRounded(p.low[1]-margin) + " " +
		formatRounded(p.high[0]-p.low[0]+2*margin) + " " + formatRounded(p.high[1]-p.low[1]+2*margin)
}

// Place returns where a longitude and latitude lie on the sheet, as a point of an SVG path.
func (s *Sheet) Place(lon, lat float64) string {
	at := projectToSheet(s.origin, [2]float64{lon, lat})
	return formatRounded(at[0]) + " " + formatRounded(at[1])
}

// drawGrid draws crosses over the sheet, as on plans, a round number of
// metres apart, except on the number of a parcel.
func (s *Sheet) drawGrid(left, top, width, height float64, xs, ys []float64) {
	step := 10_000.0 // a kilometre
	for _, metres := range []float64{10, 20, 50, 100, 200, 500} {
		if 10*metres >= width/6 {
			step = 10 * metres
			break
		}
	}
	arm := width / 120
	var path []byte
	for y := math.Ceil(top/step) * step; y < top+height; y += step {
		for x := math.Ceil(left/step) * step; x < left+width; x += step {
			if !s.isNearLabel(x, y, 3*arm, xs, ys) {
				path = fmt.Appendf(path, "M%s %sh%sm-%s -%sv%s", formatRounded(x-arm), formatRounded(y),
					formatRounded(2*arm), formatRounded(arm), formatRounded(arm), formatRounded(2*arm))
			}
		}
	}
	s.grid, s.Step = string(path), formatRounded(step/10)+"\u00a0m"
}

// isNearLabel reports whether the number of a parcel is near a position.
func (s *Sheet) isNearLabel(x, y, near float64, xs, ys []float64) bool {
	for i := range s.Parcels {
		if s.Parcels[i].Label.Size != "" && math.Hypot(xs[i]-x, ys[i]-y) < near {
			return true
		}
	}
	return false
}

// sectionName returns the section of a parcel without its leading zero.
func sectionName(idu string) string {
	if len(idu) != 14 {
		return ""
	}
	return strings.TrimPrefix(idu[8:10], "0")
}

func parcelNumber(idu string) string {
	if len(idu) != 14 {
		return idu
	}
	n, err := strconv.Atoi(idu[10:])
	if err != nil {
		return idu[10:]
	}
	return strconv.Itoa(n)
}

func projectToSheet(origin, at [2]float64) [2]float64 {
	const decimetresPerDegree = 1_111_950
	return [2]float64{
		(at[0] - origin[0]) * decimetresPerDegree * math.Cos(origin[1]*math.Pi/180),
		(origin[1] - at[1]) * decimetresPerDegree,
	}
}

func appendPath(b []byte, ring [][2]float64) []byte {
	for i, p := range ring {
		b = append(b, "ML"[min(i, 1)])
		b = append(append(append(b, formatRounded(p[0])...), ' '), formatRounded(p[1])...)
	}
	return append(b, 'Z')
}

// ringCentroid returns the centroid of a ring, or its first point when it has no area.
func ringCentroid(ring [][2]float64) [2]float64 {
	var twice, x, y float64
	for i := range len(ring) - 1 {
		a, b := ring[i], ring[i+1]
		cross := a[0]*b[1] - b[0]*a[1]
		twice += cross
		x += (a[0] + b[0]) * cross
		y += (a[1] + b[1]) * cross
	}
	if twice == 0 {
		return ring[0]
	}
	return [2]float64{x / (3 * twice), y / (3 * twice)}
}

// meanWidth returns the mean width of a ring across its length.
func meanWidth(ring [][2]float64) float64 {
	var twice, around float64
	for i := range len(ring) - 1 {
		a, b := ring[i], ring[i+1]
		twice += a[0]*b[1] - b[0]*a[1]
		around += math.Hypot(b[0]-a[0], b[1]-a[1])
	}
	if around == 0 {
		return 0
	}
	return math.Abs(twice) / around
}

func formatRounded(v float64) string { return strconv.FormatFloat(math.Round(v), 'f', -1, 64) }

// Indent writes JSON in lines.
func Indent(body []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, body, "", "  ") != nil {
		return string(body)
	}
	return b.String()
}

// Choose returns the parcel with that reference, else the one nearest to the middle.
func (s *Sheet) Choose(idu string) *SheetParcel {
	if s == nil {
		return nil
	}
	if p := s.Find(idu); p != nil {
		return p
	}
	return &s.Parcels[s.middle]
}

// Sections lists the sections of the parcels on the sheet, in their order.
func (s *Sheet) Sections() (out []string) {
	for _, p := range s.Parcels {
		if !slices.Contains(out, p.Section) {
			out = append(out, p.Section)
		}
	}
	slices.Sort(out)
	return out
}

// Find returns the parcel with that reference; nil: it is not on the sheet.
func (s *Sheet) Find(idu string) *SheetParcel {
	if s == nil {
		return nil
	}
	if i := slices.IndexFunc(s.Parcels, func(p SheetParcel) bool { return p.IDU == idu }); i >= 0 {
		return &s.Parcels[i]
	}
	return nil
}

// Central lists the references of so many parcels in the middle of the sheet, the nearest to it first.
func (s *Sheet) Central(count int) []string {
	parcels := slices.Clone(s.Parcels)
	slices.SortFunc(parcels, func(a, b SheetParcel) int { return cmp.Compare(a.fromMiddle, b.fromMiddle) })
	var out []string
	for _, p := range parcels[:min(count, len(parcels))] {
		out = append(out, p.IDU)
	}
	return out
}
