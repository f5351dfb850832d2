package water

import (
	"strings"

	"arpent/api/source"
)

// The hydrography of BD TOPO is delivered as Shapefiles, one a layer with names in capitals cut to ten letters, or as
// one GeoPackage with full names.
var (
	hydroID     = source.Column{Name: "id", From: []string{"ID", "cleabs"}, Required: true}
	hydroCode   = source.Internal("code", "CODE_HYDRO", "code_hydrographique")
	hydroNature = source.Internal("nature")
	hydroState  = source.Internal("state", "ETAT", "etat_de_l_objet")
	persistence = source.Internal("persistence", "PERSISTANC", "persistance")
	hydroFrozen = source.Internal("status", "STATUT")
)

// notBuilt matches objects that are planned, or that the producer has withdrawn.
const notBuilt = "coalesce(state, '') IN ('En projet', 'En construction') OR status ILIKE 'gel%'"

const hydroPermanent = `'permanent', CASE WHEN persistence ILIKE 'permanent%' THEN true WHEN persistence ILIKE 'intermittent%' THEN false END`

// listed returns SQL that puts blanks around the separators of several names in one cell.
func listed(column string) string {
	return `nullif(regexp_replace(btrim(` + column + `), '\s*/\s*', ' / ', 'g'), '')`
}

func hydro(name, title, table, layer string, format source.Format) source.Source {
	s := waterSource(name, "BD TOPO : "+title, "IGN", "https://geoservices.ign.fr/bdtopo")
	s.Geometry = &source.Geometry{From: source.Feature, SRID: source.Lambert93, SRIDByScope: source.OfficialSRID, Subdivide: true, Bounds: source.France}
	s.Dedupe = source.Dedupe{Key: []string{"id"}}
	s.Target = source.ShapeLayer(layer)
	// An archive may lack the layer: then it covers nothing.
	s.Covers = []source.Coverage{{Layer: layer, Areas: "SELECT area FROM (" + source.IGNAreas + ") a (area) WHERE EXISTS (SELECT FROM ready)"}}
	s.Origins = source.BDTopo
	s.Note = "The water nearest to a border can lie beyond it: load the neighbouring départements too."
	if format == source.GeoPackage {
		s.Name += "-gpkg"
		s.Title += " (GeoPackage)"
		s.Origins = source.BDTopoPackage
		s.Files = source.InDelivery("BD(TOPO|T)_", "(BDT_[^/]*|"+table+")", "gpkg")
		s.Read = source.Read{Format: format, Layers: []string{source.BDTopoLayer(table)}, Optional: true}
		return s
	}
	s.Files = append(source.InDelivery("BDTOPO_", table, "shp")[:1],
		source.BDTopoArchive, source.Files{Path: `(?i)(^|/)BDTOPO_[^/]*` + source.IGNDelivery + `[^/]*\.zip$`},
		source.Files{Path: `(?i)(^|/)BDTOPO_[0-9]_(?P<scope>[0-9][0-9AB][0-9]{3})\.zip$`}) // the extract of a commune
	s.Read = source.Read{Format: format, Member: `(?i)(^|/)` + table + `\.shp$`, Optional: true}
	return s
}

func watercourses() []source.Source {
	var out []source.Source
	for _, format := range []source.Format{source.Shapefile, source.GeoPackage} {
		out = append(out, coursEau(format), troncons(format), flowing(format))
	}
	return append(out, watercoursesMontpellier())
}

// coursEau declares whole watercourses, with their names.
func coursEau(format source.Format) source.Source {
	s := hydro("bdtopo-cours-d-eau", "cours d'eau", "cours_d_eau", "watercourse", format)
	s.Columns = []source.Column{
		hydroID, hydroCode, source.Internal("name", "TOPONYME"), source.Internal("importance", "IMPORTANCE"), hydroFrozen,
		{Name: "lasting", From: []string{"PERMANENT", "CARACT_PER", "caractere_permanent"}, Kind: source.Boolean, Internal: true},
		{Name: "state", From: []string{"ETAT"}, Internal: true},
		source.Attrs(`'name', ` + listed("name") + `, 'code', code, 'importance', CASE WHEN importance ~ '^[1-6]$' THEN importance::integer END,
			'permanent', lasting`),
	}
	s.Drop = []string{notBuilt}
	return s
}

// troncons declares the sections of watercourses, and ditches and streams that are not part of one. Axes drawn through
// a lake to connect its inflow and outflow are only watercourses if they belong to one.
func troncons(format source.Format) source.Source {
	s := hydro("bdtopo-troncons-hydrographiques", "tronçons hydrographiques", "troncon_hydrographique", "watercourse", format)
	s.Columns = []source.Column{
		hydroID, hydroCode, hydroNature, hydroState, hydroFrozen, persistence,
		{Name: "fictitious", From: []string{"FICTIF"}, Kind: source.Boolean, Internal: true},
		source.Internal("course", "ID_C_EAU", "liens_vers_cours_d_eau"),
		source.Internal("name", "NOM_C_EAU", "cpx_toponyme_de_cours_d_eau"),
		source.Attrs(`'name', ` + listed("name") + `, 'code', code, 'nature', nature, ` + hydroPermanent + `, 'course', course`),
	}
	s.Drop = []string{notBuilt, "fictitious AND course IS NULL"}
	return s
}

