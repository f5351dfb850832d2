package fetch_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest/fetch"
)

// The manifest says of each file where it is from, what it is and when that was
// found, for an operator who has to account for the data.
func TestManifest(t *testing.T) {
	t.Parallel()
	s, dir := newStandIn(t), t.TempDir()
	s.publish()
	i := newItem(link)
	i.Path, i.Remote.Edition = "www.data.gouv.fr/stock.csv", "2026-05-01"
	i.Remote.Sum = fetch.Checksum{Kind: "sha1", Hex: hexOf("sha1", "siren\n")}
	start := s.clock.Now()
	if r := s.fetched(dir, i); r.Requests != 2 || r.Bytes < 6 {
		t.Errorf("%d bytes in %d requests", r.Bytes, r.Requests)
	}
	want := fetch.Entry{
		Path: i.Path, Sources: []string{"dvf"}, Address: link, Final: dated, ETag: `"v1"`, ContentType: "text/plain; charset=utf-8",
		Edition: "2026-05-01", Checksum: "sha1:" + hexOf("sha1", "siren\n"), Bytes: 6, SHA256: hexOf("sha256", "siren\n"),
		FetchedAt: start, CheckedAt: start, Licence: "Licence Ouverte 2.0",
	}
	if got := entryOf(t, dir, i.Path); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v\nwant\n%+v", got, want)
	}
	s.clock.Advance(24 * time.Hour)
	s.run(dir, s.client(), i)
	if got := entryOf(t, dir, i.Path); !got.FetchedAt.Equal(start) || !got.CheckedAt.Equal(start.Add(24*time.Hour)) {
		t.Errorf("the next day: %+v", got)
	}
}

// A second run costs nothing where the catalogue says that nothing has changed,
// and one request where only the server knows.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	content := csvTable(10)
	md5 := fetch.Checksum{Kind: "md5", Hex: hexOf("md5", content)}
	length := int64(len(content))
	tag := http.Header{"Etag": {`"v1"`}}
	for name, c := range map[string]struct {
		before, after fetch.Remote
		header        http.Header
		requests      int
		condition     string
	}{
		"checksum":         {fetch.Remote{Sum: md5}, fetch.Remote{Sum: md5}, tag, 0, ""},
		"sha256":           {fetch.Remote{}, fetch.Remote{Sum: fetch.Checksum{Kind: "sha256", Hex: hexOf("", content)}}, tag, 0, ""},
		"edition and size": {fetch.Remote{Edition: "2026-05", Bytes: length}, fetch.Remote{Edition: "2026-05", Bytes: length}, tag, 0, ""},
		"edition":          {fetch.Remote{Edition: "2026-05"}, fetch.Remote{Edition: "2026-05"}, tag, 1, `If-None-Match:"v1"`},
		"another size":     {fetch.Remote{Edition: "2026-05"}, fetch.Remote{Edition: "2026-05", Bytes: 1}, tag, 1, `If-None-Match:"v1"`},
		"new edition":      {fetch.Remote{Edition: "2026-05", Bytes: length}, fetch.Remote{Edition: "2026-06", Bytes: length}, tag, 1, `If-None-Match:"v1"`},
		"date":             {fetch.Remote{}, fetch.Remote{}, http.Header{"Last-Modified": {"Fri, 02 Jan 2026 03:04:12 GMT"}}, 1, "If-Modified-Since:Fri, 02 Jan 2026 03:04:12 GMT"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, dir := newStandIn(t), t.TempDir()
			s.cutAfter(address, content, c.header)
			i := newItem(address)
			c.before.Address, c.after.Address = address, address
			i.Remote = c.before
			s.fetched(dir, i)
			i.Remote = c.after
			r := s.run(dir, s.client(), i)[0]
			if r.State != fetch.Unchanged || r.Requests != c.requests || r.Bytes != 0 {
				t.Errorf("%s, %d requests, %d bytes, %v", r.State, r.Requests, r.Bytes, r.Err)
			}
			if requests, _ := s.taken(); !strings.HasSuffix(requests, c.condition) {
				t.Errorf("requests\n%s", requests)
			}
			wantFile(t, dir, path, content)
			if e := entryOf(t, dir, path); e.Edition != c.after.Edition {
				t.Errorf("%+v", e)
			}
		})
	}
}

