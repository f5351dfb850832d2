package source

// gasparID is the reference of a plan: the service that draws it up, then year and number.
const gasparID = `(?:[0-9]{2}|2[AB]|97[1-6])[A-Z]+[0-9]{8}`

// planCommunes are the communes that a plan touches. Elsewhere in France its file says nothing; and even there it says
// nothing of other plans, which is for the statement to know.
const planCommunes = `WITH box AS (SELECT ST_SetSRID(ST_Extent(geom)::geometry, 4326) AS shape FROM ready),
	near AS MATERIALIZED (SELECT c.code, c.geom FROM geo.commune_contour c, box b WHERE c.geom && b.shape)
	SELECT DISTINCT n.code FROM near n JOIN ready r ON ST_Intersects(n.geom, r.geom)`

// riskPlanFiles are the maps of prevention plans, an archive each, in the model of COVADIS or in that of the CNIG.
func riskPlanFiles() []Source {
	return []Source{covadisZones(), covadisPlans(),
		cnigZones("ppr-cnig-urbanisme", "zones réglementaires d'urbanisme (CNIG)", "zonereglementaireurba_s"),
		cnigZones("ppr-cnig-foncier", "zones réglementaires foncières (CNIG)", "zonereglementairefoncier_s"),
		cnigPerimeters(), cnigProcedures()}
}

func riskPlanSource(name, title string) Source {
	s := riskSource(name, "Plans de prévention des risques : "+title, "DDT(M); DREAL")
	s.After = append(s.After, "contours-communes")
	s.Geometry = &Geometry{From: Feature, SRID: lambert93, Polygon: true, Pieces: true, Bounds: France}
	s.Target = shapeLayer("ppr_zone")
	s.Covers = []Coverage{{Layer: "ppr_zone", Areas: planCommunes}}
	s.Note = "One file a plan, under its GASPAR reference: 38DDT20180003.zip. Served in the communes whose outline is loaded."
	return s
}

// planColumn is the reference of the plan.
func planColumn(from string) Column {
	return Column{Name: "plan", From: []string{from}, Match: `(?i)` + gasparID, Required: true, Internal: true}
}

// planIn is what the members of every row of a plan begin with. The kind of plan is only told by the names of the
// member or layer.
const planIn = `'plan', upper(plan), 'kind', upper(substring(named FROM '(?i)(ppr[a-z])[a-z]*_'))`

func covadis(name, title, member string) Source {
	s := riskPlanSource(name, title)
	s.Files = []Files{{Path: `(?i)(^|/)(?P<scope>` + gasparID + `)[^/]*\.zip$`}}
	s.Read = Read{Format: Shapefile, Member: `(?i)(^|/)` + member + `\.shp$`, Optional: true}
	s.Columns = []Column{planColumn("id_gaspar"), inner("named", Text, "_member")}
	return s
}

func covadisZones() Source {
	s := covadis("ppr-covadis-zones", "zones réglementaires (COVADIS)", `n_zone_reg_ppr[a-z]_([0-9a-z]+_)?s_[^/]*`)
	s.Columns = append(s.Columns,
		inner("zone_id", Text, "id_zone"), inner("zone", Text, "codezone"), inner("name", Text, "nom"), inner("rule", Text, "typereg"),
		Column{Name: "id", SQL: "concat_ws(' ', 'zone', zone_id, row_number() OVER (ORDER BY named, _line))"},
		riskAttrs("'form', 'zone', "+planIn+", 'code', nullif(zone, '-'), 'label', nullif(name, '-'), 'rule', rule"))
	return s
}

