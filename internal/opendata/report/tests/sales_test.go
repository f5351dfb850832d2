package report_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"arpent/app/dev/reportkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/topic"
)

const dvfHeader = "id_mutation,date_mutation,numero_disposition,nature_mutation,valeur_fonciere,code_commune,id_parcelle,lot1_numero," +
	"nombre_lots,code_type_local,type_local,surface_reelle_bati,nombre_pieces_principales,nature_culture,nature_culture_speciale," +
	"surface_terrain,longitude,latitude\n"

// dvfRow is a row of the sales; unit is "lot,lots,code,type,built,rooms", plot is "culture,special,land".
func dvfRow(mutation, date, price, idu, unit, plot string, lon, lat float64) string {
	return fmt.Sprintf("%s,%s,000001,Vente,%s,%s,%s,%s,%s,%g,%g\n", mutation, date, price, idu[:5], idu, unit, plot, lon, lat)
}

const (
	house                        = ",0,1,Maison,95,4"
	shed                         = ",0,3,Dépendance,,0"
	flat                         = "12,1,2,Appartement,50,3"
	noPlot, soil, garden, noUnit = ",,", "sols,,200", "jardins,,150", ",0,,,,"
)

// The price of a sale is that of all its parcels, returned once; a house that stands on two rows is
// one house, and a plot that stands on two rows is one plot, also under two sheds that are alike. Two
// plots of bare land that are alike are two.
func TestSalesOfAParcel(t *testing.T) {
	b := newFixture(t)
	const other = "930100000A0002"
	b.Load("dvf", "geo-dvf/2023/communes/93/93010.csv", dvfHeader+
		dvfRow("2023-1", "2023-05-12", "310000", square, house, soil, 2.4805, 48.9005)+
		dvfRow("2023-1", "2023-05-12", "310000", square, house, garden, 2.4805, 48.9005)+
		dvfRow("2023-1", "2023-05-12", "310000", square, shed, soil, 2.4805, 48.9005)+
		dvfRow("2023-1", "2023-05-12", "310000", square, shed, garden, 2.4805, 48.9005)+
		dvfRow("2023-1", "2023-05-12", "310000", other, noUnit, "jardins,,80", 2.4815, 48.9005)+
		dvfRow("2023-2", "2023-06-01", "1000000", square, house, noPlot, 2.4805, 48.9005)+
		dvfRow("2023-2", "2023-06-01", "1000000", square, house, noPlot, 2.4805, 48.9005)+
		dvfRow("2023-3", "2023-04-01", "", square, noUnit, "terrains a bâtir,,500", 2.4805, 48.9005)+
		dvfRow("2023-4", "2023-07-01", "9", other, house, soil, 2.4815, 48.9005)+
		dvfRow("2023-5", "2023-03-01", "300000", square, shed, soil, 2.4805, 48.9005)+
		dvfRow("2023-5", "2023-03-01", "300000", square, shed, soil, 2.4805, 48.9005)+
		dvfRow("2023-5", "2023-03-01", "300000", square, house, soil, 2.4805, 48.9005)+
		dvfRow("2023-6", "2023-02-01", "20000", square, noUnit, garden, 2.4805, 48.9005)+
		dvfRow("2023-6", "2023-02-01", "20000", square, noUnit, garden, 2.4805, 48.9005))
	b.wants("dvf", `[
		{"id":"2023-2","date":"2023-06-01","nature":"Vente","priceEur":1000000,"type":"Maison","units":2,"builtM2":190,"landM2":null,"rooms":8,"lots":0,"parcels":1,"otherParcels":[]},
		{"id":"2023-1","date":"2023-05-12","nature":"Vente","priceEur":310000,"type":"Maison","units":1,"builtM2":95,"landM2":350,"rooms":4,"lots":0,"parcels":2,"otherParcels":["930100000A0002"]},
		{"id":"2023-3","date":"2023-04-01","nature":"Vente","priceEur":null,"type":null,"units":0,"builtM2":null,"landM2":500,"rooms":null,"lots":0,"parcels":1,"otherParcels":[]},
		{"id":"2023-5","date":"2023-03-01","nature":"Vente","priceEur":300000,"type":"Maison","units":1,"builtM2":95,"landM2":200,"rooms":4,"lots":0,"parcels":1,"otherParcels":[]},
		{"id":"2023-6","date":"2023-02-01","nature":"Vente","priceEur":20000,"type":null,"units":0,"builtM2":null,"landM2":300,"rooms":null,"lots":0,"parcels":1,"otherParcels":[]}]`)
	var near []struct{ LandM2 float64 }
	testkit.NoError(t, json.Unmarshal([]byte(b.value("dvfNearby")), &near))
	if len(near) != 2 || near[0].LandM2+near[1].LandM2 != 430+200 {
		t.Errorf("the comparable sales are %+v", near)
	}
}

