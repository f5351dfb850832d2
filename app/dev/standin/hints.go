package standin

// What cannot be derived from a declaration and the name of a file.

// publishedAs are the names that producers have for files whose name in the data folder says less, by source.
var publishedAs = map[string]string{
	"cog-movements":           "v_mvt_commune_2026.csv",
	"departement-prefectures": "v_departement_2026.csv",
	"safety-departements":     "donnee-dep-data.gouv-2023-geographie2023-produit-le2024-03-07.csv",
	"safety-regions":          "donnee-reg-data.gouv-2023-geographie2023-produit-le2024-03-07.csv",
}

// alsoNamed are further names of files, by the end of their own: a table that its producer publishes in an archive of a year.
var alsoNamed = map[string]string{
	"insee-population/donnees_communes.csv.gz": "donnees_communes_2023.csv.gz",
}

// within are the départements that a file without a place in its name has a part of, by source.
var within = map[string][]string{
	"osm-supermarkets": {"75", "77", "78", "91", "92", "93", "94", "95"},
}

// othersContent are the files that a declaration reads by the same name as another one, whose content is not theirs.
var othersContent = map[string]string{
	"insee_rp_evol_1968_departement_tx_nat.csv": "the file of the folder has the mortality alone",
	"insee_rp_evol_1968_region_tx_nat.csv":      "the file of the folder has the mortality alone",
}
