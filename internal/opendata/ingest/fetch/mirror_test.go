package fetch_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest/fetch"
)

// Every address has a place of its own in a mirror, that a file system takes.
func TestMirrorPath(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://files.data.gouv.fr/geo-dvf/latest/csv/2025/full.csv.gz": "files.data.gouv.fr/geo-dvf/latest/csv/2025/full.csv.gz",
		"https://WWW.data.gouv.fr/api/1/datasets/abc/":                   "www.data.gouv.fr/api/1/datasets/abc/index",
		"https://www.data.gouv.fr/api/1/datasets/r/0651fb76":             "www.data.gouv.fr/api/1/datasets/r/0651fb76/index",
		"https://api.insee.fr/melodi/catalog/DS_BPE":                     "api.insee.fr/melodi/catalog/DS_BPE/index",
		"https://a.fr:8080": "a.fr:8080/index",
		"https://data.geopf.fr/wfs/ows?TYPENAMES=a:b&CQL=x/y%20z": "data.geopf.fr/wfs/ows?TYPENAMES=a:b&CQL=x%2Fy%20z",
		"https://a.fr/b/?page=2":                                  "a.fr/b?page=2",
		"https://a.fr/lines?q=1#joined":                           "a.fr/lines?q=1#joined",
		"https://a.fr/x/../../../y.csv":                           "a.fr/y.csv",
		"https://a.fr/%2e%2e/y%3F.csv":                            "a.fr/y?.csv",
		"https://a.fr/Liste%20%C3%A9tablissements.csv":            "a.fr/Liste établissements.csv",
	} {
		testkit.Want(t, fetch.MirrorPath(address), want, address)
	}
	seen := map[string]bool{}
	for _, end := range []string{"a", "b", strings.Repeat("é", 300)} {
		path := fetch.MirrorPath("https://a.fr/lines?select=" + strings.Repeat("é", 300) + end)
		if seen[path] || len(filepath.Base(path)) > 200 || !strings.HasPrefix(path, "a.fr/lines?select=éé") {
			t.Errorf("%s (%d)", path, len(path))
		}
		seen[path] = true
	}
}

const (
	dataset = "https://data.ademe.fr/data-fair/api/v1/datasets/dpe03existant"
	lines   = dataset + "/lines?code_departement_ban_eq=93&select=numero_dpe,_geopoint"
	link    = "https://www.data.gouv.fr/api/1/datasets/r/0651fb76"
	dated   = "https://static.data.gouv.fr/resources/sirene/20260501-080000/stock.csv"
)

// newPagedRemote is a file of two pages, the second named by a header of the first.
func newPagedRemote(address string) fetch.Remote {
	return fetch.Remote{Address: address, Served: "dpe.csv", Write: func(ctx context.Context, c *fetch.Client, w io.Writer) error {
		for page := address; page != ""; {
			resp, err := c.Get(ctx, page, nil)
			if err != nil {
				return err
			}
			_, err = io.Copy(w, resp.Body)
			resp.Body.Close()
			if err != nil {
				return err
			}
			page = strings.TrimSuffix(strings.TrimPrefix(resp.Header.Get("Link"), "<"), ">; rel=next")
		}
		return nil
	}}
}

func (s *standIn) publish() {
	s.on(dataset, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `{"count":2}`) })
	s.on(lines, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "<"+lines+"&after=1>; rel=next")
		fmt.Fprint(w, "numero_dpe,_geopoint\n1,\n")
	})
	s.on(lines+"&after=1", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "2,\n") })
	s.on(link, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, dated, http.StatusFound) })
	s.file(dated, `"v1"`, "siren\n")
}