// salesAround writes n sales of one kind, each so many metres east of
// the last corner, at 3000, 3100… euros per m².
func salesAround(kind string, n, from int, step, year string) string {
	var out strings.Builder
	var metres int
	fmt.Sscan(step, &metres)
	for i := range n {
		lon := 2.481 + float64(from+i*metres)/apart(2.481, 48.9005, 3.481, 48.9005)
		unit := fmt.Sprintf(",0,1,%s,100,4", kind)
		out.WriteString(dvfRow(fmt.Sprintf("%s-%s%d", year, kind[:1], i), year+"-03-01", fmt.Sprint(300000+10000*i),
			fmt.Sprintf("930100000B%04d", i+1), unit, soil, lon, 48.9005))
	}
	return out.String()
}

type estimate struct {
	MedianPricePerM2, Q1, Q3, SampleSize, RadiusM int
	SalesNote                                     string
	PeriodFrom, PeriodTo, Type                    string
	Sales                                         []struct{ ID string }
}

func (b *fixture) estimate() *estimate {
	b.T.Helper()
	return read[*estimate](b, square, "dvfEstimate")
}

// An estimate is made from five comparable sales at least, says which, and is made from the right ones: a
// customer who computes median and quartiles from the sales named gets the figures named.
func TestEstimateWithin500Metres(t *testing.T) {
	b := newFixture(t)
	b.Load("dvf", "geo-dvf/2023/communes/93/93010.csv", dvfHeader+
		salesAround("Maison", 5, 100, "99", "2023")+ // 100 to 496 m
		salesAround("Appartement", 3, 50, "10", "2023")+
		salesAround("Maison", 6, 100, "10", "2017")+ // more than five years before the last
		dvfRow("2023-x", "2023-12-31", "1", "930100000C0001", house, soil, 2.4815, 48.9005)+ // a price for form's sake
		dvfRow("2023-y", "2023-12-30", "600000", "930100000C0002", house, soil, 2.4815, 48.9005)+
		dvfRow("2023-y", "2023-12-30", "600000", "930100000C0002", flat, soil, 2.4815, 48.9005)) // two units, one price
	e := b.estimate()
	if e == nil || e.SampleSize != 5 || e.RadiusM != 500 || e.Type != "Maison" || len(e.Sales) != 5 ||
		e.MedianPricePerM2 != 3200 || e.Q1 != 3100 || e.Q3 != 3300 || e.PeriodFrom != "2019-01-01" || e.PeriodTo != "2023-12-31" {
		t.Errorf("the estimate is %+v", e)
	}
	var near []struct {
		ID                    string
		DistanceM, PricePerM2 int
	}
	testkit.NoError(t, json.Unmarshal([]byte(b.value("dvfNearby")), &near))
	for i, s := range near {
		if s.ID != fmt.Sprintf("2023-M%d", i) || s.PricePerM2 != 3000+100*i || math.Abs(float64(s.DistanceM-100-99*i)) > 1 {
			t.Errorf("sale %d is %+v", i, s)
		}
	}
	if len(near) != 5 {
		t.Errorf("%d sales are near", len(near))
	}
}

