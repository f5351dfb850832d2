package geom_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/geom"
)

// ring is x, y, x, y… in degrees, closed.
type ring []float64

type polygon []ring

// encodeWKB encodes polygons, as a Polygon when single is set.
func encodeWKB(order binary.AppendByteOrder, single bool, polygons ...polygon) []byte {
	head := func(b []byte, kind uint32) []byte {
		b = append(b, map[bool]byte{true: 1, false: 0}[order == binary.AppendByteOrder(binary.LittleEndian)])
		return order.AppendUint32(b, kind)
	}
	var b []byte
	if !single {
		b = order.AppendUint32(head(b, 6), uint32(len(polygons)))
	}
	for _, p := range polygons {
		b = order.AppendUint32(head(b, 3), uint32(len(p)))
		for _, r := range p {
			b = order.AppendUint32(b, uint32(len(r)/2))
			for _, v := range r {
				b = order.AppendUint64(b, math.Float64bits(v))
			}
		}
	}
	return b
}

func decodeShape(t testing.TB, polygons ...polygon) geom.Shape {
	t.Helper()
	s, err := new(geom.Arena).Decode(encodeWKB(binary.LittleEndian, len(polygons) == 1, polygons...))
	testkit.NoError(t, err)
	return s
}

var (
	square  = ring{0, 0, 4, 0, 4, 4, 0, 4, 0, 0}
	hole    = ring{1, 1, 1, 3, 3, 3, 3, 1, 1, 1}
	islet   = ring{1.5, 1.5, 2.5, 1.5, 2.5, 2.5, 1.5, 2.5, 1.5, 1.5}
	diamond = ring{10, 0, 12, 2, 10, 4, 8, 2, 10, 0}
)

// A point on a border belongs to what it borders, and one in an enclave to the enclave alone.
func TestCovers(t *testing.T) {
	t.Parallel()
	withHole := decodeShape(t, polygon{square, hole}, polygon{islet}, polygon{diamond})
	for _, tc := range []struct {
		name     string
		lon, lat float64
		want     bool
	}{
		{"inside", 0.5, 0.5, true},
		{"corner", 0, 0, true},
		{"top corner", 4, 4, true},
		{"horizontal edge", 2, 4, true},
		{"beyond a horizontal edge", 4.0000001, 4, false},
		{"vertical edge", 4, 2.2, true},
		{"just outside", 4.0000001, 2.2, false},
		{"in the hole", 1.2, 1.2, false},
		{"border of the hole", 1, 2, true},
		{"in the islet in the hole", 2, 2, true},
		{"diagonal edge", 9, 1, true},
		{"diagonal edge, one unit inside", 9.0000001, 1, true},
		{"diagonal edge, one unit outside", 8.9999999, 1, false},
		{"level with a vertex, outside", 7.9, 2, false},
		{"top vertex", 10, 4, true},
		{"bottom vertex", 10, 0, true},
		{"level with the top vertex", 9.9, 4, false},
	} {
		if got := withHole.Covers(geom.Snap(tc.lon, tc.lat)); got != tc.want {
			t.Errorf("%s (%v, %v): covered %v, want %v", tc.name, tc.lon, tc.lat, got, tc.want)
		}
	}
}

// A shape covers the same points when it is indexed, those on its
// vertices and as far north as one among them.
func TestIndexedCoversTheSame(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for edges := 3; edges < 120; edges += 7 {
		var line ring
		for i := range edges {
			angle, radius := 2*math.Pi*float64(i)/float64(edges), 3+6*random.Float64()
			line = append(line, math.Round(10+radius*math.Cos(angle)), math.Round(10+radius*math.Sin(angle)))
		}
		s := decodeShape(t, polygon{append(line, line[:2]...)}, polygon{square, hole})
		indexed := new(geom.Arena).Indexed(s)
		for x := range 21 {
			for y := range 21 {
				p := geom.Snap(float64(x), float64(y))
				if got, want := indexed.Covers(p), s.Covers(p); got != want {
					t.Fatalf("%d edges, %v: covered %v, indexed %v", edges, p, want, got)
				}
			}
		}
	}
}

// The widest edges there are do not overflow: a wrong sign would put half of the world in the wrong place.
func TestCoversTheWholeWorld(t *testing.T) {
	t.Parallel()
	world := decodeShape(t, polygon{{-180, -90, 180, -90, 180, 90, -180, -90}})
	for _, tc := range []struct {
		lon, lat float64
		want     bool
	}{{0, 0, true}, {180, 90, true}, {-180, -90, true}, {0, 0.0000001, false}, {0, -0.0000001, true},
		{-180, 90, false}, {179.9999998, 90, false}, {179.9999998, 89.9999998, true}} {
		if got := world.Covers(geom.Snap(tc.lon, tc.lat)); got != tc.want {
			t.Errorf("(%v, %v): covered %v, want %v", tc.lon, tc.lat, got, tc.want)
		}
	}
}

