package ingest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"arpent/api/source"
)

// geoJSONLines is what ogr2ogr writes: a feature a line.
const geoJSONLines source.Format = "geojsonseq"

// runGDAL starts ogr2ogr, which writes its features into a pipe, a line each.
func runGDAL(ctx context.Context, args []string, srid int) (*gdalProcess, error) {
	ctx, cancel := context.WithCancel(ctx)
	p := &gdalProcess{cmd: exec.CommandContext(ctx, "ogr2ogr", args...), cancel: cancel, srid: srid}
	p.cmd.Stderr = &p.complaints
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, gdalMissing(err)
	}
	p.records = newJSONReader(bufio.NewReaderSize(out, readBufferBytes), source.Read{Format: geoJSONLines}, nil)
	return p, nil
}

// gdalProcess is a running ogr2ogr. Its exit status counts as much as its output: a cut file ends early and quietly.
type gdalProcess struct {
	records    *jsonReader
	cmd        *exec.Cmd
	cancel     context.CancelFunc
	complaints tail
	srid       int // of what it writes; 0: not known
	done       bool
}

func (p *gdalProcess) next() (record, error) {
	rec, err := p.records.next()
	if err != io.EOF {
		return rec, err
	}
	p.done = true
	if err := p.cmd.Wait(); err != nil {
		return record{}, fmt.Errorf("ogr2ogr: %w: %s", err, p.complaints.text())
	}
	if strings.Contains(p.complaints.text(), "ERROR") {
		return record{}, fmt.Errorf("ogr2ogr: %s", p.complaints.text())
	}
	return record{}, io.EOF
}

func (p *gdalProcess) stop() {
	p.cancel()
	if !p.done {
		_ = p.cmd.Wait() // it was told to stop; how it ended is of no interest
	}
}

// tail keeps the last of what is written to it.
type tail struct{ kept []byte }

func (t *tail) Write(p []byte) (int, error) {
	const most = 2000
	t.kept = append(t.kept, p...)
	if len(t.kept) > most {
		t.kept = t.kept[len(t.kept)-most:]
	}
	return len(p), nil
}

func (t *tail) text() string { return string(bytes.TrimSpace(t.kept)) }

func ogrinfo(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "ogrinfo", args...)
	var complaints tail
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		if missing := gdalMissing(err); missing != err {
			return "", missing
		}
		return "", fmt.Errorf("ogrinfo: %w: %s", err, complaints.text())
	}
	return string(out), nil
}

// gdal runs a command of GDAL and returns what it writes. Beside the files that it reads it writes nothing.
func gdal(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, append([]string{"--config", "GDAL_PAM_ENABLED", "NO"}, args...)...)
	var complaints tail
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if missing := gdalMissing(err); missing != err {
		return nil, missing
	}
	if err == nil && bytes.Contains(complaints.kept, []byte("ERROR")) {
		err = errors.New("it was not read to its end")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", name, err, complaints.text())
	}
	return out, nil
}

func gdalMissing(err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("GDAL is needed for this format: install gdal-bin: %w", err)
	}
	return err
}
