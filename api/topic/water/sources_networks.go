package water

import "arpent/api/source"

// NetworkKind is the kind of fact, and the level, under which the inhabitants that a network of tap water serves are
// told. Its code is that of the network.
const NetworkKind = "water-network"

func waterSources() []source.Source { return []source.Source{networkPopulations()} }

// networkPopulations tells how many inhabitants a network of tap water serves: a figure of the yearly notices to
// consumers, which nobody publishes as a table but those who read them.
func networkPopulations() source.Source {
	return source.Source{
		Name: "water-network-populations", Group: "stats",
		Title:    "Population desservie par réseau d'eau potable, d'après les infofactures (dérivé par Data For Good)",
		Producer: "Ministère chargé de la santé et ARS", Licence: source.LicenceOuverte,
		Homepage: "https://github.com/dataforgoodfr/13_pollution_eau",
		Files:    []source.Files{{Path: `(?i)(^|/)udi_population[^/]*\.csv(\.gz)?$`}},
		Read:     source.Read{Format: source.CSV},
		Columns: []source.Column{
			{Name: "level", SQL: "'" + NetworkKind + "'"},
			{Name: "code", From: []string{"code_udi"}, Required: true, Pad: 9, Match: `[0-9]{2}[0-9AB][0-9]{6}`},
			{Name: "kind", SQL: "'" + NetworkKind + "'"},
			{Name: "period", SQL: "''"},
			{Name: "inhabitants", From: []string{"population"}, Kind: source.Integer, Required: true, Internal: true},
			source.Internal("sentence", "sentence"),
			source.Attrs("'inhabitants', inhabitants"),
		},
		Drop: []string{"inhabitants = 0"}, // a network in service serves somebody: nobody was counted
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
