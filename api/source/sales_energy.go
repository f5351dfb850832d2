package source

// misplaced finds points that lie outside the département their codes name: overseas addresses that were looked up in the
// mainland, and the reverse.
const misplaced = `EXISTS (SELECT FROM ` + overseas + ` AS d(code, box)
	WHERE (left(code_insee, 3) = d.code OR left(postcode, 3) = d.code) IS TRUE
	AND NOT geom @ ST_SetSRID(d.box::geometry, 4326))
	OR (coalesce(code_insee, postcode) !~ '^9[78]' AND ST_Y(geom) < 41)`

// energy are the diagnostics of homes since July 2021. Older ones follow another method and have other columns: without
// the class that is required here such a file is refused.
func energy() []Source {
	existing := dpe("dpe", "Diagnostics de performance énergétique, logements existants", "03existant")
	existing.Covers = covers("dpe")
	recent := dpe("dpe-neufs", "Diagnostics de performance énergétique, logements neufs", "02neuf")
	recent.Note = "Shown where the diagnostics of existing homes are loaded as well."
	return []Source{existing, recent}
}

func dpe(name, title, file string) Source {
	return Source{
		Name: name, Group: "energy", Title: title, Producer: "ADEME", Licence: LicenceOuverte,
		Homepage: "https://data.ademe.fr/datasets/dpe" + file,
		Files:    []Files{{Path: `(?i)(^|/)dpe` + file + `([-_.]` + placeCode + `)?\.csv(\.gz|\.zip)?$`}},
		Read:     Read{Format: CSV, Separator: "sniff"},
		Columns: []Column{
			{Name: "id", From: []string{"numero_dpe", "N°DPE"}, Required: true},
			{Name: "replaces", From: []string{"numero_dpe_remplace", "N°_DPE_remplacé"}},
			{Name: "date", From: []string{"date_etablissement_dpe", "Date_établissement_DPE"}, Kind: Date, Required: true},
			{Name: "valid_until", From: []string{"date_fin_validite_dpe", "Date_fin_validité_DPE"}, Kind: Date},
			{Name: "energy_class", From: []string{"etiquette_dpe", "Etiquette_DPE"}, Required: true, Match: "[A-G]"},
			{Name: "ghg_class", From: []string{"etiquette_ges", "Etiquette_GES"}, Match: "[A-G]"},
			{Name: "consumption", From: []string{"conso_5_usages_par_m2_ep", "Conso_5_usages_par_m²_é_primaire"}, Kind: Number},
			{Name: "emissions", From: []string{"emission_ges_5_usages_par_m2", "Emission_GES_5_usages_par_m²"}, Kind: Number},
			{Name: "building_type", From: []string{"type_batiment", "Type_bâtiment"}},
			{Name: "built_year", From: []string{"annee_construction", "Année_construction"}, Kind: Integer},
			{Name: "built_period", From: []string{"periode_construction", "Période_construction"}},
			{Name: "living_area", From: []string{"surface_habitable_logement", "Surface_habitable_logement"}, Kind: Number},
			{Name: "address_id", From: []string{"identifiant_ban", "Identifiant__BAN"}},
			{Name: "code_insee", From: []string{"code_insee_ban", "Code_INSEE_(BAN)"}, Pad: 5, Internal: true},
			{Name: "postcode", From: []string{"code_postal_brut", "code_postal_ban", "Code_postal_(brut)"}, Pad: 5, Internal: true},
			fileScope,
		},
		Geometry: &Geometry{From: LatLonText, X: []string{"_geopoint"}, Optional: true, Bounds: France},
		Reject: []Rule{{
			When:   misplaced,
			Reason: "'it is placed at ' || ST_AsText(geom, 3) || ', far from ' || coalesce(code_insee, postcode)",
		}},
		Dedupe: Dedupe{Key: []string{"id"}, Best: "date DESC"},
		Checks: Checks{MaxRefused: 0.05, Queries: []string{wholeDepartement("1000"), wholeCountry("100000")}},
		Target: Target{Table: "geo.dpe", Key: []string{"part", "id"}, Part: true},
	}
}

// fibre is the base of buildings of the fibre roll-out. x and y are degrees.
func fibre() Source {
	return Source{
		Name: "fibre", Group: "fibre", Title: "Déploiement de la fibre : base des immeubles", Producer: "ARCEP", Licence: LicenceOuverte,
		Homepage: "https://www.data.gouv.fr/datasets/le-marche-du-haut-et-tres-haut-debit-fixe-deploiements",
		Files: []Files{
			{Path: `(?i)(^|/)(ipe|base[-_]?(imb|immeubles?)|imb|immeubles?)([-_][^/]*)?[-_](dep(artement)?[-_]?)?(?P<scope>` +
				departementCode + `|` + communeCode + `)\.csv(\.gz|\.zip)?$`},
		},
		Read: Read{Format: CSV, Separator: "sniff", Encoding: "sniff"},
		Columns: []Column{
			{Name: "id", From: []string{"imb_id"}, Required: true},
			{Name: "state", From: []string{"imb_etat"}, Required: true},
			{Name: "operator", From: []string{"code_l331"}},
			{Name: "node", From: []string{"pm_ref"}},
			{Name: "node_state", From: []string{"pm_etat"}},
			{Name: "kind", From: []string{"type_imb", "catg_loc_imb"}},
			{Name: "completed", From: []string{"date_completude"}, Kind: Date},
			{Name: "code_insee", Pad: 5, Internal: true},
			fileScope,
		},
		Geometry: &Geometry{From: LonLat, X: []string{"x"}, Y: []string{"y"}, Bounds: France},
		Reject:   []Rule{ofScope("code_insee")},
		Dedupe:   Dedupe{Key: []string{"id"}},
		Checks:   Checks{MaxRefused: 0.02, Queries: []string{wholeDepartement("10000")}},
		Target:   Target{Table: "geo.fibre", Key: []string{"part", "id"}, Part: true},
		Covers:   covers("fibre"),
		Note:     "One file a département, named after it: ipe_93.csv. Or after a commune.",
	}
}
