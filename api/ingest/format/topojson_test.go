package format_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/api/ingest/format"
	"arpent/api/source"
	"arpent/app/dev/loadkit"
)

// twoSquares are two squares that share the arc 0 and an island, in cells of half a degree. b lies east of a and follows
// the shared arc backwards; c is a polygon with a hole, and an island.
const twoSquares = `{"type":"Topology","bbox":[0,0,1,1],"transform":{"scale":[0.5,0.5],"translate":[2,48]},
"arcs":[[[2,0],[0,2]],[[2,2],[-2,0],[0,-2],[2,0]],[[2,0],[2,0],[0,2],[-2,0]],[[8,8],[1,0],[0,1],[-1,-1]],[[0,8],[4,0],[0,4],[-4,-4]],[[1,9],[0,0],[1,1],[0,-1],[-1,0]]],
"objects":{"places":{"type":"GeometryCollection","geometries":[
 {"type":"Polygon","arcs":[[0,1]],"properties":{"code":"a"}},
 {"type":"Polygon","arcs":[[2,-1]],"id":"b","properties":{"code":"b"}},
 {"type":"MultiPolygon","arcs":[[[4],[5]],[[3]]],"properties":{"code":"c"}}%s]},
 "others":{"type":"GeometryCollection","geometries":[]}}}`

func placesOf(t *testing.T, content string, layers ...string) (records []string, err error) {
	t.Helper()
	path := placed(t, []string{"x"}, content)
	r, err := format.Open(t.Context(), path, source.Read{Format: source.GeoJSON, Layers: layers}, format.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		record, err := r.Next()
		if bad, is := err.(*format.RecordError); is {
			records = append(records, fmt.Sprint(bad.Line, ": ", bad.Reason))
			continue
		}
		if err != nil {
			return records, err
		}
		code, _ := record.Fields.Text("code")
		records = append(records, code+" "+strings.ReplaceAll(string(record.Shape), ".0000000", ""))
	}
}

// Outlines that share their borders in a topology are the polygons that were meant: each arc in its direction, once.
func TestPolygonsOfATopology(t *testing.T) {
	t.Parallel()
	const c = `c {"type":"MultiPolygon","coordinates":[[[[2,52],[4,52],[4,54],[2,52]],` +
		`[[2.5000000,52.5000000],[2.5000000,52.5000000],[3,53],[3,52.5000000],[2.5000000,52.5000000]]],[[[6,52],[6.5000000,52],[6.5000000,52.5000000],[6,52]]]]}`
	records, err := placesOf(t, fmt.Sprintf(twoSquares, `,{"type":null,"properties":{"code":"d"}},{"type":"Point","coordinates":[1,1]},
		{"type":"Polygon","arcs":[[0,3]]},{"type":"Polygon","arcs":[[9]]},{"type":"Polygon","arcs":[0]},7`), "PLACES")
	want := []string{
		`a {"type":"MultiPolygon","coordinates":[[[[3,48],[3,49],[2,49],[2,48],[3,48]]]]}`,
		`b {"type":"MultiPolygon","coordinates":[[[[3,48],[4,48],[4,49],[3,49],[3,48]]]]}`,
		c,
		"d ",
		`5: its geometry is a "Point"; of a topology polygons alone are read`,
		"6: the arcs of its shape do not meet",
		"7: its shape refers to arc 9; the topology has 6",
		"8: its arcs are not lists of whole numbers",
		"9: it is not an object of the expected form",
	}
	if strings.Join(records, "\n") != strings.Join(want, "\n") {
		t.Errorf("read\n%s\nwant\n%s", strings.Join(records, "\n"), strings.Join(want, "\n"))
	}
	loadkit.Contains(t, err, "EOF")
}

// A topology that is not whole is refused, and so is one that would fill the memory.
func TestTopologiesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	whole := fmt.Sprintf(twoSquares, "")
	repeated := `{"type":"Polygon","arcs":[[` + strings.Repeat("1,-2,", 100) + `0]]}`
	for name, tc := range map[string]struct{ content, says string }{
		"cut off":                  {whole[:len(whole)-3], "its end is missing"},
		"cut off in its arcs":      {whole[:200], "its end is missing"},
		"something after its end":  {whole + "{}", "something after its end"},
		"no objects":               {`{"type":"Topology","arcs":[]}`, "expected one of"},
		"another object":           {strings.Replace(whole, `"places"`, `"elsewhere"`, 1), `it has the layers ["elsewhere" "others"]`},
		"a number that is a text":  {strings.Replace(whole, "[8,8]", `[8,"8"]`, 1), "where a number should be"},
		"a position of one number": {strings.Replace(whole, "[8,8]", "[8]", 1), "fewer than 2 numbers"},
		"arcs that are an object":  {`{"type":"Topology","arcs":{}}`, "where an array should be"},
		"far more than its arcs":   {fmt.Sprintf(twoSquares, strings.Repeat(","+repeated, 3)), "more than 16 times"},
	} {
		_, err := placesOf(t, tc.content, "places")
		t.Run(name, func(t *testing.T) { loadkit.Contains(t, err, tc.says) })
	}
	_, err := placesOf(t, `{"type":"Topology",`+strings.Repeat(" ", 64<<20)+`"arcs":[]}`)
	loadkit.Contains(t, err, "longer than 64 MiB")
}

// A topology never ends the program, whatever it holds.
func FuzzTopology(f *testing.F) {
	f.Add(fmt.Sprintf(twoSquares, ""))
	f.Add(`{"type":"Topology","arcs":[[]],"objects":{"places":{"geometries":[{"type":"Polygon","arcs":[[0,-1]]}]}}}`)
	f.Fuzz(func(t *testing.T, content string) {
		if strings.HasPrefix(content, `{"type":"Topology"`) {
			_, _ = placesOf(t, content, "places")
		}
	})
}
