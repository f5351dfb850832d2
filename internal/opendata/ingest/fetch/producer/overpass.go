package producer

import (
	"arpent/internal/opendata/ingest/fetch"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
)

// Overpass is the OpenStreetMap objects with a tag in a département, as GeoJSON: points, with the tags
// as properties and the member id "node/123".
type Overpass struct{ Key, Value string }

const overpass = "https://overpass-api.de/api/interpreter"

// String implements fetch.Resolver.
func (o Overpass) String() string { return overpass + " (" + o.Key + "=" + o.Value + ")" }

// buildQuery asks for the objects, before them for the number of areas found. The Rhône is an area of
// level 5, with parts 69D and 69M; a région of the same code is one of level 4. The time limit is
// below ours for a server that says nothing.
func (o Overpass) buildQuery(departement string) string {
	return fmt.Sprintf(`[out:json][timeout:50];area["boundary"="administrative"]["admin_level"~"^[56]$"]["ref:INSEE"~"^%s[DM]?$"]->.d;`+
		`.d out count;nwr[%q=%q](area.d);out tags center;`, departement, o.Key, o.Value)
}

// Resolve implements fetch.Resolver. The service is not asked before the file is written.
func (o Overpass) Resolve(_ context.Context, _ *fetch.Client, p fetch.Place) ([]fetch.Remote, error) {
	if p.Departement == "" {
		return nil, errors.New("the Overpass service is asked for one département at a time")
	}
	address := overpass + "?" + url.Values{"data": {o.buildQuery(p.Departement)}}.Encode()
	return []fetch.Remote{{Address: address, Served: o.Value + ".geojson",
		Write: func(ctx context.Context, c *fetch.Client, w io.Writer) error {
			return o.writeFeatures(ctx, c, w, address)
		}}}, nil
}

type overpassElement struct {
	Type     string
	ID       int64
	Lat, Lon json.Number
	Center   struct{ Lat, Lon json.Number }
	Tags     map[string]string
}

// writeFeatures converts the answer. One that the service had to end early has a remark.
func (o Overpass) writeFeatures(ctx context.Context, c *fetch.Client, w io.Writer, address string) error {
	out := newCollection(w)
	var others map[string]json.RawMessage
	_, err := readData(ctx, c, address, func(body io.Reader) (err error) {
		others, err = readMembers(body, "elements", func(b json.RawMessage) error {
			var e overpassElement
			if err := json.Unmarshal(b, &e); err != nil {
				return err
			}
			if e.Type == "count" && e.Tags["areas"] == "0" {
				return errors.New("it knows no such département")
			}
			return out.addPoint(e) // a count has no position
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("read %s: %w", o, err)
	}
	var remark string
	if b := others["remark"]; b != nil {
		if err := json.Unmarshal(b, &remark); err != nil {
			return fmt.Errorf("read %s: %w", o, err)
		}
	}
	if strings.Contains(remark, "error") {
		return fetch.Temporary(fmt.Errorf("%s answers: %s", o, remark))
	}
	return out.close()
}

// addPoint adds an object by its position, that of a way or relation being the middle
// of its extent. One without any is left out.
func (c *collection) addPoint(e overpassElement) error {
	lon, lat := e.Lon, e.Lat
	if lon == "" {
		lon, lat = e.Center.Lon, e.Center.Lat
	}
	if lon == "" {
		return nil
	}
	feature, err := json.Marshal(map[string]any{
		"type": "Feature", "id": fmt.Sprintf("%s/%d", e.Type, e.ID), "properties": e.Tags,
		"geometry": map[string]any{"type": "Point", "coordinates": []json.Number{lon, lat}},
	})
	if err != nil {
		return err
	}
	return c.addFeature(feature)
}