// Fewer than five sales near by: the circle is doubled, and the answer gives its radius.
func TestEstimateWithin1000Metres(t *testing.T) {
	b := newFixture(t)
	b.Load("dvf", "geo-dvf/2023/communes/93/93010.csv", dvfHeader+salesAround("Maison", 6, 300, "100", "2023"))
	if e := b.estimate(); e == nil || e.SampleSize != 6 || e.RadiusM != 1000 || e.MedianPricePerM2 != 3250 ||
		e.PeriodFrom != "2023-03-01" { // the data begins then
		t.Errorf("the estimate is %+v", e)
	}
}

// Four sales are no market: no figure at all.
func TestNoEstimateUnderFiveSales(t *testing.T) {
	b := newFixture(t)
	b.Load("dvf", "geo-dvf/2023/communes/93/93010.csv", dvfHeader+salesAround("Maison", 4, 300, "100", "2023"))
	b.wants("dvfEstimate", "null")
	b.wants("dvf", "[]")
}

// The kind of home last sold on the parcel decides, not what is sold most around it; the prices of both
// kinds stand apart.
func TestEstimateOfTheParcelsOwnKind(t *testing.T) {
	b := newFixture(t)
	b.Load("dvf", "geo-dvf/2023/communes/93/93010.csv", dvfHeader+
		salesAround("Maison", 9, 50, "10", "2023")+salesAround("Appartement", 5, 50, "10", "2023")+
		dvfRow("2023-own", "2023-02-01", "250000", square, flat, noPlot, 2.4805, 48.9005))
	if e := b.estimate(); e == nil || e.Type != "Appartement" || e.SampleSize != 6 || e.Sales[0].ID != "2023-own" {
		t.Errorf("the estimate is %+v", e)
	}
	var types struct{ ByType json.RawMessage }
	testkit.NoError(t, json.Unmarshal([]byte(b.value("dvfEstimate")), &types))
	const want = `[{"type":"Maison","sampleSize":9,"medianPricePerM2":3400,"q1":3200,"q3":3600},` +
		`{"type":"Appartement","sampleSize":6,"medianPricePerM2":3250,"q1":3125,"q3":3375}]`
	if string(types.ByType) != want {
		t.Errorf("the prices by type are %s, want %s", types.ByType, want)
	}
}

// A group of lots stands on a row for each of its units, here a flat and its cellar, and counts once; lots
// with another first lot count too. Two lots that are alike in all but their number are two.
func TestSalesCountALotOnce(t *testing.T) {
	b := newFixture(t)
	flat, cellar := func(lot string) string { return lot + ",2,Appartement,57,3" }, func(lot string) string { return lot + ",3,Dépendance,,0" }
	row := func(mutation, unit string) string {
		return dvfRow(mutation, "2022-10-07", "125000", square, unit, noPlot, 2.4805, 48.9005)
	}
	b.Load("dvf", "geo-dvf/2022/communes/93/93010.csv", dvfHeader+
		row("2022-1", flat("1060,2"))+row("2022-1", cellar("1060,2"))+
		row("2022-2", cellar("1180,2"))+row("2022-2", cellar("1779,1"))+row("2022-2", flat("1180,2"))+
		row("2022-3", cellar("7,1"))+row("2022-3", cellar("8,1"))+row("2022-3", cellar("8,1")))
	var sales []struct{ Lots int }
	testkit.NoError(t, json.Unmarshal([]byte(b.value("dvf")), &sales))
	if want := []struct{ Lots int }{{2}, {3}, {2}}; !slices.Equal(sales, want) {
		t.Errorf("the sales are of %v lots, want %v", sales, want)
	}
}

