package source

import "strings"

// The hydrography of BD TOPO comes as Shapefiles, a file a layer with names in capitals cut to ten letters, or as one
// GeoPackage with names in full.
var (
	hydroID     = Column{Name: "id", From: []string{"ID", "cleabs"}, Required: true}
	hydroCode   = internal("code", "CODE_HYDRO", "code_hydrographique")
	hydroNature = internal("nature")
	hydroState  = internal("state", "ETAT", "etat_de_l_objet")
	persistence = internal("persistence", "PERSISTANC", "persistance")
	hydroFrozen = internal("status", "STATUT")
)

// notBuilt are objects that are only planned, or that the producer has withdrawn.
const notBuilt = "coalesce(state, '') IN ('En projet', 'En construction') OR status ILIKE 'gel%'"

const hydroPermanent = `'permanent', CASE WHEN persistence ILIKE 'permanent%' THEN true WHEN persistence ILIKE 'intermittent%' THEN false END`

// listed puts blanks around the signs between several names in one cell.
func listed(column string) string {
	return `nullif(regexp_replace(btrim(` + column + `), '\s*/\s*', ' / ', 'g'), '')`
}

func hydro(name, title, table, layer string, format Format) Source {
	s := waterSource(name, "BD TOPO : "+title, "IGN", "https://geoservices.ign.fr/bdtopo")
	s.Geometry = &Geometry{From: Feature, SRID: lambert93, SRIDByScope: OfficialSRID, Pieces: true, Bounds: France}
	s.Dedupe = Dedupe{Key: []string{"id"}}
	s.Target = shapeLayer(layer)
	// An archive may lack the layer: that tells nothing.
	s.Covers = []Coverage{{Layer: layer, Areas: "SELECT area FROM (" + ignAreas + ") a (area) WHERE EXISTS (SELECT FROM ready)"}}
	s.Note = "The water nearest to a border can lie beyond it: load the neighbouring départements too."
	if format == GeoPackage {
		s.Name += "-gpkg"
		s.Title += " (GeoPackage)"
		s.Files = inDelivery("BD(TOPO|T)_", "(BDT_[^/]*|"+table+")", "gpkg")
		s.Read = Read{Format: format, Layers: []string{table}, Optional: true}
		return s
	}
	s.Files = append(inDelivery("BDTOPO_", table, "shp")[:1],
		Files{Path: `(?i)(^|/)BDTOPO_[^/]*` + ign + `[^/]*\.zip$`},
		Files{Path: `(?i)(^|/)BDTOPO_[0-9]_(?P<scope>[0-9][0-9AB][0-9]{3})\.zip$`}) // the extract of a commune
	s.Read = Read{Format: format, Member: `(?i)(^|/)` + table + `\.shp$`, Optional: true}
	return s
}

func watercourses() []Source {
	var out []Source
	for _, format := range []Format{Shapefile, GeoPackage} {
		out = append(out, coursEau(format), troncons(format), flowing(format))
	}
	return append(out, watercoursesMontpellier())
}

// coursEau are whole watercourses, with their names.
func coursEau(format Format) Source {
	s := hydro("bdtopo-cours-d-eau", "cours d'eau", "cours_d_eau", "watercourse", format)
	s.Columns = []Column{
		hydroID, hydroCode, internal("name", "TOPONYME"), internal("importance", "IMPORTANCE"), hydroFrozen,
		{Name: "lasting", From: []string{"PERMANENT", "CARACT_PER", "caractere_permanent"}, Kind: Boolean, Internal: true},
		{Name: "state", From: []string{"ETAT"}, Internal: true},
		attrs(`'name', ` + listed("name") + `, 'code', code, 'importance', CASE WHEN importance ~ '^[1-6]$' THEN importance::integer END,
			'permanent', lasting`),
	}
	s.Drop = []string{notBuilt}
	return s
}

// troncons are the stretches that watercourses are made of, and ditches and streams that are not part of one. Axes drawn
// through a lake to join what flows in and out are no watercourse unless they carry one.
func troncons(format Format) Source {
	s := hydro("bdtopo-troncons-hydrographiques", "tronçons hydrographiques", "troncon_hydrographique", "watercourse", format)
	s.Columns = []Column{
		hydroID, hydroCode, hydroNature, hydroState, hydroFrozen, persistence,
		{Name: "fictitious", From: []string{"FICTIF"}, Kind: Boolean, Internal: true},
		internal("course", "ID_C_EAU", "liens_vers_cours_d_eau"),
		internal("name", "NOM_C_EAU", "cpx_toponyme_de_cours_d_eau"),
		attrs(`'name', ` + listed("name") + `, 'code', code, 'nature', nature, ` + hydroPermanent + `, 'course', course`),
	}
	s.Drop = []string{notBuilt, "fictitious AND course IS NULL"}
	return s
}

