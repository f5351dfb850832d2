package land

import (
	"strings"

	"arpent/api/source"
)

// protection is one kind of protected area, in a file of its own. The overseas départements have files of their own
// except for Natura 2000, which does not exist there.
type protection struct{ code, title, path string }

// enp returns the name of a file of espaces naturels protégés: N_ENP_PN_S_000, 000 being the mainland.
func enp(kind string) string {
	return `N_ENP_` + kind + `_S_(?P<scope>000|[0-9]{2,3}|2[AB])`
}

var protections = []protection{
	{"PN", "parcs nationaux", enp("PN")},
	{"RNN", "réserves naturelles nationales", enp("RNN")},
	{"RNR", "réserves naturelles régionales", enp("RNR")},
	{"RNC", "réserves naturelles de Corse", enp("RNC")},
	{"APB", "arrêtés de protection de biotope", enp("APB")},
	{"RB", "réserves biologiques", enp("RB")},
	{"SC", "sites classés", enp("SC")},
	{"SIC", "Natura 2000, directive Habitats", `sic(_?[0-9]{4,6})?`},
	{"ZPS", "Natura 2000, directive Oiseaux", `zps(_?[0-9]{4,6})?`},
	{"SCL", "Conservatoire du littoral", enp("SCL")},
	{"SCEN", "conservatoires d'espaces naturels", enp("SCEN")},
	{"PNR", "parcs naturels régionaux", enp("PNR")},
	{"RAMSAR", "zones humides Ramsar", enp("RAMSAR")},
	{"ZNIEFF1", "ZNIEFF de type 1", `znieff1(_(?P<scope>97[1-6]))?[^/]*`},
	{"ZNIEFF2", "ZNIEFF de type 2", `znieff2(_(?P<scope>97[1-6]))?[^/]*`},
}

// protectedAreas declares one source and one coverage layer for each kind, in one table: a loaded kind says nothing
// about the others.
func protectedAreas() []source.Source {
	var out []source.Source
	for _, p := range protections {
		s := landSource("espaces-"+strings.ToLower(p.code), "Espaces protégés : "+p.title, "PatriNat (OFB, MNHN, CNRS, IRD)",
			"https://inpn.mnhn.fr/telechargement/cartes-et-information-geographique", "protected_area")
		s.Files = []source.Files{{Path: `(?i)(^|/)` + p.path + `([_-][^/]*)?\.(zip|shp)$`}}
		s.Read = source.Read{Format: source.Shapefile}
		s.Columns = []source.Column{source.RowID, source.Internal("name", "nom_site", "sitename", "nom"),
			source.Internal("code", "sitecode", "id_mnhn", "id_local"), source.Internal("url", "url_fiche", "url"), source.Internal("part_of", "code_r_enp"),
			source.Attrs("'type', " + p.typeOf() + ", 'code', code, 'name', name, 'url', CASE WHEN url ~ '^https?://' THEN url END")}
		s.Covers = []source.Coverage{{Layer: p.layer(), Areas: p.areas()}}
		s.Note = "A Shapefile or zip a kind of area, under the name that the INPN gives it."
		out = append(out, s)
	}
	return append(out, sitesMontpellier())
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
func (p protection) typeOf() string {
	if p.code == "PN" {
		return "CASE WHEN upper(part_of) = 'AAPN' THEN 'PN_ADHESION' ELSE 'PN' END"
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
