package reference

import "strings"

// units are what the ends of names mean, the longest first. Names of ours end with the unit.
var units = [][2]string{
	{"PctPerYear", "% a year"}, {"PricePerM2", "€/m²"}, {"RatePer1000", "‰"}, {"ratePer1000", "‰"},
	{"EurosPerMonth", "€ a month"}, {"MillionEur", "million €"},
	{"KwhM2", "kWh/m² a year"}, {"KgM2", "kg/m² a year"}, {"UgM3", "µg/m³"}, {"MgL", "mg/L"}, {"UgL", "µg/L"},
	{"Km2", "km²"}, {"M2", "m²"}, {"Ha", "ha"}, {"Km", "km"},
	{"Kw", "kW"}, {"Pct", "%"}, {"Eur", "€"}, {"Minutes", "min"}, {"RoadMin", "min"}, {"RailMin", "min"},
	{"C", "°C"}, {"M", "m"},
}

// unitOf is the unit that the name of a number ends with; empty: it has none.
func unitOf(name string) string {
	for _, u := range units {
		if strings.HasSuffix(name, u[0]) || name == strings.ToLower(u[0][:1])+u[0][1:] {
			return u[1]
		}
	}
	return ""
}
