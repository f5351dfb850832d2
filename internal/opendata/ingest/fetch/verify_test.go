package fetch_test

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest/fetch"
)

func hexOf(kind, content string) string {
	switch kind {
	case "md5":
		sum := md5.Sum([]byte(content))
		return hex.EncodeToString(sum[:])
	case "sha1":
		sum := sha1.Sum([]byte(content))
		return hex.EncodeToString(sum[:])
	default:
		sum := sha256.Sum256([]byte(content))
		return hex.EncodeToString(sum[:])
	}
}

// sevenZip is the beginning of an archive whose directory ends after so many bytes.
func sevenZip(length int) string {
	head := make([]byte, 32, length)
	copy(head, "7z\xBC\xAF\x27\x1C\x00\x04")
	binary.LittleEndian.PutUint64(head[12:], uint64(length-32-10))
	binary.LittleEndian.PutUint64(head[20:], 10)
	return string(head[:length])
}

// What a server sends with a status of success is only saved when it is
// what the name of the file says, to its end.
func TestContents(t *testing.T) {
	t.Parallel()
	zip := loadkit.Archive(t, map[string]string{"full.csv": csvTable(100)})
	gzip := loadkit.Zipped(csvTable(100))
	const page = "\n<!DOCTYPE html><html><head><title> Page introuvable </title>"
	const exception = `<?xml version="1.0"?><ows:ExceptionReport><ows:Exception exceptionCode="InvalidParameterValue"/>`
	for _, c := range []struct{ name, content, want string }{
		{"a.zip", zip, ""},
		{"a.zip", page, `"Page introuvable"`},
		{"a.zip", zip[:len(zip)-10], "cut off"},
		{"a.zip", gzip, "expected a file of type .zip"},
		{"a.zip", "", "empty"},
		{"A.ZIP", gzip, "expected a file of type .ZIP"},
		{"a.csv.gz", gzip, ""},
		{"a.csv.gz", gzip[:len(gzip)-4], "cut off"},
		{"a.csv.gz", gzip[:len(gzip)/2], "cut off"},
		{"a.csv.gz", csvTable(3), "expected a file of type .gz"},
		{"a.7z", sevenZip(100), ""},
		{"a.7z", sevenZip(100)[:80], "80 bytes of 100"},
		{"a.7z.001", sevenZip(100)[:80], ""},
		{"a.7z.002", "\x00\x01", ""},
		{"a.xlsx", zip, ""},
		{"a.xls", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1...", ""},
		{"a.xls", "<table><tr><td>1</td></tr></table>", "expected a file of type .xls"},
		{"a.gpkg", sqliteFile(2), ""},
		{"a.gpkg", sqliteFile(2)[:5000], "cut off or damaged: it has 5000 bytes of 8192"},
		{"a.xlsx", zip[:len(zip)-10], "cut off or damaged"},
		{"a.gpkg", exception, "InvalidParameterValue"},
		{"a.tif", "II*\x00...", ""},
		{"a.tif", "MM\x00*...", ""},
		{"a.tif", exception, "ExceptionReport"},
		{"a.geojson", loadkit.Collection(), ""},
		{"a.geojson", "\uFEFF [] \n", ""},
		{"a.geojson", loadkit.Zipped(loadkit.Collection()), ""},
		{"a.geojson", loadkit.Collection()[:30], "cut off"},
		{"a.geojson", exception, "ExceptionReport"},
		{"a.json", `{"errorcode":10002,"error":"unknown dataset"}`, "unknown dataset"},
		{"a.json", "not found", "unexpected content"},
		{"a.jsonl", "{\"a\":1}\n{\"a\":2}\n", ""},
		{"a.csv", csvTable(3), ""},
		{"a.csv", page, "introuvable"},
		{"a.csv", exception, "ExceptionReport"},
		{"a.csv", ` {"status":"error"}`, "unexpected content"},
		{"a.csv", "{x},{y}\n1,2\n", ""},
		{"a.txt", "12", ""},
		{"a", page, "introuvable"},
	} {
		t.Run(fmt.Sprintf("%s %.12q", c.name, c.content), func(t *testing.T) {
			t.Parallel()
			s, dir := newStandIn(t), t.TempDir()
			i := newItem("https://data.example.fr/" + c.name)
			i.Homepage = "https://www.data.gouv.fr/fr/datasets/example"
			s.on(i.Remote.Address, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, c.content) })
			r := s.run(dir, s.client(), i)[0]
			if c.want == "" {
				if r.State != fetch.Fetched {
					t.Fatal(r.Err)
				}
				wantFile(t, dir, i.Path, c.content)
				return
			}
			loadkit.Contains(t, r.Err, c.want, i.Path, i.Remote.Address, i.Homepage)
			if r.State != fetch.Failed || r.Requests != 1 {
				t.Errorf("%s after %d requests", r.State, r.Requests)
			}
			wantEmptyFolder(t, dir)
		})
	}
}

