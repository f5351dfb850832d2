package source

import (
	_ "embed"
	"slices"
)

//go:embed sql/plan_zone_areas.sql
var planZoneAreas string

//go:embed sql/plan_prescription_areas.sql
var planPrescriptionAreas string

// planning are the sources on what may be built: districts, plans and easements.
func planning() []Source {
	return append([]Source{qpv(),
		planArchives("gpu-zones", "Géoportail de l'urbanisme : zonages (archives)", "plan_zone", "ZONE_URBA"),
		planNational("gpu-zones-national", "Géoportail de l'urbanisme : zonages (couche nationale)", "plan_zone", "zone_urba"),
		planArchives("gpu-prescriptions", "Géoportail de l'urbanisme : prescriptions (archives)",
			"plan_prescription", "PRESCRIPTION_SURF"),
		planNational("gpu-prescriptions-national", "Géoportail de l'urbanisme : prescriptions (couche nationale)",
			"plan_prescription", "prescription_surf"),
	}, easements()...)
}

// rowID names a row by its place in its files, for layers whose identifiers are missing or repeat.
var rowID = Column{Name: "id", SQL: "_file || '.' || _line"}

// attrs is what the report tells of a row: pairs of a name and SQL over the other columns.
func attrs(pairs string) Column {
	return Column{Name: "attrs", SQL: "jsonb_strip_nulls(jsonb_build_object(" + pairs + "))"}
}

func internal(name string, from ...string) Column {
	return Column{Name: name, From: from, Internal: true}
}

// fromPath is a column that a named group of the path fills.
func fromPath(name string) Column {
	return Column{Name: name, From: []string{}, Template: "{" + name + "}", Internal: true}
}

// areas is the geometry of a layer of polygons in files that may name their projection.
func areas() *Geometry {
	return &Geometry{From: Feature, SRID: lambert93, SRIDByScope: OfficialSRID, Polygon: true, Pieces: true, Bounds: France}
}

// areasInDegrees is the geometry of a layer of polygons in GeoJSON files, whose coordinates are degrees unless told
// otherwise.
func areasInDegrees() *Geometry {
	return &Geometry{From: Feature, SRID: 4326, Polygon: true, Pieces: true, Bounds: France}
}

func qpv() Source {
	shapes := areasInDegrees()
	// The file holds those of French Polynesia, which has no parcels here.
	shapes.Bounds = append(slices.Clone(France), Box{-155, -28.5, -134, -7.5})
	return Source{
		Name: "qpv", Group: "planning", Title: "Quartiers prioritaires de la politique de la ville 2024",
		Producer: "ANCT", Licence: LicenceOuverte,
		Homepage: "https://www.data.gouv.fr/datasets/quartiers-prioritaires-de-la-politique-de-la-ville-qpv",
		Files:    []Files{{Path: `(?i)(^|/)qp2024[^/]*\.((geo)?json(\.gz)?|zip)$`}},
		Read:     Read{Format: GeoJSON, Member: `(?i)OUTRE_MER_WGS84\.(geo)?json$`},
		Columns: []Column{
			{Name: "id", From: []string{"code_qp"}, Required: true, Match: `QN[0-9AB]{5}[A-Z]`},
			internal("name", "lib_qp", "nom_qp"),
			attrs("'name', name"),
		},
		Geometry: shapes,
		Dedupe:   Dedupe{Key: []string{"id"}},
		Target:   shapeLayer("qpv"),
		Covers:   covers("qpv"),
		Note:     "The merged GeoJSON in WGS84. The generation of 2015 (codes QP…) is out of force and is not loaded.",
	}
}

// planDate reads one of the spellings of a date in the files of plans, and leaves out what is none: such a slip must
// not cost the zone.
func planDate(column string) string {
	digits := "left(regexp_replace(" + column + ", '[^0-9]', '', 'g'), 8)"
	return "(SELECT substr(d, 1, 4) || '-' || substr(d, 5, 2) || '-' || substr(d, 7, 2) FROM (SELECT " + digits +
		" AS d) x WHERE d ~ '^(19|20)[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])$')"
}

