package land

import (
	"strings"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// protection is one kind of protected area: a layer of PatriNat, of all territories.
type protection struct {
	code, title string
	served      string // the layer
}

var protections = []protection{
	{"PN", "parcs nationaux", "patrinat_pn:parc_national"},
	{"RNN", "réserves naturelles nationales", "patrinat_rnn:rnn"},
	{"RNR", "réserves naturelles régionales", "patrinat_rnr:rnr"},
	{"RNC", "réserves naturelles de Corse", "patrinat_rnc:pnm"},
	{"APB", "arrêtés de protection de biotope", "patrinat_apb:apb"},
	{"RB", "réserves biologiques", "patrinat_rb:reserve_biologique"},
	{"SC", "sites classés", "patrinat_sc:sc"},
	{"SIC", "Natura 2000, directive Habitats", "patrinat_sic:sic"},
	{"ZPS", "Natura 2000, directive Oiseaux", "patrinat_zps:zps"},
	{"SCL", "Conservatoire du littoral", "patrinat_cdl:conservatoire_littoral"},
	{"SCEN", "conservatoires d'espaces naturels", "patrinat_cen:cen"},
	{"PNR", "parcs naturels régionaux", "patrinat_pnr:pnr"},
	{"RAMSAR", "zones humides Ramsar", "patrinat_ramsar:ramsar"},
	{"ZNIEFF1", "ZNIEFF de type 1", "patrinat_znieff1:znieff1"},
	{"ZNIEFF2", "ZNIEFF de type 2", "patrinat_znieff2:znieff2"},
}

const protectedProducer = "PatriNat (OFB, MNHN, CNRS, IRD)"

// protectedAreas declares a source and a coverage layer for each kind, in one table: a
// loaded kind says nothing about the others.
func protectedAreas() (all []source.Source) {
	for _, p := range protections {
		s := landSource("espaces-"+strings.ToLower(p.code)+"-wfs", "Espaces protégés : "+p.title+
			" (couche nationale)", protectedProducer, "https://geoservices.ign.fr", "protected_area")
		s.Files = []source.Files{{Path: `(?i)(^|/)` + p.servedFile() + `([_-]` + source.FileDay +
			`)?\.(geo)?json(\.gz)?$`}}
		s.Origins = []fetch.Origin{{
			From: producer.WFS{Endpoint: geoplateforme, Layer: p.served}, As: p.servedFile() + ".geojson",
			Rhythm: "half-yearly", Derived: p.code == "SC",
		}}
		s.Read = source.Read{Format: source.GeoJSON}
		s.Columns = []source.Column{source.RowID, source.Internal("name", "nom_site", "sitename", "nom"),
			source.Internal("code", "sitecode", "id_mnhn", "id_local"), source.Internal("url", "url_fiche", "url"),
			source.Internal("zone"),
			source.Attrs("'type', " + p.typeSQL() + ", 'code', code, 'name', name, 'url', CASE WHEN url ~ '^https?://' THEN url END")}
		s.Geometry = source.ShapesInDegrees()
		s.Geometry.Bounds = nil // those of New Caledonia, Polynesia and the Antarctic are dropped
		s.Drop = []string{source.OutOfFrance()}
		s.Covers = []source.Coverage{{Layer: p.layerName(), Areas: "SELECT ''"}}
		s.Note = "The layer " + p.served + " as GeoJSON, in degrees: " + p.servedFile() + ".geojson."
		all = append(all, s)
	}
	return all
}

// servedFile is the name of a file of the layer, without extension.
func (p protection) servedFile() string {
	name, _, _ := strings.Cut(p.served, ":")
	return name
}

func (p protection) layerName() string { return "protected_area_" + strings.ToLower(p.code) }

// protectedLayers are the layers of all kinds; inpnLayers those of the kinds
// that the INPN publishes for the whole country.
var protectedLayers, inpnLayers = func() (all, inpn []string) {
	for _, p := range protections {
		all = append(all, p.layerName())
		if p.code != "SC" {
			inpn = append(inpn, p.layerName())
		}
	}
	return all, inpn
}()

// typeSQL returns SQL for the type. The layer of the national parks has the core area and the communes that
// joined the charter, where far weaker rules apply.
func (p protection) typeSQL() string {
	if p.code == "PN" {
		return "CASE WHEN zone ~* 'adh' THEN 'PN_ADHESION' ELSE 'PN' END"
	}
	return "'" + p.code + "'"
}
