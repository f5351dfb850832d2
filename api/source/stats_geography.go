package source

// CommuneGeography is the kind of fact that tells how high a commune lies, and how far from the coast and the mountains.
const CommuneGeography = "geography"

func geographySources() []Source { return []Source{communeGeography()} }

// communeGeography is a format of ours. The grids and lines of the report could answer for a commune as they do for a
// parcel, but not for 35 000 of them each time that statistics are rendered: a national model has 900 million cells.
func communeGeography() Source {
	return Source{
		Name: "commune-geography", Group: "stats", Title: "Elevation of communes, distance to coast and mountains",
		Producer: "operator of the service", Licence: ofOperator,
		After: []string{"cog-communes"},
		Files: []Files{{Path: `(?i)(^|/)commune[-_]geography[^/]*\.csv(\.gz)?$`, Together: true}},
		Read:  Read{Format: CSV, Separator: ";"},
		Columns: append(ownColumns(CommuneGeography),
			Column{Name: "period", SQL: "coalesce(year, '')"},
			Column{Name: "year", Internal: true, Match: `(19|20)[0-9]{2}`},
			Column{Name: "method", Internal: true},
			Column{Name: "mean", From: []string{"elevation_mean_m"}, Kind: Number, Internal: true},
			Column{Name: "low", From: []string{"elevation_min_m"}, Kind: Number, Internal: true},
			Column{Name: "high", From: []string{"elevation_max_m"}, Kind: Number, Internal: true},
			Column{Name: "coast", From: []string{"coast_km"}, Kind: Number, Internal: true},
			Column{Name: "coastal", Kind: Boolean, Internal: true},
			Column{Name: "mountain", From: []string{"mountain_km"}, Kind: Number, Internal: true},
			Column{Name: "massif", Internal: true},
			Column{Name: "classified", From: []string{"mountain_classified"}, Kind: Boolean, Internal: true},
			attrs(`'elevationMeanM', mean, 'elevationMinM', low, 'elevationMaxM', high, 'distanceToCoastKm', coast, 'coastal', coastal,
				'distanceToMountainKm', mountain, 'massif', massif, 'mountainClassified', classified, 'method', method`)),
		Drop: []string{"num_nonnulls(mean, low, high, coast, coastal, mountain, massif, classified) = 0"},
		Reject: []Rule{
			notOfToday,
			{When: "low > mean OR mean > high OR low > high", Reason: "'its lowest, mean and highest elevation are not in this order'"},
			{When: "low < -50 OR high > 5000 OR mean NOT BETWEEN -50 AND 5000", Reason: "'its elevation is not in metres'"},
			{When: "least(coast, mountain) < 0 OR greatest(coast, mountain) > 1500", Reason: "'its distance is not in kilometres'"},
		},
		Dedupe: Dedupe{Key: []string{"code"}},
		Target: statFactTarget,
		Note: "A format of ours: commune-geography.csv, separated by semicolons, with the columns commune (INSEE code of today), elevation_mean_m, " +
			"elevation_min_m, elevation_max_m, coast_km, coastal (law on the coast: 0 or 1), mountain_km, massif, mountain_classified (law on " +
			"mountains: 0 or 1), method (how it was computed) and year. All but the first may be empty.",
	}
}
