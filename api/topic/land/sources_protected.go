package land

import (
	"strings"

	"arpent/api/ingest/fetch"
	"arpent/api/source"
)

// protection is one kind of protected area. It is a layer of PatriNat, of all territories; in the Shapefiles of the INPN it was a
// file of its own, and one more for each overseas département but for Natura 2000, which does not exist there.
type protection struct {
	code, title, path string
	served            string // the layer
	evidence          fetch.Evidence
}

// enp returns the name of a file of espaces naturels protégés: N_ENP_PN_S_000, 000 being the mainland.
func enp(kind string) string {
	return `N_ENP_` + kind + `_S_(?P<scope>000|[0-9]{2,3}|2[AB])`
}

var protections = []protection{
	{"PN", "parcs nationaux", enp("PN"), "patrinat_pn:parc_national", fetch.Read},
	{"RNN", "réserves naturelles nationales", enp("RNN"), "patrinat_rnn:rnn", fetch.Read},
	{"RNR", "réserves naturelles régionales", enp("RNR"), "patrinat_rnr:rnr", fetch.Read},
	{"RNC", "réserves naturelles de Corse", enp("RNC"), "patrinat_rnc:pnm", fetch.Read},
	{"APB", "arrêtés de protection de biotope", enp("APB"), "patrinat_apb:apb", fetch.Read},
	{"RB", "réserves biologiques", enp("RB"), "patrinat_rb:reserve_biologique", fetch.Read},
	{"SC", "sites classés", enp("SC"), "patrinat_sc:sc", fetch.Derived},
	{"SIC", "Natura 2000, directive Habitats", `sic(_?[0-9]{4,6})?`, "patrinat_sic:sic", fetch.Read},
	{"ZPS", "Natura 2000, directive Oiseaux", `zps(_?[0-9]{4,6})?`, "patrinat_zps:zps", fetch.Read},
	{"SCL", "Conservatoire du littoral", enp("SCL"), "patrinat_cdl:conservatoire_littoral", fetch.Read},
	{"SCEN", "conservatoires d'espaces naturels", enp("SCEN"), "patrinat_cen:cen", fetch.Read},
	{"PNR", "parcs naturels régionaux", enp("PNR"), "patrinat_pnr:pnr", fetch.Read},
	{"RAMSAR", "zones humides Ramsar", enp("RAMSAR"), "patrinat_ramsar:ramsar", fetch.Read},
	{"ZNIEFF1", "ZNIEFF de type 1", `znieff1(_(?P<scope>97[1-6]))?[^/]*`, "patrinat_znieff1:znieff1", fetch.Read},
	{"ZNIEFF2", "ZNIEFF de type 2", `znieff2(_(?P<scope>97[1-6]))?[^/]*`, "patrinat_znieff2:znieff2", fetch.Read},
}

// protectedAreas declares two sources and one coverage layer for each kind, in one table: a loaded kind says nothing
// about the others.
func protectedAreas() []source.Source {
	var out []source.Source
	for _, p := range protections {
		out = append(out, p.asShapefile(), p.asLayer())
	}
	return append(out, sitesMontpellier())
}

func (p protection) source() string { return "espaces-" + strings.ToLower(p.code) }

// asShapefile declares the file of the INPN.
func (p protection) asShapefile() source.Source {
	s := landSource(p.source(), "Espaces protégés : "+p.title, "PatriNat (OFB, MNHN, CNRS, IRD)",
		"https://inpn.mnhn.fr/telechargement/cartes-et-information-geographique", "protected_area")
	s.Files = []source.Files{{Path: `(?i)(^|/)` + p.path + `([_-][^/]*)?\.(zip|shp)$`}}
	s.Origins = formerProtectedOrigins(p)
	s.Read = source.Read{Format: source.Shapefile}
	s.Columns = p.columns("code_r_enp", "upper(part_of) = 'AAPN'")
	s.Covers = []source.Coverage{{Layer: p.layer(), Areas: p.areas()}}
	s.Note = "A Shapefile or zip a kind of area, under the name that the INPN gives it."
	return s
}

