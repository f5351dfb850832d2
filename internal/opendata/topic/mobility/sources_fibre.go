package mobility

import (
	_ "embed"

	"arpent/internal/opendata/source"
)

//go:embed tables.sql
var tables string

// fibreSource declares the buildings of the fibre roll-out. x and y are degrees.
func fibreSource() source.Source {
	return source.Source{
		Name: "fibre", Group: "fibre", Title: "Déploiement de la fibre : base des immeubles", Producer: "ARCEP",
		Licence:  source.LicenceOuverte,
		Homepage: "https://www.data.gouv.fr/datasets/le-marche-du-haut-et-tres-haut-debit-fixe-deploiements",
		Origins:  fibreOrigins,
		Files: []source.Files{
			{Path: `(?i)(^|/)(ipe|base[-_]?immeubles?|imb|immeubles?)([-_]` + source.FileDay +
				`)?([-_][^/]*)?[-_](dep(artement)?[-_]?)?(?P<scope>` + source.DepartementCode +
				`|` + source.CommuneCode + `)\.csv(\.gz|\.zip)?$`},
			{Path: `(?i)(^|/)(20[0-9]{2}t[1-4]-immeubles?\.zip|carte_fibre_immeubles?_[^/]*\.csv(\.gz)?)$`},
		},
		Read: source.Read{Format: source.CSV, Separator: "sniff", Encoding: "sniff"},
		Columns: []source.Column{
			{Name: "id", From: []string{"imb_id"}, Required: true},
			{Name: "state", From: []string{"imb_etat"}, Required: true},
			{Name: "operator", From: []string{"code_l331"}},
			{Name: "node", From: []string{"pm_ref"}},
			{Name: "node_state", From: []string{"pm_etat"}},
			{Name: "kind", From: []string{"type_imb", "catg_loc_imb"}},
			{Name: "completed", From: []string{"date_completude"}, Kind: source.Date},
			{Name: "code_insee", Pad: 5, Internal: true},
			source.FileScope,
		},
		Geometry: &source.Geometry{From: source.LonLat, X: []string{"x"}, Y: []string{"y"}, Bounds: source.France},
		Reject:   []source.Rule{source.OfScope("code_insee")},
		Dedupe:   source.Dedupe{Key: []string{"id"}},
		Checks: source.Checks{MaxRefused: 0.02, Queries: []string{source.WholeDepartement("10000"),
			source.WholeCountry("10000000")}},
		Target: source.Target{Table: "geo.fibre", Key: []string{"part", "id"}, Part: true, Create: tables},
		Covers: source.Covers("fibre"),
		Note: "The file of the country, 2026t2-immeuble.zip, or one named after a département or commune, with a day " +
			"where it is known: ipe_93.csv, ipe-2023-10-05-93.csv. " +
			"The files base_imb of another data set have no state of the roll-out and are not read.",
	}
}
