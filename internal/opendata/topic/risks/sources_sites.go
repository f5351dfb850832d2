package risks

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// duplicateRows is a condition for the rows with the id of another row that comes first by best.
func duplicateRows(id, best string) string {
	return `ctid IN (SELECT place FROM (SELECT ctid AS place, row_number() OVER (PARTITION BY ` + id +
		` ORDER BY ` + best +
		`_file, _line) AS nth FROM stage) d WHERE nth > 1)`
}

// nameColumn is the column of a name that may be that of a person.
func nameColumn(rule source.Persons, from ...string) source.Column {
	return source.Column{Name: "name", From: from, Internal: true, Persons: rule}
}

func siteCommune(from ...string) source.Column {
	return source.Column{Name: "code", From: from, Pad: 5, Internal: true}
}

// siteAddress is the column of the address of a site.
func siteAddress(from ...string) source.Column {
	return source.Column{Name: "address", From: from, Internal: true, Persons: source.PlaceName}
}

// The attributes of sites. commune is the code that the file has.
const (
	icpeAttrs = "'name', name, 'regime', regime, 'seveso', seveso, 'status', status, 'active', status ~* '^en (exploitation|fonctionnement)', " +
		"'address', address, 'commune', code"
	casiasAttrs = "'register', 'CASIAS', 'name', name, 'activity', activity, 'activityCodes', naf, 'status', status, 'address', address, 'commune', code"
)

// keepUnplaced keeps the sites without a position of their own, for the numbers of communes. Those that the
// file has with a position, too, are not among them.
func keepUnplaced(layer, attrs string) source.Derived {
	return source.Derived{Name: layer, Target: source.FactLayer(layer),
		Query: `SELECT DISTINCT ON (id) id, NULL::text AS commune, ` + source.Attrs(attrs).SQL + ` AS attrs
		FROM unplaced u WHERE NOT EXISTS (SELECT FROM ready r WHERE r.id = u.id) ORDER BY id, _file, _line`}
}

// siteProjections maps the spellings of projections in the file to SRIDs.
var siteProjections = map[string]int{
	"lambert 93": source.Lambert93, "lambert93": source.Lambert93, "lambert-93": source.Lambert93,
	"rgf93": source.Lambert93, "rgf93 / lambert-93": source.Lambert93,
	"lambert ii étendu": 27572, "lambert ii etendu": 27572, "lambert 2 étendu": 27572, "lambert 2 etendu": 27572,
	"lambert2e": 27572,
	"wgs84":     4326, "wgs 84": 4326,
	"rgaf09 / utm zone 20n": 5490, "utm 20n": 5490, "utm20n": 5490,
	"rgfg95 / utm zone 22n": 2972, "utm 22n": 2972, "utm22n": 2972,
	"rgr92 / utm zone 40s": 2975, "utm 40s": 2975, "utm40s": 2975,
	"rgm04 / utm zone 38s": 4471, "utm 38s": 4471, "utm38s": 4471,
}

// siteFiles matches files named after a register, then a département or
// commune, or none for all of France, and a date.
func siteFiles(names string) []source.Files {
	return []source.Files{{Path: `(?i)(^|/)(` + names + `)([-_](france|` + source.PlaceCode + `))?` +
		`([-_](?P<vintage>20[0-9]{2}-?[0-9]{2}-?[0-9]{2}))?\.csv(\.gz|\.zip)?$`}}
}

// siteNote warns about the exports of the producer, which all have the same name whatever they hold.
const siteNote = "The file of a département or commune is named after it, else it is taken for that of the whole country: "