// What a client reads, catalogues, redirected files and files of pages, makes a folder that any server of
// static files can put in place of all producers.
func TestMirrorOfAFolder(t *testing.T) {
	t.Parallel()
	s := newStandIn(t)
	s.publish()
	folder := t.TempDir()
	sirene := newItem(link)
	sirene.Path = "www.data.gouv.fr/stock.csv"
	dpe := fetch.Item{Remote: newPagedRemote(lines), Path: "data.ademe.fr/dpe.csv"}
	first := t.TempDir()
	read := func(dir string, c *fetch.Client, want fetch.State) {
		t.Helper()
		if b, err := c.Bytes(t.Context(), dataset); err != nil || string(b) != `{"count":2}` {
			t.Errorf("%q, %v", b, err)
		}
		for _, r := range s.run(dir, c, sirene, dpe) {
			if r.State != want && r.State != fetch.Unchanged {
				t.Errorf("%s: %s, %v", r.Item.Path, r.State, r.Err)
			}
		}
		wantFile(t, dir, "www.data.gouv.fr/stock.csv", "siren\n")
		wantFile(t, dir, "data.ademe.fr/dpe.csv", "numero_dpe,_geopoint\n1,\n2,\n")
	}
	read(first, s.client(), fetch.Fetched)
	// What was fetched before is put into the mirror without being sent again.
	read(first, s.client(func(o *fetch.Options) { o.Record = folder }), fetch.Unchanged)

	if _, err := os.Stat(filepath.Join(folder, fetch.MirrorPath(lines))); err == nil {
		t.Error("a page lies in the mirror next to the file that is made of it")
	}
	static := httptest.NewServer(http.StripPrefix("/base", http.FileServer(http.Dir(folder))))
	defer static.Close()
	s.taken()
	read(t.TempDir(), s.client(func(o *fetch.Options) { o.Mirror = static.URL + "/base/" }), fetch.Fetched)
	if requests, _ := s.taken(); requests != "" {
		t.Errorf("the hosts were asked\n%s", requests)
	}
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), ".") {
			t.Errorf("%s is left", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// An answer that is cut off is not put into a mirror.
func TestMirrorOfHalfAnAnswer(t *testing.T) {
	t.Parallel()
	s := newStandIn(t)
	s.on(dataset, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "4")
		fmt.Fprint(testkit.CutAfter(w, 2), "1234")
	})
	folder := t.TempDir()
	c := s.client(func(o *fetch.Options) { o.Record = folder })
	if _, err := c.Bytes(t.Context(), dataset); err == nil {
		t.Error("no error for half an answer")
	}
	wantEmptyFolder(t, folder)
}

// A mirror that redirects to itself is followed.
func TestMirrorThatRedirects(t *testing.T) {
	t.Parallel()
	s := newStandIn(t)
	s.on(dataset, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, s.url+"/"+fetch.MirrorPath(dated), http.StatusFound)
	})
	s.file(dated, `"v1"`, "siren\n")
	if b, err := s.client().Bytes(t.Context(), dataset); err != nil || string(b) != "siren\n" {
		t.Errorf("%q, %v", b, err)
	}
}

// A mirror on another disk has copies of its own, which are not made again while the file is the same.
func TestMirrorOnAnotherDisk(t *testing.T) {
	t.Parallel()
	folder, err := os.MkdirTemp("/dev/shm", "mirror") // in memory, where tests run
	if err != nil {
		folder = t.TempDir()
	}
	defer os.RemoveAll(folder)
	s, dir := newStandIn(t), t.TempDir()
	c := s.client(func(o *fetch.Options) { o.Record = folder })
	var copies []os.FileInfo
	for _, content := range []string{"siren\n", "siren\n", "siret\n"} {
		s.file(dated, `"`+content[:5]+`"`, content)
		if r := s.run(dir, c, newItem(dated))[0]; r.Err != nil {
			t.Fatal(r.Err)
		}
		wantFile(t, folder, fetch.MirrorPath(dated), content)
		info := testkit.Must(os.Stat(filepath.Join(folder, fetch.MirrorPath(dated))))(t)
		copies = append(copies, info)
	}
	if !os.SameFile(copies[0], copies[1]) || os.SameFile(copies[1], copies[2]) {
		t.Error("the copy of a file that is the same was made again, or that of another was not")
	}
}