// A server that knows no conditions sends a file that it has sent before: it is not read if
// it has the same tag, and never saved again.
func TestUnchangedWithoutConditions(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]int64{`"v1"`: 0, "": int64(len(csvTable(10)))} {
		s, dir := newStandIn(t), t.TempDir()
		s.on(address, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", tag)
			fmt.Fprint(w, csvTable(10))
		})
		s.fetched(dir, newItem(address))
		file := filepath.Join(dir, path)
		before := testkit.Must(os.Stat(file))(t)
		r := s.run(dir, s.client(), newItem(address))[0]
		after, err := os.Stat(file)
		if r.State != fetch.Unchanged || r.Bytes != want || err != nil || !os.SameFile(before, after) {
			t.Errorf("%q: %s, %d bytes, %v, %v", tag, r.State, r.Bytes, r.Err, err)
		}
	}
}

// A file that was changed on our disk, or is gone, is fetched again,
// whatever the catalogue and the server say.
func TestFileThatWasDamaged(t *testing.T) {
	t.Parallel()
	content := csvTable(10)
	for name, damage := range map[string]func(string) error{
		"changed": func(f string) error { return os.WriteFile(f, []byte(strings.ToUpper(content)), 0o600) },
		"cut off": func(f string) error { return os.Truncate(f, 10) },
		"gone":    os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, dir := newStandIn(t), t.TempDir()
			s.file(address, `"v1"`, content)
			i := newItem(address)
			i.Remote.Sum = fetch.Checksum{Kind: "md5", Hex: hexOf("md5", content)}
			s.fetched(dir, i)
			testkit.NoError(t, damage(filepath.Join(dir, path)))
			s.fetched(dir, i)
			wantFile(t, dir, path, content)
		})
	}
}

// A process that was killed while it wrote a line loses that line alone. The file does not grow with each
// run, and has no lines of files that are gone.
func TestTornManifest(t *testing.T) {
	t.Parallel()
	s, dir := newStandIn(t), t.TempDir()
	name := filepath.Join(dir, "manifest.jsonl")
	var items []fetch.Item
	for _, n := range []string{"a", "b", "c"} {
		i := newItem("https://data.example.fr/" + n + ".csv")
		s.file(i.Remote.Address, `"v1"`, csvTable(10))
		s.fetched(dir, i)
		items = append(items, i)
	}
	text := testkit.Must(os.ReadFile(name))(t)
	torn := string(text) + string(text[:len(text)-20])
	torn = strings.TrimSuffix(torn, "\n")
	testkit.NoError(t, errors.Join(os.WriteFile(name, []byte(torn), 0o600), os.Remove(filepath.Join(dir, items[1].Path))))
	m := testkit.Must(fetch.OpenManifest(dir))(t)
	if e, found := m.Get(items[2].Path); !found || e.SHA256 != hexOf("", csvTable(10)) {
		t.Errorf("%+v", e)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(name)
	if err != nil || strings.Count(string(text), "\n") != 2 || strings.Contains(string(text), items[1].Path) || !strings.HasSuffix(string(text), "}\n") {
		t.Errorf("%s, %v", text, err)
	}
}

// Two processes do not fetch into one folder: the error of the second names the first.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	s, dir := newStandIn(t), t.TempDir()
	s.file(address, `"v1"`, csvTable(10))
	m, err := fetch.OpenManifest(dir)
	testkit.NoError(t, err)
	_, err = fetch.Run(t.Context(), s.client(), dir, []fetch.Item{newItem(address)}, nil)
	if !errors.Is(err, fetch.ErrLocked) {
		t.Fatal(err)
	}
	loadkit.Contains(t, err, dir, fmt.Sprintf("process %d", os.Getpid()))
	testkit.NoError(t, m.Close())
	s.fetched(dir, newItem(address))
}
