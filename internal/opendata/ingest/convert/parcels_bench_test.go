package convert_test

import (
	"errors"
	"io"
	"slices"
	"testing"

	"arpent/internal/opendata/ingest/convert"
	"arpent/internal/opendata/ingest/format"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/topic"
)

// BenchmarkParcels reads a file of parcels of the box and converts its records, as a load does before the
// database: ns/parcel counts one parcel.
func BenchmarkParcels(b *testing.B) {
	const path = "../../../../data/pilots/cadastre-93010-parcelles.2025-01-01.json.gz"
	all := topic.Sources()
	src := all[slices.IndexFunc(all, func(s source.Source) bool { return s.Name == "parcelles-etalab" })]
	conv, err := convert.New(src)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	rows := 0
	for b.Loop() {
		r, err := format.Open(b.Context(), path, src.Read, format.Options{Geometry: src.Geometry})
		if err != nil {
			b.Fatal(err)
		}
		for {
			rec, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			if _, err := conv.AppendRow(nil, rec, map[string]string{"scope": "93010"}, r.Projection()); err != nil {
				b.Fatal(err)
			}
			rows++
		}
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows), "ns/parcel")
}
