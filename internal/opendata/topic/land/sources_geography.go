package land

import "arpent/internal/opendata/source"

// CommuneGeography is the kind of fact for the elevation of a commune and
// its distance to the coast and the mountains.
const CommuneGeography = "geography"

// GeographySources returns the data on the elevation of communes and their distance to coast and mountains.
func GeographySources() []source.Source { return []source.Source{communeGeography()} }

// communeGeography declares a CSV that the operator computes, because rasters are too slow for 35 000
// communes each time the statistics are rendered: a national elevation model has 900 million cells.
func communeGeography() source.Source {
	return source.Source{
		Name: "commune-geography", Group: "stats", Title: "Elevation of communes, distance to coast and mountains",
		Producer: "operator of the service", Licence: source.OfOperator,
		After:   []string{"cog-communes"},
		Files:   []source.Files{{Path: `(?i)(^|/)commune[-_]geography[^/]*\.csv(\.gz)?$`, GroupByScope: true}},
		Origins: source.OwnFormat,
		Read:    source.Read{Format: source.CSV, Separator: ";"},
		Columns: append(source.OwnColumns(CommuneGeography),
			source.Column{Name: "period", SQL: "coalesce(year, '')"},
			source.Column{Name: "year", Internal: true, Match: `(19|20)[0-9]{2}`},
			source.Column{Name: "method", Internal: true},
			source.Column{Name: "mean", From: []string{"elevation_mean_m"}, Kind: source.Number, Internal: true},
			source.Column{Name: "low", From: []string{"elevation_min_m"}, Kind: source.Number, Internal: true},
			source.Column{Name: "high", From: []string{"elevation_max_m"}, Kind: source.Number, Internal: true},
			source.Column{Name: "coast", From: []string{"coast_km"}, Kind: source.Number, Internal: true},
			source.Column{Name: "coastal", Kind: source.Boolean, Internal: true},
			source.Column{Name: "mountain", From: []string{"mountain_km"}, Kind: source.Number, Internal: true},
			source.Column{Name: "massif", Internal: true},
			source.Column{Name: "classified", From: []string{"mountain_classified"}, Kind: source.Boolean,
				Internal: true},
			source.Attrs(`'elevationMeanM', mean, 'elevationMinM', low, 'elevationMaxM', high, 'distanceToCoastKm', coast, 'coastal', coastal,
				'distanceToMountainKm', mountain, 'massif', massif, 'mountainClassified', classified, 'method', method`)),
		Drop: []string{"num_nonnulls(mean, low, high, coast, coastal, mountain, massif, classified) = 0"},
		Reject: []source.Rule{
			source.NotOfToday,
			{When: "low > mean OR mean > high OR low > high",
				Reason: "'its lowest, mean and highest elevation are not in this order'"},
			{When: "low < -50 OR high > 5000 OR mean NOT BETWEEN -50 AND 5000",
				Reason: "'its elevation is not in metres'"},
			{When: "least(coast, mountain) < 0 OR greatest(coast, mountain) > 1500",
				Reason: "'its distance is not in kilometres'"},
		},
		Dedupe: source.Dedupe{Key: []string{"code"}},
		Target: source.FactTarget,
		Note: "A format of ours: commune-geography.csv, separated by semicolons, with the columns commune (INSEE code of today), elevation_mean_m, " +
			"elevation_min_m, elevation_max_m, coast_km, coastal (law on the coast: 0 or 1), mountain_km, massif, mountain_classified (law on " +
			"mountains: 0 or 1), method (how it was computed) and year. All but the first may be empty.",
	}
}
