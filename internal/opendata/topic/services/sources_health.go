package services

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// FINESS categories in the report: hospitals (regional and general centres hospitaliers), multi-professional
// health centres (603), pharmacies (620). Not hospitals here: local and psychiatric ones (106, 292), which
// have neither emergencies nor surgery, and private clinics (122, 128, 129, 365).
const (
	hospitals = `('101', '355')`
	finessID  = `[0-9][0-9A-F][0-9]{7}`
)

// isHospital returns SQL that reports whether a structure is a hospital by its category and its name. FINESS
// lists the units of a hospital, wherever they are, under the category of the whole: day hospitals, dental
// and psychiatric units, geriatric ones, laboratories, flats.
func isHospital(name string) string {
	return `(category IN ` + hospitals + ` AND ` + name + ` ~* '\m(h[oôÔ]p[a-z]*|hosp[a-z]*|ch[a-z]{0,4}\M|c\.? ?h\.|gh[a-z]*|cash)'
	AND ` + name + ` !~* '\m(de jour|de nuit|hdj|hj|had|cmp|cattp|smur|ssr|local)\M|domicile|dentaire|psych|s[eéÉ]jour|soins de suite|r[eéÉ]adapt|r[eéÉ]{1,2}duc'
	AND ` + name + ` !~* 'g[eéÉ]r[io]|consultation|th[eéÉ]rap|guidance|placement|accueil|post-?cure|ambulance|labm|annexe|foyer|appart|centre m[eéÉ]dical|ageps|[0-9] ?-?[gi] ?-?[0-9]')`
}

// coversHealth declares the coverage of each kind separately: a list of
// hospitals does not say that there is no pharmacy.
var coversHealth = []source.Coverage{
	{Layer: "hospital", Areas: `SELECT scope FROM this_load WHERE EXISTS (SELECT FROM ready WHERE attrs->>'category' IN ` + hospitals + `)`},
	{Layer: "msp", Areas: `SELECT scope FROM this_load WHERE EXISTS (SELECT FROM ready WHERE attrs->>'category' = '603')`},
	{Layer: "pharmacy", Areas: `SELECT scope FROM this_load WHERE EXISTS (SELECT FROM ready WHERE attrs->>'category' = '620')`},
}

func finessSource(name, title string) source.Source {
	return source.Source{
		Name: name, Group: "services", Title: title, Producer: "Ministère de la Santé; ANS",
		Licence:  source.LicenceOuverte,
		Homepage: "https://www.data.gouv.fr/datasets/finess-extraction-du-fichier-des-etablissements",
	}
}

// healthAttrs names pharmacies, which may be called as their owner is, by what is known to be no person.
const healthAttrs = `jsonb_strip_nulls(jsonb_build_object('name', CASE WHEN category = '620' THEN coalesce(pharmacy_long, pharmacy_short)
	ELSE coalesce(long, short) END, 'category', category))`

func pharmacyName(column, from string) source.Column {
	return source.Column{Name: column, From: []string{from}, Internal: true, Persons: source.OrganisationName}
}

// hospitalExtract declares a list of hospitals of some départements, in degrees. It covers
// the départements in it, and hospitals only.
func hospitalExtract() source.Source {
	s := finessSource("finess-hospitals", "FINESS : extrait des hôpitaux (GeoJSON)")
	s.Files = []source.Files{{Path: `(?i)(^|/)hopitaux[^/]*?(_(?P<vintage>20[0-9]{2}))?\.geojson(\.gz)?$`}}
	s.Origins = []fetch.Origin{{
		From: producer.Opendatasoft{Host: "data.iledefrance.fr",
			Dataset: "les_etablissements_hospitaliers_franciliens", Format: "geojson"},
		As: "finess/hopitaux_idf_2014.geojson", OnDemand: true, Rhythm: "once", Derived: true,
		Note: "Île-de-France in 2014. finess-plus has the whole country.",
	}}
	s.Read = source.Read{Format: source.GeoJSON}
	s.Columns = []source.Column{
		{Name: "id", From: []string{"finess_et"}, Required: true, Match: finessID},
		{Name: "name", From: []string{"raison_sociale"}, Required: true, Internal: true},
		{Name: "category", From: []string{"num_cat"}, Required: true, Internal: true},
		{Name: "departement", From: []string{"num_dept"}, Required: true, Internal: true},
		{Name: "attrs", SQL: `jsonb_build_object('name', name, 'category', category, 'departement', departement)`},
	}
	s.Geometry = &source.Geometry{From: source.Feature, Subdivide: true, Bounds: source.France}
	s.Drop = []string{"NOT " + isHospital("name")}
	s.Dedupe = source.Dedupe{Key: []string{"id"}}
	s.Target = source.ShapeLayer("hospital_extract")
	s.Covers = []source.Coverage{{Layer: "hospital_extract", Areas: "SELECT attrs->>'departement' FROM ready"}}
	s.Note = "Serves its départements while FINESS itself is not loaded."
	return s
}
