package water

import "arpent/internal/opendata/source"

// The hydrography of BD TOPO is delivered as Shapefiles, one a layer,
// with the names of columns cut to ten letters.
var (
	hydroID     = source.Column{Name: "id", From: []string{"ID"}, Required: true}
	hydroCode   = source.Internal("code", "CODE_HYDRO")
	hydroNature = source.Internal("nature")
	hydroState  = source.Internal("state", "ETAT")
	persistence = source.Internal("persistence", "PERSISTANC")
	hydroFrozen = source.Internal("status", "STATUT")
)

// notBuilt matches objects that are planned, or that the producer has withdrawn.
const notBuilt = "coalesce(state, '') IN ('En projet', 'En construction') OR status ILIKE 'gel%'"

const hydroPermanent = `'permanent', CASE WHEN persistence ILIKE 'permanent%' THEN true WHEN persistence ILIKE 'intermittent%' THEN false END`

// spaceSeparators returns SQL that puts blanks around the separators of several names in one cell.
func spaceSeparators(column string) string {
	return `nullif(regexp_replace(btrim(` + column + `), '\s*/\s*', ' / ', 'g'), '')`
}

func hydroSource(name, title, table, layer string) source.Source {
	s := waterSource(name, "BD TOPO : "+title, "IGN", "https://geoservices.ign.fr/bdtopo")
	s.Geometry = &source.Geometry{From: source.Feature, SRID: source.Lambert93, SRIDByScope: source.OfficialSRID,
		Subdivide: true, Bounds: source.France}
	s.Dedupe = source.Dedupe{Key: []string{"id"}}
	s.Target = source.ShapeLayer(layer)
	// An archive may lack the layer: then it covers nothing.
	s.Covers = []source.Coverage{{Layer: layer, Areas: "SELECT area FROM (" + source.IGNAreas +
		") a (area) WHERE EXISTS (SELECT FROM ready)"}}
	s.Origins = source.BDTopo
	s.Note = "The water nearest to a border can lie beyond it: load the neighbouring départements too."
	s.Files = append(source.InDelivery("BDTOPO_", table, "shp")[:1],
		source.BDTopoArchive, source.Files{Path: `(?i)(^|/)BDTOPO_[^/]*` + source.IGNDelivery + `[^/]*\.zip$`},
		// the extract of a commune
		source.Files{Path: `(?i)(^|/)BDTOPO_[0-9]_(?P<scope>[0-9][0-9AB][0-9]{3})\.zip$`})
	s.Read = source.Read{Format: source.Shapefile, Member: `(?i)(^|/)` + table + `\.shp$`, Optional: true}
	return s
}

// coursEauSource declares whole watercourses, with their names.
func coursEauSource() source.Source {
	s := hydroSource("bdtopo-cours-d-eau", "cours d'eau", "cours_d_eau", "watercourse")
	s.Columns = []source.Column{
		hydroID, hydroCode, source.Internal("name", "TOPONYME"), source.Internal("importance", "IMPORTANCE"),
		hydroFrozen,
		{Name: "lasting", From: []string{"PERMANENT", "CARACT_PER"}, Kind: source.Boolean, Internal: true},
		{Name: "state", From: []string{"ETAT"}, Internal: true},
		source.Attrs(`'name', ` + spaceSeparators("name") + `, 'code', code, 'importance', CASE WHEN importance ~ '^[1-6]$' THEN importance::integer END,
			'permanent', lasting`),
	}
	s.Drop = []string{notBuilt}
	return s
}

// sectionSource declares the sections of watercourses, and ditches and streams that are not part of one. Axes
// drawn through a lake to connect its inflow and outflow are only watercourses if they belong to one.
func sectionSource() source.Source {
	s := hydroSource("bdtopo-troncons-hydrographiques", "tronçons hydrographiques", "troncon_hydrographique",
		"watercourse")
	s.Columns = []source.Column{
		hydroID, hydroCode, hydroNature, hydroState, hydroFrozen, persistence,
		{Name: "fictitious", From: []string{"FICTIF"}, Kind: source.Boolean, Internal: true},
		source.Internal("course", "ID_C_EAU"),
		source.Internal("name", "NOM_C_EAU"),
		source.Attrs(`'name', ` + spaceSeparators("name") + `, 'code', code, 'nature', nature, ` + hydroPermanent +
			`, 'course', course`),
	}
	s.Drop = []string{notBuilt, "fictitious AND course IS NULL"}
	return s
}

// flowingNatures matches the natures of water surfaces that flow, as opposed to standing water.
const flowingNatures = `nature ~* '^([ée]coulement|canal|conduit|aqueduc|delta|estuaire|d[ée]rivation|cours d''eau)'`

// surfaceColumns lists the columns of surface_hydrographique for the layer watercourse or water_body.
// moreAttrs is SQL of further pairs of the attributes, with its leading comma; empty: none.
func surfaceColumns(layer, moreAttrs string) []source.Column {
	names := map[string]source.Column{
		"watercourse": source.Internal("name", "NOM_C_EAU"),
		"water_body":  source.Internal("name", "NOM_P_EAU"),
	}
	return []source.Column{
		hydroID, hydroCode, hydroNature, hydroState, hydroFrozen, persistence, names[layer],
		source.Attrs(`'name', ` + spaceSeparators("name") + `, 'code', code, 'nature', nature, ` + hydroPermanent +
			moreAttrs),
	}
}

// flowingWaterSource declares rivers and canals wide enough to be drawn
// as areas. They are too few to cover a place.
func flowingWaterSource() source.Source {
	s := hydroSource("bdtopo-surfaces-en-eau-courante", "surfaces d'eau courante", "surface_hydrographique",
		"watercourse")
	s.Columns = append(surfaceColumns("watercourse", ", 'course', course"), source.Internal("course",
		"ID_C_EAU"))
	s.Geometry.Polygon = true
	s.Drop = []string{notBuilt, "NOT coalesce(" + flowingNatures + ", false)"}
	s.Covers = nil
	return s
}

// totalArea is the area of a shape before it is subdivided.
const totalArea = `, 'areaM2', round(ST_Area(geom::geography))::bigint`

func waterBodies() []source.Source {
	named := hydroSource("bdtopo-plans-d-eau", "plans d'eau", "plan_d_eau", "water_body")
	named.Columns = []source.Column{
		hydroID, hydroCode, hydroNature, hydroState, hydroFrozen, source.Internal("name", "TOPONYME"),
		{Name: "lasting", From: []string{"PERMANENT", "CARACT_PER"}, Kind: source.Boolean, Internal: true},
		source.Attrs(`'name', ` + spaceSeparators("name") +
			`, 'code', code, 'nature', nature, 'permanent', lasting` + totalArea),
	}
	named.Geometry.Polygon = true
	named.Drop = []string{notBuilt}

	surfaces := hydroSource("bdtopo-surfaces-en-eau", "surfaces d'eau stagnante", "surface_hydrographique",
		"water_body")
	surfaces.Columns = surfaceColumns("water_body", totalArea)
	surfaces.Geometry.Polygon = true
	surfaces.Drop = []string{notBuilt, "coalesce(" + flowingNatures +
		" OR nature ~* '^(glacier|inconnue)', true)"}
	return []source.Source{named, surfaces}
}