// flows tells the natures of water surfaces that flow from those that stand.
const flows = `nature ~* '^([ée]coulement|canal|conduit|aqueduc|delta|estuaire|d[ée]rivation|cours d''eau)'`

func surfaceColumns(name, pairs string) []Column {
	names := map[string]Column{
		"watercourse": internal("name", "NOM_C_EAU", "cpx_toponyme_de_cours_d_eau"),
		"water_body":  internal("name", "NOM_P_EAU", "cpx_toponyme_de_plan_d_eau"),
	}
	return []Column{
		hydroID, hydroCode, hydroNature, hydroState, hydroFrozen, persistence, names[name],
		attrs(`'name', ` + listed("name") + `, 'code', code, 'nature', nature, ` + hydroPermanent + pairs),
	}
}

// flowing are rivers and canals wide enough to be drawn as areas. They are too few to speak for a place.
func flowing(format Format) Source {
	s := hydro("bdtopo-surfaces-en-eau-courante", "surfaces d'eau courante", "surface_hydrographique", "watercourse", format)
	s.Columns = append(surfaceColumns("watercourse", ", 'course', course"), internal("course", "ID_C_EAU", "liens_vers_cours_d_eau"))
	s.Geometry.Polygon = true
	s.Drop = []string{notBuilt, "NOT coalesce(" + flows + ", false)"}
	s.Covers = nil
	return s
}

// wholeArea is the area of a shape before it is cut into pieces.
const wholeArea = `, 'areaM2', round(ST_Area(geom::geography))::bigint`

func waterBodies() []Source {
	var out []Source
	for _, format := range []Format{Shapefile, GeoPackage} {
		s := hydro("bdtopo-plans-d-eau", "plans d'eau", "plan_d_eau", "water_body", format)
		s.Columns = []Column{
			hydroID, hydroCode, hydroNature, hydroState, hydroFrozen, internal("name", "TOPONYME"),
			{Name: "lasting", From: []string{"PERMANENT", "CARACT_PER", "caractere_permanent"}, Kind: Boolean, Internal: true},
			attrs(`'name', ` + listed("name") + `, 'code', code, 'nature', nature, 'permanent', lasting` + wholeArea),
		}
		s.Geometry.Polygon = true
		s.Drop = []string{notBuilt}
		out = append(out, s)

		s = hydro("bdtopo-surfaces-en-eau", "surfaces d'eau stagnante", "surface_hydrographique", "water_body", format)
		s.Columns = surfaceColumns("water_body", wholeArea)
		s.Geometry.Polygon = true
		s.Drop = []string{notBuilt, "coalesce(" + flows + " OR nature ~* '^(glacier|inconnue)', true)"}
		out = append(out, s)
	}
	return out
}

// watercoursesMontpellier are those of the cadastral plan, published by the city for itself and its neighbours. Arrows
// that show which way the water runs are among them.
func watercoursesMontpellier() Source {
	s := waterSource("montpellier-cours-d-eau", "Cours d'eau du cadastre, Montpellier", "Ville de Montpellier; DGFiP",
		"https://data.montpellier3m.fr")
	s.Files = []Files{{Path: `(?i)(^|/)montpellier/[^/]*cours_?eau[^/]*\.(geo)?json(\.gz)?$`}}
	s.Read = Read{Format: GeoJSON}
	// "(Ruisseau) Le Rieucoulon" and "Le Lez (Rivière)" are names; "Ruisseau", "fossé fossé" and "????" are none.
	const kinds = `(fleuve|rivi[èe]re|ruisseau|foss[ée]|aqueduc|canal)`
	plain := strings.NewReplacer("{kinds}", kinds).Replace(
		`btrim(regexp_replace(regexp_replace(label, '\(\s*{kinds}[^)]*\)', '', 'gi'), '^{kinds}(\s+{kinds})*(\s+des?)?$', '', 'i'))`)
	s.Columns = []Column{
		rowID,
		internal("label", "TEXTE"),
		internal("symbol", "SYM"),
		attrs(`'name', CASE WHEN ` + plain + ` ~ '[[:alpha:]]{3}' THEN ` + plain + ` END,
			'nature', initcap(substring(label FROM '(?i)` + kinds + `'))`),
	}
	s.Geometry = &Geometry{From: Feature, SRID: 4326, MetricSRID: lambert93, Polygon: true, Pieces: true, Bounds: France}
	s.Drop = []string{"symbol ~* '^fl[eè]che'"}
	s.Target = shapeLayer("watercourse")
	s.Covers = []Coverage{{Layer: "watercourse", Areas: "SELECT '34172'"}}
	return s
}
