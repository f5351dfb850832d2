package report

import (
	"encoding/json"
	"strconv"

	"arpent/web"
)

// key is a key of the report with what is said of its value.
type key struct {
	name            string
	french, english string
	say             func(reader, json.RawMessage) string
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
	{"catnat", "Catastrophes naturelles reconnues", "Recognised natural disasters", as(func(r reader, v []struct{ Risk, Start string }) string {
		last := ""
		if len(v) > 0 {
			last = r.Pick("\u00a0; la dernière\u00a0: ", "; the last: ") + join(", ", v[0].Risk, r.day(v[0].Start))
		}
		return r.Number(r.total) + r.Pick(" dans la commune", " in the commune") + last
	})},
	{"riskPlans", "Plans de prévention", "Prevention plans", names(func(r reader, p struct{ Kind, Risk, Name *string }) string {
		return join(" ", text(p.Kind), text(p.Risk))
	})},
	{"tris", "Zone inondable (territoire à risque important)", "Flood area (territory of major risk)", names(func(_ reader, t struct{ Name *string }) string { return text(t.Name) })},
	{"rga", "Retrait-gonflement des argiles", "Clay shrinkage and swelling", as(func(r reader, v struct {
		Label    string
		SharePct float64
	}) string {
		return join(", ", levels.NameOf(r.Lang, v.Label), r.share(v.SharePct))
	})},
	{"radon", "Radon", "Radon", as(func(r reader, v struct{ Category int }) string {
		return r.outOf([2]string{"catégorie", "category"}, v.Category, 3)
	})},
	{"seisme", "Séisme", "Earthquakes", as(func(r reader, v struct{ Zone int }) string {
		return r.outOf([2]string{"zone", "zone"}, v.Zone, 5)
	})},
	{"icpe", "Installations classées à moins d’un kilomètre", "Classified installations within a kilometre", as(reader.nearest)},
	{"pollutedSites", "Anciens sites industriels à moins de 500\u00a0m", "Former industrial sites within 500\u00a0m", as(reader.nearest)},
}

var planning = []key{
	{"gpu", "Zonage du plan local", "Zone of the local plan", as(func(r reader, v []struct {
		Zone, Label *string
		SharePct    float64
	}) string {
		var names []string
		for _, z := range v {
			names = append(names, join(", ", text(z.Zone), r.share(z.SharePct)))
		}
		return r.listed(names)
	})},
	{"gpuPrescriptions", "Prescriptions du plan", "Prescriptions of the plan", names(func(_ reader, p struct{ Label *string }) string { return text(p.Label) })},
	{"sup", "Servitudes d’utilité publique", "Public-utility easements", names(func(r reader, s struct{ Category, Name *string }) string {
		return join(" ", text(s.Category), text(s.Name))
	})},
	{"qpv", "Quartier prioritaire", "Priority district", as(func(r reader, v struct {
		Name     *string
		SharePct float64
	}) string {
		return join(", ", text(v.Name), r.share(v.SharePct))
	})},
	{"monuments", "Monuments historiques à moins de 500\u00a0m", "Historic monuments within 500\u00a0m", as(reader.nearest)},
}

// Of sales, the page says what no single one can be read from: their licence forbids that search engines index them. See unindexed.
var sales = []key{
	{"dvfEstimate", "Prix médian autour", "Median price around it", as(func(r reader, v struct {
		MedianPricePerM2, SampleSize, RadiusM int
		Type                                  string
	}) string {
		price := r.Number(v.MedianPricePerM2)
		return r.Pick(price+"\u00a0€ le m², d’après ", "€"+price+" per m², from ") + r.Number(v.SampleSize) + " " +
			soldTypes.NameOf(r.Lang, v.Type) + r.Pick(" à moins de ", " within ") + r.Number(v.RadiusM) + "\u00a0m"
	})},
	{"dvf", "Ventes de la parcelle", "Sales of the parcel", as(func(r reader, _ json.RawMessage) string {
		return r.Count(r.total, "vente", "sale")
	})},
	{"dpe", "Diagnostics énergétiques", "Energy diagnostics", as(func(r reader, v []struct{ EnergyClass string }) string {
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
	{"schools", "Écoles, collèges, lycées", "Schools", as(func(r reader, v []struct {
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
	{"nearestGare", "Gare", "Railway station", as(reader.place)},
	{"nearestPharmacy", "Pharmacie", "Pharmacy", as(reader.place)},
	{"nearestHospital", "Hôpital", "Hospital", as(reader.place)},
	{"nearestSupermarket", "Supermarché", "Supermarket", as(reader.place)},
	{"fibre", "Fibre", "Fibre", as(func(r reader, v struct{ Status string }) string { return fibre.NameOf(r.Lang, v.Status) })},
	{"nearestMobile", "Antenne mobile", "Mobile mast", as(func(r reader, v struct {
		place
		Generations []string
	}) string {
		return join(", ", r.distance(v.DistanceM), r.listed(v.Generations))
	})},
	{"roadTraffic", "Trafic routier", "Road traffic", as(func(r reader, v struct {
		Road      string
		AADT      int
		DistanceM *int
	}) string {
		return v.Road + r.Pick("\u00a0: ", ": ") + r.Number(v.AADT) + r.Pick(" véhicules par jour", " vehicles a day") + ", " + r.distance(v.DistanceM)
	})},
}

var land = []key{
	{"geography", "Altitude", "Elevation", as(func(r reader, v struct{ ElevationM *float64 }) string {
		if v.ElevationM == nil {
			return r.Pick("non connue", "not known")
		}
		return r.Decimal(*v.ElevationM) + "\u00a0m"
	})},
	{"coursEau", "Cours d’eau", "Watercourse", as(reader.place)},
	{"clc", "Occupation du sol", "Land cover", as(func(_ reader, v struct{ Label *string }) string { return text(v.Label) })},
	{"rpg", "Culture déclarée", "Declared crop", names(func(_ reader, c struct{ Crop *string }) string { return text(c.Crop) })},
	{"protectedAreas", "Espaces protégés", "Protected areas", as(func(r reader, v []struct {
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
