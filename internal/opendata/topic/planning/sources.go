// Package planning declares the data on building rights: plans and easements, the permits that Sitadel lists,
// and protected monuments.
package planning

import (
	_ "embed"
	"slices"
	"strings"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

//go:embed plan_zone_areas.sql
var planZoneAreas string

//go:embed plan_prescription_areas.sql
var planPrescriptionAreas string

// Sources returns the sources on building rights: priority districts, plans, easements and permits.
func Sources() []source.Source {
	all := slices.Concat([]source.Source{qpvSource(),
		planArchives("gpu-zones", "Géoportail de l'urbanisme : zonages (archives)", "plan_zone",
			"(ZONE_URBA|SECTEUR_CC)"),
		planNational("gpu-zones-national", "Géoportail de l'urbanisme : zonages (couche nationale)", "plan_zone",
			"zone_urba", 3_900_000_000),
		planNational("gpu-sectors-national", "Géoportail de l'urbanisme : secteurs des cartes communales (couche nationale)",
			"plan_zone", "secteur_cc", 0),
		planArchives("gpu-prescriptions", "Géoportail de l'urbanisme : prescriptions (archives)",
			"plan_prescription", "PRESCRIPTION_SURF"),
		planNational("gpu-prescriptions-national", "Géoportail de l'urbanisme : prescriptions (couche nationale)",
			"plan_prescription", "prescription_surf", 6_800_000_000)}, easementSources())
	for _, f := range permitFiles {
		all = append(all, f.declareSource())
	}
	return all
}

const qpvProducer = "ANCT"

func qpvSource() source.Source {
	shapes := source.ShapesInDegrees()
	// The file includes French Polynesia, which has no parcels here.
	shapes.Bounds = append(slices.Clone(source.France), source.Box{West: -155, South: -28.5, East: -134,
		North: -7.5})
	return source.Source{
		Name: "qpv", Group: "planning", Title: "Quartiers prioritaires de la politique de la ville 2024",
		Producer: qpvProducer, Licence: source.LicenceOuverte,
		Homepage: "https://www.data.gouv.fr/datasets/quartiers-prioritaires-de-la-politique-de-la-ville-qpv",
		Origins: []fetch.Origin{{
			From: producer.DataGouv{Dataset: "quartiers-prioritaires-de-la-politique-de-la-ville-qpv",
				Resource: "942d4ee8-8142-4556-8ea1-335537ce1119",
				File:     `(?i)^qpv?-?2024[^/]*\.(zip|geojson)$`},
			Bytes: 11_000_000, Rhythm: "irregularly",
		}},
		Files: []source.Files{{Path: `(?i)(^|/)qpv?-?(?P<vintage>2024)[^/]*\.((geo)?json(\.gz)?|zip)$`}},
		Read:  source.Read{Format: source.GeoJSON, Member: `(?i)OUTRE_MER_WGS84\.(geo)?json$`},
		Columns: []source.Column{
			{Name: "id", From: []string{"code_qp"}, Required: true, Match: `QN[0-9AB]{5}[A-Z]`},
			source.Internal("name", "lib_qp", "nom_qp"),
			source.Internal("communes", "insee_com"), // with commas between them
			source.Attrs("'name', name, 'communes', communes"),
		},
		Geometry: shapes,
		Dedupe:   source.Dedupe{Key: []string{"id"}},
		Target:   source.ShapeLayer("qpv"),
		Covers:   source.Covers("qpv"),
		Note:     "The merged GeoJSON in WGS84. The generation of 2015 (codes QP…) is out of force and is not loaded.",
	}
}

// planDate parses one of the spellings of a date in the files of plans, and returns null for anything
// else: such an error must not cost the zone.
func planDate(column string) string {
	digits := "left(regexp_replace(" + column + ", '[^0-9]', '', 'g'), 8)"
	return "(SELECT substr(d, 1, 4) || '-' || substr(d, 5, 2) || '-' || substr(d, 7, 2) FROM (SELECT " + digits +
		" AS d) x WHERE d ~ '^(19|20)[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])$')"
}

// planColumns returns the columns of a layer of plans. territory is SQL for the
// code of the commune or EPCI of the document.
func planColumns(layer, territory string) []source.Column {
	document := "'document', document, 'territory', " + territory + ", 'regulation', nullif(rules, ''), " +
		"'regulationUrl', substring(rules_url FROM '^https?://[^ ]+$')"
	written := []source.Column{source.RowID, source.Internal("rules", "NOMFIC"), source.Internal("rules_url", "URLFIC")}
	if layer == "plan_prescription" {
		return append(written, source.Internal("label", "LIBELLE"), source.Internal("type", "TYPEPSC"),
			source.Internal("subtype", "STYPEPSC"),
			source.Attrs("'type', lpad(type, 2, '0'), 'subtype', lpad(subtype, 2, '0'), 'label', label, "+document))
	}
	return append(written, source.Internal("zone", "LIBELLE"), source.Internal("label", "LIBELONG"),
		source.Internal("type", "TYPEZONE", "TYPESECT"),
		source.Internal("valid", "DATVALID"), source.Internal("approved", "DATAPPRO"),
		source.Attrs("'zone', zone, 'label', label, 'type', type, "+document+
			", 'validOn', coalesce("+planDate("valid")+", "+planDate("approved")+")"))
}

const planProducer = "communes et EPCI; DGALN, IGN"

func planSource(name, title, layer, territory string) source.Source {
	s := source.Source{
		Name: name, Group: "planning", Title: title,
		Producer: planProducer, Licence: source.LicenceOuverte,
		Homepage: "https://www.geoportail-urbanisme.gouv.fr",
		After:    []string{"cog-communes", "contours-communes"},
		Columns:  planColumns(layer, territory),
		Geometry: source.Shapes(),
		// Plans are drawn by hand: one empty shape among ninety does not make a broken file.
		Checks: source.Checks{MaxRefused: 0.05},
		Target: source.ShapeLayer(layer),
		Covers: []source.Coverage{{Layer: layer, Areas: planZoneAreas}},
	}
	if layer == "plan_prescription" {
		s.After = append(s.After, "gpu-zones", "gpu-zones-national", "gpu-sectors-national")
		s.Covers[0].Areas = planPrescriptionAreas
	}
	return s
}

// duplicateTables reports a document that has a table twice, in two folders: its zones would be served twice.
const duplicateTables = `SELECT 'the archive holds ' || min(member) || ' and ' || max(member) || '; which one is meant?'
	FROM (SELECT DISTINCT document, member FROM stage) m GROUP BY document, lower(regexp_replace(member, '^.*/', '')) HAVING count(*) > 1`

// planArchives declares the archives of the documents, one a document. The document is identified by the file
// name, not by the column IDURBA, which is missing in the model of 2013 and unreliable in that of 2017.
func planArchives(name, title, layer, member string) source.Source {
	s := planSource(name, title, layer, "upper(territory)")
	s.Columns = append(s.Columns, source.FromPath("document"), source.FromPath("territory"),
		source.Internal("member", "_member"))
	s.Checks.Queries = []string{duplicateTables}
	// The archives of the documents of a commune and of its intercommunality. A PSMV, which applies in addition
	// to the plan, has a partition of its own.
	s.Origins = []fetch.Origin{
		documentOrigin("partition=DU_{commune}", fetch.Commune),
		documentOrigin("partition=DU_{grouping}", fetch.Grouping),
		documentOrigin("partition=PSMV_{commune}", fetch.Commune),
		documentOrigin("partition=PSMV_{grouping}", fetch.Grouping),
	}
	const plan = `(?P<territory>[0-9][0-9AB][0-9]{3}|[0-9]{9})_(PLUI?|POS|CC|PSMV)`
	s.Files = []source.Files{
		{Path: `(?i)(^|/)(?P<document>(?P<scope>` + plan + `)_(?P<vintage>[0-9]{8}))\.zip$`},
		// An EPCI may have a plan for each of its parts, distinguished by a letter after
		// the date. None replaces the others.
		{Path: `(?i)(^|/)(?P<document>(?P<scope>` + plan + `_(?P<vintage>[0-9]{8})_[A-Z]))\.zip$`},
	}
	s.Read = source.Read{Format: source.Shapefile, Member: `(?i)[/_]` + member + `[^/]*\.shp$`,
		Optional: layer == "plan_prescription"}
	s.Note = "One zip a document, under the name that the Géoportail gives it: 30014_PLU_20171013.zip. Of the documents of a " +
		"commune the newest is served, and a PSMV in addition to it."
	return s
}

// planNational declares the layers that hold all documents, of France or of a département.
func planNational(name, title, layer, file string, bytes int64) source.Source {
	s := planSource(name, title, layer, "substring(partition FROM '_([0-9][0-9AB][0-9]{3}|[0-9]{9})$')")
	s.Columns = append(s.Columns, source.Internal("document", "idurba", "gpu_doc_id"),
		source.Internal("partition", "partition"))
	s.Files = []source.Files{{Path: nationalPath("wfs_du", file)}}
	s.Read = source.Read{Format: source.GeoPackage, Layers: []string{file, "wfs_du:" + file, "wfs_du_" + file}}
	s.Geometry, s.Origins = source.ShapesInDegrees(), layerOrigins(file, bytes)
	s.Note = "The layer wfs_du:" + file + " as a GeoPackage. Where an archive of the same territory is loaded, the archive is served."
	return s
}

// nationalPath matches the names of the files of a layer, or of all layers of a service, of France or of a
// département.
func nationalPath(service, layer string) string {
	return `(?i)(^|/)((` + service + `[_.:-])?` + layer + `|` + service +
		`)([_-](?P<scope>[0-9]{2,3}|2[AB]))?([_-]` + source.FileDay + `)?\.gpkg(\.gz)?$`
}

// MonumentSources returns the protected monuments.
func MonumentSources() []source.Source { return []source.Source{merimeeSource()} }

// fixPunctuation repairs the punctuation of Windows-1252 that other encodings read as control characters.
func fixPunctuation(column string) string {
	return `translate(` + column + `, U&'\0085\0091\0092\0093\0094\0096\0097\009C', '…‘’“”–—œ')`
}

// protectionDay is the first date of "1981/10/29 : inscrit MH ; 1990/01/02 : classé MH".
const protectionDay = `substring(protected_on from '[0-9]{4}[/-][0-9]{2}[/-][0-9]{2}')`

// merimeeSource declares the monuments of the ministry. Some are placed at the centre of their commune:
// three or more monuments of one commune at one point are marked as approximate.
func merimeeSource() source.Source {
	return source.Source{
		Name: "monuments", Group: "heritage", Title: "Immeubles protégés au titre des monuments historiques",
		Producer: "Ministère de la Culture", Licence: source.LicenceOuverte,
		Homepage: "https://data.culture.gouv.fr/explore/dataset/liste-des-immeubles-proteges-au-titre-des-monuments-historiques",
		Origins: []fetch.Origin{{
			From: producer.Opendatasoft{Host: "data.culture.gouv.fr",
				Dataset: "liste-des-immeubles-proteges-au-titre-des-monuments-historiques", Format: "csv"},
			As: "liste-des-immeubles-proteges-au-titre-des-monuments-historiques.csv", Rhythm: "monthly",
		}},
		Files: []source.Files{
			{Path: `(?i)(^|/)(base-)?merimee(-mh|-monuments-historiques)?([-_.](?P<vintage>20[0-9]{2}-[0-9]{2}-[0-9]{2}))?\.csv(\.gz)?$`},
			{Path: `(?i)(^|/)liste-des-immeubles-proteges-au-titre-des-monuments-historiques\.csv(\.gz)?$`},
			{Path: `(?i)(^|/)merimee-` + source.PlaceCode + `\.csv(\.gz)?$`},
		},
		Read: source.Read{Format: source.CSV, Separator: "sniff", Encoding: "mixed", Lazy: true},
		Columns: []source.Column{
			{Name: "id", From: []string{"Reference", "Référence", "ref"}, Required: true},
			source.Internal("title", "Titre_editorial_de_la_notice", "Titre éditorial de la notice"),
			source.Internal("building", "Denomination_de_l_edifice", "Dénomination de l'édifice"),
			{Name: "commune", From: []string{"Commune_forme_index", "Commune (forme index)"}, Internal: true},
			source.Internal("protection", "Typologie_de_la_protection", "Typologie de la protection"),
			{Name: "protected_on", From: []string{"Date_et_typologie_de_la_protection",
				"Date et typologie de la protection"}, Internal: true},
			{Name: "attrs", SQL: `jsonb_strip_nulls(jsonb_build_object(
				'name', ` + fixPunctuation("coalesce(title, building)") + `,
				'protection', ` + fixPunctuation("protection") + `,
				'protectedOn', replace(` + protectionDay + `, '/', '-'),
				'commune', ` + fixPunctuation("commune") + `,
				'approximate', count(*) OVER (PARTITION BY commune, geom) > 2))`},
			source.FileScope,
		},
		Geometry: &source.Geometry{From: source.LatLonText, X: []string{"coordonnees_au_format_WGS84",
			"coordonnées au format WGS84"}, Optional: true, Subdivide: true, Bounds: source.France},
		Drop:   []string{"geom IS NULL"},
		Dedupe: source.Dedupe{Key: []string{"id"}},
		Checks: source.Checks{Queries: []string{source.WholeCountry("20000")}},
		Target: source.ShapeLayer("monument"),
		Covers: source.Covers("monument"),
	}
}

func documentOrigin(query string, area fetch.Area) fetch.Origin {
	return fetch.Origin{
		From: producer.Urbanisme{Query: query}, Area: area, Extent: fetch.PlacesOnly, Bytes: 11_400_000,
		Rhythm: "irregularly", Derived: strings.HasPrefix(query, "partition=PSMV"),
		Note: "One is given by hand under the name that the Géoportail gives it: 200057875_PLUI_20250917.zip.",
	}
}

// layerOrigins is a layer of all documents or of all easements, from the extraction of each week.
func layerOrigins(layer string, bytes int64) []fetch.Origin {
	return []fetch.Origin{{
		From: producer.UrbanismeLayer{Layer: layer}, Extent: fetch.FranceOnly, Bytes: bytes, Rhythm: "weekly",
		ReadOn: "2026-11",
		Note:   "For a département or a commune the archives are fetched; named, the layer is fetched all the same.",
	}}
}
