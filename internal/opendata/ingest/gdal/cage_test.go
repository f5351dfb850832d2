package gdal_test

import (
	"encoding/binary"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// The programs of machine code end with one of these, which no failure to start has.
const granted, refused = 64, 65

// socketBy32Bits is the machine code of a program of 64 bits that asks for a socket by the system call of 32
// bits, and ends with the status granted or refused: socket(AF_INET, SOCK_STREAM, 0) by int 0x80, exit.
const socketBy32Bits = "\xb8\x67\x01\x00\x00\xbb\x02\x00\x00\x00\xb9\x01\x00\x00\x00\x31\xd2\xcd\x80" +
	"\x31\xff\x85\xc0\x40\x0f\x98\xc7\x83\xc7\x40\xb8\x3c\x00\x00\x00\x0f\x05"

// killParent is the machine code of a program that sends the signal 0 to the process that started it, and
// ends with the status granted or refused: kill(getppid(), 0), exit.
const killParent = "\xb8\x6e\x00\x00\x00\x0f\x05\x89\xc7\x31\xf6\xb8\x3e\x00\x00\x00\x0f\x05" +
	"\x31\xff\x85\xc0\x40\x0f\x98\xc7\x83\xc7\x40\xb8\x3c\x00\x00\x00\x0f\x05"

// buildProgram writes a program of machine code into a folder bin, as the smallest ELF file.
func buildProgram(t *testing.T, code string) string {
	t.Helper()
	const base, headers = 0x400000, 64 + 56
	le := binary.LittleEndian
	file := append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 9)...)
	file = le.AppendUint16(le.AppendUint16(file, 2), 62) // a program for x86-64
	file = le.AppendUint64(le.AppendUint32(file, 1), base+headers)
	file = le.AppendUint32(le.AppendUint64(le.AppendUint64(file, 64), 0), 0)
	for _, n := range []uint16{64, 56, 1, 64, 0, 0} {
		file = le.AppendUint16(file, n)
	}
	file = le.AppendUint32(le.AppendUint32(file, 1), 5) // a segment to read and to run: the whole file
	size := uint64(headers + len(code))
	for _, n := range []uint64{0, base, base, size, size, 0x1000} {
		file = le.AppendUint64(file, n)
	}
	path := filepath.Join(t.TempDir(), "bin", "program")
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, append(file, code...), 0o755))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Code that runs in GDAL by a hole of it gets no network by the system calls of another architecture, and
// sends no signal to the service, whose user it may be.
func TestCageHoldsAgainstAnyCode(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the programs are for Linux on x86-64")
	}
	needGDAL(t)
	for name, code := range map[string]string{"socket by 32 bits": socketBy32Bits, "signal": killParent} {
		program := buildProgram(t, code)
		free, want := exec.Command(program), refused
		if _ = free.Run(); free.ProcessState.ExitCode() != granted { // such as a system without calls by 32 bits
			t.Logf("%s is refused by this system itself: %v", name, free.ProcessState)
			want = free.ProcessState.ExitCode()
		}
		out, err := gdal.Output(t.Context(), gdal.Call{Program: program})
		exit, ended := errors.AsType[*exec.ExitError](err)
		if !ended || exit.ExitCode() != want {
			t.Errorf("%s: %v: %s", name, err, out)
		}
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