// A file that is not the one the catalogue lists, as when a new edition came out since,
// is not saved; the one that was there stays.
func TestCatalogueChecksum(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"md5", "sha1", "sha256"} {
		s, dir := newStandIn(t), t.TempDir()
		content := csvTable(10)
		s.file(address, `"v1"`, content)
		i := newItem(address)
		i.Remote.Sum = fetch.Checksum{Kind: kind, Hex: strings.ToUpper(hexOf(kind, content))}
		s.fetched(dir, i)
		i.Remote.Sum.Hex = hexOf(kind, csvTable(11))
		r := s.run(dir, s.client(), i)[0]
		loadkit.Contains(t, r.Err, "its "+kind+" is "+hexOf(kind, content), i.Remote.Sum.Hex)
		if r.Requests != 1 {
			t.Errorf("%d requests", r.Requests)
		}
		wantFile(t, dir, path, content)
	}
	s := newStandIn(t)
	s.file(address, `"v1"`, csvTable(10))
	i := newItem(address)
	i.Remote.Sum = fetch.Checksum{Kind: "crc32", Hex: "0"}
	loadkit.Contains(t, s.run(t.TempDir(), s.client(), i)[0].Err, `"crc32"`)
}

// A file put together from two answers that do not fit is fetched once more, whole.
func TestChecksumOfAResumedFile(t *testing.T) {
	t.Parallel()
	old, now := csvTable(1000), strings.ReplaceAll(csvTable(1000), "2025-", "2026-")
	s, dir := newStandIn(t), t.TempDir()
	s.on(address, func(w http.ResponseWriter, r *http.Request) {
		s.cutAfter(address, now, nil)
		http.ServeContent(testkit.CutAfter(w, 5000), r, "", time.Time{}, strings.NewReader(old))
	})
	i := newItem(address)
	i.Remote.Sum = fetch.Checksum{Kind: "sha256", Hex: hexOf("sha256", now)}
	if r := s.fetched(dir, i); r.Requests != 3 {
		t.Errorf("%d requests", r.Requests)
	}
	wantFile(t, dir, path, now)
}

// A download that the disk cannot take does not begin; the error says how much is missing.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	s, dir := newStandIn(t), t.TempDir()
	s.file(address, `"v1"`, csvTable(200_000))
	free := int64(1 << 20)
	client := func() *fetch.Client {
		return s.client(func(o *fetch.Options) { o.Free = func(string) (int64, error) { return free, nil } })
	}
	r := s.run(dir, client(), newItem(address))[0]
	loadkit.Contains(t, r.Err, "lacks 3 MiB", "4 MiB are to come and 1 MiB are free")
	if r.Requests != 1 {
		t.Errorf("%d requests", r.Requests)
	}
	wantEmptyFolder(t, dir)
	free = 8 << 20
	if r := s.run(dir, client(), newItem(address))[0]; r.State != fetch.Fetched {
		t.Error(r.Err)
	}
}

// sqliteFile is a database file of so many pages of 4096 bytes.
func sqliteFile(pages byte) string {
	b := make([]byte, int(pages)*4096)
	copy(b, "SQLite format 3\x00")
	b[16], b[31] = 4096>>8, pages
	return string(b)
}

// A table that came without an error and lacks its end is not taken: it is compared with its catalogue, with
// the edition that is there, and with the rows that its source declares.
func TestTablesThatAreCutOff(t *testing.T) {
	t.Parallel()
	const address = "https://data.example.fr/a.csv"
	table := func(rows int) string {
		return "code;name\n" + strings.Repeat("01001;Ain\n", rows)
	}
	for name, tc := range map[string]struct {
		before, now string
		change      func(*fetch.Item)
		want        string // in the error; empty: it is taken
		warning     string
	}{
		"whole":                  {now: table(30)},
		"without a last newline": {now: strings.TrimSuffix(table(30), "\n")},
		"in a line":              {now: table(30) + "0100", want: "its last line, number 32, has 1 cells of 2"},
		"in a last cell, where the edition before had an end": {before: table(30), now: table(29) + "01001;A", want: "has no end"},
		"less than half of the edition before":                {before: table(30), now: table(14), want: "15 lines, and the edition before had 31"},
		"a little less than the edition before":               {before: table(30), now: table(28)},
		"fewer rows than declared":                            {now: table(30), change: func(i *fetch.Item) { i.MinRows = 31 }, want: "fewer than the 31"},
		"shorter than its catalogue says":                     {now: table(30), change: func(i *fetch.Item) { i.Remote.Bytes = 600 }, want: "310 bytes, and 600 by its catalogue"},
		"a round number of rows":                              {now: table(5000), warning: "just 5000 rows, a round number"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, dir := newStandIn(t), t.TempDir()
			item := newItem(address)
			if tc.change != nil {
				tc.change(&item)
			}
			if tc.before != "" {
				s.file(address, `"1"`, tc.before)
				s.fetched(dir, item)
			}
			s.on(address, func(w http.ResponseWriter, _ *http.Request) { // the end of the connection is that of the file
				w.Header().Set("Connection", "close")
				conn, buffer, err := w.(*metered).ResponseWriter.(http.Hijacker).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				fmt.Fprintf(buffer, "HTTP/1.0 200 OK\r\nContent-Type: text/csv\r\n\r\n%s", tc.now)
				_ = buffer.Flush()
				_ = conn.Close()
			})
			r := s.run(dir, s.client(), item)[0]
			switch {
			case tc.want == "" && r.State != fetch.Fetched:
				t.Errorf("%s: %v", r.State, r.Err)
			case tc.want != "" && (r.Err == nil || !strings.Contains(r.Err.Error(), tc.want)):
				t.Errorf("error %v; expected %q", r.Err, tc.want)
			case tc.want != "" && tc.before != "":
				wantFile(t, dir, item.Path, tc.before)
			case tc.want != "":
				wantEmptyFolder(t, dir)
			}
			if got := r.Warning; got != tc.warning && (tc.warning == "" || !strings.Contains(got, tc.warning)) {
				t.Errorf("warning %q; expected %q", got, tc.warning)
			}
		})
	}
}
