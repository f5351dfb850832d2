package bench

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
)

// madeDepartement is a place that made files are about: its communes have real codes and lie in a box
// that has nothing to do with where they are.
type madeDepartement struct {
	code        string
	communes    []string
	west, south int // 1e-7 degree
}

const (
	boxWidth, boxHeight = 5_500_000, 4_500_000 // 1e-7 degree
	boxColumns          = 12
)

// placeAt is the i-th of n places of a département, commune by commune,
// and the size of its cell, in 1e-7 degree.
func (d *madeDepartement) placeAt(i, n int) (commune string, nth, x, y, cell int) {
	each := (n + len(d.communes) - 1) / len(d.communes)
	side := int(math.Ceil(math.Sqrt(float64(len(d.communes)))))
	rows := int(math.Ceil(math.Sqrt(float64(each))))
	at, nth := i/each, i%each
	width, height := boxWidth/side, boxHeight/side
	x = d.west + at%side*width + nth%rows*(width/rows)
	y = d.south + at/side*height + nth/rows*(height/rows)
	return d.communes[at], nth, x, y, min(width, height) / rows
}

// hashNumber is a number that depends on the one given alone (splitmix64).
func hashNumber(n uint64) uint64 {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

// appendDegrees writes a positive number of 1e-7 degree as degrees.
func appendDegrees(b []byte, v int) []byte {
	b = append(strconv.AppendInt(b, int64(v/1e7), 10), '.')
	return appendPadded(b, v%1e7, 7)
}

func appendPadded(b []byte, v, digits int) []byte {
	text := strconv.Itoa(v)
	for range digits - len(text) {
		b = append(b, '0')
	}
	return append(b, text...)
}

// madeFile is a file to be written: one line a row, between a head and a tail.
type madeFile struct {
	name             string // below the data folder; its ending says how it is compressed
	head, sep, tail  string
	rows             int
	line             func(b []byte, i int) []byte
	departement      string // empty: of the country
	compressedMember string // name in the archive of a zip
}

// writeFiles writes files on all cores and returns how many megabytes they have.
func writeFiles(ctx context.Context, dir string, files []madeFile) (mb float64, err error) {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.NumCPU())
	for _, f := range files {
		g.Go(func() error { return errors.Join(ctx.Err(), f.writeFile(dir)) })
	}
	if err := g.Wait(); err != nil {
		return 0, err
	}
	for _, f := range files {
		info, err := os.Stat(filepath.Join(dir, f.name))
		if err != nil {
			return 0, err
		}
		mb += float64(info.Size()) / 1e6
	}
	return mb, nil
}

func (f madeFile) writeFile(dir string) error {
	path := filepath.Join(dir, f.name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	out, finish, err := f.newCompressor(file)
	if err == nil {
		err = f.writeRows(out)
	}
	if err == nil {
		err = finish()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", f.name, err)
	}
	return nil
}

func (f madeFile) newCompressor(file *os.File) (io.Writer, func() error, error) {
	if !strings.HasSuffix(f.name, ".zip") {
		z, err := gzip.NewWriterLevel(file, gzip.BestSpeed)
		return z, z.Close, err
	}
	z := zip.NewWriter(file)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	member, err := z.Create(f.compressedMember)
	return member, z.Close, err
}

func (f madeFile) writeRows(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<20)
	b := append([]byte(nil), f.head...)
	for i := range f.rows {
		if i > 0 {
			b = append(b, f.sep...)
		}
		b = f.line(b, i)
		if _, err := out.Write(b); err != nil {
			return err
		}
		b = b[:0]
	}
	if _, err := out.WriteString(f.tail); err != nil {
		return err
	}
	return out.Flush()
}

// chooseDepartements are the départements that rows are split over: half a
// million each, between four and all of them.
func chooseDepartements(rows int, all []madeDepartement) []madeDepartement {
	const each = 500_000
	return all[:min(max(rows/each, 4), len(all))]
}

// splitByDepartement makes a file of each of some départements.
func splitByDepartement(rows int, all []madeDepartement, make func(d *madeDepartement, n int) madeFile) (files []madeFile) {
	chosen := chooseDepartements(rows, all)
	for i := range chosen {
		n := rows*(i+1)/len(chosen) - rows*i/len(chosen)
		f := make(&chosen[i], n)
		f.rows, f.departement = n, chosen[i].code
		files = append(files, f)
	}
	return files
}