// flows matches the natures of water surfaces that flow, as opposed to standing water.
const flows = `nature ~* '^([ée]coulement|canal|conduit|aqueduc|delta|estuaire|d[ée]rivation|cours d''eau)'`

func surfaceColumns(name, pairs string) []source.Column {
	names := map[string]source.Column{
		"watercourse": source.Internal("name", "NOM_C_EAU", "cpx_toponyme_de_cours_d_eau"),
		"water_body":  source.Internal("name", "NOM_P_EAU", "cpx_toponyme_de_plan_d_eau"),
	}
	return []source.Column{
		hydroID, hydroCode, hydroNature, hydroState, hydroFrozen, persistence, names[name],
		source.Attrs(`'name', ` + listed("name") + `, 'code', code, 'nature', nature, ` + hydroPermanent + pairs),
	}
}

// flowing declares rivers and canals wide enough to be drawn as areas. They are too few to cover a place.
func flowing(format source.Format) source.Source {
	s := hydro("bdtopo-surfaces-en-eau-courante", "surfaces d'eau courante", "surface_hydrographique", "watercourse", format)
	s.Columns = append(surfaceColumns("watercourse", ", 'course', course"), source.Internal("course", "ID_C_EAU", "liens_vers_cours_d_eau"))
	s.Geometry.Polygon = true
	s.Drop = []string{notBuilt, "NOT coalesce(" + flows + ", false)"}
	s.Covers = nil
	return s
}

// wholeArea is the area of a shape before it is subdivided.
const wholeArea = `, 'areaM2', round(ST_Area(geom::geography))::bigint`

func waterBodies() []source.Source {
	var out []source.Source
	for _, format := range []source.Format{source.Shapefile, source.GeoPackage} {
		s := hydro("bdtopo-plans-d-eau", "plans d'eau", "plan_d_eau", "water_body", format)
		s.Columns = []source.Column{
			hydroID, hydroCode, hydroNature, hydroState, hydroFrozen, source.Internal("name", "TOPONYME"),
			{Name: "lasting", From: []string{"PERMANENT", "CARACT_PER", "caractere_permanent"}, Kind: source.Boolean, Internal: true},
			source.Attrs(`'name', ` + listed("name") + `, 'code', code, 'nature', nature, 'permanent', lasting` + wholeArea),
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

// watercoursesMontpellier declares those of the cadastral plan, published by the city for itself and its neighbours.
// Arrows that show the direction of flow are among them.
func watercoursesMontpellier() source.Source {
	s := waterSource("montpellier-cours-d-eau", "Cours d'eau du cadastre, Montpellier", "Ville de Montpellier; DGFiP",
		"https://data.montpellier3m.fr")
	s.Origins = montpellierOrigins
	s.Files = []source.Files{{Path: `(?i)(^|/)montpellier/[^/]*cours_?eau[^/]*\.(geo)?json(\.gz)?$`}}
	s.Read = source.Read{Format: source.GeoJSON}
	// "(Ruisseau) Le Rieucoulon" and "Le Lez (Rivière)" are names; "Ruisseau", "fossé fossé" and "????" are not.
	const kinds = `(fleuve|rivi[èe]re|ruisseau|foss[ée]|aqueduc|canal)`
	plain := strings.NewReplacer("{kinds}", kinds).Replace(
		`btrim(regexp_replace(regexp_replace(label, '\(\s*{kinds}[^)]*\)', '', 'gi'), '^{kinds}(\s+{kinds})*(\s+des?)?$', '', 'i'))`)
	s.Columns = []source.Column{
		source.RowID,
		source.Internal("label", "TEXTE"),
		source.Internal("symbol", "SYM"),
		source.Attrs(`'name', CASE WHEN ` + plain + ` ~ '[[:alpha:]]{3}' THEN ` + plain + ` END,
			'nature', initcap(substring(label FROM '(?i)` + kinds + `'))`),
	}
	s.Geometry = &source.Geometry{From: source.Feature, SRID: 4326, MetricSRID: source.Lambert93, Polygon: true, Subdivide: true, Bounds: source.France}
	s.Drop = []string{"symbol ~* '^fl[eè]che'"}
	s.Target = source.ShapeLayer("watercourse")
	s.Covers = []source.Coverage{{Layer: "watercourse", Areas: "SELECT '34172'"}}
	return s
}
