package format_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest/format"
	"arpent/internal/opendata/source"
)

// gridText writes a grid as text: 10 m cells from 600000, 6800000 (its south-western corner) on.
func gridText(t *testing.T, columns, rows int, value func(x, y int) string) string {
	t.Helper()
	if _, err := exec.LookPath("gdalinfo"); err != nil {
		t.Skipf("GDAL is not installed: %v", err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "ncols %d\nnrows %d\nxllcorner 600000\nyllcorner 6800000\ncellsize 10\nNODATA_value -9999\n", columns, rows)
	for y := range rows {
		for x := range columns {
			b.WriteString(value(x, y) + " ")
		}
		b.WriteString("\n")
	}
	path := filepath.Join(t.TempDir(), "grid.asc")
	testkit.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	return path
}

// Every cell of a grid is in one tile, at its place, and a cell without a value has none.
func TestRasterTiles(t *testing.T) {
	t.Parallel()
	path := gridText(t, 150, 70, func(x, y int) string {
		if x == 3 && y == 2 || x >= 128 && y >= 64 {
			return "-9999"
		}
		return fmt.Sprint(y*1000 + x)
	})
	tiles, err := format.Tiles(t.Context(), path, 2154)
	testkit.NoError(t, err)
	if len(tiles) != 5 { // three by two, the last of which is empty
		t.Fatalf("%d tiles", len(tiles))
	}
	cells := 0
	for _, tile := range tiles {
		var west, north, width, height int
		for name, into := range map[string]*int{"west": &west, "north": &north, "width": &width, "height": &height} {
			if _, err := fmt.Sscan(tile.Fields[name], into); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if tile.SRID != 2154 || tile.Fields["srid"] != "2154" || tile.Fields["cell_x"] != "10" || len(tile.Cells) != width*height {
			t.Errorf("tile %v of %d cells", tile.Fields, len(tile.Cells))
		}
		for i, v := range tile.Cells {
			x, y := (west-600000)/10+i%width, (6800700-north)/10+i/width
			cells++
			if x == 3 && y == 2 {
				if !math.IsNaN(float64(v)) {
					t.Errorf("the cell without a value has %g", v)
				}
			} else if v != float32(y*1000+x) {
				t.Fatalf("cell %d, %d is %g", x, y, v)
			}
		}
	}
	if cells != 150*70-22*6 {
		t.Errorf("%d cells", cells)
	}
	if first := tiles[0]; !strings.HasPrefix(first.Shape, `{"type":"Polygon","coordinates":[[[600000,6.8007e+06],`) {
		t.Errorf("outline %s", first.Shape)
	}
}

func TestRasterThatCannotBeRead(t *testing.T) {
	t.Parallel()
	path := gridText(t, 2, 2, func(x, y int) string { return "1" })
	if _, err := format.Tiles(t.Context(), path, 0); err == nil || !strings.Contains(err.Error(), "names no projection") {
		t.Errorf("without a projection: %v", err)
	}
	cut := filepath.Join(t.TempDir(), "cut.tif")
	runGDAL(t, "gdal_translate", "-q", "-of", "GTiff", "-outsize", "200", "200", path, cut)
	text, err := os.ReadFile(cut)
	testkit.NoError(t, err)
	testkit.NoError(t, os.WriteFile(cut, text[:len(text)/2], 0o600))
	if tiles, err := format.Tiles(t.Context(), cut, 2154); err == nil {
		t.Errorf("a file that was cut gave %d tiles", len(tiles))
	}
	turned := filepath.Join(t.TempDir(), "turned")
	for says, head := range map[string]string{
		"west to east":           `rasterXSize="2" rasterYSize="2"><GeoTransform>600000, 10, 1, 6800000, 1, -10</GeoTransform>`,
		"cells wide":             `rasterXSize="300000" rasterYSize="1"><GeoTransform>600000, 1, 0, 6800000, 0, -1</GeoTransform>`,
		"200 times as much":      `rasterXSize="20000" rasterYSize="20000"><GeoTransform>600000, 1, 0, 6800000, 0, -1</GeoTransform>`,
		"not what its name says": "",
	} {
		vrt := `<VRTDataset ` + head + `<VRTRasterBand dataType="Byte" band="1"/></VRTDataset>`
		testkit.NoError(t, os.WriteFile(turned+".vrt", []byte(vrt), 0o600))
		from := turned + ".vrt"
		if head != "" {
			runGDAL(t, "gdal_translate", "-q", "-of", "GTiff", "-co", "SPARSE_OK=TRUE", "-co", "COMPRESS=DEFLATE", from, turned+".tif")
		} else if err := os.Rename(from, turned+".tif"); err != nil {
			t.Fatal(err)
		}
		if _, err := format.Tiles(t.Context(), turned+".tif", 2154); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("expected %q: %v", says, err)
		}
	}
	testkit.NoError(t, os.WriteFile(turned+".tif", []byte("no grid at all"), 0o600))
	if _, err := format.Tiles(t.Context(), turned+".tif", 2154); err == nil {
		t.Error("text is taken for a grid")
	}
}

// The projection is the file's own, also when it is given with
// heights; one without a code is left for degrees.
func TestRasterProjections(t *testing.T) {
	t.Parallel()
	for srs, want := range map[string]int{
		"EPSG:2154":  2154,
		"EPSG:3035":  3035,
		"EPSG:5698":  2154, // Lambert-93 with the heights of NGF-IGN69
		"EPSG:4326":  4326,
		"ESRI:54052": 54052,
		"+proj=igh":  54052,
		"+proj=laea +lat_0=46 +lon_0=3 +x_0=600000 +y_0=6800000 +units=m": 4326,
	} {
		path := gridText(t, 4, 4, func(x, y int) string { return fmt.Sprint(10*y + x) })
		tif := filepath.Join(t.TempDir(), "grid.tif")
		args := []string{"-q", "-of", "GTiff", "-a_srs", srs}
		if srs == "EPSG:4326" {
			args = append(args, "-a_ullr", "2", "49", "2.1", "48.9")
		}
		runGDAL(t, "gdal_translate", append(args, path, tif)...)
		tiles, err := format.Tiles(t.Context(), tif, 1)
		if err != nil {
			t.Errorf("%s: %v", srs, err)
			continue
		}
		if len(tiles) != 1 || tiles[0].SRID != want {
			t.Errorf("%s: read as %d", srs, tiles[0].SRID)
		}
	}
}

func runGDAL(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
}

// The grids of an archive that the declaration names are read one
// after the other, and nothing is left of them.
func TestGridsOfAnArchive(t *testing.T) {
	t.Parallel()
	grid := func(value string) string {
		text, err := os.ReadFile(gridText(t, 70, 10, func(int, int) string { return value }))
		testkit.NoError(t, err)
		return string(text)
	}
	archive := loadkit.SevenZip(t, map[string]string{
		"d/1_MNT_LAMB93.asc": grid("1"), "d/2_MNT_LAMB93.asc": grid("2"), "d/1_DST_LAMB93.asc": grid("9"), "d/readme.txt": "x",
	})
	temp := t.TempDir()
	read := func(member string) (values string, err error) {
		r, err := format.Open(t.Context(), writeFiles(t, []string{"x.7z"}, archive), source.Read{Format: source.Raster, Member: member}, format.Options{SRID: 2154, Temp: temp})
		if err != nil {
			return "", err
		}
		for {
			rec, err := r.Next()
			if err != nil {
				return values, errors.Join(r.Close(), err)
			}
			cells, _ := rec.Fields.(format.RealFields).Reals("cells")
			values += fmt.Sprintf("%d: %g; ", rec.Line, cells[0])
		}
	}
	if values, err := read(`_MNT_[^/]*\.asc$`); !errors.Is(err, io.EOF) || values != "1: 1; 2: 1; 3: 2; 4: 2; " {
		t.Errorf("tiles %q, %v", values, err)
	}
	_, err := read("")
	loadkit.Contains(t, err, "it holds 3 files that fit; expected one")
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