// covadisPlans are what an archive says of the plan itself: the outline of its document, and its perimeter.
func covadisPlans() Source {
	s := covadis("ppr-covadis-documents", "documents et périmètres (COVADIS)", `n_(document|perimetre)_ppr[a-z]_([0-9a-z]+_)?s_[^/]*`)
	s.Columns = append(s.Columns,
		inner("name", Text, "nom", "libelle"), inner("risk", Text, "nomrisque"), inner("state", Text, "etat"),
		riskDay("approved", "dateappro", "datevalid"),
		Column{Name: "id", SQL: "concat_ws(' ', " + covadisForm + ", row_number() OVER (ORDER BY named, _line))"},
		riskAttrs("'form', "+covadisForm+", "+planIn+", 'name', name, 'risk', risk"+
			", 'state', CASE state WHEN '01' THEN 'prescrit' WHEN '02' THEN 'opposable' WHEN '03' THEN 'caduque' WHEN '04' THEN 'opposable' END"+
			", 'step', CASE state WHEN '01' THEN 'prescrit' WHEN '02' THEN 'approuvé' WHEN '03' THEN 'abrogé' WHEN '04' THEN 'anticipé' END"+
			", 'approvedOn', "+riskISO("approved")))
	return s
}

const covadisForm = `CASE WHEN named ~* 'n_document' THEN 'document' ELSE 'perimeter' END`

func cnig(s Source, layer string) Source {
	s.Files = []Files{{Path: `(?i)(^|/)ppr[a-z]+_(?P<scope>` + gasparID + `)[^/]*\.gpkg(\.gz|\.zip)?$`}}
	s.Read = Read{Format: GeoPackage, Layers: []string{`ppr[a-z]+_.*_` + layer}, Optional: true}
	s.Columns = []Column{planColumn("codeprocedure"), inner("named", Text, "_layer")}
	return s
}

func cnigZones(name, title, layer string) Source {
	s := cnig(riskPlanSource(name, title), layer)
	s.Columns = append(s.Columns,
		inner("zone_id", Text, "idzonereglementaire"), inner("zone", Text, "codezonereglement"),
		inner("name", Text, "libellezonereglement"), inner("rule", Text, "typereglement"),
		Column{Name: "id", SQL: "concat_ws(' ', 'zone', zone_id, row_number() OVER (ORDER BY named, _line))"},
		riskAttrs("'form', 'zone', "+planIn+", 'code', zone, 'label', name, 'rule', rule"))
	return s
}

func cnigPerimeters() Source {
	s := cnig(riskPlanSource("ppr-cnig-perimetres", "périmètres (CNIG)"), "perimetre_s")
	s.Columns = append(s.Columns,
		inner("perimeter_id", Text, "idperimetre"), inner("state", Text, "etatprocedure"), riskDay("since", "dateetat"),
		Column{Name: "id", SQL: "concat_ws(' ', 'perimeter', perimeter_id, row_number() OVER (ORDER BY named, _line))"},
		riskAttrs("'form', 'perimeter', "+planIn+
			", 'state', CASE WHEN state ~* '^(approuv|anticip)' THEN 'opposable' WHEN state ~* '^prescri' THEN 'prescrit'"+
			" WHEN state ~* '^(abrog|annul|d[eé]prescri|caduc|caduque)' THEN 'caduque' END"+
			", 'step', CASE upper(state) WHEN 'APPROUVE' THEN 'approuvé' WHEN 'ANTICIPE' THEN 'anticipé' WHEN 'ABROGE' THEN 'abrogé' ELSE lower(state) END"+
			", 'approvedOn', CASE WHEN state ~* '^approuv' THEN "+riskISO("since")+" END"))
	return s
}

// cnigProcedures name the plans of the model. They are found by reference, not by commune.
func cnigProcedures() Source {
	s := cnig(riskPlanSource("ppr-cnig-procedures", "procédures (CNIG)"), "procedure")
	s.Geometry, s.Covers = nil, nil
	s.Columns = append(s.Columns,
		inner("name", Text, "libelleprocedure"),
		Column{Name: "id", SQL: "upper(plan)"},
		Column{Name: "commune", SQL: "NULL::text"},
		riskAttrs(planIn+", 'name', name"))
	s.Target = factLayer("risk_procedure")
	return s
}