func icpeSource() source.Source {
	s := riskSource("icpe", "Installations classées pour la protection de l'environnement", "DGPR; Géorisques")
	s.Files = siteFiles("icpe|installations?[-_]?classees?")
	// The address ignores a parameter that it does not know, and answers with all of France.
	s.Origins = []fetch.Origin{{
		From: producer.At{Address: "https://www.georisques.gouv.fr/api/v1/csv/installations_classees?departement={departement}"},
		As:   "icpe-{departement}.csv.zip", Area: fetch.Departement, Rhythm: "irregularly",
		Note: "Version 2 of this interface asks for a key.",
	}}
	// The archive holds four other tables. Some names in it were encoded twice.
	s.Read = source.Read{Format: source.CSV, Member: `(?i)(^|/)(InstallationClassee|(icpe|installations?[-_]?classees?)[^/]*)\.csv$`,
		Separator: "sniff", Encoding: "mixed", Lazy: true}
	s.Columns = []source.Column{
		{Name: "id", From: []string{"codeAIOT", "code_aiot"}, Required: true},
		nameColumn(source.OrganisationName, "raisonSociale", "raison_sociale"), internalColumn("regime",
			source.Text, "regime", "regimeVigueur"), internalColumn("seveso", source.Text, "statutSeveso",
			"statut_seveso"),
		internalColumn("status", source.Text, "etatActivite", "etat_activite"), internalColumn("changed",
			source.Text, "date_maj"),
		internalColumn("lon", source.Text, "longitude"), internalColumn("x", source.Text, "coordonneeXAIOT"),
		siteCommune("codeInsee", "code_insee"), siteAddress("adresse1", "adresse"),
		source.Attrs(icpeAttrs),
		source.FileScope,
	}
	s.Geometry = &source.Geometry{From: source.LonLat, X: []string{"longitude"}, Y: []string{"latitude"},
		Subdivide: true, Optional: true, Bounds: source.France,
		Else: &source.Geometry{From: source.LonLat, X: []string{"coordonneeXAIOT"}, Y: []string{"coordonneeYAIOT"},
			SRID: source.Lambert93, SRIDFrom: "systemeCoordonneesAIOT", SRIDNames: siteProjections}}
	s.Geometry.StackedBy = "code"
	const (
		noPosition        = "geom IS NULL AND lon IS NULL AND x IS NULL"
		otherInstallation = "regime ILIKE 'non icpe'"
	)
	s.Unplaced = "(" + noPosition + ") AND (" + otherInstallation + ") IS NOT TRUE"
	s.Derived = []source.Derived{keepUnplaced("icpe_unplaced", icpeAttrs)}
	s.Drop = []string{noPosition, otherInstallation,
		duplicateRows("id", "changed DESC NULLS LAST, ")}
	s.Reject = []source.Rule{riskUnplaced}
	s.Checks = source.Checks{Queries: []string{source.WholeCountry("50000")}}
	s.Note = siteNote + "icpe-93.csv."
	s.Target, s.Covers = source.ShapeLayer("icpe"), source.Covers("icpe")
	return s
}

// riskUnplaced rejects rows whose position could not be converted to degrees;
// those without a position are dropped before.
var riskUnplaced = source.Rule{When: "geom IS NULL", Reason: "'its position is not in its projection'"}