// asLayer declares the layer of PatriNat.
func (p protection) asLayer() source.Source {
	s := landSource(p.source()+"-wfs", "Espaces protégés : "+p.title+" (couche nationale)", "PatriNat (OFB, MNHN, CNRS, IRD)", "https://geoservices.ign.fr",
		"protected_area")
	s.Files = []source.Files{{Path: `(?i)(^|/)` + p.servedFile() + `([_-]` + source.FileDay + `)?\.(geo)?json(\.gz)?$`}}
	s.Origins = protectedOrigins(p)
	s.Read = source.Read{Format: source.GeoJSON}
	s.Columns = p.columns("zone", "part_of ~* 'adh'")
	s.Geometry = source.ShapesInDegrees()
	s.Geometry.Bounds = nil // those of New Caledonia, Polynesia and the Antarctic are dropped
	s.Drop = []string{source.OutOfFrance()}
	s.Covers = []source.Coverage{{Layer: p.layer(), Areas: "SELECT ''"}}
	s.Note = "The layer " + p.served + " as GeoJSON, in degrees: " + p.servedFile() + ".geojson. Load it or " + p.source() + "."
	return s
}

// servedFile is the name of a file of the layer, without extension.
func (p protection) servedFile() string {
	name, _, _ := strings.Cut(p.served, ":")
	return name
}

// columns are those of a form of the areas. partOf is its column for the parts of a national park, joined the condition for those
// that joined its charter.
func (p protection) columns(partOf, joined string) []source.Column {
	return []source.Column{source.RowID, source.Internal("name", "nom_site", "sitename", "nom"),
		source.Internal("code", "sitecode", "id_mnhn", "id_local"), source.Internal("url", "url_fiche", "url"), source.Internal("part_of", partOf),
		source.Attrs("'type', " + p.typeOf(joined) + ", 'code', code, 'name', name, 'url', CASE WHEN url ~ '^https?://' THEN url END")}
}

func (p protection) layer() string { return "protected_area_" + strings.ToLower(p.code) }

// protectedLayers are the layers of all kinds; inpnLayers those of the kinds that the INPN publishes for the whole country.
var protectedLayers, inpnLayers = func() (all, inpn []string) {
	for _, p := range protections {
		all = append(all, p.layer())
		if p.code != "SC" {
			inpn = append(inpn, p.layer())
		}
	}
	return all, inpn
}()

// typeOf returns SQL for the type. The file of a national park has the core area and the communes that joined the
// charter, where far weaker rules apply.
func (p protection) typeOf(joined string) string {
	if p.code == "PN" {
		return "CASE WHEN " + joined + " THEN 'PN_ADHESION' ELSE 'PN' END"
	}
	return "'" + p.code + "'"
}

func (p protection) areas() string {
	switch {
	case p.code == "SIC" || p.code == "ZPS":
		return `SELECT ''`
	case strings.HasPrefix(p.code, "ZNIEFF"):
		return `SELECT d.code FROM geo.departement d, this_load t
			WHERE d.code = t.scope OR t.scope = '' AND char_length(d.code) = 2`
	default:
		return source.IGNAreas
	}
}

// sitesMontpellier declares the extract of one town, in Lambert-93 without a declared projection. It covers the
// classified and listed sites of the town, without names, and no other kind.
func sitesMontpellier() source.Source {
	s := landSource("espaces-sc-montpellier", "Montpellier : sites classés et inscrits", "Ville de Montpellier",
		"https://data.montpellier3m.fr", "protected_area")
	s.Origins = montpellierOrigins("VilleMTP_MTP_SitesClasses.json")
	s.Files = []source.Files{{Path: `(?i)(^|/)(montpellier/sites_classes|VilleMTP_MTP_SitesClasses)\.(geo)?json$`}}
	s.Read = source.Read{Format: source.GeoJSON}
	s.Geometry = source.ShapesInDegrees()
	s.Geometry.MetricSRID = source.Lambert93
	s.Columns = []source.Column{source.RowID,
		{Name: "kind", From: []string{"TYPE"}, Internal: true, Required: true, Match: "AC2S_[CI]"},
		source.Attrs("'type', CASE kind WHEN 'AC2S_C' THEN 'SC' ELSE 'SI' END")}
	s.Covers = []source.Coverage{{Layer: "protected_area_sc", Areas: `SELECT '34172'`}}
	return s
}
