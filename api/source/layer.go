package source

// The layers of the report are filled by any number of sources and scopes side by side, see Target.Part.

// ShapeLayer is the table of a layer of shapes. Its rows have id, attrs (jsonb) and a geometry cut into pieces.
func ShapeLayer(layer string) Target {
	return Target{Table: "geo.enrich_" + layer, Key: []string{"part", "id", "piece"}, Part: true}
}

// FactLayer is the table of a layer of facts. Its rows have id, commune (may be null) and attrs (jsonb).
func FactLayer(layer string) Target {
	return Target{Table: "geo.enrich_" + layer, Key: []string{"part", "id"}, Part: true}
}

// Covers says that a load tells all there is of a layer within its scope: all of France, a département or a commune.
func Covers(layer string) []Coverage { return []Coverage{{Layer: layer}} }
