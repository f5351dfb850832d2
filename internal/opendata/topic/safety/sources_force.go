package safety

import "arpent/internal/opendata/source"

// ForceKind is the kind of fact for the force in charge of a commune:
// force is "police", "gendarmerie" or "mixed".
const ForceKind = "safety.force"

// safetyForce declares the companion file of the communes, with the force in charge of each.
func safetyForce() source.Source {
	return source.Source{
		Name: "safety-force", Group: "stats", Title: safetyTitle + ", zones de compétence",
		Producer: "Ministère de l'Intérieur (SSMSI)",
		Licence:  source.LicenceOuverte,
		Homepage: safetyHomepage,
		After:    []string{"cog-communes", "cog-movements"},
		Files: []source.Files{{Path: `(^|/)info-complements-data\.gouv-(?P<year>20[0-9]{2})-geographie20[0-9]{2}` +
			`-produit-le(?P<vintage>20[0-9]{2}-[0-9]{2}-[0-9]{2})\.xlsx(\.gz)?$`}},
		Origins: forceOrigins,
		Read: source.Read{Format: source.Spreadsheet, Sheet: `(?i)zonages.*`, HeaderCell: "CODGEO",
			Nulls: []string{"NA"}},
		Columns: []source.Column{
			{Name: "code", From: []string{"CODGEO"}, Required: true, Match: `[0-9][0-9AB][0-9]{3}`},
			{Name: "zone", From: []string{"zone_competence"},
				Match: `(?i)Z?[PG]N( *[/+-] *Z?[PG]N)?|police.*|gendarmerie.*|mixte.*`},
			{Name: "year", Template: "{year}", Required: true},
		},
		Drop:   []string{"zone IS NULL"},
		Reject: []source.Rule{source.UnknownCommune},
		Dedupe: source.Dedupe{Key: []string{"code"}},
		// A commune that others were merged into has no force from before.
		Rows: `SELECT 'commune' AS level, s.code, '` + ForceKind + `' AS kind, s.year AS period, jsonb_build_object('force', CASE
				WHEN s.zone ~* '^(ZPN|PN|police[^/+]*)$' THEN 'police' WHEN s.zone ~* '^(ZGN|GN|gendarmerie[^/+]*)$' THEN 'gendarmerie'
				ELSE 'mixed' END) AS attrs
			FROM stage s JOIN geo.commune k ON k.code = s.code AND k.type = 'commune-actuelle'
			WHERE s.code NOT IN (SELECT c.code FROM geo.commune_changes(make_date((SELECT min(year) FROM stage)::integer + 1, 1, 1)) c)`,
		Checks: source.Checks{MinRows: 30_000},
		Target: source.FactTarget,
		Note:   "The workbook was not at hand: sheet and columns as loaders of others read them.",
	}
}
