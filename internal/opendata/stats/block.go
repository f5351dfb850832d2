package stats

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Envelope is what every block says of its origin.
type Envelope struct {
	Source string `json:"source" doc:"Producer and title of the data set." example:"INSEE, Filosofi"`
	Year   *int   `json:"year" doc:"Year that the figures are of; of a block with several years the newest; null where it has none." example:"2021"`
	// Coverage is set for what was added up or averaged.
	Coverage *float64 `json:"coverage,omitempty" minimum:"0" maximum:"1" doc:"Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known."`
	// Rounded is set where a count is of a copy that has rounded it.
	Rounded bool `json:"rounded,omitempty" doc:"True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make."`
	loads   []*Load
}

// loadLister are the loads that a value is from: its state has the vintage of the
// newest. Where they are not known there are none.
type loadLister interface{ sourceLoads() []*Load }

func (e Envelope) sourceLoads() []*Load { return e.loads }
func (o *Origin) sourceLoads() []*Load  { return o.loads }

// Envelope gives the envelope of a value that is from one load; nil is none that is known.
func (l *Load) Envelope(year *int) Envelope {
	e := Envelope{Source: l.Label(), Year: year}
	if l != nil {
		e.loads = []*Load{l}
	}
	return e
}

// Origin gives the same of a value that is a plain number or a list.
func (e Envelope) Origin() *Origin {
	return &Origin{Source: e.Source, Year: e.Year, Rounded: e.Rounded, loads: e.loads}
}

// EnvelopeOfAll names the loads that a value is from, with the year of the newest edition.
func EnvelopeOfAll(loads []*Load) Envelope {
	one := 1.0
	var all []Figure
	for _, l := range loads {
		all = append(all, Figure{Value: &one, From: l, Period: l.Vintage})
	}
	return EnvelopeOf(all...)
}

// EnvelopeOfLoads gives the envelope of a value that is from several loads, without its source and year.
func EnvelopeOfLoads(loads []*Load) Envelope { return Envelope{loads: loads} }

// envelopeYear returns the year of a block that embeds Envelope.
func (e Envelope) envelopeYear() *int { return e.Year }

// EnvelopeOf describes a block by the figures in it: those without a value say nothing. Several sources are
// named one after the other.
func EnvelopeOf(figures ...Figure) Envelope {
	var labels []string
	var e Envelope
	for _, f := range figures {
		if f.Value == nil {
			continue
		}
		if label := f.From.Label(); label != "" && !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
		if from := cmp.Or(f.From, f.newest); from != nil && !slices.Contains(e.loads, from) {
			e.loads, e.Rounded = append(e.loads, from), e.Rounded || from.Rounded
		}
		if y := f.Year(); y > 0 && (e.Year == nil || y > *e.Year) {
			e.Year = &y
		}
		if c := RoundCoverage(f.Coverage); c != nil && (e.Coverage == nil || *c < *e.Coverage) {
			e.Coverage = c
		}
	}
	slices.Sort(labels)
	e.Source = strings.Join(labels, "; ")
	return e
}

// RoundCoverage rounds the share of the inhabitants that a sum or mean is of down to four decimals: it never
// becomes 1. nil: the figure is of all of them, or none was added up.
func RoundCoverage(share float64) *float64 {
	if share <= 0 || share >= 1 {
		return nil
	}
	return new(math.Floor(share*10_000) / 10_000)
}