// Sales that are loaded twice, with the département and with the commune, count once.
func TestSalesLoadedTwice(t *testing.T) {
	b := newFixture(t)
	rows := dvfHeader + salesAround("Maison", 5, 50, "10", "2023") + dvfRow("2023-own", "2023-02-01", "250000", square, house, soil, 2.4805, 48.9005)
	b.Load("dvf", "geo-dvf/2023/communes/93/93010.csv", rows)
	b.Load("dvf", "geo-dvf/2023/departements/93.csv", rows+plots("93099", 1000))
	if e := b.estimate(); e == nil || e.SampleSize != 6 {
		t.Errorf("the estimate is %+v", e)
	}
	if got := strings.Count(b.value("dvf"), `"id"`); got != 1 {
		t.Errorf("the parcel was sold %d times", got)
	}
}

// Two years of a commune are two files and one load: neither takes the place of the other.
func TestSalesOfTwoYears(t *testing.T) {
	b := newFixture(t)
	b.Write("geo-dvf/2022/communes/93/93010.csv", dvfHeader+dvfRow("2022-1", "2022-02-01", "240000", square, house, soil, 2.4805, 48.9005))
	b.Load("dvf", "geo-dvf/2023/communes/93/93010.csv", dvfHeader+dvfRow("2023-1", "2023-02-01", "250000", square, house, soil, 2.4805, 48.9005))
	if got := strings.Count(b.value("dvf"), `"id"`); got != 2 {
		t.Errorf("the parcel was sold %d times", got)
	}
}

// Files of the wild have semicolons, None and nan for nothing, and figures with a decimal.
func TestSalesAsFound(t *testing.T) {
	b := newFixture(t)
	header := strings.ReplaceAll(dvfHeader, ",", ";")
	b.Load("dvf", "dvf/dvf-93010-2022.csv", header+
		`"2022-7";"2022-10-27";"1";"Vente";"380000.0";"93010";"`+square+`";"19";"1";"2";"Appartement";"76.0";"4.0";"None";"None";"nan";"2.4805";"48.9005"`+"\n")
	b.wants("dvf", `[{"id":"2022-7","date":"2022-10-27","nature":"Vente","priceEur":380000,"type":"Appartement","units":1,"builtM2":76,
		"landM2":null,"rooms":4,"lots":1,"parcels":1,"otherParcels":[]}]`)
}

// Where sales are not published the answer is null, although the file of the
// country is loaded; elsewhere it is a list.
func TestSalesNotPublished(t *testing.T) {
	b := newFixture(t)
	rows := dvfHeader + dvfRow("2023-1", "2023-02-01", "250000", "930100000A0002", house, soil, 2.4815, 48.9005) + plots("93099", 1000)
	absent := []string{"57001", "67001", "68001", "97601"}
	for _, commune := range absent {
		rows += plots(commune, 1000)
		b.Parcel(commune+"0000A0001", squareWKT)
	}
	b.Load("dvf", "geo-dvf/2023/full.csv", rows)
	b.wants("dvf", "[]")
	b.CoverageIs("dvf", "93")
	for _, commune := range absent {
		for _, key := range []string{"dvf", "dvfNearby", "dvfEstimate"} {
			b.wantsOf(commune+"0000A0001", key, "null")
		}
	}
}

// plots are sales of land in a commune, a row each.
func plots(commune string, n int) string {
	var out strings.Builder
	for i := range n {
		out.WriteString(dvfRow(fmt.Sprintf("%s-%d", commune, i), "2023-01-15", "1000", fmt.Sprintf("%s0000Z%04d", commune, i+1), noUnit, "prés,,500", 2.9, 48.6))
	}
	return out.String()
}

// An extract that is named after a département, and the plots of the next département in a
// deed, do not say that nothing else was sold.
func TestSalesOfAnExtract(t *testing.T) {
	b := newFixture(t)
	b.Load("dvf", "dvf/dvf-93-2023.csv", dvfHeader+salesAround("Maison", 6, 50, "10", "2023"))
	b.CoverageIs("dvf")
	for _, key := range []string{"dvf", "dvfNearby", "dvfEstimate"} {
		b.wants(key, "null")
	}
}

