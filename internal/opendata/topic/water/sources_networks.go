package water

import "arpent/internal/opendata/source"

// NetworkKind is the kind of fact, and the level, of the inhabitants served by a network of
// tap water. Its code is that of the network.
const NetworkKind = "water-network"

// networkPopulations declares the inhabitants served by each network of tap water: a figure of the yearly
// notices to consumers, only published as a table by third parties.
func networkPopulations() source.Source {
	return source.Source{
		Name: "water-network-populations", Group: "stats",
		Title:    "Population desservie par réseau d'eau potable, d'après les infofactures (dérivé par Data For Good)",
		Producer: "Ministère chargé de la santé et ARS", Licence: source.LicenceOuverte,
		Homepage: "https://github.com/dataforgoodfr/13_pollution_eau",
		Files:    []source.Files{{Path: `(?i)(^|/)udi_population[^/]*\.csv(\.gz)?$`}},
		Origins: source.NotFetched("list of files of dataforgoodfr/13_pollution_eau",
			"Only a third party publishes it as a table, which is not fetched: udi_population_from_infofactures.csv, in dbt_/seeds of "+
				"https://github.com/dataforgoodfr/13_pollution_eau. It can be given under that name."),
		Read: source.Read{Format: source.CSV},
		Columns: []source.Column{
			{Name: "level", SQL: "'" + NetworkKind + "'"},
			{Name: "code", From: []string{"code_udi"}, Required: true, Pad: 9, Match: `[0-9]{2}[0-9AB][0-9]{6}`},
			{Name: "kind", SQL: "'" + NetworkKind + "'"},
			{Name: "period", SQL: "''"},
			{Name: "inhabitants", From: []string{"population"}, Kind: source.Integer, Required: true, Internal: true},
			source.Internal("sentence", "sentence"),
			source.Attrs("'inhabitants', inhabitants"),
		},
		Drop: []string{"inhabitants = 0"}, // an active network serves somebody: zero means not counted
		Reject: []source.Rule{{
			When:   `sentence IS NOT NULL AND translate(sentence, ' ', '') !~ ('(^|[^0-9])' || inhabitants || '([^0-9]|$)')`,
			Reason: "'the sentence it was read from does not say ' || inhabitants",
		}},
		Dedupe: source.Dedupe{Key: []string{"code"}},
		Checks: source.Checks{MinRows: 15000},
		Target: source.FactTarget,
		Note: "Read from the notices by the holder, who does not tell of which year they are. Shown with the networks of a commune, which the " +
			"sanitary control of tap water names.",
	}
}
