package fetch_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest/fetch"
)

const (
	address = "https://static.data.gouv.fr/resources/mutations/mutations.csv"
	path    = "static.data.gouv.fr/mutations.csv"

	progressWorth = 1 << 20  // of an attempt that does not count as a failed one
	blockLength   = 32 << 10 // of what is read at once
)

// csvTable is a CSV file of so many lines.
func csvTable(lines int) string {
	var b strings.Builder
	b.WriteString("id_mutation,valeur_fonciere\n")
	for i := range lines {
		fmt.Fprintf(&b, "2025-%d,%d\n", i, i*1000)
	}
	return b.String()
}

// cutAfter serves a content, of which the first answers end early.
func (s *standIn) cutAfter(address, content string, header http.Header, cuts ...int) {
	s.on(address, func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), header)
		if len(cuts) > 0 {
			w = testkit.CutAfter(w, cuts[0])
			cuts = cuts[1:]
		}
		changed, _ := http.ParseTime(header.Get("Last-Modified"))
		http.ServeContent(w, r, "", changed, strings.NewReader(content))
	})
}

// A download that is cut off several times goes on where it was, and no byte comes twice.
func TestResumedDownload(t *testing.T) {
	t.Parallel()
	content := csvTable(1000)
	for name, header := range map[string]http.Header{
		"tag": {"Etag": {`"v1"`}}, "date": {"Last-Modified": {"Fri, 02 Jan 2026 03:04:12 GMT"}},
		"weak tag": {"Etag": {`W/"v1"`}, "Last-Modified": {"Fri, 02 Jan 2026 03:04:12 GMT"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, dir := newStandIn(t), t.TempDir()
			s.cutAfter(address, content, header, 5000, 3000)
			r := s.fetched(dir, newItem(address))
			requests, sent := s.taken()
			if sent != int64(len(content)) || r.Bytes != sent || r.Requests != 3 {
				t.Errorf("%d bytes in %d requests (%d sent) for %d\n%s", r.Bytes, r.Requests, sent, len(content), requests)
			}
			condition := header.Get("Last-Modified")
			if condition == "" {
				condition = header.Get("ETag")
			}
			for _, from := range []int{5000, 8000} {
				if want := fmt.Sprintf("Range:bytes=%d- If-Range:%s", from, condition); !strings.Contains(requests, want) {
					t.Errorf("requests\n%s\nwant %s", requests, want)
				}
			}
			wantFile(t, dir, path, content)
		})
	}
}

// A large file comes over a bad connection, however often it is cut off, as long as some of it
// comes each time. What only fails is given up.
func TestDownloadThatIsCutOffOften(t *testing.T) {
	t.Parallel()
	content := strings.Repeat(csvTable(1000), 800)
	s, dir := newStandIn(t), t.TempDir()
	header := http.Header{"Etag": {`"v1"`}}
	s.cutAfter(address, content, header, slices.Repeat([]int{progressWorth + blockLength}, 8)...)
	if r := s.fetched(dir, newItem(address)); r.Bytes != int64(len(content)) || r.Requests != 9 {
		t.Errorf("%d bytes of %d in %d requests", r.Bytes, len(content), r.Requests)
	}
	wantFile(t, dir, path, content)

	const fourth = "https://static.data.gouv.fr/resources/mutations/fourth.csv" // four attempts in a row bring too little, the fifth all
	s.cutAfter(fourth, content, header, progressWorth+blockLength, blockLength, blockLength, blockLength, blockLength)
	testkit.Want(t, s.fetched(dir, newItem(fourth)).Requests, 6, "requests")

	const other = "https://static.data.gouv.fr/resources/mutations/others.csv"
	s.cutAfter(other, content, header, slices.Repeat([]int{blockLength}, 9)...)
	r := s.run(dir, s.client(), newItem(other))[0]
	loadkit.Contains(t, r.Err, "after 5 attempts", other)
	testkit.Want(t, r.Requests, 5, "requests")
}

// Where nothing says that the rest is of the same file, all of it is asked for
// again, unless the catalogue has its checksum.
func TestResumeWithoutValidators(t *testing.T) {
	t.Parallel()
	content := csvTable(1000)
	for _, sum := range []fetch.Checksum{{}, {Kind: "md5", Hex: hexOf("md5", content)}} {
		s, dir := newStandIn(t), t.TempDir()
		s.cutAfter(address, content, nil, 5000)
		i := newItem(address)
		i.Remote.Sum = sum
		s.fetched(dir, i)
		if requests, _ := s.taken(); strings.Contains(requests, "bytes=5000-") != (sum.Kind != "") {
			t.Errorf("%q: requests\n%s", sum.Kind, requests)
		}
		wantFile(t, dir, path, content)
	}
}

