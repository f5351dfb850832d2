package report

import (
	"encoding/json"
	"strconv"

	"arpent/web"
)

// key is a key of the report with what is said of its value.
type key struct {
	name   string
	format func(formatter, json.RawMessage) string
}

type keyGroup struct {
	french, english string
	keys            []key
}

// groupsOf are the keys that a person reads first, in the order of the page. All others are in the answer.
var groupsOf = []keyGroup{
	{"Risques", "Risks", risks}, {"Urbanisme", "Planning", planning}, {"Ventes et énergie", "Sales and energy",
		sales},
	{"À proximité", "Nearby", around}, {"Sol et nature", "Land and nature", land},
}

var levels = web.Texts{"faible": {"aléa faible", "low exposure"}, "moyen": {"aléa moyen", "medium exposure"},
	"fort": {"aléa fort", "high exposure"}}

var risks = []key{
	{"catnat", decodeAs(func(r formatter, v []struct{ Risk, Start string }) string {
		last := ""
		if len(v) > 0 {
			last = r.Pick("\u00a0; la dernière\u00a0: ", "; the last: ") + joinNonEmpty(", ", v[0].Risk,
				r.formatDay(v[0].Start))
		}
		return r.Number(r.total) + r.Pick(" dans la commune", " in the commune") + last
	})},
	{"riskPlans", listNames(func(r formatter, p struct{ Kind, Risk, Name *string }) string {
		return joinNonEmpty(" ", trimmedText(p.Kind), trimmedText(p.Risk))
	})},
	{"tris", listNames(func(_ formatter, t struct{ Name *string }) string { return trimmedText(t.Name) })},
	{"rga", decodeAs(func(r formatter, v struct {
		Label    string
		SharePct float64
	}) string {
		return joinNonEmpty(", ", levels.NameOf(r.Lang, v.Label), r.formatShare(v.SharePct))
	})},
	{"radon", decodeAs(func(r formatter, v struct{ Category int }) string {
		return r.formatClass([2]string{"catégorie", "category"}, v.Category, 3)
	})},
	{"seisme", decodeAs(func(r formatter, v struct{ Zone int }) string {
		return r.formatClass([2]string{"zone", "zone"}, v.Zone, 5)
	})},
	{"icpe", decodeAs(formatter.formatNearest)},
	{"pollutedSites", decodeAs(formatter.formatNearest)},
}

var planning = []key{
	{"gpu", decodeAs(func(r formatter, v []struct {
		Zone, Label *string
		SharePct    float64
	}) string {
		var names []string
		for _, z := range v {
			names = append(names, joinNonEmpty(", ", trimmedText(z.Zone), r.formatShare(z.SharePct)))
		}
		return r.formatNames(names)
	})},
	{"gpuPrescriptions", listNames(func(_ formatter, p struct{ Label *string }) string {
		return trimmedText(p.Label)
	})},
	{"sup", listNames(func(r formatter, s struct{ Category, Name *string }) string {
		return joinNonEmpty(" ", trimmedText(s.Category), trimmedText(s.Name))
	})},
	{"qpv", decodeAs(func(r formatter, v struct {
		Name     *string
		SharePct float64
	}) string {
		return joinNonEmpty(", ", trimmedText(v.Name), r.formatShare(v.SharePct))
	})},
	{"monuments", decodeAs(formatter.formatNearest)},
}