// planColumns are those of a layer of plans. territory is SQL for the code of the commune or EPCI that the document
// is about.
func planColumns(layer, territory string) []Column {
	document := "'document', document, 'territory', " + territory
	if layer == "plan_prescription" {
		return []Column{rowID, internal("label", "LIBELLE"), internal("type", "TYPEPSC"), internal("subtype", "STYPEPSC"),
			attrs("'type', lpad(type, 2, '0'), 'subtype', lpad(subtype, 2, '0'), 'label', label, " + document)}
	}
	return []Column{rowID, internal("zone", "LIBELLE"), internal("label", "LIBELONG"), internal("type", "TYPEZONE"),
		internal("valid", "DATVALID"), internal("approved", "DATAPPRO"),
		attrs("'zone', zone, 'label', label, 'type', type, " + document +
			", 'validOn', coalesce(" + planDate("valid") + ", " + planDate("approved") + ")")}
}

func planSource(name, title, layer, territory string) Source {
	s := Source{
		Name: name, Group: "planning", Title: title,
		Producer: "communes et EPCI; DGALN, IGN", Licence: LicenceOuverte,
		Homepage: "https://www.geoportail-urbanisme.gouv.fr",
		After:    []string{"cog-communes", "contours-communes"},
		Columns:  planColumns(layer, territory),
		Geometry: areas(),
		// A plan is drawn by hand: a shape without area among ninety is not a broken file.
		Checks: Checks{MaxRefused: 0.05},
		Target: shapeLayer(layer),
		Covers: []Coverage{{Layer: layer, Areas: planZoneAreas}},
	}
	if layer == "plan_prescription" {
		s.After = append(s.After, "gpu-zones", "gpu-zones-national")
		s.Covers[0].Areas = planPrescriptionAreas
	}
	return s
}

// planArchives reads the archives of the documents, one a document. Its name, not its column IDURBA, names the
// document: the column is missing in the model of 2013 and not always right in that of 2017.
func planArchives(name, title, layer, member string) Source {
	s := planSource(name, title, layer, "upper(territory)")
	s.Columns = append(s.Columns, fromPath("document"), fromPath("territory"))
	const plan = `(?P<territory>[0-9][0-9AB][0-9]{3}|[0-9]{9})_(PLUI?|POS|CC|PSMV)`
	s.Files = []Files{
		{Path: `(?i)(^|/)(?P<document>(?P<scope>` + plan + `)_(?P<vintage>[0-9]{8}))\.zip$`},
		// An EPCI may have a plan for each of its parts, told apart by a letter after the date. None replaces the others.
		{Path: `(?i)(^|/)(?P<document>(?P<scope>` + plan + `_(?P<vintage>[0-9]{8})_[A-Z]))\.zip$`},
	}
	s.Read = Read{Format: Shapefile, Member: `(?i)[/_]` + member + `[^/]*\.shp$`, Optional: layer == "plan_prescription"}
	s.Note = "One zip a document, under the name that the Géoportail gives it: 30014_PLU_20171013.zip. Of the documents of a " +
		"commune the newest is served, and a PSMV beside it."
	return s
}

// planNational reads the layers that hold all documents, of France or of a département.
func planNational(name, title, layer, file string) Source {
	s := planSource(name, title, layer, "substring(partition FROM '_([0-9][0-9AB][0-9]{3}|[0-9]{9})$')")
	s.Columns = append(s.Columns, internal("document", "idurba", "gpu_doc_id"), internal("partition", "partition"))
	s.Files = []Files{{Path: `(?i)(^|/)(wfs_du[_.:-])?` + file + `([_-](?P<scope>[0-9]{2,3}|2[AB]))?([_-]` + day + `)?\.gpkg(\.gz)?$`}}
	s.Read = Read{Format: GeoPackage, Layers: []string{file, "wfs_du:" + file, "wfs_du_" + file}}
	s.Geometry = areasInDegrees()
	s.Note = "The layer wfs_du:" + file + " as a GeoPackage. Where an archive of the same territory is loaded, the archive is served."
	return s
}