func TestNoSaleNear(t *testing.T) {
	b := newFixture(t)
	b.Load("dvf", "geo-dvf/2023/communes/93/93010.csv", dvfHeader+salesAround("Maison", 6, 1010, "10", "2023"))
	b.wants("dvf", "[]")
	b.wants("dvfNearby", "[]")
	b.wants("dvfEstimate", "null")
}

const rawHeader = `"";"cog";"No.disposition";"Date.mutation";"Nature.mutation";"Valeur.fonciere";"Code.departement";"Code.commune";"Prefixe.de.section";` +
	`"Section";"No.plan";"X1er.lot";"Nombre.de.lots";"Type.local";"Surface.reelle.bati";"Nombre.pieces.principales";"Nature.culture";"Nature.culture.speciale";"Surface.terrain"` + "\n"

// The raw edition names no mutation and no parcel: rows of one deed stand together, and the parcel is put
// together. The same price on the same day further down is another sale.
func TestSalesRaw(t *testing.T) {
	b := newFixture(t)
	row := func(price, section, plan, unit string) string {
		return `"1";"93010";1;"12/05/2022";"Vente";` + price + `;"93";10;NA;"` + section + `";` + plan + ";" + unit + "\n"
	}
	b.Load("dvf-brut", "dvf/dvf-brut-93010-2022.csv", rawHeader+
		row("310000,5", "A", "1", `"";0;"Maison";95;4;"S";"";200`)+
		row("310000,5", "A", "1", `"";0;"Dépendance";NA;0;"S";"";200`)+
		row("90000", "AB", "7", `"12";1;"Appartement";30;1;"";"";NA`)+
		row("310000,5", "A", "1", `"";0;"Maison";80;3;"";"";NA`))
	b.wants("dvf", `[
		{"id":"2022-05-12/1/310000.5/0","date":"2022-05-12","nature":"Vente","priceEur":310000.5,"type":"Maison","units":1,"builtM2":95,"landM2":200,"rooms":4,"lots":0,"parcels":1,"otherParcels":[]},
		{"id":"2022-05-12/1/310000.5/1","date":"2022-05-12","nature":"Vente","priceEur":310000.5,"type":"Maison","units":1,"builtM2":80,"landM2":null,"rooms":3,"lots":0,"parcels":1,"otherParcels":[]}]`)
	var sales, placed int
	testkit.NoError(t, b.DB.QueryRow(t.Context(), `SELECT count(*), count(*) FILTER (WHERE ST_Intersects(s.geom, p.geom))
		FROM geo.dvf_sale s LEFT JOIN geo.parcelle p ON p.idu = '`+square+`'`).Scan(&sales, &placed))
	if sales != 2 || placed != 2 {
		t.Errorf("%d comparable sales, %d placed by their parcel; want the two on the parcel that is known", sales, placed)
	}
}

// The file of the country has bars, blanks in its headers, and no code of the commune as a whole.
func TestSalesRawOfTheCountry(t *testing.T) {
	b := newFixture(t)
	var rest strings.Builder
	for i := range 1000 {
		for _, departement := range []string{"93|99", "974|411"} {
			fmt.Fprintf(&rest, "000001|12/05/2022|Vente|%d,00|%s||B|%d||0|||0|P||200\n", i, departement, i+1)
		}
	}
	b.Load("dvf-brut", "dvf/valeursfoncieres-2022.txt",
		"No disposition|Date mutation|Nature mutation|Valeur fonciere|Code departement|Code commune|Prefixe de section|Section|No plan|1er lot|"+
			"Nombre de lots|Type local|Surface reelle bati|Nombre pieces principales|Nature culture|Nature culture speciale|Surface terrain\n"+
			"000001|12/05/2022|Vente|310000,00|93|10||A|1||0|Maison|95|4|S||200\n"+
			"000001|12/05/2022|Vente|210000,00|91|1||A|1||0|Maison|70|3|S||200\n"+rest.String())
	b.wants("dvf", `[{"id":"2022-05-12/000001/310000/0","date":"2022-05-12","nature":"Vente","priceEur":310000,"type":"Maison","units":1,
		"builtM2":95,"landM2":200,"rooms":4,"lots":0,"parcels":1,"otherParcels":[]}]`)
	b.CoverageIs("dvf", "93", "974")
}