// A coordinate is written as it was published, and parses as GeoJSON.
func TestGeoJSON(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		shape geom.Shape
		want  string
	}{
		{decodeShape(t, polygon{{0, 0, -0.1, 0, -179.9999999, 80.00001, 0, 0}}),
			`{"type":"Polygon","coordinates":[[[0,0],[-179.9999999,80.00001],[-0.1,0],[0,0]]]}`},
		{decodeShape(t, polygon{square, hole}, polygon{islet}),
			`{"type":"MultiPolygon","coordinates":[[[[0,0],[4,0],[4,4],[0,4],[0,0]],[[1,1],[1,3],[3,3],[3,1],[1,1]]],` +
				`[[[1.5,1.5],[2.5,1.5],[2.5,2.5],[1.5,2.5],[1.5,1.5]]]]}`},
		{geom.Shape{}, "null"},
	} {
		got := string(tc.shape.AppendGeoJSON(nil))
		if got != tc.want {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
		if len(got) > tc.shape.MaxGeoJSONLen() {
			t.Errorf("length %d announced, %d written: %s", tc.shape.MaxGeoJSONLen(), len(got), got)
		}
	}
}

// Every coordinate comes out as the shortest decimal number that reads back as itself.
func TestGeoJSONNumbers(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		x := float64(random.Int32N(3_600_000_001/2)*2-1_800_000_000) / 1e7
		y := math.Trunc((random.Float64()*180-90)*1e5) / 1e5
		s := decodeShape(t, polygon{{x, y, 0, 0, 1, 1, x, y}})
		var got struct{ Coordinates [][][2]json.Number }
		body := s.AppendGeoJSON(nil)
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		first := got.Coordinates[0][0]
		if lon, lat := formatDegrees(x), formatDegrees(y); first[0].String() != lon || first[1].String() != lat {
			t.Fatalf("got %v, want %s, %s", first, lon, lat)
		}
		if len(body) > s.MaxGeoJSONLen() {
			t.Fatalf("length %d announced, %d written: %s", s.MaxGeoJSONLen(), len(body), body)
		}
	}
}

func formatDegrees(v float64) string {
	s := strings.TrimRight(fmt.Sprintf("%.7f", v), "0")
	return strings.TrimSuffix(map[bool]string{true: "0", false: s}[s == "-0."], ".")
}

// What is no polygon in WGS84 is refused with a reason, and never taken for one.
func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	good := encodeWKB(binary.LittleEndian, false, polygon{square})
	withSRID := func(srid uint32) []byte {
		b := slices.Clone(good)
		binary.LittleEndian.PutUint32(b[1:], 6|0x20000000)
		return slices.Concat(b[:5], binary.LittleEndian.AppendUint32(nil, srid), b[5:])
	}
	for name, tc := range map[string]struct {
		wkb  []byte
		want string
	}{
		"nothing":     {nil, "too early"},
		"cut":         {good[:len(good)-1], "too early"},
		"more":        {append(slices.Clone(good), 0), "follow"},
		"point":       {[]byte{1, 1, 0, 0, 0}, "type 1"},
		"order":       {[]byte{9, 1, 0, 0, 0}, "byte order 9"},
		"huge count":  {[]byte{1, 3, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, "too early"},
		"other SRID":  {withSRID(2154), "2154"},
		"three D":     {[]byte{1, 3, 0, 0, 0x80, 0, 0, 0, 0}, "two dimensions"},
		"open ring":   {encodeWKB(binary.LittleEndian, true, polygon{{0, 0, 1, 0, 1, 1, 0, 1}}), "closed"},
		"two points":  {encodeWKB(binary.LittleEndian, true, polygon{{0, 0, 1, 0, 0, 0}}), "3 vertices"},
		"not a place": {encodeWKB(binary.LittleEndian, true, polygon{{0, 0, 181, 0, 1, 1, 0, 0}}), "no WGS84"},
		"NaN":         {encodeWKB(binary.LittleEndian, true, polygon{{0, 0, math.NaN(), 0, 1, 1, 0, 0}}), "no WGS84"},
	} {
		if _, err := new(geom.Arena).Decode(tc.wkb); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, tc.want)
		}
	}
	for name, b := range map[string][]byte{"EWKB": withSRID(4326), "big endian": encodeWKB(binary.BigEndian, false, polygon{square})} {
		s, err := new(geom.Arena).Decode(b)
		if body := s.AppendGeoJSON(nil); err != nil || bytes.Count(body, []byte("],[")) != 4 {
			t.Errorf("%s: %s instead of 5 vertices, error %v", name, body, err)
		}
	}
}

