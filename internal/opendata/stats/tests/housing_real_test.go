package stats_test

import (
	"encoding/json"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic/housing"
	"arpent/internal/opendata/topic/services"
)

// Figures read by hand in the files: what stands there is what a customer gets.
func TestRealHousing(t *testing.T) {
	d := realData(t)
	for _, tc := range []struct{ code, key, want string }{
		// rp_vacance_communes_2021.json, objects 29264 (Paris), 27093 (Lyon), 4343 (Marseille),
		// 10634 (Porto-Vecchio), 34942 (Saint-Denis of La Réunion), 158 (Plateau d'Hauteville, a
		// commune nouvelle): log, rp, rsec, vac.
		{"75056", "logement", `"year":2021,"source":"INSEE, Recensement de la population, logement (dérivé par bpineau/gazetteer)","total":1396753,"main":1128251,"secondary":136109,"vacant":132393,"vacancyRatePct":9.48`},
		{"69123", "logement", `"total":315790,"main":270975,"secondary":17666,"vacant":27149,"vacancyRatePct":8.6`},
		{"13055", "logement", `"total":462324,"main":410237,"secondary":15210,"vacant":36878,"vacancyRatePct":7.98`},
		{"2A247", "logement", `"total":12986,"main":5063,"secondary":7657,"vacant":266,"vacancyRatePct":2.05`},
		{"97411", "logement", `"total":75815,"main":67514,"secondary":1183,"vacant":7118,"vacancyRatePct":9.39`},
		{"01185", "logement", `"total":2912,"main":2205,"secondary":327,"vacant":380,"vacancyRatePct":13.05`},
		// Object 1: 17 of 372 dwellings are vacant, which is 4.57 %; the rate was made before rounding.
		{"01001", "logement", `"total":372,"main":341,"secondary":14,"vacant":17,"vacancyRatePct":4.68`},
		// Same file: Saint-Martin-de-May, merged in 2025, is 14408 (870, 827, 1, 42) and 14623 (1052, 1021, 5, 25).
		{"14408", "logement", `"total":1922,"main":1848,"secondary":6,"vacant":67`},
		// dvf-brut-93010-2022.csv, counted by another program.
		{"93010", "prices", `"type":"Appartement","sales":238,"medianPricePerM2":3084,"q1":2620,"q3":3619,"medianPriceEur":158000,`},
		{"93010", "prices", `{"rooms":3,"sales":90,"medianPricePerM2":2992,"q1":2555,"q3":3200,"medianPriceEur":177750}`},
		{"93010", "prices", `"type":"Maison","sales":194,"medianPricePerM2":3899,"q1":3190,"q3":4771,"medianPriceEur":318000,`},
		// lovac_communes_2025_taux.csv, line 16472.
		{"97411", "logement", `"ratePct":7.47,"longTermRatePct":4.3`},
		// rpls_communes.json, objects 17726 (Angers) and 2 (L'Abergement-de-Varey: 0).
		{"49007", "logementRP", `"year":2024,"ratePct":32}`},
		{"01002", "logementRP", `"main":116,"smallBase":true,"tenure":null,"rooms":null,"buildPeriod":null,"heating":null,"carlessPct":null,"overcrowdedPct":null,"socialHousing":null`},
		// Neussargues and Essarts-en-Bocage were taken apart in 2025 and 2024;
		// line 3 of the rates (01002) is empty.
		{"15141", "logement", `null`},
		{"01002", "logement", `"privateVacancy":null`},
	} {
		hasParts(t, tc.key+" of "+tc.code, blockOf(t, d, stats.Commune, tc.code, tc.key), tc.want)
	}
	if got := blockOf(t, d, stats.Commune, "85084", "logement"); strings.Contains(got, "4002") {
		t.Errorf("Essarts-en-Bocage has the dwellings of what it was: %s", got)
	}
	// Communes of rp_vacance_communes_2021.json added up by département, without arrondissements.
	for code, want := range map[string]string{"75": "1396753", "93": "705282", "2A": "124948", "69": "964047", "13": "1066676"} {
		same(t, "totalHousing of "+code, blockOf(t, d, stats.Departement, code, "totalHousing"), want)
	}
}

// The three cities and their arrondissements are both in the file. Its rows without the
// arrondissements are 37 153 192 dwellings (39 328 061 with them); 5 761 of them were in
// three communes that were taken apart since.
func TestRealDwellingsAddUp(t *testing.T) {
	d := realData(t)
	var dwellings float64
	for _, c := range d.Communes {
		if f := c.At(housing.HousingTotal, "2021"); f.Value != nil {
			dwellings += *f.Value
		}
	}
	if want := 37_153_192.0 - 1344 - 4002 - 415; dwellings != want {
		t.Errorf("the communes have %.0f dwellings, the file %.0f", dwellings, want)
	}
	for _, level := range []struct {
		name string
		all  []*stats.Territory
	}{{"departements", d.Departements}, {"regions", d.Regions}} {
		var sum float64
		for _, t := range level.all {
			if f := t.At(housing.HousingTotal, "2021"); f.Value != nil {
				sum += *f.Value
			}
		}
		if sum != 37_153_192 {
			t.Errorf("the %s have %.0f dwellings, the file 37153192", level.name, sum)
		}
	}
}

