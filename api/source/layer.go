package source

// Any number of sources and scopes fill a layer of the report side by side, see Target.Part.

// ShapeLayer is the table of a layer of shapes. Its rows have id, attrs (jsonb) and a subdivided geometry.
func ShapeLayer(layer string) Target {
	return Target{Table: "geo.enrich_" + layer, Key: []string{"part", "id", "piece"}, Part: true}
}

// FactLayer is the table of a layer of facts. Its rows have id, commune (may be null) and attrs (jsonb).
func FactLayer(layer string) Target {
	return Target{Table: "geo.enrich_" + layer, Key: []string{"part", "id"}, Part: true}
}

// Covers declares that a load is complete for a layer within its scope: all of France, a département or a commune.
func Covers(layer string) []Coverage { return []Coverage{{Layer: layer}} }
