package standin

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"arpent/api/ingest/fetch/producer"
)

// pageRows is how many rows a page has, less than a client asks for: several are needed.
const pageRows = 250

// of is the content that the pages of an offer are made from: the one whose address has the parameters as the address that is
// asked. nil: there is none.
func (h *host) of(u *url.URL, parameters ...string) *content {
	for address, c := range h.builder.files {
		there, err := url.Parse(address)
		if err != nil || there.Host != u.Host || base(there.Path) != base(u.Path) {
			continue
		}
		if !slices.ContainsFunc(parameters, func(p string) bool { return there.Query().Get(p) != u.Query().Get(p) }) {
			return c
		}
	}
	return nil
}

// base is the path of a dataset, of which its lines, records and exports are parts.
func base(path string) string {
	for _, part := range []string{"/lines", "/records", "/exports/"} {
		path, _, _ = strings.Cut(path, part)
	}
	return path
}

// provisional reports whether rows are there that a condition selects, as long as it is not known which file has them.
func (h *host) provisional(condition string) int {
	for address := range h.refused {
		if u, err := url.Parse(address); err == nil && u.Query().Get("where") == condition {
			return 0
		}
	}
	return 1
}

func (h *host) opendatasoft(u *url.URL, from producer.Opendatasoft) (*answer, error) {
	where := u.Query().Get("where")
	c := h.of(u, "where")
	switch {
	case strings.HasSuffix(u.Path, "/records"):
		total, err := h.provisional(where), error(nil)
		if h.final {
			total, err = countOf(c, from.Format, ';')
		}
		return &answer{body: fmt.Appendf(nil, `{"total_count":%d,"results":[]}`, total)}, err
	case strings.Contains(u.Path, "/exports/") && c != nil:
		return &answer{file: c}, nil
	case strings.Contains(u.Path, "/exports/"):
		return nil, nil
	}
	set := map[string]any{"metas": map[string]any{"default": map[string]any{"data_processed": h.newest().Format(time.RFC3339)}}}
	b, err := json.Marshal(set)
	return &answer{body: b}, err
}

// newest is the date of the newest file of the offer.
func (h *host) newest() time.Time {
	c := &content{}
	c.add(h.offer.src, h.offer.files)
	return c.date()
}

// countOf is how many rows a file has; nil has none.
func countOf(c *content, format string, separator rune) (int, error) {
	if c == nil {
		return 0, nil
	}
	b, err := c.bytes()
	if err != nil {
		return 0, err
	}
	if format == "geojson" {
		all, err := features(b)
		return len(all), err
	}
	n, err := rows(b, separator)
	return max(n-1, 0), err
}

func (h *host) dataFair(u *url.URL, from producer.DataFair) (*answer, error) {
	if !strings.HasSuffix(u.Path, "/lines") {
		return &answer{body: fmt.Appendf(nil, `{"id":%q,"dataUpdatedAt":%q}`, from.Dataset, h.newest().Format(time.RFC3339))}, nil
	}
	if !h.final {
		return &answer{body: []byte(`{"total":1}`)}, nil
	}
	c := h.lines(u, from)
	if u.Query().Get("size") == "0" {
		total, err := countOf(c, from.Format, ',')
		return &answer{body: fmt.Appendf(nil, `{"total":%d,"results":[]}`, total)}, err
	}
	if c == nil {
		return nil, nil
	}
	b, err := c.bytes()
	if err != nil {
		return nil, err
	}
	after, _ := strconv.Atoi(u.Query().Get("after")) // the first page has none
	page, more, err := pageOf(b, from.Format, after, pageRows)
	a := &answer{body: page, rows: true}
	if more {
		query := u.Query()
		query.Set("after", strconv.Itoa(after+pageRows))
		a.link = "<https://" + u.Host + u.Path + "?" + query.Encode() + ">; rel=next"
	}
	return a, err
}

// lines is the content that a filter selects.
func (h *host) lines(u *url.URL, from producer.DataFair) *content {
	name, _, _ := strings.Cut(h.offer.place.Fill(from.Filter, nil), "=")
	return h.of(u, name)
}

