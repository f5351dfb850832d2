package source

// riskNoPerson is the SQL of a name, null when it is that of a person: sole traders run farms and garages.
func riskNoPerson(column string) string {
	return `CASE WHEN ` + column + ` !~* '^(m|mr|mm|mme|mlle|melle|monsieur|madame|mademoiselle)[. ]' THEN ` + column + ` END`
}

// riskFirst is a condition for the rows whose id another row has that comes before it by best.
func riskFirst(id, best string) string {
	return `ctid IN (SELECT place FROM (SELECT ctid AS place, row_number() OVER (PARTITION BY ` + id + ` ORDER BY ` + best +
		`_file, _line) AS nth FROM stage) d WHERE nth > 1)`
}

// siteProjections are the names that establishments' projections go by.
var siteProjections = map[string]int{
	"lambert 93": lambert93, "lambert93": lambert93, "lambert-93": lambert93, "rgf93": lambert93, "rgf93 / lambert-93": lambert93,
	"lambert ii étendu": 27572, "lambert ii etendu": 27572, "lambert 2 étendu": 27572, "lambert 2 etendu": 27572, "lambert2e": 27572,
	"wgs84": 4326, "wgs 84": 4326,
	"rgaf09 / utm zone 20n": 5490, "utm 20n": 5490, "utm20n": 5490,
	"rgfg95 / utm zone 22n": 2972, "utm 22n": 2972, "utm22n": 2972,
	"rgr92 / utm zone 40s": 2975, "utm 40s": 2975, "utm40s": 2975,
	"rgm04 / utm zone 38s": 4471, "utm 38s": 4471, "utm38s": 4471,
}

// siteFiles are named after a register, then a département, or none for all of France, and a date.
func siteFiles(names string) []Files {
	return []Files{{Path: `(?i)(^|/)(` + names + `)([-_](france|(?P<scope>[0-9]{2}|2[AB]|97[1-6])))?` +
		`([-_](?P<vintage>20[0-9]{2}-?[0-9]{2}-?[0-9]{2}))?\.csv(\.gz|\.zip)?$`}}
}

// siteNote warns of the exports of the producer, which all bear one name whatever they hold.
const siteNote = "The file of a département is named after it, else it is taken for that of the whole country: "

// riskSites are places of activities, present and past.
func riskSites() []Source { return []Source{icpe(), casias(), ademeSites()} }

func icpe() Source {
	s := riskSource("icpe", "Installations classées pour la protection de l'environnement", "DGPR; Géorisques")
	s.Files = siteFiles("icpe|installations?[-_]?classees?")
	s.Read = Read{Format: CSV, Separator: "sniff", Encoding: "sniff", Lazy: true}
	s.Columns = []Column{
		{Name: "id", From: []string{"codeAIOT", "code_aiot"}, Required: true},
		inner("name", Text, "raisonSociale", "raison_sociale"), inner("regime", Text), inner("seveso", Text, "statutSeveso", "statut_seveso"),
		inner("status", Text, "etatActivite", "etat_activite"), inner("changed", Text, "date_maj"),
		inner("lon", Text, "longitude"), inner("x", Text, "coordonneeXAIOT"),
		riskAttrs("'name', " + riskNoPerson("name") + ", 'regime', regime, 'seveso', seveso, 'status', status, 'active', status ~* '^en (exploitation|fonctionnement)'"),
		fileScope,
	}
	s.Geometry = &Geometry{From: LonLat, X: []string{"longitude"}, Y: []string{"latitude"}, Pieces: true, Optional: true, Bounds: France,
		Else: &Geometry{From: LonLat, X: []string{"coordonneeXAIOT"}, Y: []string{"coordonneeYAIOT"},
			SRID: lambert93, SRIDFrom: "systemeCoordonneesAIOT", SRIDNames: siteProjections}}
	s.Drop = []string{"geom IS NULL AND lon IS NULL AND x IS NULL", riskFirst("id", "changed DESC NULLS LAST, ")}
	s.Reject = []Rule{riskUnplaced}
	s.Checks = Checks{Queries: []string{wholeCountry("50000")}}
	s.Note = siteNote + "icpe-93.csv."
	s.Target, s.Covers = shapeLayer("icpe"), covers("icpe")
	return s
}

// riskUnplaced refuses rows whose position could not be brought to degrees; those without any are dropped before.
var riskUnplaced = Rule{When: "geom IS NULL", Reason: "'its position is not in its projection'"}

// casias is the inventory of former industrial sites, the former BASIAS.
func casias() Source {
	s := riskSource("casias", "CASIAS : anciens sites industriels et activités de services", "BRGM; Géorisques")
	s.Files = siteFiles("casias|basias")
	s.Read = Read{Format: CSV, Separator: "sniff", Encoding: "sniff", Lazy: true}
	s.Columns = []Column{
		{Name: "id", From: []string{"identifiant_casias", "identifiant_ssp", "identifiant"}, Required: true},
		inner("name", Text, "nom_etablissement", "nom_usuel", "raison_sociale"), inner("activity", Text, "activite_principale", "activite"),
		inner("status", Text, "statut", "etat_occupation"), inner("placed", Text, "precision", "precision_localisation", "precision_coordonnees", "localisation"),
		{Name: "code", From: []string{"code_insee", "codeInsee"}, Pad: 5, Internal: true},
		inner("lon", Text, "longitude", "lon", "geom", "geometry"),
		riskAttrs("'register', 'CASIAS', 'name', " + riskNoPerson("name") + ", 'activity', activity, 'status', status"),
		fileScope,
	}
	s.Geometry = &Geometry{From: LonLat, X: []string{"longitude", "lon"}, Y: []string{"latitude", "lat"}, Pieces: true, Optional: true, Bounds: France,
		Else: &Geometry{From: GeoJSONText, X: []string{"geom", "geometry"}}}
	s.Drop = []string{
		"geom IS NULL AND lon IS NULL", "placed ~* '(centro|commune|mairie|chef-lieu)'",
		// Of one commune so many sites never stand at one point: it is the commune's centre.
		`ctid IN (SELECT place FROM (SELECT ctid AS place, count(*) OVER (PARTITION BY code, ST_AsBinary(geom)) AS alike
			FROM stage WHERE code IS NOT NULL) d WHERE alike >= 5)`,
		riskFirst("id", ""),
	}
	s.Reject = []Rule{riskUnplaced}
	s.Checks = Checks{Queries: []string{wholeCountry("50000")}}
	s.Note = siteNote + "casias-93.csv."
	s.Target, s.Covers = shapeLayer("polluted_site"), covers("polluted_site")
	return s
}

