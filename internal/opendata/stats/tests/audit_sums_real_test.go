package stats_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"arpent/internal/opendata/source"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic/housing"
	"arpent/internal/opendata/topic/services"
)

// Départements, régions and the nation are the sums of all rows that the file has, by the
// département in its codes: communes that were split or merged since lose nothing. The 85 has 441
// 167 dwellings, whatever became of Les Essarts.
func TestRealSumsAreThoseOfTheFiles(t *testing.T) {
	d := realData(t)
	var dwellings struct {
		Communes map[string]struct{ Log float64 }
	}
	readJSON(t, "logement/rp_vacance_communes_2021.json.gz", &dwellings)
	of := fileSums{}
	for code, row := range dwellings.Communes {
		of.add(code, row.Log)
	}
	of.compare(t, d, housing.HousingTotal, "2021")
	same(t, "totalHousing", blockOf(t, d, stats.Departement, "85", "totalHousing"), "441167")
	var places struct{ Communes map[string]map[string]float64 }
	readJSON(t, "insee-bpe/bpe_communes_2024.json.gz", &places)
	for column, key := range map[string]string{"pharmacie": "pharmacy", "boulangerie": "bakery", "poste": "postOffice", "medecin_generaliste": "gp"} {
		of = fileSums{}
		for code, row := range places.Communes {
			of.add(code, row[column])
		}
		of.compare(t, d, services.FacilitySelected(key), "2024")
	}
	if f := d.Nation.At(services.FacilitiesTotal, "2013"); f.Value == nil || *f.Value != 2_186_273 {
		t.Errorf("the facilities of 2013 are %+v, the column of totals has 2186273", f)
	}
}

// Each year of a sum of communes says when it lacks some of them: the inhabitants of the Eure of 2015 and
// 2021 are without Les Trois Lacs, and a reader who compares them with 2016 would see a growth that was none.
func TestRealTimelinesSayWhatIsMissing(t *testing.T) {
	d := realData(t)
	years, short := 0, 0
	for _, of := range slices.Concat(d.Departements, d.Regions) {
		for key, measures := range map[string][]string{
			"populationTimeline": {source.PopulationMunicipal},
			"births":             {source.PopulationBirths, source.PopulationDeaths},
		} {
			for _, line := range gjson.Parse(blockOf(t, d, of.Level, of.Code, key)).Array() {
				period := line.Get("year").Raw
				missing := slices.ContainsFunc(stats.CommunesOf(of), func(c *stats.Territory) bool {
					people := c.Latest(source.PopulationMunicipal).Value
					return people != nil && *people > 0 && slices.ContainsFunc(measures, func(measure string) bool {
						f := c.At(measure, period)
						return f.Value == nil && f.Status != "split" // the sum has the inhabitants of both parts
					})
				})
				coverage := line.Get("coverage")
				if says := coverage.Exists() && coverage.Num > 0 && coverage.Num < 1; says != missing {
					t.Errorf("%s of %s %s, %s: some communes are missing: %v", key, of.Level, of.Code, line.Raw, missing)
				}
				if years++; missing {
					short++
				}
			}
		}
	}
	if years < 101*4 || short == 0 {
		t.Errorf("%d years were compared, %d of them of most communes", years, short)
	}
	if got := blockOf(t, d, stats.Departement, "27", "populationTimeline.0.coverage"); got != "0.9971" {
		t.Errorf("the coverage of the Eure in 2015 is %s, want 0.9971", got)
	}
}

// fileSums are sums over the rows of a file by département.
type fileSums map[string]float64

func (s fileSums) add(code string, value float64) {
	n, _ := strconv.Atoi(code)
	if n > 75100 && n <= 75120 || n > 13200 && n <= 13216 || n > 69380 && n <= 69389 {
		return // the city has a row of its own
	}
	departement := code[:2]
	if departement == "97" {
		departement = code[:3]
	}
	s[departement] += value
}

// compare asks for the sums of all levels.
func (s fileSums) compare(t *testing.T, d *stats.Data, measure, period string) {
	t.Helper()
	wrong := func(of *stats.Territory, want float64) {
		f := of.At(measure, period)
		if want > 0 && (f.Value == nil || *f.Value != want) {
			t.Errorf("%s of %s %s in %s is %s, the file has %.0f", measure, of.Level, of.Code, period, shown(f), want)
		}
	}
	nation := 0.0
	for _, dep := range d.Departements {
		wrong(dep, s[dep.Code])
		nation += s[dep.Code]
	}
	for _, region := range d.Regions {
		sum := 0.0
		for _, dep := range region.Children {
			sum += s[dep.Code]
		}
		wrong(region, sum)
	}
	wrong(d.Nation, nation)
}

func shown(f stats.Figure) string {
	if f.Value == nil {
		return strings.TrimSpace("null " + f.Status)
	}
	return strconv.FormatFloat(*f.Value, 'f', -1, 64)
}
