package gdal_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"arpent/internal/opendata/ingest/gdal"
)

// grid is a raster of one row, and virtual of a virtual raster that names another file as its values.
const grid = "ncols 2\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value -9\n1 2\n"

func virtualRaster(source string) string {
	return `<VRTDataset rasterXSize="8" rasterYSize="1"><GeoTransform>0,1,0,1,0,-1</GeoTransform><VRTRasterBand dataType="Byte" band="1" ` +
		`subClass="VRTRawRasterBand"><SourceFilename relativetoVRT="0">` + source + `</SourceFilename></VRTRasterBand></VRTDataset>`
}

func writeFile(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func needGDAL(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("gdalinfo"); err != nil {
		t.Skip("GDAL is not installed")
	}
}

// A file of a producer is read by the driver of its format alone, with files that only this process may read.
func TestReadsWithTheNamedDriver(t *testing.T) {
	t.Parallel()
	needGDAL(t)
	path := writeFile(t, filepath.Join(t.TempDir(), "x.asc"), grid)
	call := gdal.Call{Program: "gdalinfo", Drivers: []string{"AAIGrid"}, Args: []string{"-if", "AAIGrid", path}, Reads: []string{path}}
	out, err := gdal.Output(t.Context(), call)
	if err != nil || !strings.Contains(string(out), "Size is 2, 1") {
		t.Fatalf("%v: %s", err, out)
	}
	call.Drivers, call.Args = []string{"GTiff"}, []string{path}
	if out, err := gdal.Output(t.Context(), call); err == nil {
		t.Errorf("a driver that is not named read it: %s", out)
	}
	hostile := writeFile(t, filepath.Join(t.TempDir(), "y.asc"), virtualRaster(path))
	call = gdal.Call{Program: "gdalinfo", Drivers: []string{"AAIGrid"}, Args: []string{hostile}, Reads: []string{hostile}}
	if out, err := gdal.Output(t.Context(), call); err == nil {
		t.Errorf("a virtual raster was read: %s", out)
	}
}

// Even when a driver follows a name in a file, which stands for a hole in GDAL, the secrets of this process
// and of its machine stay out of its reach, and it calls no address.
func TestCageHoldsAgainstAnyDriver(t *testing.T) {
	needGDAL(t)
	protection, err := gdal.Probe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !protection.Files || !protection.Network {
		t.Skip("this kernel has no cage: ", protection)
	}
	t.Setenv("ARPENT_STRIPE_KEY", "sk_live_marker")
	dir := t.TempDir()
	secret := writeFile(t, filepath.Join(t.TempDir(), "secret"), "sk_live_")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	calls := make(chan string, 10)
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			calls <- c.RemoteAddr().String()
			c.Close()
		}
	}()
	for _, source := range []string{secret, "/proc/self/environ", "/etc/passwd", "/vsicurl/http://" + listener.Addr().String() + "/x"} {
		path := writeFile(t, filepath.Join(dir, "x.vrt"), virtualRaster(source))
		out, err := gdal.Output(t.Context(), gdal.Call{
			Program: "gdal_translate", Drivers: []string{"VRT", "AAIGrid"}, Reads: []string{path},
			Args: []string{"-q", "-if", "VRT", "-of", "AAIGrid", path, "/vsistdout/"},
		})
		if err == nil && strings.Contains(string(out), "115 107") {
			t.Errorf("%s was read: %s", source, out)
		}
		if source == "/proc/self/environ" && err == nil && strings.Contains(string(out), "65 82 80") {
			t.Errorf("its environment has a variable of ours: %s", out)
		}
		if err == nil && source == "/etc/passwd" {
			t.Errorf("%s was read: %s", source, out)
		}
	}
	if len(calls) > 0 {
		t.Errorf("a call from %s", <-calls)
	}
	// The same file is followed where it is given: the cage, and nothing else, is what stopped it.
	path := writeFile(t, filepath.Join(dir, "x.vrt"), virtualRaster(secret))
	out, err := gdal.Output(t.Context(), gdal.Call{
		Program: "gdal_translate", Drivers: []string{"VRT", "AAIGrid"}, Reads: []string{path, secret},
		Args: []string{"-q", "-if", "VRT", "-of", "AAIGrid", path, "/vsistdout/"},
	})
	if err != nil || !strings.Contains(string(out), "115 107") {
		t.Errorf("a file that is given is not read: %v: %s", err, out)
	}
}

// A run writes to its folder and nowhere else.
func TestWritesToItsFolderAlone(t *testing.T) {
	t.Parallel()
	needGDAL(t)
	path := writeFile(t, filepath.Join(t.TempDir(), "x.asc"), grid)
	dir, outside := t.TempDir(), t.TempDir()
	for _, target := range []string{dir, outside} {
		_, err := gdal.Output(t.Context(), gdal.Call{
			Program: "gdal_translate", Drivers: []string{"AAIGrid", "ENVI"}, Reads: []string{path}, Writes: dir,
			Args: []string{"-q", "-of", "ENVI", path, filepath.Join(target, "x.bin")},
		})
		if (err == nil) != (target == dir) {
			t.Errorf("%s: %v", target, err)
		}
	}
}

// A name that GDAL takes for an address or a database is no file.
func TestRejectsConnectionStrings(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"PG:dbname=x", "/vsicurl/http://127.0.0.1/x.tif", "x.tif"} {
		_, err := gdal.Command(t.Context(), gdal.Call{Program: "gdalinfo", Drivers: []string{"GTiff"}, Args: []string{name}, Reads: []string{name}})
		if err == nil || !strings.Contains(err.Error(), "file of this machine") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// BenchmarkCage is what each run costs beyond the program itself.
func BenchmarkCage(b *testing.B) {
	for b.Loop() {
		if _, err := gdal.Probe(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
