package environment

import (
	"maps"
	"slices"

	"arpent/internal/opendata/stats"
)

// ClimateAnomaly is how far the temperature of each year was above or below the mean of 1991 to 2020.
type ClimateAnomaly struct {
	stats.Envelope
	ReferencePeriod string          `json:"referencePeriod" example:"1991-2020" doc:"Years whose mean is the normal temperature."`
	AnomalyC        *float64        `json:"anomalyC" doc:"Mean temperature of the year minus the normal, in degrees Celsius." example:"0.84"`
	MeanC           *float64        `json:"meanC" doc:"Mean temperature of the year at the station, in degrees Celsius; null for départements and régions, whose temperatures are not averaged."`
	NormalC         *float64        `json:"normalC" doc:"Mean temperature of the reference period at the station, in degrees Celsius; null for départements and régions."`
	DecadeAnomalyC  *float64        `json:"decadeAnomalyC" doc:"Mean anomaly of the ten years up to this one, in degrees Celsius; null if fewer than eight of them are known."`
	Timeline        []ClimateYear   `json:"timeline" doc:"By year since 1950, oldest first; only years with all twelve months."`
	Station         *ClimateStation `json:"station" doc:"Nearest station with a normal and this year, at most 40 km away; null for départements and régions."`
	Stations        *int            `json:"stations" doc:"For départements and régions: number of stations averaged for the anomaly of the year; null for communes."`
}

// ClimateYear is the anomaly of one year.
type ClimateYear struct {
	Year     int      `json:"year" doc:"Year of the anomaly."`
	AnomalyC *float64 `json:"anomalyC" doc:"Degrees Celsius above (or below) the normal."`
}

// ClimateStation is where the temperatures of a commune were measured.
type ClimateStation struct {
	ID         string   `json:"id" doc:"Number at Météo-France." example:"64024001"`
	Name       string   `json:"name" doc:"Its name at Météo-France." example:"BIARRITZ-PAYS-BASQUE"`
	AltitudeM  *float64 `json:"altitudeM" doc:"Metres above sea level. A commune at another altitude is warmer or colder, but its anomaly is much the same."`
	DistanceKm *float64 `json:"distanceKm" doc:"Distance from the middle of the commune, in kilometres."`
}

func climateAnomaly(d *stats.Data, t *stats.Territory) *ClimateAnomaly {
	c := stationSlot.Of(d)
	if c == nil {
		return nil
	}
	if !t.IsLocal() {
		return c.meanAnomaly(t)
	}
	if t.Lat == nil || t.Lon == nil {
		return nil
	}
	s, km := c.findNearest(*t.Lat, *t.Lon)
	if s == nil {
		return nil
	}
	out := newAnomaly(s.Anomalies, c.year, s.from)
	out.MeanC, out.NormalC = stats.Round(new(s.Normal+s.Anomalies[c.year]), 2), stats.Round(&s.Normal, 2)
	out.Station = &ClimateStation{ID: s.id, Name: s.Name, AltitudeM: s.AltitudeM,
		DistanceKm: stats.Round(&km, 1)}
	return out
}

// meanAnomaly returns the mean over the stations of a territory, each year of those that have it.
func (c *stations) meanAnomaly(t *stats.Territory) *ClimateAnomaly {
	departements := []*stats.Territory{t}
	if t.Level == stats.Region {
		departements = t.Children
	}
	sums, counts := map[int]float64{}, map[int]int{}
	var from *stats.Load
	for _, departement := range departements {
		for _, s := range c.byDepartement[departement.Code] {
			from = s.from
			for y, anomaly := range s.Anomalies {
				sums[y] += anomaly
				counts[y]++
			}
		}
	}
	n := counts[c.year]
	if n == 0 {
		return nil
	}
	for y := range sums {
		sums[y] /= float64(counts[y])
	}
	out := newAnomaly(sums, c.year, from)
	out.Stations = &n
	return out
}

func newAnomaly(of map[int]float64, year int, from *stats.Load) *ClimateAnomaly {
	out := &ClimateAnomaly{Envelope: from.Envelope(&year), ReferencePeriod: ReferencePeriod}
	var decade float64
	known := 0
	for _, y := range slices.Sorted(maps.Keys(of)) {
		if y > year {
			break
		}
		v := of[y]
		out.Timeline = append(out.Timeline, ClimateYear{y, stats.Round(&v, 2)})
		if y > year-10 {
			decade += v
			known++
		}
	}
	out.AnomalyC = stats.Round(new(of[year]), 2)
	if known >= MinDecadeYears {
		decade /= float64(known)
		out.DecadeAnomalyC = stats.Round(&decade, 2)
	}
	return out
}
