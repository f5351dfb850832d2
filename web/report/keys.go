package report

import (
	"encoding/json"
	"strconv"

	"arpent/web"
)

// key is a key of the report with what is said of its value.
type key struct {
	name string
	say  func(reader, json.RawMessage) string
}

type keyGroup struct {
	french, english string
	keys            []key
}

// groupsOf are the keys that a person reads first, in the order of the page. All others are in the answer.
var groupsOf = []keyGroup{
	{"Risques", "Risks", risks}, {"Urbanisme", "Planning", planning}, {"Ventes et énergie", "Sales and energy", sales},
	{"Autour", "Around it", around}, {"Sol et nature", "Land and nature", land},
}

var levels = web.Texts{"faible": {"aléa faible", "low exposure"}, "moyen": {"aléa moyen", "medium exposure"}, "fort": {"aléa fort", "high exposure"}}

var risks = []key{
	{"catnat", as(func(r reader, v []struct{ Risk, Start string }) string {
		last := ""
		if len(v) > 0 {
			last = r.Pick("\u00a0; la dernière\u00a0: ", "; the last: ") + join(", ", v[0].Risk, r.day(v[0].Start))
		}
		return r.Number(r.total) + r.Pick(" dans la commune", " in the commune") + last
	})},
	{"riskPlans", names(func(r reader, p struct{ Kind, Risk, Name *string }) string {
		return join(" ", text(p.Kind), text(p.Risk))
	})},
	{"tris", names(func(_ reader, t struct{ Name *string }) string { return text(t.Name) })},
	{"rga", as(func(r reader, v struct {
		Label    string
		SharePct float64
	}) string {
		return join(", ", levels.NameOf(r.Lang, v.Label), r.share(v.SharePct))
	})},
	{"radon", as(func(r reader, v struct{ Category int }) string {
		return r.outOf([2]string{"catégorie", "category"}, v.Category, 3)
	})},
	{"seisme", as(func(r reader, v struct{ Zone int }) string {
		return r.outOf([2]string{"zone", "zone"}, v.Zone, 5)
	})},
	{"icpe", as(reader.nearest)},
	{"pollutedSites", as(reader.nearest)},
}

var planning = []key{
	{"gpu", as(func(r reader, v []struct {
		Zone, Label *string
		SharePct    float64
	}) string {
		var names []string
		for _, z := range v {
			names = append(names, join(", ", text(z.Zone), r.share(z.SharePct)))
		}
		return r.listed(names)
	})},
	{"gpuPrescriptions", names(func(_ reader, p struct{ Label *string }) string { return text(p.Label) })},
	{"sup", names(func(r reader, s struct{ Category, Name *string }) string {
		return join(" ", text(s.Category), text(s.Name))
	})},
	{"qpv", as(func(r reader, v struct {
		Name     *string
		SharePct float64
	}) string {
		return join(", ", text(v.Name), r.share(v.SharePct))
	})},
	{"monuments", as(reader.nearest)},
}

// Of sales, the page says what no single one can be read from: their licence forbids that search engines index them. See unindexed.
var sales = []key{
	{"dvfEstimate", as(func(r reader, v struct {
		MedianPricePerM2, SampleSize, RadiusM int
		Type                                  string
	}) string {
		price := r.Number(v.MedianPricePerM2)
		return r.Pick(price+"\u00a0€ le m², d’après ", "€"+price+" per m², from ") + r.Number(v.SampleSize) + " " +
			soldTypes.NameOf(r.Lang, v.Type) + r.Pick(" à moins de ", " within ") + r.Number(v.RadiusM) + "\u00a0m"
	})},
	{"dvf", as(func(r reader, _ json.RawMessage) string {
		return r.Count(r.total, "vente", "sale")
	})},
	{"dpe", as(func(r reader, v []struct{ EnergyClass string }) string {
		out := ""
		for _, class := range []string{"A", "B", "C", "D", "E", "F", "G"} {
			n := 0
			for _, d := range v {
				if d.EnergyClass == class {
					n++
				}
			}
			if n > 0 {
				out = join(", ", out, strconv.Itoa(n)+"\u00a0×\u00a0"+class)
			}
		}
		return r.Number(r.total) + r.Pick("\u00a0: ", ": ") + out
	})},
}

var around = []key{
	{"schools", as(func(r reader, v []struct {
		place
		SuccessRatePct *float64
		Session        *int
		ListedBy       string
	}) string {
		if len(v) == 0 {
			return ""
		}
		first := v[0]
		if first.ListedBy == "commune" {
			return r.Number(r.total) + r.Pick(" dans la commune, dont ", " in the commune, among them ") + text(first.Name)
		}
		return r.Number(r.total) + r.Pick("\u00a0; au plus près\u00a0: ", "; nearest: ") + r.place(first.place)
	})},
	{"nearestGare", as(reader.place)},
	{"nearestPharmacy", as(reader.place)},
	{"nearestHospital", as(reader.place)},
	{"nearestSupermarket", as(reader.place)},
	{"fibre", as(func(r reader, v struct{ Status string }) string { return fibre.NameOf(r.Lang, v.Status) })},
	{"nearestMobile", as(func(r reader, v struct {
		place
		Generations []string
	}) string {
		return join(", ", r.distance(v.DistanceM), r.listed(v.Generations))
	})},
	{"roadTraffic", as(func(r reader, v struct {
		Road      string
		AADT      int
		DistanceM *int
	}) string {
		return v.Road + r.Pick("\u00a0: ", ": ") + r.Number(v.AADT) + r.Pick(" véhicules par jour", " vehicles a day") + ", " + r.distance(v.DistanceM)
	})},
}

var land = []key{
	{"geography", as(func(r reader, v struct{ ElevationM *float64 }) string {
		if v.ElevationM == nil {
			return r.Pick("non connue", "not known")
		}
		return r.Decimal(*v.ElevationM) + "\u00a0m"
	})},
	{"coursEau", as(reader.place)},
	{"clc", as(func(_ reader, v struct{ Label *string }) string { return text(v.Label) })},
	{"rpg", names(func(_ reader, c struct{ Crop *string }) string { return text(c.Crop) })},
	{"protectedAreas", as(func(r reader, v []struct {
		Label string
		Name  *string
	}) string {
		var names []string
		for _, a := range v {
			names = append(names, join(" ", a.Label, text(a.Name)))
		}
		return r.listed(names)
	})},
}

var soldTypes = web.Texts{"Maison": {"ventes de maisons", "sales of houses"}, "Appartement": {"ventes d’appartements", "sales of flats"}}

var fibre = web.Texts{"deploye": {"déployée", "deployed"}, "en cours de deploiement": {"en cours de déploiement", "being deployed"},
	"raccordable demande": {"raccordable à la demande", "connected on request"}, "signe": {"accord signé", "agreement signed"},
	"cible": {"prévue", "planned"}, "abandonne": {"abandonnée", "abandoned"}}
