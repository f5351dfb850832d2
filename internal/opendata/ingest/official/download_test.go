package official_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/ingest/official"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/topic"
)

// standIn serves files as the producer's site does: with entity tags.
type standIn struct {
	url     string
	files   map[string]string // path to content
	version int
}

func (o *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	content, found := o.files[r.URL.Path]
	if !found {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("ETag", fmt.Sprintf(`"v%d"`, o.version))
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(content))
}

// latest is where a mirror has the files of a layer.
const latest = "/cadastre.data.gouv.fr/data/etalab-cadastre/latest/geojson/departements/01/cadastre-01-"

// saved is where they are saved.
const saved = "cadastre.data.gouv.fr/cadastre-01-"

func newStandIn(t *testing.T) *standIn {
	t.Helper()
	o := &standIn{files: map[string]string{}, version: 1}
	server := httptest.NewServer(o)
	t.Cleanup(server.Close)
	o.url = server.URL
	o.setParcels(loadkit.Parcel(1, 10), loadkit.Parcel(2, 20))
	return o
}

func (o *standIn) setParcels(parcels ...string) {
	o.version++
	o.files[latest+"parcelles.json.gz"] = loadkit.Zipped(loadkit.Collection(parcels...))
	o.files[latest+"feuilles.json.gz"] = loadkit.Zipped(loadkit.Collection(`{"type":"Feature","id":"010010000A01","properties":{},"geometry":` + loadkit.Square(5, 46) + `}`))
}

// fetchAndLoad fetches what a request names from the stand-in as a mirror, and loads it.
func (o *standIn) fetchAndLoad(b *loadkit.Fixture, r ingest.Request) (map[string]ingest.Outcome, error) {
	client, err := fetch.NewClient(fetch.Options{Mirror: o.url, Sleep: func(context.Context, time.Duration) error { return nil }})
	if err != nil {
		return nil, err
	}
	asked := official.Request{Sources: r.Sources, Commune: r.Commune}
	if r.Departement != "" {
		asked.Departements = []string{r.Departement}
	}
	own := slices.DeleteFunc(topic.Sources(), func(s source.Source) bool { return s.Name != "parcelles-etalab" && s.Name != "feuilles-etalab" })
	plan, err := official.Catalogue{Sources: own}.Plan(b.T.Context(), client, asked)
	if err != nil {
		return nil, err
	}
	report, err := fetch.Run(b.T.Context(), client, filepath.Join(b.State, "downloads"), plan.Items, nil)
	if err != nil {
		return nil, err
	}
	out, err := b.Load(r)
	return out, errors.Join(report.Err(), err)
}

// For all of France the easements of all authorities are the layers of the weekly extraction; for a
// département and a commune they are the archives that are listed for the département.
func TestPlanOfEasements(t *testing.T) {
	t.Parallel()
	at := func(path string) string {
		return "/" + fetch.MirrorPath("https://www.geoportail-urbanisme.gouv.fr/api/"+path)
	}
	layers := []string{"assiette_sup_s", "generateur_sup_l", "generateur_sup_p", "generateur_sup_s", "servitude"}
	feed := `<feed xmlns="http://www.w3.org/2005/Atom">`
	for _, layer := range append(layers, "acte_sup", "servitude_acte_sup", "assiette_sup_l") {
		feed += `<entry><updated>2026-08-29T02:01:00Z</updated><link href="https://data.geopf.fr/gpu/x1.` + layer + `.gpkg" length="5"/></entry>`
	}
	o := &standIn{files: map[string]string{
		at("extraction/download-latest"):                        feed + "</feed>",
		at("document?documentType%5B%5D=SUP&grid=69"):           `[{"id":"e","name":"172014607_AC1_69_20240301","status":"document.production"}]`,
		at("document/e/download/172014607_AC1_69_20240301.zip"): "PK",
	}}
	server := httptest.NewServer(o)
	t.Cleanup(server.Close)
	client := testkit.Must(fetch.NewClient(fetch.Options{Mirror: server.URL}))(t)
	easements := slices.DeleteFunc(topic.Sources(), func(s source.Source) bool { return !strings.HasPrefix(s.Name, "sup-") })
	var packages []string
	for _, layer := range layers {
		packages = append(packages, layer+".gpkg")
	}
	for _, c := range []struct {
		asked official.Request
		want  []string
	}{
		{official.Request{}, packages},
		{official.Request{Departements: []string{"69"}}, []string{"172014607_AC1_69_20240301.zip"}},
		{official.Request{Commune: "69123"}, []string{"172014607_AC1_69_20240301.zip"}},
	} {
		plan := testkit.Must(official.Catalogue{Sources: easements}.Plan(t.Context(), client, c.asked))(t)
		var got []string
		for _, item := range plan.Items {
			got = append(got, filepath.Base(item.Path))
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) || len(plan.Missing) > 0 {
			t.Errorf("%+v: %v, want %v; missing %+v", c.asked, got, c.want, plan.Missing)
		}
	}
}

