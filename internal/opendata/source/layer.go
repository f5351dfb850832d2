package source

import (
	"fmt"
	"strings"
)

// Any number of sources and scopes fill a layer of the report side by side, see Target.Part.

// ShapeLayer is the table of a layer of shapes. Its rows have id, attrs (jsonb) and a subdivided geometry.
// indexes are the CREATE INDEX statements of those that the layer has in addition to the usual ones.
func ShapeLayer(layer string, indexes ...string) Target {
	return layerTarget(layer, "geo.enrich_shape", indexes, "part", "id", "piece")
}

// FactLayer is the table of a layer of facts. Its rows have id, commune (may be null) and attrs (jsonb).
func FactLayer(layer string) Target {
	return layerTarget(layer, "geo.enrich_fact", nil, "part", "id")
}

// layerTarget returns the target of the table of a layer, made as CREATE TABLE geo.enrich_monument (LIKE
// geo.enrich_shape INCLUDING ALL).
func layerTarget(layer, form string, indexes []string, key ...string) Target {
	table := "geo.enrich_" + layer
	create := fmt.Sprintf("CREATE TABLE %s (LIKE %s INCLUDING ALL);\n", table, form) +
		strings.Join(indexes, "\n")
	return Target{Table: table, Create: create, Key: key, Part: true}
}

// Covers declares that a load is complete for a layer within its scope:
// all of France, a département or a commune.
func Covers(layer string) []Coverage { return []Coverage{{Layer: layer}} }

// ParcelLayer is the layer of the parcels themselves. The communes that it covers are those of
// geo.parcelle_commune.
const ParcelLayer = "parcels"

// Layers are those that the loads of a source cover.
func (s Source) Layers() (layers []string) {
	if s.Target.Table == "geo.parcel_block" {
		layers = append(layers, ParcelLayer)
	}
	for _, c := range s.Covers {
		layers = append(layers, c.Layer)
	}
	return layers
}

// MapLayer is a layer of areas that maps draw over the plan, in vector tiles.
type MapLayer struct {
	Name     string   // in the addresses of its tiles
	Layers   []string // of the report, which hold its areas
	Producer string
	MinZoom  int // of its tiles: before it a tile has too many areas

	// Select reads one row: the tile, which is empty where nothing is drawn, and the number of parts of shapes
	// that it was made of. Its parameters are the tile (@z, @x, @y) and the most parts that are read (@limit).
	Select string
}