// ademeSites are the few sites that the State has cleaned up. They say nothing of where there are none.
func ademeSites() Source {
	s := riskSource("ademe-srd", "Sites à responsable défaillant traités par l'ADEME", "ADEME")
	s.Homepage = "https://data.ademe.fr"
	s.Note = "Shown where CASIAS is loaded as well."
	s.Files = []Files{{Path: `(?i)(^|/)(donnees-)?ademe-sites-pollues[^/]*\.(geo)?json(\.gz)?$`}}
	s.Read = Read{Format: GeoJSON}
	s.Columns = []Column{
		{Name: "number", From: []string{"_id", "id"}, Required: true, Internal: true},
		inner("name", Text, "Nom_site"), inner("activities", TextList, "Activites_historiques_site"), inner("status", Text, "Etat_operation"),
		{Name: "id", SQL: "'ADEME-' || number"},
		riskAttrs("'register', 'ADEME', 'name', " + riskNoPerson("name") + ", 'activity', nullif(array_to_string(activities, ', '), ''), 'status', status"),
	}
	s.Geometry = &Geometry{From: Feature, Pieces: true, Optional: true, Bounds: France}
	s.Drop = []string{"geom IS NULL", riskFirst("number", "")}
	s.Target = shapeLayer("polluted_site")
	return s
}

// underground are hollows and movements of the ground.
func underground() []Source { return []Source{bdcavite(), bdmvt()} }

func bdcavite() Source {
	s := riskSource("bdcavite", "BDCavité : cavités souterraines", "BRGM; Géorisques")
	// Overseas the columns of Lambert II étendu hold nothing.
	s.Files = []Files{{Path: `(?i)(^|/)cavites?_(?P<scope>[0-8][0-9]|9[0-5]|2[AB])\.csv(\.gz|\.zip)?$`}}
	s.Read = Read{Format: CSV, Separator: ";", Encoding: "sniff", Lazy: true}
	s.Columns = []Column{
		{Name: "id", From: []string{"numCavite"}, Required: true},
		inner("kind", Text, "typeCavite"), inner("name", Text, "nomCavite"), inner("status", Text, "statut"),
		inner("precise", Number, "precisionXY"), inner("placed", Text, "positionnement"), inner("x", Text, "xouvl2e"),
		// A precision of zero metres is one that nobody gave.
		riskAttrs("'type', kind, 'name', nullif(name, 'Confidentiel'), 'status', status, 'precisionM', nullif(precise, 0)"),
	}
	s.Geometry = &Geometry{From: LonLat, X: []string{"xouvl2e"}, Y: []string{"youvl2e"}, SRID: 27572, Pieces: true, Optional: true, Bounds: France}
	// What is confidential has no position, or only its commune's.
	s.Drop = []string{"geom IS NULL AND x IS NULL", "placed ~* '^centro'", riskFirst("id", "")}
	s.Reject = []Rule{riskUnplaced}
	s.Target, s.Covers = shapeLayer("cavity"), covers("cavity")
	return s
}

func bdmvt() Source {
	s := riskSource("bdmvt", "BDMVT : mouvements de terrain", "BRGM; Géorisques")
	s.Files = []Files{{Path: `(?i)(^|/)mvt_dptlist_(?P<scope>[0-9]{2}|2[AB]|97[1-6])\.csv(\.gz|\.zip)?$`}}
	s.Read = Read{Format: CSV, Separator: ";", Encoding: "sniff", Lazy: true}
	s.Columns = []Column{
		{Name: "id", From: []string{"idMvt"}, Required: true},
		inner("kind", Text, "libelleType"), riskDay("begun", "dateDebut"), inner("dated", Text, "libelleDate"),
		inner("placed", Text, "libellePrec"), inner("reliable", Text, "libelleFiabilite"),
		inner("lon", Text, "longitudeDoublePrec"), inner("x", Text, "xsaisi"),
		riskAttrs("'type', kind, 'date', CASE WHEN dated IS DISTINCT FROM 'Inconnue' THEN " + riskISO("begun") +
			" END, 'datePrecision', dated, 'positionPrecision', placed, 'reliability', reliable"),
	}
	// What was typed in is in the projection of the row.
	s.Geometry = &Geometry{From: LonLat, X: []string{"longitudeDoublePrec"}, Y: []string{"latitudeDoublePrec"}, Pieces: true, Optional: true, Bounds: France,
		Else: &Geometry{From: LonLat, X: []string{"xsaisi"}, Y: []string{"ysaisi"}, SRIDFrom: "epsg"}}
	s.Drop = []string{"placed = 'Commune'", "geom IS NULL AND lon IS NULL AND x IS NULL", riskFirst("id", "")}
	s.Reject = []Rule{riskUnplaced}
	s.Target, s.Covers = shapeLayer("ground_movement"), covers("ground_movement")
	return s
}
