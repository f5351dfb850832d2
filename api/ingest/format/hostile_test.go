package format_test

import (
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"arpent/api/ingest/format"
	"arpent/api/source"
	"arpent/app/dev/loadkit"
)

// marker is the content of a file that no download may publish.
const marker = "sk_live_marker"

// readAll reads a file to its end, and returns all texts in it.
func readAll(t *testing.T, path string, spec source.Read) (text string, err error) {
	t.Helper()
	r, err := format.Open(t.Context(), path, spec, format.Options{SRID: 2154, Geometry: &source.Geometry{}})
	if err != nil {
		return "", err
	}
	defer r.Close()
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return text, nil
		}
		if _, isRecord := errors.AsType[*format.RecordError](err); err != nil && !isRecord {
			return text, err
		}
		if rec.Fields != nil {
			for _, name := range []string{"id", "name", "secret", "COL001", "cells"} {
				cell, _ := rec.Fields.Text(name)
				text += cell
			}
			if grid, is := rec.Fields.(format.RealFields); is {
				cells, _ := grid.Reals("cells")
				for _, v := range cells {
					text += string(rune(v))
				}
			}
		}
	}
}

// A file of a producer that was tampered with is refused for what it is. Whatever it names, no byte of another file of this
// machine gets into the data, and no address is called.
func TestHostileFilesAreRefused(t *testing.T) {
	one := drawn(t, "ESRI Shapefile", "one.shp", "one", loadkit.Thing("1", "a", loadkit.Square(2, 48)))
	bag := drawn(t, "GPKG", "x.gpkg", "zone", loadkit.Thing("1", "a", loadkit.Square(2, 48)))[".gpkg"]
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(marker+","+marker+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ARPENT_STRIPE_KEY", marker)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	calls := make(chan net.Addr, 100)
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			calls <- c.RemoteAddr()
			c.Close()
		}
	}()
	raster := func(from string) string {
		return `<VRTDataset rasterXSize="14" rasterYSize="1"><SRS>EPSG:2154</SRS><GeoTransform>600000,1,0,6800000,0,-1</GeoTransform>` +
			`<VRTRasterBand dataType="Byte" band="1" subClass="VRTRawRasterBand"><SourceFilename>` + from + `</SourceFilename></VRTRasterBand></VRTDataset>`
	}
	layer := func(from string) string {
		return `<OGRVRTDataSource><OGRVRTLayer name="zone"><SrcDataSource>` + from + `</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>`
	}
	remote := "/vsicurl/http://" + listener.Addr().String() + "/x"
	const notGenuine = "is not what its name says"
	type hostile struct {
		name, path, says string
		format           source.Format
	}
	var cases []hostile
	add := func(f source.Format, name, file, content, says string) {
		cases = append(cases, hostile{name, placed(t, []string{file}, content), says, f})
	}
	for _, from := range []string{secret, "/proc/self/environ", remote} {
		for _, file := range []string{"x_MNT_LAMB93_IGN69.asc", "x.tif"} {
			add(source.Raster, "virtual raster of "+from+" as "+file, file, raster(from), notGenuine)
		}
		for f, file := range map[source.Format]string{source.GeoPackage: "x.gpkg", source.Shapefile: "x.shp", source.EDIGEO: "x.thf"} {
			add(f, "virtual layer of "+from+" as "+file, file, layer(from), notGenuine)
		}
	}
	add(source.GeoPackage, "GML with an entity", "x.gpkg", `<!DOCTYPE x [<!ENTITY e SYSTEM "file://`+secret+`">]><x>&e;</x>`, notGenuine)
	thf := "BOMT 12:X.THF\r\nRTYSA03:GTL\r\nLONSA06:../../%\r\nGNNSA02:SE\r\n"
	add(source.EDIGEO, "exchange that names another folder", "x.thf", strings.ReplaceAll(thf, "%", secret), "not one of its folder")
	deep := strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000)
	add(source.GeoJSON, "10 000 levels", "x.geojson", `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null,"properties":`+deep+`}]}`, "")
	many := map[string]string{}
	for n := range 10_001 {
		many["d/"+strings.Repeat("x", n%50)+string(rune('a'+n%26))+string(rune('a'+n/26%26))+string(rune('a'+n/676))+".asc"] = ""
	}
	add(source.Raster, "10 001 files", "x.zip", loadkit.Archive(t, many), "")

	linked := t.TempDir()
	for ext, content := range one {
		if ext == ".dbf" {
			if err := os.Symlink(secret, filepath.Join(linked, "one.dbf")); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(filepath.Join(linked, "one"+ext), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cases = append(cases, hostile{"table that is a link", filepath.Join(linked, "one.shp"), "", source.Shapefile})
	for name, sql := range map[string][]string{
		"virtual table": {"CREATE VIRTUAL TABLE leak USING VirtualText('" + secret + "', 'UTF-8', 0, POINT, NONE, ',')"},
		"a view": {"ALTER TABLE zone RENAME TO plain", "CREATE VIEW zone AS SELECT * FROM plain",
			"UPDATE gpkg_contents SET table_name = 'zone'", "UPDATE gpkg_geometry_columns SET table_name = 'zone'"},
		"a computed column": {"CREATE TABLE x (a TEXT, secret TEXT GENERATED ALWAYS AS (upper(a)))"},
	} {
		path := placed(t, []string{"x.gpkg"}, bag)
		for _, statement := range sql {
			if out, err := exec.Command("ogrinfo", path, "-sql", statement).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", statement, err, out)
			}
		}
		cases = append(cases, hostile{name, path, "ordinary tables|computed|view|layers", source.GeoPackage})
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			var text string
			var err error
			peak := heapDuring(t, func() {
				text, err = readAll(t, tc.path, source.Read{Format: tc.format, Layers: []string{"zone", "PARCELLE_id"}})
			})
			if err == nil {
				t.Error("it was read")
			}
			if err != nil && tc.says != "" && !containsAny(err.Error(), strings.Split(tc.says, "|")) {
				t.Errorf("refused for another reason: %v", err)
			}
			if strings.Contains(text, marker) || err != nil && strings.Contains(err.Error(), marker) {
				t.Errorf("it published the secret: %q, %v", text, err)
			}
			if peak > 512<<20 {
				t.Errorf("it took %d MiB", peak>>20)
			}
		})
	}
	if len(calls) > 0 {
		t.Errorf("called by %s", <-calls)
	}
}

func containsAny(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