// As for housing: read by hand in the files.
func TestRealFacilities(t *testing.T) {
	d := realData(t)
	for _, tc := range []struct{ code, want string }{
		// bpe2013.xlsx, column "Total de nb_equip": rows 10734 (Porto-Vecchio), 35161 (Saint-Denis), 35182
		// (Mamoudzou: 97608); Paris is its 20 rows, 114 451 in all. Families are their types by domain.
		{"2A247", `"total":1339,"services":810,"shops":270,"education":12,"health":157,"transport":6,"leisure":18,"tourism":66`},
		{"97411", `"total":4669,"services":2172,"shops":982,"education":153,"health":993,"transport":73,"leisure":244,"tourism":52`},
		{"97608", `"total":298,"services":84,"shops":95,"education":16,"health":9,"transport":73,"leisure":18,"tourism":3`},
		{"75056", `"total":114451,"services":58815,"shops":24859,"education":2378,"health":21057,"transport":1985,"leisure":1383,"tourism":3974`},
		{"69123", `"total":18008,`},
		{"13055", `"total":32812,`},
		// 14408 (row 4656: 52) and 14623 (row 4838: 71), merged in 2025.
		{"14408", `"total":123,`},
		// bpe_communes_2024.json, objects 21521 (Paris), 9825 (Porto-Vecchio), 21650 (97608); 01002 is not in it.
		{"75056", `"gp":2673,"pharmacy":877,"nurse":1594,"primarySchool":542,"elementarySchool":null,"middleSchool":220,"highSchool":215,"postOffice":131,"bakery":2199,"supermarket":717,"convenience":349,"station":34,"childcare":830,"healthCentre":370,"gym":264,"pool":84,"tennis":null`},
		{"2A247", `"gp":16,"pharmacy":4,"nurse":42,"primarySchool":4,"elementarySchool":null,"middleSchool":2,"highSchool":1,"postOffice":3,"bakery":28,"supermarket":7,"convenience":1,"station":0,"childcare":2,"healthCentre":3,"gym":3,"pool":0,"tennis":null`},
		{"97608", `"gp":4,"pharmacy":2,"nurse":12,`},
		{"01002", `"gp":0,"pharmacy":0,"nurse":0,`},
		{"01002", `"year":2024,"total":null,`},
	} {
		hasParts(t, tc.code, blockOf(t, d, stats.Commune, tc.code, "equipements"), tc.want)
	}
	same(t, "facilities of Paris", blockOf(t, d, stats.Departement, "75", "equipements"), "114451")
}

// The numbers by type are those that the file of 2024 gives of itself (meta.bucket_totals), no
// facility twice and none lost. Those of 2013 are the 2 186 273 of its column of totals, less the 1
// 081 of communes that were taken apart since.
func TestRealFacilitiesAddUp(t *testing.T) {
	d := realData(t)
	sums := map[string]float64{}
	for _, c := range d.Communes {
		for _, m := range services.Statistics().Measures {
			if f := c.At(m.Name, "2024"); strings.HasPrefix(m.Name, "facilities.") && f.Value != nil {
				sums[m.Name] += *f.Value
			}
		}
		if f := c.At(services.FacilitiesTotal, "2013"); f.Value != nil {
			sums["2013"] += *f.Value
		}
	}
	for key, want := range map[string]float64{
		"postOffice": 13824, "primarySchool": 34032, "gp": 60573, "childcare": 15319, "middleSchool": 7509, "station": 2941, "gym": 16144,
		"supermarket": 14871, "healthCentre": 6789, "convenience": 5593, "bakery": 50106, "pool": 3636, "pharmacy": 20725, "nurse": 103023,
		"highSchool": 4212,
	} {
		if got := sums[services.FacilitySelected(key)]; got != want {
			t.Errorf("there are %.0f of %s, the file says %.0f", got, key, want)
		}
	}
	if want := 2_186_273.0 - 1081; sums["2013"] != want {
		t.Errorf("there were %.0f facilities in 2013, the file says %.0f", sums["2013"], want)
	}
}

// Each share of social housing of the file that belongs to a commune of today is served, with its year: also
// those of communes that were merged since 2018, which the file has under their new names. What a commune of
// today was made of after 2023 is null, because its share was not published.
func TestRealSocialHousing(t *testing.T) {
	d := realData(t)
	var file struct {
		Communes map[string]struct {
			Label string
			Rate  float64 `json:"rate_pct"`
		}
	}
	readJSON(t, "logement/rpls_communes.json.gz", &file)
	served, missing := 0, map[string]bool{}
	for code, row := range file.Communes {
		if d.Place(string(stats.Commune), code) == nil || row.Rate == 0 {
			continue
		}
		var got *struct {
			Social *struct {
				Year *int
				Rate *float64 `json:"ratePct"`
			} `json:"socialHousing"`
		}
		testkit.NoError(t, json.Unmarshal([]byte(blockOf(t, d, stats.Commune, code, "logementRP")), &got))
		switch {
		case got == nil || got.Social == nil:
			missing[code] = true
		case *got.Social.Rate != row.Rate || got.Social.Year == nil || *got.Social.Year != 2024:
			t.Errorf("%s %s is %+v, the file has %v", code, row.Label, *got.Social, row.Rate)
		default:
			served++
		}
	}
	for _, code := range []string{"91228", "01033", "85001"} { // merged in 2019 and 2022
		if missing[code] {
			t.Errorf("%s has no share", code)
		}
	}
	if t.Logf("%d shares are served, %d are not: %v", served, len(missing), missing); served < 16_223 || len(missing) > 42 {
		t.Error("too many shares are missing")
	}
}
