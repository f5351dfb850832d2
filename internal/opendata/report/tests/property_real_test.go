package report_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"arpent/app/dev/testkit"
)

// takesAny reports whether a source takes a file of the data folder.
func (b *fixture) takesAny(name string) bool {
	b.T.Helper()
	out, err := b.Loads(b.Source(name))
	return err != nil || len(out) > 0
}

// lendFile puts a file below the data folder of the fixture, under a name of choice.
func (b *fixture) lendFile(from, name string) {
	b.T.Helper()
	to := filepath.Join(b.Data, filepath.FromSlash(name))
	testkit.NoError(b.T, os.MkdirAll(filepath.Dir(to), 0o755))
	testkit.NoError(b.T, os.Symlink(from, to))
}

// loadsReal loads a real file and compares how many rows are loaded and refused.
func (b *fixture) loadsReal(source, real, name string, rows, refused int64) {
	b.T.Helper()
	b.borrow(real, name)
	if out := b.LoadSource(source); out.Rows != rows || out.Refused != refused {
		b.T.Errorf("%s: %d rows, %d refused; want %d and %d: %v", source, out.Rows, out.Refused, rows, refused, out.Rejections)
	}
}

// realAsked holds the parcel of a housing estate, with 136 addresses of which 50 are listed, to the order
// of those around the one that was asked for.
func (b *fixture) realAsked() {
	b.T.Helper()
	var all []struct {
		Label    string
		Lat, Lon float64
	}
	unpack(b.T, b.valueBy("12 allée des Roses, Bondy", "930100000H0234", "banAddresses"), &all)
	if len(all) != 50 || all[0].Label != "12 Allee des Roses 93140 Bondy" {
		b.T.Fatalf("%d addresses, the first is %+v", len(all), all[0])
	}
	for i := range all[1:] {
		before, after := apart(all[0].Lon, all[0].Lat, all[i].Lon, all[i].Lat), apart(all[0].Lon, all[0].Lat, all[i+1].Lon, all[i+1].Lat)
		if after < before-0.5 { // metres by another formula
			b.T.Errorf("%s is %.1f m away and comes before %s at %.1f m", all[i].Label, before, all[i+1].Label, after)
		}
	}
}

// Bondy as it is published: three parcels find the addresses and sales that reading the files by eye finds.
func TestRealBondy(t *testing.T) {
	b := newFixture(t)
	b.Exec("DELETE FROM geo.parcelle")
	for _, name := range []string{"cadastre-93010-parcelles.2022-01-01.json.gz", "cadastre-93010-parcelles.2025-01-01.json.gz", "adresses-93010_2025.csv.gz",
		"dvf-brut-93010-2022.csv.gz"} {
		b.lendFile(filepath.Join(testkit.Box(t), "pilots", name), name)
	}
	b.LoadSource("parcelles-etalab")
	for source, rows := range map[string]int64{"ban": 8413, "dvf-brut": 1901} {
		if out := b.LoadSource(source); out.Rows != rows || out.Refused != 0 {
			t.Errorf("%s: %d rows, %d refused; want %d and none: %v", source, out.Rows, out.Refused, rows, out.Rejections)
		}
	}

	const house = "93010000AY0071"
	var a struct{ ID, Label, Match string }
	unpack(t, b.valueOf(house, "address"), &a)
	if a.ID != "93010_6250_00006" || a.Label != "6 Allee Montplaisir 93140 Bondy" || a.Match != "inside" {
		t.Errorf("the address is %+v", a)
	}
	// Rows 204 and 205 of the file: a house of 36 m² on 86 m² of soil, and another
	// parcel without a building, at one price.
	want := `[{"id":"2022-01-10/1/290000/40","date":"2022-01-10","nature":"Vente","priceEur":290000,"type":"Maison","units":1,
		"builtM2":36,"landM2":86,"rooms":2,"lots":0,"parcels":2,"otherParcels":["93010000AY0085"]}]`
	b.wantsOf(house, "dvf", want)
	// A house with two alike outbuildings, a row each: on 355 m², the contenance of the parcel.
	want = `[{"id":"2022-03-01/1/398000/204","date":"2022-03-01","nature":"Vente","priceEur":398000,"type":"Maison","units":1,
		"builtM2":65,"landM2":355,"rooms":4,"lots":0,"parcels":1,"otherParcels":[]}]`
	b.wantsOf("93010000AS0210", "dvf", want)
	b.realEstimate(house)

	// Rows that name this parcel in cad_parcelles, and lie outside it.
	var listed []struct{ ID, Match string }
	unpack(t, b.valueOf("93010000AI0159", "banAddresses"), &listed)
	if len(listed) != 2 || listed[0].ID != "93010_3120_00003" || listed[1].ID != "93010_3121_00014" || listed[0].Match != "cadastre" {
		t.Errorf("the addresses are %+v", listed)
	}
	b.realAsked()
	b.CoverageIs("dvf", "93010")
	b.CoverageIs("adresse", "93010")
}