// The plan that applies to a commune may be its own or that of its intercommunality, and a plan of its
// historic centre applies in addition to it: each is a partition of its own, and a commune without any is no
// failure.
func TestPlanOfDocuments(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for partition, name := range map[string]string{"DU_44109": "44109_PLU_20070309", "DU_244400404": "244400404_PLUi_20190405",
		"PSMV_44109": "44109_PSMV_20010101", "PSMV_244400404": "244400404_PSMV_20240101"} {
		address := "https://www.geoportail-urbanisme.gouv.fr/api/document?partition=" + partition
		files["/"+fetch.MirrorPath(address)] = `[{"id":"` + partition + `","name":"` + name + `","status":"document.production"}]`
	}
	server := httptest.NewServer(&standIn{files: files})
	t.Cleanup(server.Close)
	client := testkit.Must(fetch.NewClient(fetch.Options{Mirror: server.URL}))(t)
	plans := official.Catalogue{
		Sources:   slices.DeleteFunc(topic.Sources(), func(s source.Source) bool { return s.Name != "gpu-zones" }),
		Groupings: func(fetch.Place) ([]string, error) { return []string{"244400404"}, nil },
	}
	for commune, want := range map[string]string{
		"44109": "244400404_PLUi_20190405.zip 244400404_PSMV_20240101.zip 44109_PLU_20070309.zip 44109_PSMV_20010101.zip",
		"44190": "244400404_PLUi_20190405.zip 244400404_PSMV_20240101.zip",
	} {
		plan := testkit.Must(plans.Plan(t.Context(), client, official.Request{Commune: commune}))(t)
		var got []string
		for _, item := range plan.Items {
			got = append(got, filepath.Base(item.Path))
		}
		if strings.Join(got, " ") != want || slices.ContainsFunc(plan.Missing, func(m official.Missing) bool { return !m.None }) {
			t.Errorf("of %s: %v, want %s; missing %+v", commune, got, want, plan.Missing)
		}
	}
}

// A département is fetched from the official address, loaded, and fetched again only when it has changed.
func TestDownloadOfADepartement(t *testing.T) {
	t.Parallel()
	b := loadkit.Cadastre(t)
	o := newStandIn(t)
	request := ingest.Request{Sources: []string{"parcels"}, Departement: "01"}
	out, err := o.fetchAndLoad(b, request)
	testkit.NoError(t, err)
	if len(out) != 2 {
		t.Errorf("%d sources loaded; expected parcelles and feuilles: %v", len(out), out)
	}
	b.Want("SELECT idu, contenance FROM geo.parcelle", "010010000A0001|10\n010010000A0002|20")
	if out, err = o.fetchAndLoad(b, request); err != nil || out["parcelles-etalab 01"].State != ingest.Unchanged {
		t.Errorf("the second time it is %s, %v; expected unchanged", out["parcelles-etalab 01"].State, err)
	}
	o.setParcels(loadkit.Parcel(1, 11))
	_, err = o.fetchAndLoad(b, request)
	testkit.NoError(t, err)
	b.Want("SELECT idu, contenance FROM geo.parcelle", "010010000A0001|11")
	entries, err := fetch.ReadManifest(filepath.Join(b.State, "downloads"))
	if err != nil || len(entries) != 2 {
		t.Fatalf("entries %v, %v; expected one a file", entries, err)
	}
	for _, e := range entries {
		if len(e.SHA256) != 64 || e.Address != "https:/"+latest+strings.TrimPrefix(e.Path, saved) || e.Licence == "" || len(e.Sources) != 1 {
			t.Errorf("%+v", e)
		}
	}
}

// What the server does not have is an error that names the address, and
// what is there already is loaded all the same.
func TestDownloadThatFails(t *testing.T) {
	t.Parallel()
	b := loadkit.Cadastre(t)
	o := newStandIn(t)
	b.File("cadastre-97105-parcelles.json", loadkit.Collection(
		strings.ReplaceAll(`{"type":"Feature","id":"97105000AB0001","properties":{},"geometry":GEOM}`, "GEOM", loadkit.Square(-61.7, 16))))
	_, err := o.fetchAndLoad(b, ingest.Request{Sources: []string{"parcelles-etalab"}, Departement: "971"})
	loadkit.Contains(t, err, "/latest/geojson/departements/971/cadastre-971-parcelles.json.gz", "404")
	b.Want("SELECT idu FROM geo.parcelle", "97105000AB0001")

	_, err = o.fetchAndLoad(b, ingest.Request{Sources: []string{"parcelles-etalab"}, Commune: "97105"})
	loadkit.Contains(t, err, "/latest/geojson/communes/971/97105/cadastre-97105-parcelles.json.gz")
}

// What cannot be fetched is listed with what was looked for, and only that.
func TestWithoutAddress(t *testing.T) {
	t.Parallel()
	got := official.WithoutAddress([]source.Source{
		{Name: "known", Origins: []fetch.Origin{{From: producer.At{Address: "https://example.org/a.csv"}}}},
		{Name: "byHand", Homepage: "https://example.org", Origins: []fetch.Origin{{Note: "The catalogue was searched."}}},
	})
	want := []official.Missing{{Source: "byHand", Why: "The catalogue was searched.", Homepage: "https://example.org"}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
