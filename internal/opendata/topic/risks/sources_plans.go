package risks

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// gasparID matches the reference of a plan: the authority, then year and number.
const gasparID = `(?:[0-9]{2}|2[AB]|97[1-6])[A-Z]+[0-9]{8}`

// planCommunes are the communes that a plan touches. Its file covers nothing else; and even there it says
// nothing about other plans, which the report statement takes into account.
const planCommunes = `WITH box AS (SELECT ST_SetSRID(ST_Extent(geom)::geometry, 4326) AS shape FROM ready),
	near AS MATERIALIZED (SELECT c.code, c.geom FROM geo.commune_contour c, box b WHERE c.geom && b.shape)
	SELECT DISTINCT n.code FROM near n JOIN ready r ON ST_Intersects(n.geom, r.geom)`

const planProducer = "DDT(M); DREAL"

// planAttrs is SQL for the first attributes of every row of a plan. Only the names of
// the member or layer have the kind of plan.
const planAttrs = `'plan', upper(plan), 'kind', upper(substring(named FROM '(?i)(ppr[a-z])[a-z]*_'))`

// covadisSource declares a table of the maps of prevention plans, one archive each, in the COVADIS model.
func covadisSource(name, title, member string) source.Source {
	s := riskSource(name, "Plans de prévention des risques : "+title, planProducer)
	s.After = append(s.After, "contours-communes")
	s.Geometry = source.Shapes()
	s.Target = source.ShapeLayer("ppr_zone")
	s.Covers = []source.Coverage{{Layer: "ppr_zone", Areas: planCommunes}}
	s.Note = "One file a plan, under its GASPAR reference: 38DDT20180003.zip, or one of a département: pprn_38.zip. Served in the communes whose outline is loaded."
	// One archive of the natural-risk plans of each département that has published some.
	s.Origins = []fetch.Origin{{
		From: producer.At{Address: georisquesFiles + "ppr/pprn_{departement}.zip"}, Area: fetch.Departement,
		Rhythm: "irregularly",
		Note:   "Read for one département. Not each has a file: plans that are not in it can be given one by one, 38DDT20180003.zip.",
	}}
	s.Files = []source.Files{
		{Path: `(?i)(^|/)(?P<scope>` + gasparID + `)[^/]*\.zip$`},
		{Path: `(?i)(^|/)ppr[a-z]_(?P<scope>` + source.DepartementCode + `)\.zip$`}, // the plans of a département
	}
	s.Checks = source.Checks{MaxRefused: 0.05} // of hundreds of plans some have another reference
	s.Read = source.Read{Format: source.Shapefile, Member: `(?i)(^|/)` + member + `\.shp$`, Optional: true}
	s.Columns = []source.Column{
		{Name: "plan", From: []string{"id_gaspar"}, Match: `(?i)` + gasparID, Required: true, Internal: true},
		internalColumn("named", source.Text, "_member"),
	}
	return s
}

func covadisZones() source.Source {
	s := covadisSource("ppr-covadis-zones", "zones réglementaires (COVADIS)",
		`(n_)?zone_(reg_)?ppr[a-z]_([0-9a-z]+_)?s_[^/]*`)
	s.Columns = append(s.Columns,
		internalColumn("zone_id", source.Text, "id_zone"), internalColumn("zone", source.Text, "codezone"),
		internalColumn("name", source.Text, "nom"), internalColumn("rule", source.Text, "typereg"),
		source.Column{Name: "id", SQL: "concat_ws(' ', 'zone', zone_id, row_number() OVER (ORDER BY named, _line))"},
		source.Attrs("'form', 'zone', "+planAttrs+", 'code', nullif(zone, '-'), 'label', nullif(name, '-'), 'rule', rule"))
	return s
}

// covadisPlans declares the plan itself in an archive: the outline of its document, and its perimeter.
func covadisPlans() source.Source {
	s := covadisSource("ppr-covadis-documents", "documents et périmètres (COVADIS)",
		`(n_)?(document|perimetre)_ppr[a-z]_([0-9a-z]+_)?s_[^/]*`)
	s.Columns = append(s.Columns,
		internalColumn("name", source.Text, "nom", "libelle"), internalColumn("risk", source.Text, "nomrisque"),
		internalColumn("state", source.Text, "etat"), riskDay("approved", "dateappro", "datevalid"),
		source.Column{Name: "id", SQL: "concat_ws(' ', " + covadisForm +
			", row_number() OVER (ORDER BY named, _line))"},
		source.Attrs("'form', "+covadisForm+", "+planAttrs+", 'name', name, 'risk', risk"+
			", 'state', CASE state WHEN '01' THEN 'prescrit' WHEN '02' THEN 'opposable' WHEN '03' THEN 'caduque' WHEN '04' THEN 'opposable' END"+
			", 'step', CASE state WHEN '01' THEN 'prescrit' WHEN '02' THEN 'approuvé' WHEN '03' THEN 'abrogé' WHEN '04' THEN 'anticipé' END"+
			", 'approvedOn', "+riskISO("approved")))
	return s
}

const covadisForm = `CASE WHEN named ~* 'document_ppr' THEN 'document' ELSE 'perimeter' END`