// Of sales, the page says what no single one can be read from: their licence forbids
// that search engines index them. See unindexed.
var sales = []key{
	{"dvfEstimate", decodeAs(func(r formatter, v struct {
		MedianPricePerM2, SampleSize, RadiusM int
		Type                                  string
	}) string {
		price := r.Number(v.MedianPricePerM2)
		return r.Pick(price+"\u00a0€ le m², d’après ", "€"+price+" per m², from ") + r.Number(v.SampleSize) + " " +
			soldTypes.NameOf(r.Lang, v.Type) + r.Pick(" à moins de ", " within ") + r.Number(v.RadiusM) + "\u00a0m"
	})},
	{"dvf", decodeAs(func(r formatter, _ json.RawMessage) string {
		return r.Count(r.total, "vente", "sale")
	})},
	{"dpe", decodeAs(func(r formatter, v []struct{ EnergyClass string }) string {
		out := ""
		for _, class := range []string{"A", "B", "C", "D", "E", "F", "G"} {
			n := 0
			for _, d := range v {
				if d.EnergyClass == class {
					n++
				}
			}
			if n > 0 {
				out = joinNonEmpty(", ", out, strconv.Itoa(n)+"\u00a0×\u00a0"+class)
			}
		}
		return r.Number(r.total) + r.Pick("\u00a0: ", ": ") + out
	})},
}

var around = []key{
	{"schools", decodeAs(func(r formatter, v []struct {
		place
		SuccessRatePct *float64
		Session        *int
		ListedBy       string
	}) string {
		if len(v) == 0 {
			return ""
		}
		first := v[0]
		switch {
		case first.ListedBy == "commune" && r.total == 1:
			return r.Pick("1 dans la commune\u00a0: ", "1 in the commune: ") + readableName(trimmedText(first.Name))
		case first.ListedBy == "commune":
			return r.Number(r.total) + r.Pick(" dans la commune, dont ", " in the commune, among them ") +
				readableName(trimmedText(first.Name))
		}
		return r.formatNearest([]place{first.place})
	})},
	{"nearestGare", decodeAs(formatter.formatPlace)},
	{"nearestPharmacy", decodeAs(formatter.formatPlace)},
	{"nearestHospital", decodeAs(formatter.formatPlace)},
	{"nearestSupermarket", decodeAs(formatter.formatPlace)},
	{"fibre", decodeAs(func(r formatter, v struct{ Status string }) string {
		return fibre.NameOf(r.Lang, v.Status)
	})},
	{"nearestMobile", decodeAs(func(r formatter, v struct {
		place
		Generations []string
	}) string {
		return joinNonEmpty(", ", r.formatDistance(v.DistanceM), r.formatNames(v.Generations))
	})},
	{"roadTraffic", decodeAs(func(r formatter, v struct {
		Road      string
		AADT      int
		DistanceM *int
	}) string {
		return v.Road + r.Pick("\u00a0: ", ": ") + r.Number(v.AADT) + r.Pick(" véhicules par jour",
			" vehicles per day") + ", " + r.formatDistance(v.DistanceM)
	})},
}

var land = []key{
	{"geography", decodeAs(func(r formatter, v struct{ ElevationM *float64 }) string {
		if v.ElevationM == nil {
			return r.Pick("non connue", "not known")
		}
		return r.Decimal(*v.ElevationM) + "\u00a0m"
	})},
	{"coursEau", decodeAs(formatter.formatPlace)},
	{"clc", decodeAs(func(_ formatter, v struct{ Label *string }) string { return trimmedText(v.Label) })},
	{"rpg", listNames(func(_ formatter, c struct{ Crop *string }) string { return trimmedText(c.Crop) })},
	{"protectedAreas", decodeAs(func(r formatter, v []struct {
		Label string
		Name  *string
	}) string {
		var names []string
		for _, a := range v {
			names = append(names, joinNonEmpty(" ", a.Label, trimmedText(a.Name)))
		}
		return r.formatNames(names)
	})},
}

var soldTypes = web.Texts{"Maison": {"ventes de maisons", "sales of houses"},
	"Appartement": {"ventes d’appartements", "sales of flats"}}

var fibre = web.Texts{"deploye": {"déployée", "deployed"},
	"en cours de deploiement": {"en cours de déploiement", "being deployed"},
	"raccordable demande":     {"raccordable à la demande", "connected on request"}, "signe": {"accord signé",
		"agreement signed"},
	"cible": {"prévue", "planned"}, "abandonne": {"abandonnée", "abandoned"}}
