package explore

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/internal/opendata/source"
	"arpent/web"
)

// mapLayer is a layer of areas as the legend of the map shows it.
type mapLayer struct {
	source.MapLayer
	title, credit string            // credit is the producer and, where the files say it, the edition
	types         map[string]string // of its areas, in words
	shown         bool              // from the start
}

// layersParameter of an address names the layers that are shown, separated by commas.
const layersParameter = "calques"

// findLayer returns a layer that is loaded somewhere; nil: there is none of that name.
func (p *Pages) findLayer(name string) *source.MapLayer {
	for i := range p.o.Layers {
		l := &p.o.Layers[i]
		if _, loaded := p.o.Coverage().LayerEditions(l.Layers); l.Name == name && loaded {
			return l
		}
	}
	return nil
}

// listLayers lists the layers that are loaded somewhere.
func (p *Pages) listLayers(c *fiber.Ctx, lang web.Lang) (out []mapLayer) {
	held, shown := p.o.Coverage(), strings.Split(c.Query(layersParameter), ",")
	for _, of := range p.o.Layers {
		editions, loaded := held.LayerEditions(of.Layers)
		if !loaded {
			continue
		}
		l := mapLayer{MapLayer: of, title: layerTitles.Of(lang, of.Name), credit: web.UpperFirst(web.ListProducers(of.Producer)),
			types: map[string]string{}, shown: slices.Contains(shown, of.Name)}
		switch {
		case editions.Newest == "":
		case editions.Oldest == editions.Newest:
			l.credit += ", " + lang.Vintage(editions.Newest)
		default:
			l.credit += ", " + lang.Vintage(editions.Oldest+" – "+editions.Newest)
		}
		for code := range areaTypes[of.Name] {
			l.types[code] = areaTypes[of.Name].Of(lang, code)
		}
		out = append(out, l)
	}
	return out
}

var layerTitles = web.Texts{
	"qpv":     {"Quartiers prioritaires (QPV 2024)", "Priority districts (QPV 2024)"},
	"zonage":  {"Zonage des plans locaux d’urbanisme", "Zones of local plans"},
	"risques": {"Plans de prévention des risques", "Risk-prevention plans"},
	"nature":  {"Espaces protégés", "Protected areas"},
}

// areaTypes are the types of areas by layer.
var areaTypes = map[string]web.Texts{
	"zonage": {
		"U": {"zone urbaine", "urban zone"}, "AUc": {"zone à urbaniser, ouverte", "to be developed, open"},
		"AUs": {"zone à urbaniser, bloquée", "to be developed, closed"},
		"A":   {"zone agricole", "agricultural zone"}, "N": {"zone naturelle", "natural zone"},
	},
	"risques": {
		"zone": {"zone réglementaire", "regulatory zone"}, "perimeter": {"périmètre du plan", "outline of the plan"},
		"opposable": {"plan en vigueur", "plan in force"}, "prescrit": {"plan prescrit", "plan ordered"},
		"caduque": {"plan caduc", "lapsed plan"},
	},
	"nature": {
		"PN":          {"parc national, cœur", "national park, core"},
		"PN_ADHESION": {"parc national, aire d’adhésion", "national park, buffer"},
		"RNN":         {"réserve naturelle nationale", "national nature reserve"},
		"RNR":         {"réserve naturelle régionale", "regional nature reserve"},
		"RNC":         {"réserve naturelle de Corse", "nature reserve of Corsica"},
		"APB":         {"arrêté de protection de biotope", "biotope protection order"},
		"RB":          {"réserve biologique", "biological reserve"},
		"SC":          {"site classé", "classified site"}, "SI": {"site inscrit", "listed site"},
		"SIC":     {"Natura 2000, directive Habitats", "Natura 2000, Habitats Directive"},
		"ZPS":     {"Natura 2000, directive Oiseaux", "Natura 2000, Birds Directive"},
		"SCL":     {"Conservatoire du littoral", "coastal conservancy"},
		"SCEN":    {"conservatoire d’espaces naturels", "nature conservancy"},
		"PNR":     {"parc naturel régional", "regional nature park"},
		"RAMSAR":  {"zone humide Ramsar", "Ramsar wetland"},
		"ZNIEFF1": {"ZNIEFF de type 1", "ZNIEFF of type 1"}, "ZNIEFF2": {"ZNIEFF de type 2", "ZNIEFF of type 2"},
	},
}
