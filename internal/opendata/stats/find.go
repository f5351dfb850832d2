package stats

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// FindFigure finds the part of a value that names lead to: of a series the newest item of the key, of a list
// by year or by period the newest item, of another none. origin takes the source and the year, quarter or period
// that stand nearest to it, whether it is one of few, rounded or not final, of a rate its denominator, of a
// ranked value its unit and of a growth its period, of a list by year the year of its newest item; nil: the
// caller needs none of these.
func FindFigure(value gjson.Result, names []string, origin *Origin) gjson.Result {
	if value.IsObject() && origin != nil {
		if source := value.Get("source"); source.Type == gjson.String && source.Str != "" {
			*origin = Origin{Source: source.Str, Year: origin.Year, Quarter: origin.Quarter, Period: origin.Period,
				// what another source counts may be many, exact and final
				Definition: origin.Definition, Unit: origin.Unit}
		}
		origin.SmallBase = origin.SmallBase || value.Get("smallBase").Bool()
		origin.Rounded = origin.Rounded || value.Get("rounded").Bool()
		origin.Provisional = origin.Provisional || value.Get("provisional").Bool()
		origin.BeforeAnnulments = origin.BeforeAnnulments || value.Get("beforeAnnulments").Bool()
		origin.readPeriod(value)
		switch {
		case len(names) > 0 && names[len(names)-1] == "value" && value.Get("unit").Exists(): // of the rankings
			origin.Unit = value.Get("unit").Str
		case len(names) != 1:
		case strings.HasSuffix(names[0], "Per1000"):
			origin.Denominator = value.Get("denominator").Str
		case strings.HasSuffix(names[0], "PctPerYear"):
			origin.Period, origin.Unit = value.Get("growthPeriod").Str, PercentPerYear
			origin.SmallBase = origin.SmallBase || value.Get("growthSmallBase").Bool()
		default:
			// Some members have a year of their own, such as landAreaKm2 by landAreaYear.
			if own := value.Get(strings.TrimSuffix(names[0], "Km2") + "Year"); own.Type == gjson.Number {
				origin.Year = new(int(own.Int()))
			}
		}
	}
	if len(names) == 0 {
		if newest := newestItem(value); newest.Exists() && origin != nil {
			origin.readPeriod(newest)
		}
		return value
	}
	if value.IsArray() {
		if IsSeries(value) {
			items := slices.DeleteFunc(value.Array(), func(item gjson.Result) bool {
				return item.Get("key").Str != names[0]
			})
			if len(items) == 0 {
				return gjson.Result{}
			}
			return FindFigure(slices.MaxFunc(items, func(a, b gjson.Result) int { // the first of equal years
				return cmp.Compare(a.Get("year").Int(), b.Get("year").Int())
			}), names[1:], origin)
		}
		if newest := newestItem(value); newest.Exists() {
			return FindFigure(newest, names, origin)
		}
		return gjson.Result{} // of a list of persons none stands for all
	}
	if member := value.Get(names[0]); member.Exists() {
		return FindFigure(member, names[1:], origin)
	}
	var found gjson.Result
	value.ForEach(func(_, member gjson.Result) bool {
		if IsSeries(member) {
			found = FindFigure(member, names, origin)
		}
		return !found.Exists()
	})
	return found
}

// itemTimes are the members, years, by which the items of a list follow each other: the newest stands for
// all.
var itemTimes = []string{"year", "periodEnd"}

// newestItem returns the newest item of a list by year or by period. It does not exist where the value is no
// such list.
func newestItem(value gjson.Result) gjson.Result {
	if !value.IsArray() {
		return gjson.Result{}
	}
	for _, time := range itemTimes {
		if value.Get("0." + time).Exists() {
			return slices.MaxFunc(value.Array(), func(a, b gjson.Result) int {
				return cmp.Compare(a.Get(time).Int(), b.Get(time).Int())
			})
		}
	}
	return gjson.Result{}
}

// readPeriod takes the year, quarter and period of the members of an object, if it names any: those of an
// object around it are of other figures then. The year of a quarter is its own.
func (o *Origin) readPeriod(object gjson.Result) {
	year, quarter, period := object.Get("year"), object.Get("quarter").Str, object.Get("period").Str
	if end := object.Get("periodEnd"); end.Type == gjson.Number {
		year, period = end, object.Get("periodStart").Raw+"-"+end.Raw
	}
	if !year.Exists() && quarter == "" && period == "" {
		return
	}
	o.Year, o.Quarter, o.Period = Year(quarter), quarter, period
	if year.Type == gjson.Number {
		o.Year = new(int(year.Int()))
	}
}

// IsSeries reports whether a value is a list whose items have keys.
func IsSeries(value gjson.Result) bool {
	return value.IsArray() && value.Get("0.key").Type == gjson.String
}