// casiasSource declares the inventory of former industrial sites, previously BASIAS.
func casiasSource() source.Source {
	s := riskSource("casias", "CASIAS : anciens sites industriels et activités de services", "BRGM; Géorisques")
	s.Files = siteFiles("casias|basias")
	s.Origins = []fetch.Origin{{
		From: producer.At{Address: "https://mapsref.brgm.fr/wxs/georisques/georisques_dl?service=wfs&version=2.0.0&request=getfeature" +
			"&typename=etablissement_point&outputformat=csvtext"},
		As: "casias.csv", Rhythm: "irregularly",
		Note: "Without the sites that are drawn as areas, the layer etablissement_polygon.",
	}, {
		From: producer.At{Address: "https://www.georisques.gouv.fr/webappReport/ws/infosols/casias/_search?isExport=true&codeDepartement={departement}"},
		As:   "casias-{departement}.csv", Area: fetch.Departement, Rhythm: "irregularly",
	}}
	s.Read = source.Read{Format: source.CSV, Separator: "sniff", Encoding: "sniff", Lazy: true}
	s.Columns = []source.Column{
		{Name: "id", From: []string{"identifiant_casias", "identifiant_ssp", "identifiant", "code_metier"},
			Required: true},
		internalColumn("register", source.Text, "nom_inventaire"),
		nameColumn(source.OrganisationName, "nom_etablissement", "nom_usuel", "raison_sociale"),
		internalColumn("activity", source.Text, "activite_principale", "activite"),
		internalColumn("status", source.Text, "statut", "etat_occupation", "etat_activite"),
		internalColumn("placed", source.Text, "precision", "precision_localisation", "precision_coordonnees",
			"localisation", "nature_localisation"),
		siteCommune("code_insee", "codeInsee"), siteAddress("adresse", "adresse_etablissement"),
		internalColumn("naf", source.Text, "code_naf"),
		internalColumn("lon", source.Text, "longitude", "lon", "x_wgs84", "geom", "geometry"),
		source.Attrs(casiasAttrs),
		source.FileScope,
	}
	s.Geometry = &source.Geometry{From: source.LonLat, X: []string{"longitude", "lon", "x_wgs84"},
		Y: []string{"latitude", "lat", "y_wgs84"}, Subdivide: true, Optional: true,
		Bounds: source.France, Else: &source.Geometry{From: source.GeoJSONText, X: []string{"geom", "geometry"}}}
	s.Geometry.StackedBy = "code"
	const (
		otherRegister = "register !~* '(casias|basias)'" // the file has other registers of polluted ground too
		noPosition    = "geom IS NULL AND lon IS NULL"
		inCommune     = "placed ~* '(centro|commune|mairie|chef-lieu)'"
	)
	s.Unplaced = "(" + noPosition + " OR " + inCommune + ") AND (" + otherRegister + ") IS NOT TRUE"
	s.Derived = []source.Derived{keepUnplaced("polluted_site_unplaced", casiasAttrs)}
	s.Drop = []string{
		otherRegister, noPosition, inCommune,
		duplicateRows("id", ""),
	}
	s.Reject = []source.Rule{riskUnplaced}
	s.Checks = source.Checks{Queries: []string{source.WholeCountry("50000")}}
	s.Note = siteNote + "casias-93.csv."
	s.Target, s.Covers = source.ShapeLayer("polluted_site"), source.Covers("polluted_site")
	return s
}

// ademeSource is the source of the sites of ADEME.
const ademeSource = "ademe-srd"

// ademeSites declares the few sites cleaned up by the State. They are not all polluted sites of any area:
// their load covers a layer of its own, by which reports name it as a source.
func ademeSites() source.Source {
	s := riskSource(ademeSource, "Sites à responsable défaillant traités par l'ADEME", "ADEME")
	s.Homepage = "https://data.ademe.fr/datasets/srd-ademe"
	s.Origins = []fetch.Origin{{
		From: producer.DataFair{Host: "data.ademe.fr", Dataset: "srd-ademe", Format: "geojson"},
		As:   "donnees-ademe-sites-pollues.geojson", Rhythm: "irregularly", Derived: true,
	}}
	s.Note = "Reports show them where CASIAS is loaded as well."
	s.Files = []source.Files{{Path: `(?i)(^|/)(donnees-)?ademe-sites-pollues[^/]*\.(geo)?json(\.gz)?$`}}
	s.Read = source.Read{Format: source.GeoJSON}
	s.Columns = []source.Column{
		{Name: "number", From: []string{"_id", "id"}, Required: true, Internal: true},
		nameColumn(source.OrganisationName, "Nom_site"), internalColumn("activities", source.TextList,
			"Activites_historiques_site"), internalColumn("status", source.Text, "Etat_operation"),
		{Name: "id", SQL: "'ADEME-' || number"},
		source.Attrs("'register', 'ADEME', 'name', name, 'activity', nullif(array_to_string(activities, ', '), ''), 'status', status"),
	}
	s.Geometry = &source.Geometry{From: source.Feature, Subdivide: true, Optional: true, Bounds: source.France}
	s.Drop = []string{"geom IS NULL", duplicateRows("number", "")}
	s.Target, s.Covers = source.ShapeLayer("polluted_site"), source.Covers("state_site")
	return s
}

