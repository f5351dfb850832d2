package reference_test

import (
	"slices"
	"testing"
	"time"

	"arpent/api/geocode"
	"arpent/api/parcel"
	"arpent/api/reference"
	"arpent/app/dev/reportkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/topic"
)

// The parcel that the search gives for an address lists that address in its report, and a report lists no
// address of another parcel unless the producer connects it: two operations never contradict each other on
// which parcel it belongs to. It asks for some hundreds of the addresses of Bondy, of which most lie in the
// street.
func TestSearchAndReportAgreeOnAddresses(t *testing.T) {
	t.Parallel()
	db, _ := testkit.DB(t)
	load := ingest.New(ingest.Options{DB: db, Catalogue: topic.Sources(), DataDir: testkit.Box(t), StateDir: t.TempDir()})
	if _, err := load.Load(t.Context(), ingest.Request{Sources: []string{"cog", "postcodes", "ban", "parcelles-etalab"}}); err != nil {
		t.Fatal(err)
	}
	places, parcels := geocode.New(db, t.TempDir(), topic.Sources()), parcel.NewIndex(db, t.TempDir(), topic.Sources())
	testkit.NoError(t, places.Refresh(t.Context()))
	testkit.NoError(t, parcels.Refresh(t.Context()))
	reports, err := report.Open(t.Context(), report.Options{Catalogue: topic.Report(), URL: db.Config().ConnString(), Timeout: time.Minute})
	testkit.NoError(t, err)
	defer reports.Close()
	parcelOf := func(label string) (f geocode.FoundPlace) {
		found := places.Index().Search(geocode.Request{Query: label, Limit: 1}).Data
		reference.AddParcels(parcels.Get(), found)
		if len(found) > 0 {
			f = found[0]
		}
		return f
	}
	rows, _ := db.Query(t.Context(), `SELECT DISTINCT concat_ws(' ', numero, rep, street, postcode, commune) FROM geo.adresse
		WHERE code_insee = '93010' AND numero > 0 ORDER BY 1`)
	var labels []string
	for rows.Next() {
		var label string
		testkit.NoError(t, rows.Scan(&label))
		labels = append(labels, label)
	}
	if err := rows.Err(); err != nil || len(labels) < 8000 {
		t.Fatalf("%d addresses: %v", len(labels), err)
	}
	listed, ways := 0, map[string]int{}
	for i := 0; i < len(labels); i += 20 {
		f := parcelOf(labels[i])
		if f.IDU == nil {
			continue // no parcel within 50 m
		}
		p := reportkit.ReadParcel(t, db, *f.IDU)
		p.Keys, p.Address, p.ParcelNear = []string{"banAddresses"}, labels[i], parcels.Get().OfAddress
		all := reportkit.ReadAddresses(t, reports, p)
		at := slices.IndexFunc(all, func(a reportkit.Address) bool { return a.Label == labels[i] })
		if at < 0 || all[at].DistanceM != *f.DistanceM && all[at].Match != "cadastre" {
			t.Errorf("%s is at %d m of %s, whose report has %+v", labels[i], *f.DistanceM, *f.IDU, all)
			continue
		}
		listed++
		for _, a := range all {
			ways[a.Match]++
			found := parcelOf(a.Label)
			if found.Street == nil || *found.Street != a.Street {
				continue // the street stands in the files under two names, of which the search gives the other
			}
			if a.Match != "cadastre" && (found.IDU == nil || *found.IDU != *f.IDU) {
				t.Errorf("%s is in the report of %s, and the search gives %v", a.Label, *f.IDU, found)
			}
		}
	}
	t.Logf("%d of %d addresses asked for, listed %v", listed, len(labels), ways)
	if listed < 300 || ways["inside"] == 0 || ways["nearest"] < 100 || ways["cadastre"] == 0 {
		t.Errorf("%d addresses were compared, listed %v", listed, ways)
	}
}
