package land

import "arpent/internal/opendata/stats"

// StatsGeography is the elevation of a commune and its distance to the coast and the mountains.
type StatsGeography struct {
	stats.Envelope
	ElevationMeanM       *float64 `json:"elevationMeanM" doc:"Mean elevation above sea level, in metres." example:"57.3"`
	ElevationMinM        *float64 `json:"elevationMinM" doc:"Lowest point, in metres."`
	ElevationMaxM        *float64 `json:"elevationMaxM" doc:"Highest point, in metres."`
	DistanceToCoastKm    *float64 `json:"distanceToCoastKm" minimum:"0" doc:"Kilometres to the coast; 0 for a commune on it." example:"9.8"`
	Coastal              *bool    `json:"coastal" doc:"Whether the law on the coast (loi Littoral) applies."`
	DistanceToMountainKm *float64 `json:"distanceToMountainKm" minimum:"0" doc:"Kilometres to the nearest commune classed as mountain; 0 inside." example:"41"`
	Massif               *string  `json:"massif" doc:"Massif of the commune; null outside any massif, or where it is not known." example:"Massif central"`
	MountainClassified   *bool    `json:"mountainClassified" doc:"Whether it is classed as mountain (loi Montagne)."`
	Method               *string  `json:"method" doc:"How the figures were computed, according to the source."`
}

func buildGeography(_ *stats.Data, t *stats.Territory) *StatsGeography {
	var out StatsGeography
	f := t.Newest(CommuneGeography)
	if !f.Read(&out) {
		return nil
	}
	out.Envelope = f.Envelope()
	for _, v := range []**float64{&out.ElevationMeanM, &out.ElevationMinM, &out.ElevationMaxM,
		&out.DistanceToCoastKm, &out.DistanceToMountainKm} {
		*v = stats.Round(*v, 1)
	}
	return &out
}

// Statistics returns the topic's part of the territory statistics.
func Statistics() stats.Topic {
	return stats.Topic{Blocks: []stats.Block{
		stats.Object("geography", "Elevation, distance to coast and mountains.", buildGeography).
			At(stats.Commune, 21).From("commune-geography"),
	}}
}