// pageOf is the rows of a file behind so many, and whether more follow.
func pageOf(b []byte, format string, after, size int) (page []byte, more bool, err error) {
	if format == "geojson" {
		all, err := features(b)
		if err != nil {
			return nil, false, err
		}
		from, to := min(after, len(all)), min(after+size, len(all))
		return featureCollection(all[from:to]), to < len(all), nil
	}
	header, rest, _ := bytes.Cut(b, []byte("\n"))
	in := csv.NewReader(bytes.NewReader(rest))
	in.FieldsPerRecord, in.LazyQuotes, in.ReuseRecord = -1, true, true
	var begin, end int64
	for n := 0; n < after+size; n++ {
		if n == after {
			begin = in.InputOffset()
		}
		if _, err := in.Read(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, false, err
		}
		end = in.InputOffset()
	}
	page = append(append(page, header...), '\n')
	return append(page, rest[begin:max(begin, end)]...), end < int64(len(rest)), nil
}

func (h *host) wfs(u *url.URL) (*answer, error) {
	c := h.of(u, "TYPENAMES")
	hits := u.Query().Get("RESULTTYPE") == "hits"
	total, err := 1, error(nil)
	if h.final {
		total, err = countOf(c, "geojson", 0)
	}
	if hits || err != nil {
		return &answer{body: fmt.Appendf(nil, `<?xml version="1.0" encoding="UTF-8"?><wfs:FeatureCollection `+
			`xmlns:wfs="http://www.opengis.net/wfs/2.0" numberMatched="%d" numberReturned="0"/>`, total)}, err
	}
	if c == nil {
		return nil, nil
	}
	b, err := c.bytes()
	if err != nil {
		return nil, err
	}
	start, _ := strconv.Atoi(u.Query().Get("STARTINDEX")) // the first page has none
	page, _, err := pageOf(b, "geojson", start, pageRows)
	return &answer{body: page, rows: true}, err
}

// overpass answers with the objects of a file, each by its first position.
func (h *host) overpass(u *url.URL) (*answer, error) {
	c := h.of(u, "data")
	if c == nil {
		return nil, nil
	}
	b, err := c.bytes()
	if err != nil {
		return nil, err
	}
	all, err := features(b)
	if err != nil {
		return nil, err
	}
	elements := []any{map[string]any{"type": "count", "id": 0, "tags": map[string]string{"areas": "1", "total": "1"}}}
	for i, f := range all {
		e, err := element(i, f)
		if err != nil {
			return nil, err
		}
		elements = append(elements, e)
	}
	body, err := json.Marshal(map[string]any{"version": 0.6, "elements": elements})
	return &answer{body: body, rows: true}, err
}

// element is a feature as an object of OpenStreetMap. Without an identifier it has its number in the file.
func element(number int, b json.RawMessage) (any, error) {
	var f struct {
		ID         any
		Properties map[string]any
		Geometry   struct{ Coordinates any }
	}
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, err
	}
	kind, id := "node", number+1
	name, _ := f.ID.(string)
	if before, after, found := strings.Cut(name, "/"); found {
		if n, err := strconv.Atoi(after); err == nil {
			kind, id = before, n
		}
	}
	tags := map[string]string{}
	for key, value := range f.Properties {
		if text, is := value.(string); is && !strings.HasPrefix(key, "@") {
			tags[key] = text
		}
	}
	lon, lat := first(f.Geometry.Coordinates)
	return map[string]any{"type": kind, "id": id, "lat": lat, "lon": lon, "tags": tags}, nil
}

// first is the first position in coordinates of any depth.
func first(coordinates any) (lon, lat float64) {
	list, _ := coordinates.([]any)
	if len(list) == 0 {
		return 0, 0
	}
	if x, is := list[0].(float64); is && len(list) > 1 {
		y, _ := list[1].(float64)
		return x, y
	}
	return first(list[0])
}

// rows counts the records of a table as a client does that reads it whole; the header counts.
func rows(b []byte, separator rune) (int, error) {
	in := csv.NewReader(bytes.NewReader(b))
	in.Comma, in.FieldsPerRecord, in.LazyQuotes, in.ReuseRecord = separator, -1, true, true
	for n := 0; ; n++ {
		if _, err := in.Read(); err == io.EOF {
			return n, nil
		} else if err != nil {
			return n, err
		}
	}
}

// separated writes a table with semicolons, if it has commas.
func separated(b []byte) ([]byte, error) {
	header, _, _ := bytes.Cut(b, []byte("\n"))
	if bytes.Contains(header, []byte(";")) || !bytes.Contains(header, []byte(",")) {
		return b, nil
	}
	in := csv.NewReader(bytes.NewReader(b))
	in.FieldsPerRecord, in.LazyQuotes = -1, true
	all, err := in.ReadAll()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	w.Comma = ';'
	err = w.WriteAll(all)
	return out.Bytes(), err
}
