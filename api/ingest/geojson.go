package ingest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// member reads a member of the collection other than the features.
func (r *jsonReader) member(name json.Token) error {
	var value json.RawMessage
	if err := r.dec.Decode(&value); err != nil {
		return err
	}
	if name != "crs" {
		return nil
	}
	srid, err := namedSRID(value)
	r.srid = srid
	return err
}

var epsgName = regexp.MustCompile(`(?i)EPSG:(?:[0-9.]*:)?([0-9]+)$`)

// namedSRID reads the crs member of older GeoJSON files; 0 stands for longitude and latitude.
func namedSRID(value []byte) (int, error) {
	var crs *struct {
		Properties struct{ Name string }
	}
	if err := json.Unmarshal(value, &crs); err != nil {
		return 0, fmt.Errorf("read its crs: %w", err)
	}
	if crs == nil || strings.HasSuffix(crs.Properties.Name, "CRS84") {
		return 0, nil
	}
	m := epsgName.FindStringSubmatch(crs.Properties.Name)
	if m == nil {
		return 0, fmt.Errorf("its crs %q is not known", crs.Properties.Name)
	}
	srid, err := strconv.Atoi(m[1])
	if srid == wgs84 {
		srid = 0
	}
	return srid, err
}