// Origin names the source of a value that is a plain number or a list.
type Origin struct {
	Source string `json:"source" doc:"Producer and title of the data set." example:"INSEE, Filosofi"`
	Year   *int   `json:"year" doc:"Year of the value, of a list the newest." example:"2021"`
	// Definition is set for what is computed here.
	Definition *Definition `json:"definition,omitempty" doc:"What a value that is computed here is; absent for those of a producer."`
	// Quarter, Period, Denominator and Unit are set by FindFigure.
	Quarter     string `json:"quarter,omitempty" doc:"Only in lists, of a figure of a quarter: that quarter." example:"2025-T4"`
	Period      string `json:"period,omitempty" doc:"Only in lists, of a change: its first and its last year; of a rank by a quarter: that quarter." example:"2016-2023"`
	Denominator string `json:"denominator,omitempty" doc:"Only in lists, of a rate per 1 000: of what." enum:"inhabitants,dwellings"`
	Unit        string `json:"unit,omitempty" doc:"Only in lists, of a growth and of a ranked value: what it is counted in." example:"percent per year"`
	Rounded     bool   `json:"rounded,omitempty" doc:"True where counts are of a copy that has rounded them, and rates next to them of the exact ones."`
	// Provisional and BeforeAnnulments are set by FindFigure.
	Provisional      bool `json:"provisional,omitempty" doc:"Only in lists: true where the file says that its numbers are provisional."`
	BeforeAnnulments bool `json:"beforeAnnulments,omitempty" doc:"Only in lists: true where votes are counted that the Constitutional Council struck afterwards."`
	// SmallBase is set by FindFigure: the value is one of few.
	SmallBase bool `json:"-"`
	loads     []*Load
}

// PercentPerYear is the unit of a growth: of each year of its period, not of the whole.
const PercentPerYear = "percent per year"

// Known reports whether any of the figures has a value.
func Known(figures ...Figure) bool {
	return slices.ContainsFunc(figures, func(f Figure) bool { return f.Value != nil })
}

// Round gives a value with at most so many decimals; nil stays nil.
func Round(v *float64, decimals int) *float64 {
	if v == nil {
		return nil
	}
	factor := math.Pow10(decimals)
	out := math.Round(*v*factor) / factor
	if out == 0 {
		out = 0 // never -0
	}
	return &out
}

// Whole gives a count: the nearest integer; nil stays nil.
func Whole(v *float64) *int {
	if v == nil {
		return nil
	}
	return new(int(math.Round(*v)))
}

// Share gives a in percent of b, with two decimals; nil where one is missing or b is 0.
func Share(a, b *float64) *float64 { return Ratio(a, b, 100, 2) }

// Ratio gives a / b × factor with so many decimals; nil where one is missing or b is 0.
func Ratio(a, b *float64, factor float64, decimals int) *float64 {
	if a == nil || b == nil || *b == 0 {
		return nil
	}
	scale := math.Pow10(decimals)
	// divided last: of whole numbers, a half stays one and is rounded up
	return new(*Round(new(*a*factor*scale / *b), 0) / scale)
}

// SmallBase is the number below which a share says little: one more or less moves it by half a percent, and
// INSEE advises not to use the counts of a census below it, for it asks only some of the inhabitants.
const SmallBase = 200

// IsSmallBase reports whether a share of so many says little.
func IsSmallBase(whole *float64) bool { return whole != nil && *whole > 0 && *whole < SmallBase }

// Year gives the year of a period; nil when it has none.
func Year(period string) *int {
	if y := YearOf(period); y > 0 {
		return &y
	}
	return nil
}

// Years lists the periods in which any of the measures of a territory has a value, oldest first.
func (t *Territory) Years(measures ...string) []string {
	var out []string
	for _, m := range measures {
		for _, f := range t.measureFigures(m) {
			if period := t.names.periods.all[f.period]; f.known && !slices.Contains(out, period) {
				out = append(out, period)
			}
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(YearOf(a), YearOf(b)),
			cmp.Compare(a, b))
	})
	return out
}

// YearPeriod writes a year as a period.
func YearPeriod(y int) string { return strconv.Itoa(y) }

// OriginOf names the source of the figures of a plain value.
func OriginOf(figures ...Figure) *Origin {
	return EnvelopeOf(figures...).Origin()
}

// Minus gives a - b; nil where one is missing.
func Minus(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	return new(*a - *b)
}

// OmitZero returns a pointer to a value; nil where nothing in it is known.
func OmitZero[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

func Newer(year *int, other int) *int {
	if year == nil || other > *year {
		return &other
	}
	return year
}

const StatusSecret = "secret"