// Where no sale is found, the reason says in which period was looked: a house may have been sold before.
func TestNoSaleNamesThePeriod(t *testing.T) {
	b := newFixture(t)
	const far = "930100000A0002"
	b.Load("dvf", "geo-dvf/2022/communes/93/93010.csv", dvfHeader+
		dvfRow("2022-1", "2022-05-12", "310000", far, house, soil, 2.6, 48.99)+
		dvfRow("2023-1", "2023-05-12", "320000", far, house, soil, 2.6, 48.99))
	answer, err := b.store.Report(t.Context(), b.here)
	testkit.NoError(t, err)
	const want = "No sale of it in the period that is loaded: 2022-05-12 to 2023-05-12."
	i := slices.IndexFunc(topic.Report().Keys(), func(k report.Key) bool { return k.Name == "dvf" })
	if got := answer.States[i]; got.State != state.None || got.Reason != want || string(answer.Values[i]) != "[]" {
		t.Errorf("%s %+v, want %q", answer.Values[i], got, want)
	}
}

// Whether there are sales or none, the state says of which period they are: the sale of a house in a file of
// one year is not the only one of the last years.
func TestSalesNameThePeriod(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		rows string
		want map[string]string // by key
	}{
		"sales": {salesAround("Maison", 6, 50, "10", "2023") + dvfRow("2022-1", "2022-05-12", "310000", square, house, soil, 2.4805, 48.9005),
			map[string]string{"dvf": "value Sales of the period", "dvfNearby": "value Sales of the period", "dvfEstimate": "value"}},
		"far": {salesAround("Maison", 6, 1010, "10", "2023") + dvfRow("2022-1", "2022-05-12", "310000", "930100000A0002", noUnit, soil, 2.6, 48.99),
			map[string]string{"dvf": "none No sale of it in the period", "dvfNearby": "none No comparable sale near it in the period",
				"dvfEstimate": "none Fewer than five comparable sales in the period"}},
	} {
		b := openFixture(t)
		b.Load("dvf", "geo-dvf/2023/communes/93/93010.csv", dvfHeader+tc.rows)
		answer, err := b.store.Report(t.Context(), b.here)
		if err != nil {
			t.Fatal(err)
		}
		for key, want := range tc.want {
			i := slices.IndexFunc(topic.Report().Keys(), func(k report.Key) bool { return k.Name == key })
			if want != "value" {
				want += " that is loaded: 2022-05-12 to 2023-03-01."
			}
			if got := strings.TrimSpace(string(answer.States[i].State) + " " + answer.States[i].Reason); got != want {
				t.Errorf("%s, %s: %q, want %q", name, key, got, want)
			}
		}
	}
}

// An estimate says of which type the sales are that it lists, and where those of the other one are.
func TestEstimateNamesTheTypeOfItsSales(t *testing.T) {
	b := newFixture(t)
	b.Load("dvf", "geo-dvf/2023/communes/93/93010.csv", dvfHeader+
		salesAround("Appartement", 25, 100, "10", "2023")+salesAround("Maison", 6, 95, "20", "2023"))
	const want = "sales are of type Appartement, as the last sale of the parcel or most sales near it; those of Maison in byType are listed by dvfNearby where fields names it."
	if e := b.estimate(); e == nil || e.SalesNote != want {
		t.Errorf("%+v", e)
	}
	b = openFixture(t)
	b.Load("dvf", "geo-dvf/2023/communes/93/93010.csv", dvfHeader+salesAround("Maison", 6, 95, "20", "2023"))
	if e := b.estimate(); e == nil || e.SalesNote != "" {
		t.Errorf("of one type: %+v", e)
	}
}

