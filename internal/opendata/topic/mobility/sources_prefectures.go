package mobility

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// Prefecture is the kind of fact for the préfecture of a département.
const Prefecture = "prefecture"

// prefectureSource declares the destinations of the travel times; the times
// themselves are those of the report, see travelTimes.
func prefectureSource() source.Source {
	return source.Source{
		Name: "departement-prefectures", Group: "stats",
		Title:    "Code officiel géographique : départements (chefs-lieux)",
		Producer: "INSEE", Licence: source.LicenceOuverte, Homepage: "https://www.insee.fr/fr/information/2560452",
		After: []string{"cog-departements", "cog-communes"},
		Files: []source.Files{{Path: `(?i)(^|/)cog/(v_)?departements?(_20[0-9]{2})?\.csv(\.gz)?$`}},
		Origins: []fetch.Origin{{ // INSEE's page has another number each year, this resource stays
			From: producer.DataGouv{Dataset: "code-officiel-geographique-cog",
				Resource: "e5f32177-5841-4a46-9c17-f8ff94bd38fc", File: `^v_departement_20\d\d\.csv$`},
			As: "cog/{served}", Rhythm: "yearly", Evidence: fetch.Read, Basis: "public source code (resource; name)",
			ReadOn: "2026-10",
		}},
		Read: source.Read{Format: source.CSV, Encoding: "sniff"},
		Columns: []source.Column{
			{Name: "level", SQL: "'departement'"},
			{Name: "code", From: []string{"DEP"}, Required: true, Match: `[0-9]{2,3}|2[AB]`},
			{Name: "kind", SQL: "'" + Prefecture + "'"},
			{Name: "period", SQL: "''"},
			{Name: "seat", From: []string{"CHEFLIEU"}, Required: true, Match: `[0-9][0-9AB][0-9]{3}`, Internal: true},
			{Name: "attrs", SQL: "jsonb_build_object('commune', seat, 'name', (SELECT k.name FROM geo.commune k WHERE k.code = seat AND k.type = 'commune-actuelle'))"},
		},
		Reject: []source.Rule{
			{When: "NOT EXISTS (SELECT FROM geo.departement d WHERE d.code = stage.code)",
				Reason: "'no département has code ' || code"},
			{When: "NOT EXISTS (SELECT FROM geo.commune k WHERE k.code = seat AND k.type = 'commune-actuelle')",
				Reason: "'no commune of today has code ' || seat"},
		},
		Dedupe: source.Dedupe{Key: []string{"code"}},
		Checks: source.Checks{MinRows: 101, MaxRows: 101},
		Target: source.FactTarget,
	}
}
