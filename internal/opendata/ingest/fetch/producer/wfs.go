package producer

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"arpent/internal/opendata/ingest/fetch"
)

// WFS is a layer of a Web Feature Service, page after page, joined into
// one GeoJSON feature collection in degrees.
type WFS struct {
	Endpoint string // "https://data.geopf.fr/wfs/ows"
	Layer    string // "patrinat_znieff1:znieff1"
	// Sort is the attributes that order the objects, for a layer of more than a page that has no key:
	// "date_mission,id". Without it a server answers that it cannot page through the layer.
	Sort string
}

const (
	wfsPage    = 5000 // the most that the Géoplateforme gives
	wfsDegrees = "EPSG:4326"
	roundCount = 1000 // services that count no further than some number stop at a multiple of it
)

// String implements fetch.Resolver.
func (s WFS) String() string { return s.Endpoint + " (" + s.Layer + ")" }

// requestURL is the address of a request, which further parameters complete.
func (s WFS) requestURL(further url.Values) string {
	query := url.Values{"SERVICE": {"WFS"}, "VERSION": {"2.0.0"}, "REQUEST": {"GetFeature"},
		"TYPENAMES": {s.Layer}}
	maps.Copy(query, further)
	separator := "?"
	if strings.Contains(s.Endpoint, "?") {
		separator = "&"
	}
	return s.Endpoint + separator + query.Encode()
}

// pageURL is the address of the page behind so many objects.
func (s WFS) pageURL(start int64) string {
	query := url.Values{"SRSNAME": {wfsDegrees}, "OUTPUTFORMAT": {"application/json"},
		"COUNT": {strconv.Itoa(wfsPage)}}
	if start > 0 { // a layer without a key can only be read from its start
		query.Set("STARTINDEX", strconv.FormatInt(start, 10))
	}
	if s.Sort != "" {
		query.Set("SORTBY", s.Sort)
	}
	return s.requestURL(query)
}

// Resolve implements fetch.Resolver. The file has no size in advance.
func (s WFS) Resolve(ctx context.Context, c *fetch.Client, _ fetch.Place) ([]fetch.Remote, error) {
	total, err := s.fetchObjectCount(ctx, c)
	if err != nil {
		return nil, err
	}
	if total == 0 {
		return nil, fmt.Errorf("%s has no objects", s)
	}
	name := s.Layer[strings.LastIndex(s.Layer, ":")+1:] + ".geojson"
	return []fetch.Remote{{Address: s.pageURL(0), Served: name, Write: s.writePages}}, nil
}

// wfsAnswer is the count of objects, or an exception report.
type wfsAnswer struct {
	XMLName    xml.Name
	Matched    string   `xml:"numberMatched,attr"`
	Exceptions []string `xml:"Exception>ExceptionText"`
}

// fetchObjectCount is how many objects there are; -1 where the service does not know.
func (s WFS) fetchObjectCount(ctx context.Context, c *fetch.Client) (int64, error) {
	address := s.requestURL(url.Values{"RESULTTYPE": {"hits"}})
	b, err := c.Bytes(ctx, address)
	if err != nil {
		return 0, err
	}
	var answer wfsAnswer
	err = xml.Unmarshal(b, &answer)
	switch {
	case len(answer.Exceptions) > 0:
		return 0, fmt.Errorf("%s answers: %s", s, strings.Join(answer.Exceptions, " "))
	case err != nil || answer.XMLName.Local != "FeatureCollection":
		return 0, fmt.Errorf("%s answers with no count of objects: %s", address, fetch.Describe(b))
	case answer.Matched == "unknown" || answer.Matched == "":
		return -1, nil
	}
	total, err := strconv.ParseInt(answer.Matched, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s has a count of objects that is no number: %w", address, err)
	}
	return total, nil
}

// writePages joins the pages. Their number of objects must be that of the service's count. Behind a count
// that is round a further page is tried: the service may count no further than that.
func (s WFS) writePages(ctx context.Context, c *fetch.Client, w io.Writer) error {
	want, err := s.fetchObjectCount(ctx, c)
	if err != nil {
		return err
	}
	isRound := want > 0 && want%roundCount == 0
	joined := newCollection(w)
	for want < 0 || joined.features < want || isRound {
		n, err := s.joinPage(ctx, c, joined)
		var status *fetch.StatusError
		isBehind := isRound && joined.features >= want
		if isBehind && errors.As(err, &status) && status.Status < http.StatusInternalServerError {
			break // the service knows no page there
		}
		if err != nil {
			return err
		}
		if n == 0 || want < 0 && n < wfsPage {
			break
		}
	}
	if joined.features < want || want >= 0 && joined.features > want && !isRound {
		return incompleteError(s.pageURL(0), "objects", joined.features, want)
	}
	return joined.close()
}

var degrees = regexp.MustCompile(`4326|CRS84`)

// joinPage adds the page behind the objects that are there, and returns how many it has.
func (s WFS) joinPage(ctx context.Context, c *fetch.Client, joined *collection) (n int64, err error) {
	address, have := s.pageURL(joined.features), joined.features
	_, err = readData(ctx, c, address, func(page io.Reader) error {
		var others map[string]json.RawMessage
		n, others, err = joined.addPage(page)
		if crs := string(others["crs"]); err == nil && crs != "" && crs != "null" && !degrees.MatchString(crs) {
			err = fmt.Errorf("it is not in degrees but in %s", crs)
		}
		return err
	})
	if err != nil {
		return n, fmt.Errorf("read %s after %d objects: %w", address, have, err)
	}
	return n, nil
}