func cavitySource() source.Source {
	s := riskSource("bdcavite", "BDCavité : cavités souterraines", "BRGM; Géorisques")
	// The records of a département, and those filed by commune.
	s.Origins = []fetch.Origin{cavityOrigin("fiches.csv?", "cavite_{departement}.csv"),
		cavityOrigin("fichecommunes.csv", "cavites_communes_{departement}.csv")}
	// The columns of Lambert II étendu are empty overseas.
	s.Files = []source.Files{{
		Path:         `(?i)(^|/)cavites?_(communes_)?(?P<scope>[0-8][0-9]|9[0-5]|2[AB]|[0-8][0-9AB][0-9]{3}|9[0-5][0-9]{3})\.csv(\.gz|\.zip)?$`,
		GroupByScope: true, // two exports of a département
	}}
	s.Read = source.Read{Format: source.CSV, Separator: ";", Encoding: "sniff", Lazy: true}
	s.Columns = []source.Column{
		{Name: "id", From: []string{"numCavite"}, Required: true},
		internalColumn("kind", source.Text, "typeCavite"), nameColumn(source.PlaceName, "nomCavite"),
		internalColumn("status", source.Text, "statut"),
		internalColumn("precise", source.Number, "precisionXY"), internalColumn("placed", source.Text,
			"positionnement"), internalColumn("x", source.Text, "xouvl2e"),
		siteCommune("numInsee"),
		// A precision of zero metres means not specified.
		source.Attrs("'type', kind, 'name', nullif(name, 'Confidentiel'), 'status', status, 'precisionM', nullif(precise, 0)"),
	}
	s.Geometry = &source.Geometry{From: source.LonLat, X: []string{"xouvl2e"}, Y: []string{"youvl2e"},
		SRID: 27572, Subdivide: true, Optional: true, Bounds: source.France}
	s.Geometry.StackedBy = "code"
	// Confidential cavities have no position, or only that of the commune.
	s.Drop = []string{"geom IS NULL AND x IS NULL", "placed ~* '^centro'", duplicateRows("id", "")}
	s.Reject = []source.Rule{riskUnplaced}
	s.Target, s.Covers = source.ShapeLayer("cavity"), source.Covers("cavity")
	return s
}

func groundMovementSource() source.Source {
	s := riskSource("bdmvt", "BDMVT : mouvements de terrain", "BRGM; Géorisques")
	s.Origins = []fetch.Origin{{
		From: producer.At{Address: georisquesReport + "mvmt/departements/{departement}/fichecommunes.csv"},
		As:   "mvt_dptList_{departement}.csv", Area: fetch.Departement, Rhythm: "irregularly",
	}}
	s.Files = []source.Files{{Path: `(?i)(^|/)mvt_dptlist_` + source.PlaceCode + `\.csv(\.gz|\.zip)?$`}}
	s.Read = source.Read{Format: source.CSV, Separator: ";", Encoding: "sniff", Lazy: true}
	s.Columns = []source.Column{
		{Name: "id", From: []string{"idMvt"}, Required: true},
		internalColumn("kind", source.Text, "libelleType"), riskDay("begun", "dateDebut"), internalColumn("dated",
			source.Text, "libelleDate"),
		internalColumn("placed", source.Text, "libellePrec"), internalColumn("reliable", source.Text,
			"libelleFiabilite"),
		internalColumn("lon", source.Text, "longitudeDoublePrec"), internalColumn("x", source.Text, "xsaisi"),
		siteCommune("num_insee"),
		source.Attrs("'type', kind, 'date', CASE WHEN dated IS DISTINCT FROM 'Inconnue' THEN " + riskISO("begun") +
			" END, 'datePrecision', dated, 'positionPrecision', placed, 'reliability', reliable"),
	}
	// The entered coordinates are in the projection of the row.
	s.Geometry = &source.Geometry{From: source.LonLat, X: []string{"longitudeDoublePrec"},
		Y: []string{"latitudeDoublePrec"}, Subdivide: true, Optional: true, Bounds: source.France,
		Else: &source.Geometry{From: source.LonLat, X: []string{"xsaisi"}, Y: []string{"ysaisi"}, SRIDFrom: "epsg"}}
	s.Geometry.StackedBy = "code"
	s.Drop = []string{"placed = 'Commune'", "geom IS NULL AND lon IS NULL AND x IS NULL",
		duplicateRows("id", "")}
	s.Reject = []source.Rule{riskUnplaced}
	s.Target, s.Covers = source.ShapeLayer("ground_movement"), source.Covers("ground_movement")
	return s
}

func cavityOrigin(export, as string) fetch.Origin {
	return fetch.Origin{
		From: producer.At{Address: georisquesReport + "cavites/departements/{departement}/" + export}, As: as,
		Area: fetch.Departement, Rhythm: "irregularly",
		Note: "75, 78, 91, 92, 93, 94 and 95 had none: those of the Paris region are in another register.",
	}
}