// An estimate from sales up to 1 000 m away is none where what is loaded ends nearer, nor is it said that
// there are too few sales: beyond the edge there may be others. Five sales within 500 m are enough anywhere.
// The parcel is 660 m from the next commune.
func TestEstimateNearTheEdge(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		sales, metres int
		want          state.State
		known         string
	}{
		{6, 300, state.Value, ""},
		{3, 300, state.NotCovered, `null`},
		{6, 600, state.NotCovered, `"sampleSize":6,"radiusM":1000,`},
	} {
		b := openFixture(t)
		b.Exec(`INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes) VALUES
			('commune-actuelle', '93001', 'Aubervilliers', '93', '11', '93001', '{}')`)
		b.outline("93010", extent{2.47, 48.89, 2.49, 48.91})
		b.outline("93001", extent{2.49, 48.89, 2.60, 48.91})
		b.Exec(`INSERT INTO geo.departement_contour (code, geom, area_km2) VALUES ('93', ST_Multi(ST_MakeEnvelope(2.47, 48.89, 2.60, 48.91, 4326)), 1)`)
		b.Load("dvf", "geo-dvf/2023/communes/93/93010.csv", dvfHeader+salesAround("Maison", tc.sales, tc.metres, "10", "2023"))
		got := b.stateOf("dvfEstimate", "93")
		if got.State != tc.want || (got.Known == nil) != (tc.known == "") {
			t.Errorf("%d sales at %d m: %+v", tc.sales, tc.metres, got)
		}
		if got.Known != nil && (!strings.Contains(string(got.Known.Value), tc.known) || strings.Count(string(got.Known.Value), `"id"`) > 5) {
			t.Errorf("%d sales at %d m: known is %s", tc.sales, tc.metres, got.Known.Value)
		}
		if b.stateOf("dvfNearby", "93").State == state.NotCovered {
			t.Errorf("the sales within 500 m are not covered")
		}
	}
}

// A buyer of a house among flats reads what single houses were sold for: a call that names the key gets the
// sales of both types, each with its own, and the estimate stays that of one type.
func TestSalesOfBothTypesWhereTheKeyIsNamed(t *testing.T) {
	b := newFixture(t)
	b.Load("dvf", "geo-dvf/2023/communes/93/93010.csv", dvfHeader+
		salesAround("Appartement", 25, 100, "10", "2023")+salesAround("Maison", 6, 95, "20", "2023")+salesAround("Maison", 1, 700, "1", "2023"))
	types := func(keys ...string) map[string]int {
		p := b.here
		p.Keys = keys
		value, _ := reportkit.ReadKey(t, b.store, p, "dvfNearby")
		type sale struct {
			Type      string
			DistanceM int
		}
		var items []sale
		unpack(t, value, &items)
		if !slices.IsSortedFunc(items, func(a, b sale) int { return cmp.Compare(a.DistanceM, b.DistanceM) }) {
			t.Errorf("not by distance: %+v", items)
		}
		count := map[string]int{}
		for _, item := range items {
			count[item.Type]++
		}
		return count
	}
	if got := types(); got["Appartement"] != 20 || got["Maison"] != 0 {
		t.Errorf("a whole report lists %v", got)
	}
	if got := types("dvfNearby"); got["Appartement"] != 25 || got["Maison"] != 5 {
		t.Errorf("a call that names the key gets %v", got)
	}
	p := b.here
	p.Keys = []string{"dvfNearby", "dvfEstimate"}
	named, _ := reportkit.ReadKey(t, b.store, p, "dvfEstimate")
	if whole := b.value("dvfEstimate"); named != whole || !strings.Contains(whole, `"sampleSize":25`) {
		t.Errorf("the estimate is %s where the key is named, else %s", named, whole)
	}
}