// realEstimate checks an estimate against the sales that it names.
func (b *fixture) realEstimate(idu string) {
	b.T.Helper()
	var e struct {
		MedianPricePerM2, SampleSize, RadiusM int
		Type                                  string
		Sales                                 []struct{ PricePerM2, DistanceM int }
	}
	unpack(b.T, b.valueOf(idu, "dvfEstimate"), &e)
	if e.Type != "Maison" || e.SampleSize < 5 || len(e.Sales) != min(e.SampleSize, 50) {
		b.T.Fatalf("the estimate is %+v", e)
	}
	prices := make([]int, 0, len(e.Sales))
	for _, s := range e.Sales {
		if s.DistanceM > e.RadiusM {
			b.T.Errorf("a sale is %d m away", s.DistanceM)
		}
		prices = append(prices, s.PricePerM2)
	}
	slices.Sort(prices)
	n := len(prices)
	if median := float64(prices[(n-1)/2]+prices[n/2]) / 2; n == e.SampleSize && (median-float64(e.MedianPricePerM2) > 1 || float64(e.MedianPricePerM2)-median > 1) {
		b.T.Errorf("the median is %d, that of the sales named %g", e.MedianPricePerM2, median)
	}
	b.T.Logf("%s: %+v", idu, e)
}

func unpack(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

// The extracts that circulate load as the files they were cut from, when they are named so.
func TestRealSalesExtracts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		as   string
		rows int64
	}{
		"geo-dvf-2022-extrait-dvf_93.csv.gz":        {"dvf-93070-2022.csv.gz", 356},
		"geo-dvf-2022-extrait-dvf_compiegne.csv.gz": {"dvf-60159-2022.csv.gz", 364},
		"geo-dvf-2024-extrait-01.csv.gz":            {"dvf-01-2024.csv.gz", 77},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t)
			b.loadsReal("dvf", "territory/dvf/"+name, "dvf/"+c.as, c.rows, 0)
		})
	}
}

// Under their own names they are taken for nothing: what they lack is not gone. Nor are three
// rows taken for the stock of establishments.
func TestRealExtractsClaimNothing(t *testing.T) {
	b := newFixture(t)
	for _, name := range []string{"territory/dvf/geo-dvf-2022-extrait-dvf_93.csv.gz", "territory/dvf/geo-dvf-2024-extrait-01.csv.gz",
		"enrich/sirene/sample_etablissements.csv", "enrich/sirene/geo-sirene_2017024_E_Q.csv.gz",
		"territory/addresses/93010-bondy/adresse.as-found.csv.gz"} {
		b.borrow(name, name)
	}
	for _, source := range []string{"dvf", "sirene", "sirene-entreprises", "ban"} {
		if b.takesAny(source) {
			t.Errorf("%s takes a file", source)
		}
	}
}