// An edition that appears while a file is on its way is fetched whole: the server
// answers that it has changed, or answers with parts of the new one.
func TestEditionThatChangesOnTheWay(t *testing.T) {
	t.Parallel()
	old, now := csvTable(1000), strings.ReplaceAll(csvTable(1000), "2025-", "2026-")
	for _, honest := range []bool{true, false} {
		s, dir := newStandIn(t), t.TempDir()
		s.on(address, func(w http.ResponseWriter, r *http.Request) {
			s.on(address, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("ETag", `"v2"`)
				if !honest {
					r.Header.Del("If-Range")
				}
				http.ServeContent(w, r, "", time.Time{}, strings.NewReader(now))
			})
			w.Header().Set("ETag", `"v1"`)
			http.ServeContent(testkit.CutAfter(w, 5000), r, "", time.Time{}, strings.NewReader(old))
		})
		s.fetched(dir, newItem(address))
		wantFile(t, dir, path, now)
	}
}

// A server that answers with another range than it was asked for, and does not say of what length the
// file is, does not get its bytes into the file.
func TestAnotherRange(t *testing.T) {
	t.Parallel()
	content := csvTable(1000)
	s, dir := newStandIn(t), t.TempDir()
	s.on(address, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"v1"`)
		switch {
		case r.Header.Get("Range") != "":
			w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/*", len(content)-1))
			w.WriteHeader(http.StatusPartialContent)
			s.cutAfter(address, content, nil)
		default:
			w = testkit.CutAfter(w, 5000)
		}
		_, _ = io.WriteString(w, content)
	})
	testkit.Want(t, s.fetched(dir, newItem(address)).Requests, 3, "requests")
	wantFile(t, dir, path, content)
}

// A part of an edition that the catalogue no longer lists is not gone on with.
func TestPartOfAFormerEdition(t *testing.T) {
	t.Parallel()
	content := csvTable(1000)
	s, dir := newStandIn(t), t.TempDir()
	i := newItem(address)
	for n, edition := range []string{"2025-05", "2026-05"} {
		s.cutAfter(address, content, http.Header{"Etag": {`"v1"`}}, 5000, 0, 0, 0, 0)
		if n == 1 {
			s.file(address, `"v1"`, content)
		}
		i.Remote.Edition = edition
		s.run(dir, s.client(), i)
	}
	if requests, _ := s.taken(); !strings.HasSuffix(requests, "\n"+fetch.MirrorPath(address)) {
		t.Errorf("requests\n%s", requests)
	}
	wantFile(t, dir, path, content)
}

// A page in place of the file does not take the place of what had come of it.
func TestPageWhileADownloadIsResumed(t *testing.T) {
	t.Parallel()
	content := csvTable(1000)
	s, dir := newStandIn(t), t.TempDir()
	s.on(address, func(w http.ResponseWriter, r *http.Request) {
		s.on(address, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<html><title>Maintenance</title>") })
		w.Header().Set("ETag", `"v1"`)
		http.ServeContent(testkit.CutAfter(w, 5000), r, "", time.Time{}, strings.NewReader(content))
	})
	loadkit.Contains(t, s.run(dir, s.client(), newItem(address))[0].Err, "Maintenance")
	s.taken()
	s.file(address, `"v1"`, content)
	testkit.Want(t, s.fetched(dir, newItem(address)).Bytes, int64(len(content)-5000), "bytes")
	wantFile(t, dir, path, content)
}

// A file of pages is written from its start again when a page is cut off,
// and what was there stays until it is whole.
func TestPagesThatAreCutOff(t *testing.T) {
	t.Parallel()
	s, dir := newStandIn(t), t.TempDir()
	s.publish()
	i := fetch.Item{Remote: newPagedRemote(lines), Path: "data.ademe.fr/dpe.csv"}
	s.on(lines+"&after=1", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "3")
		s.on(lines+"&after=1", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "2,\n") })
		_, _ = io.WriteString(testkit.CutAfter(w, 1), "2,\n")
	})
	if r := s.fetched(dir, i); r.Requests != 6 { // the whole of a mirror, then two pages, twice
		t.Errorf("%d requests", r.Requests)
	}
	const whole = "numero_dpe,_geopoint\n1,\n2,\n"
	wantFile(t, dir, i.Path, whole)
	s.on(lines+"&after=1", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	s.taken()
	r := s.run(dir, s.client(), i)[0]
	loadkit.Contains(t, r.Err, "500", lines+"&after=1")
	if r.Requests != 7 { // a broken page is asked for five times, not five times five
		t.Errorf("%d requests", r.Requests)
	}
	wantFile(t, dir, i.Path, whole)
}
