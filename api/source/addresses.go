package source

// departementCode and communeCode are the scopes that files are named after.
const (
	departementCode = `2[AB]|97[1-6]|[0-9]{2}`
	communeCode     = `[0-9][0-9AB][0-9]{3}`
	placeCode       = `(?P<scope>` + departementCode + `|` + communeCode + `)`
)

// wholeDepartement refuses a file that is named after a département, or after nothing, and holds less than the smallest
// one would: what it lacks would count as looked for and not found. Saint-Pierre-et-Miquelon is smaller than any.
func wholeDepartement(least string) string {
	return `SELECT 'it holds ' || count(*) || ' rows, too few for the whole of what it is named after' FROM stage
		HAVING count(*) < ` + least + ` AND coalesce(max(char_length(file_scope)), 0) < 5 AND max(file_scope) IS DISTINCT FROM '975'`
}

// wholeCountry refuses a file that is named after no place and cannot be the country's.
func wholeCountry(least string) string {
	return `SELECT 'it holds ' || count(*) || ' rows, too few for the whole country' FROM stage
		HAVING count(*) < ` + least + ` AND max(file_scope) IS NULL`
}

// addresses are the points of the Base Adresse Nationale.
func addresses() []Source {
	return []Source{ban(), banBefore2020()}
}

func banSource(name, title string) Source {
	return Source{
		Name: name, Group: "addresses", Title: title, Producer: "DINUM, IGN, La Poste, communes",
		Homepage: "https://adresse.data.gouv.fr/outils/telechargements",
		Columns: []Column{
			{Name: "id", Required: true},
			// An address with several positions has a row for each.
			{Name: "place", SQL: "(row_number() OVER (PARTITION BY id ORDER BY _file, _line))::integer"},
			{Name: "numero", Kind: Integer},
			{Name: "rep"},
			{Name: "street", From: []string{"nom_voie"}, Mend: true},
			{Name: "postcode", From: []string{"code_postal", "code_post"}, Pad: 5},
			{Name: "code_insee", Required: true, Pad: 5, Match: communeCode},
			{Name: "commune", From: []string{"nom_commune"}, Mend: true},
			{Name: "old_code", From: []string{"code_insee_ancienne_commune"}},
			{Name: "old_commune", From: []string{"nom_ancienne_commune"}, Mend: true},
			{Name: "lieu_dit", From: []string{"nom_ld"}, Mend: true},
			{Name: "position_type", From: []string{"type_position"}},
			{Name: "certified", From: []string{"certification_commune"}, Kind: Boolean},
			{Name: "listed", From: []string{"cad_parcelles"}, Internal: true},
			{Name: "parcels", SQL: "(SELECT array_agg(p ORDER BY p) FROM regexp_split_to_table(listed, '[|,; ]+') p WHERE p ~ '^" + idu + "$')"},
			fileScope,
		},
		Geometry: &Geometry{From: LonLat, X: []string{"lon"}, Y: []string{"lat"}, Bounds: France},
		Reject:   []Rule{ofScope("code_insee")},
		Checks:   Checks{Queries: []string{wholeDepartement("10000"), wholeCountry("10000000")}},
		Target:   Target{Table: "geo.adresse", Key: []string{"part", "id", "place"}, Part: true},
	}
}

func ban() Source {
	s := banSource("ban", "Base Adresse Nationale")
	s.Licence = LicenceOuverte
	s.Files = []Files{
		{Path: `(^|/)adresses-` + placeCode + `\.csv(\.gz)?$`},
		{Path: `(^|/)adresses-france\.csv(\.gz)?$`},
	}
	s.Read = Read{Format: CSV, Separator: "sniff", Nulls: []string{"NA"}}
	s.Covers = covers("adresse")
	return s
}

// banBefore2020 is the base of the time before it became open, under other column names.
func banBefore2020() Source {
	s := banSource("ban-2015", "Base Adresse Nationale, avant 2020")
	s.Licence = Licence{Name: "ODbL 1.0", Open: false}
	s.Files = []Files{
		{Path: `(^|/)adresses-` + placeCode + `\.ban-(?P<vintage>20[0-9]{2})\.csv(\.gz)?$`},
		{Path: `(?i)(^|/)ban_licence_gratuite_repartage_` + placeCode + `\.csv(\.gz)?$`},
	}
	s.Read = Read{Format: CSV, Separator: ";", Encoding: "sniff"}
	s.Covers = covers("adresse_repartage")
	s.Note = "Editions up to 2019, under a licence that asks to share alike: left out unless named."
	return s
}
