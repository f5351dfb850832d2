package services

import (
	"cmp"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/source"
)

// schoolSource declares the directory, which has their locations, and the figures
// about them, which the report joins by UAI.
func schoolSource() []source.Source {
	return []source.Source{
		schoolDirectory(),
		schoolIndex("school-index-primary", "Indices de position sociale : écoles", "ecole",
			`fr-en-ips-ecoles[^/]*`,
			educationOrigins("fr-en-ips-ecoles-ap2022", "yearly", fetch.Read, publicCode)),
		schoolIndex("school-index-colleges", "Indices de position sociale : collèges", "college",
			`fr-en-ips-colleges[^/]*`,
			educationOrigins("fr-en-ips-colleges-ap2023", "yearly", fetch.Read, publicCode)),
		schoolIndex("school-index-lycees", "Indices de position sociale : lycées", "lycee", `fr-en-ips-lycees[^/]*`,
			educationOrigins("fr-en-ips-lycees-ap2023", "yearly", fetch.Read, publicCode)),
		schoolResult("school-results-colleges", "Indicateurs de valeur ajoutée des collèges",
			`fr-en-indicateurs-valeur-ajoutee-colleges`,
			[]string{"Taux de réussite G (%)", "Taux de réussite G", "taux_de_reussite_g"},
			educationOrigins("fr-en-indicateurs-valeur-ajoutee-colleges", "yearly", fetch.Derived, publicCode+
				" (as JSON)")),
		schoolResult("school-results-lycees", "Indicateurs de résultat des lycées généraux et technologiques",
			`fr-en-indicateurs-de-resultat-des-lycees-g[^/]*`, resultOfLycees,
			educationOrigins("fr-en-indicateurs-de-resultat-des-lycees-gt_v2", "yearly", fetch.Read, publicCode)),
		schoolResult("school-results-lycees-pro", "Indicateurs de résultat des lycées professionnels",
			`fr-en-indicateurs-de-resultat-des-lycees-pro[^/]*`, resultOfLycees,
			educationOrigins("fr-en-indicateurs-de-resultat-des-lycees-pro_v2", "yearly", fetch.Read, publicCode)),
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
		Origins:  educationOrigins("fr-en-annuaire-education", "daily", fetch.Read, publicCode),
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

func schoolIndex(name, title, level, file string, origins []fetch.Origin) source.Source {
	return withEducationDefaults(source.Source{
		Name: name, Title: title, Origins: origins,
		Files: []source.Files{{Path: `(?i)(^|/)` + file + `\.csv(\.gz)?$`, GroupByScope: true}},
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
				`', 'sector', ` + schoolSector +
				`, 'ips', ips, 'schoolYear', year))`},
		},
		Drop:    []string{source.AllButBest("id", "year DESC")},
		Vintage: "max(left(year, 4))",
		Target:  source.FactLayer("school_index"),
		Covers:  source.Covers("school_index"),
	})
}

func schoolResult(name, title, file string, rate []string, origins []fetch.Origin) source.Source {
	return withEducationDefaults(source.Source{
		Name: name, Title: title, Origins: origins,
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
