package services

import (
	"cmp"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// schoolSource declares the directory, which has their locations, and the figures
// about them, which the report joins by UAI.
func schoolSource() []source.Source {
	colleges := schoolResult("colleges", "valeur ajoutée des collèges", `fr-en-indicateurs-valeur-ajoutee-colleges`,
		"fr-en-indicateurs-valeur-ajoutee-colleges", "Taux de réussite G (%)", "Taux de réussite G", "taux_de_reussite_g")
	colleges.Origins[0].Derived = true
	return []source.Source{
		schoolDirectory(),
		schoolIndex("primary", "écoles", "ecole", "ecoles", "ap2022"),
		schoolIndex("colleges", "collèges", "college", "colleges", "ap2023"),
		schoolIndex("lycees", "lycées", "lycee", "lycees", "ap2023"),
		colleges,
		schoolResult("lycees", "résultat des lycées généraux et technologiques",
			`fr-en-indicateurs-de-resultat-des-lycees-g[^/]*`, "fr-en-indicateurs-de-resultat-des-lycees-gt_v2",
			resultOfLycees...),
		schoolResult("lycees-pro", "résultat des lycées professionnels",
			`fr-en-indicateurs-de-resultat-des-lycees-pro[^/]*`, "fr-en-indicateurs-de-resultat-des-lycees-pro_v2",
			resultOfLycees...),
	}
}

var resultOfLycees = []string{"taux_reu_total", "Taux de réussite - Toutes séries",
	"Taux de reussite - Toutes series", "taux_brut_de_reussite_total_series"}

const uai = `[0-9]{3}[0-9]{4}[A-Z]|[0-9][0-9AB][0-9]{5}[A-Z]`

// notPublished are the cells of figures that are withheld or missing.
var notPublished = []string{"ND", "NS", "nd", "ns", "N.D.", "."}

const schoolSector = `CASE WHEN sector ~* '^pu' THEN 'public' WHEN sector ~* '^pr' THEN 'private' END`

const schoolLevel = `CASE WHEN kind ~* '^([eé]cole|École|1er degr)' THEN 'ecole' WHEN kind ~* '^coll[eè]ge' THEN 'college'
	WHEN kind ~* '^lyc[eé]e' THEN 'lycee' WHEN kind ~* '(maternelle|elementaire|élémentaire|primaire)' THEN 'ecole' END`

func withEducationDefaults(s source.Source) source.Source {
	s.Group, s.Producer, s.Licence = "services", "Ministère de l'Éducation nationale", source.LicenceOuverte
	s.Homepage = cmp.Or(s.Homepage, "https://data.education.gouv.fr")
	s.Read = source.Read{Format: source.CSV, Separator: ";", Nulls: notPublished}
	return s
}

func schoolDirectory() source.Source {
	return withEducationDefaults(source.Source{
		Name:     "schools",
		Title:    "Annuaire de l'éducation",
		Homepage: "https://data.education.gouv.fr/explore/dataset/fr-en-annuaire-education",
		Origins:  educationOrigins("fr-en-annuaire-education", "daily"),
		Files:    []source.Files{{Path: `(?i)(^|/)fr-en-(annuaire-education|adresse-et-geolocalisation-etablissements[^/]*)\.csv(\.gz)?$`}},
		Columns: []source.Column{
			{Name: "id", From: []string{"identifiant_de_l_etablissement", "Identifiant_de_l_etablissement",
				"numero_uai"}, Required: true, Match: uai},
			{Name: "name", From: []string{"nom_etablissement", "appellation_officielle", "denomination_principale"},
				Required: true, Internal: true},
			{Name: "kind", From: []string{"type_etablissement", "libelle_nature", "nature_uai_libe"}, Internal: true},
			{Name: "sector", From: []string{"statut_public_prive", "secteur_public_prive_libe"}, Internal: true},
			{Name: "state", From: []string{"etat_etablissement_libe", "etat", "etat_etablissement"}, Internal: true},
			{Name: "attrs", SQL: `jsonb_strip_nulls(jsonb_build_object('name', name, 'level', ` + schoolLevel +
				`, 'sector', ` + schoolSector + `))`},
		},
		Geometry: &source.Geometry{From: source.LonLat, X: []string{"longitude"}, Y: []string{"latitude"},
			Subdivide: true, Optional: true},
		Drop: []string{
			"geom IS NULL OR ST_IsEmpty(geom)",
			schoolLevel + " IS NULL", // offices, medical and adult education
			"state ~* '^(ferm|a ouvrir|à ouvrir|[23]$)'",
			"NOT " + source.LiesInFrance("ST_X(geom)", "ST_Y(geom)"), // Pacific territories
			source.AllButBest("id", "id"),
		},
		Target: source.ShapeLayer("school"),
		Covers: source.Covers("school"),
	})
}

// schoolIndex declares the indices of social position of the schools of a level. plural and edition are parts
// of the name of its data set.
func schoolIndex(name, title, level, plural, edition string) source.Source {
	return withEducationDefaults(source.Source{
		Name: "school-index-" + name, Title: "Indices de position sociale : " + title,
		Origins: educationOrigins("fr-en-ips-"+plural+"-"+edition, "yearly"),
		Files:   []source.Files{{Path: `(?i)(^|/)fr-en-ips-` + plural + `[^/]*\.csv(\.gz)?$`, GroupByScope: true}},
		Columns: []source.Column{
			{Name: "id", From: []string{"uai"}, Required: true, Match: uai},
			{Name: "year", From: []string{"rentree_scolaire"}, Required: true, Internal: true},
			{Name: "name", From: []string{"nom_de_l_etablissment", "nom_de_l_etablissement"}, Required: true,
				Internal: true},
			{Name: "code", From: []string{"code_insee_de_la_commune"}, Pad: 5, Internal: true},
			{Name: "commune", SQL: "geo.commune_today(code)"},
			{Name: "sector", From: []string{"secteur"}, Internal: true},
			{Name: "ips", From: []string{"ips", "ips_ensemble_gt_pro", "ips_etab"}, Kind: source.Number,
				Internal: true},
			{Name: "attrs", SQL: `jsonb_strip_nulls(jsonb_build_object('name', name, 'level', '` + level +
				`', 'sector', ` + schoolSector + `, 'ips', ips, 'schoolYear', year))`},
		},
		Drop:    []string{source.AllButBest("id", "year DESC")},
		Vintage: "max(left(year, 4))",
		Target:  source.FactLayer("school_index"),
		Covers:  source.Covers("school_index"),
	})
}

// schoolResult declares the rates of success at an examination. rate are the names of their column.
func schoolResult(name, title, file, dataset string, rate ...string) source.Source {
	return withEducationDefaults(source.Source{
		Name: "school-results-" + name, Title: "Indicateurs de " + title, Origins: educationOrigins(dataset, "yearly"),
		Files: []source.Files{{Path: `(?i)(^|/)` + file + `\.csv(\.gz)?$`, GroupByScope: true}},
		Columns: []source.Column{
			{Name: "id", From: []string{"UAI", "code_etablissement"}, Required: true, Match: uai},
			// A year, or its first day: 2025-01-01T00:00:00+00:00.
			{Name: "session", From: []string{"Session", "annee", "Année"}, Required: true, Match: "[0-9]{4}([-.].*)?",
				Internal: true},
			{Name: "rate", From: rate, Kind: source.Number, Internal: true},
			{Name: "attrs", SQL: `jsonb_build_object('successRatePct', rate, 'session', left(session, 4)::integer)`},
		},
		Drop:    []string{"rate IS NULL", source.AllButBest("id", "session DESC")},
		Vintage: "max(left(session, 4))",
		Target:  source.FactLayer("school_result"),
		Covers:  source.Covers("school_result"),
	})
}

// educationOrigins is a data set of the ministry, all years of it.
func educationOrigins(dataset, rhythm string) []fetch.Origin {
	return []fetch.Origin{{
		From: producer.Opendatasoft{Host: "data.education.gouv.fr", Dataset: dataset, Format: "csv"},
		As:   "schools/" + dataset + ".csv", Rhythm: rhythm,
	}}
}