// Shapes that share memory do not overwrite each other, whatever their sizes.
func TestArenaKeepsShapesApart(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	var arena geom.Arena
	var shapes []geom.Shape
	var want []string
	for i := range 2_000 {
		n := 4 + random.IntN(60)
		if i%200 == 0 {
			n = 30_000
		}
		r := make(ring, 0, 2*n)
		for range n - 1 {
			r = append(r, float64(random.IntN(180)), float64(random.IntN(90)))
		}
		r = append(r, r[0], r[1])
		s, err := arena.Decode(encodeWKB(binary.LittleEndian, true, polygon{r}))
		testkit.NoError(t, err)
		if i%7 == 0 { // a refused shape leaves nothing behind
			if _, err := arena.Decode(encodeWKB(binary.LittleEndian, true, polygon{{0, 0, 1, 0, 1, 1, 0, 1}})); err == nil {
				t.Fatal("an open ring was taken")
			}
		}
		shapes, want = append(shapes, s), append(want, string(s.AppendGeoJSON(nil)))
	}
	for i, s := range shapes {
		if string(s.AppendGeoJSON(nil)) != want[i] {
			t.Fatalf("shape %d was overwritten", i)
		}
	}
}

// The tree misses no box, nor does one that is made again from its two lists: a missed one is a commune that
// answers 404, or a hole in a map.
func TestTree(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	randomBox := func(size int32) geom.Box {
		x, y := random.Int32N(1000), random.Int32N(1000)
		return geom.Box{MinX: x, MinY: y, MaxX: x + random.Int32N(size), MaxY: y + random.Int32N(size)}
	}
	for _, n := range []int{0, 1, 15, 16, 17, 256, 257, 5_000} {
		boxes := make([]geom.Box, n)
		for i := range boxes {
			boxes[i] = randomBox(60)
		}
		tree := geom.NewTree(boxes)
		again := geom.TreeOf(tree.Packed())
		for range 1_000 {
			p, frame := geom.Point{X: random.Int32N(1100), Y: random.Int32N(1100)}, randomBox(300)
			var around, inside []int32
			for i, b := range boxes {
				if b.MinX <= p.X && p.X <= b.MaxX && b.MinY <= p.Y && p.Y <= b.MaxY {
					around = append(around, int32(i))
				}
				if b.Touches(frame) {
					inside = append(inside, int32(i))
				}
			}
			for _, of := range []*geom.Tree{tree, &again} {
				if got := slices.Sorted(of.At(p)); !slices.Equal(got, around) {
					t.Fatalf("%d boxes, %v: found %v, want %v", n, p, got, around)
				}
				if got := slices.Sorted(of.In(frame)); !slices.Equal(got, inside) {
					t.Fatalf("%d boxes: %v lie in %v, want %v", n, got, frame, inside)
				}
			}
		}
		leaves := 0
		for id, of := range tree.Leaves() {
			if leaves++; of != boxes[id] {
				t.Errorf("leaf %d is %v", id, of)
			}
		}
		if leaves != n {
			t.Errorf("%d leaves of %d boxes", leaves, n)
		}
	}
}

// Whatever bytes come, decoding ends with a shape that can be used or with an error.
func FuzzDecode(f *testing.F) {
	f.Add(encodeWKB(binary.LittleEndian, false, polygon{square, hole}, polygon{islet}))
	f.Add(encodeWKB(binary.BigEndian, true, polygon{diamond}))
	f.Add([]byte{1, 3, 0, 0, 0, 0xff, 0xff, 0xff, 0xff})
	f.Add([]byte{1, 6, 0, 0, 0x20, 0xe6, 0x10, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := new(geom.Arena).Decode(b)
		if err != nil {
			return
		}
		s.Covers(geom.Point{X: 1, Y: 1})
		s.Bounds()
		body := s.AppendGeoJSON(nil)
		if !json.Valid(body) || len(body) > s.MaxGeoJSONLen() {
			t.Fatalf("wrote %d bytes, announced %d: %s", len(body), s.MaxGeoJSONLen(), body)
		}
	})
}

// What PostGIS is given of a shape is the shape: polygons, holes and positions.
func TestEWKB(t *testing.T) {
	t.Parallel()
	s := decodeShape(t, polygon{square, hole}, polygon{{5, 5, 6.1234567, 5, 6, -6.7654321, 5, 5}})
	again, err := new(geom.Arena).Decode(s.AppendEWKB(nil))
	if got, want := again.AppendGeoJSON(nil), s.AppendGeoJSON(nil); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s was written as %s (%v)", want, got, err)
	}
}

// The box around a point contains what is so many metres away, and not much more; near the pole and the date
// line it is a box too.
func TestWithin(t *testing.T) {
	t.Parallel()
	for _, lat := range []float64{0, 48.9, -21, 70} {
		box := geom.Snap(2.5, lat).Within(100)
		north, east := float64(box.MaxY)/1e7-lat, (float64(box.MaxX)/1e7-2.5)*math.Cos(lat*math.Pi/180)
		for _, degrees := range []float64{north, east} {
			if metres := degrees * 111_320; metres < 100 || metres > 103 {
				t.Errorf("at latitude %v it reaches %f m", lat, metres)
			}
		}
	}
	box := geom.Snap(180, 90).Within(50_000)
	if box.MaxX != 1_800_000_000 || box.MaxY != 900_000_000 || box.MinX >= box.MaxX {
		t.Errorf("%+v", box)
	}
}
