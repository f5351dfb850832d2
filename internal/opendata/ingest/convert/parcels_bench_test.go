package convert_test

import (
	"errors"
	"io"
	"slices"
	"testing"

	"arpent/app/dev/testkit"
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
	testkit.NoError(b, err)
	b.ReportAllocs()
	rows := 0
	for b.Loop() {
		r, err := format.Open(b.Context(), path, src.Read, format.Options{Geometry: src.Geometry})
		testkit.NoError(b, err)
		for {
			rec, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			testkit.NoError(b, err)
			_, err = conv.AppendRow(nil, rec, map[string]string{"scope": "93010"}, r.Projection())
			testkit.NoError(b, err)
			rows++
		}
		testkit.NoError(b, r.Close())
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows), "ns/parcel")
}
