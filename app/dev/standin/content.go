package standin

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"arpent/api/source"
	"arpent/app/dev/sevenzip"
)

// part is a file that a served one is made from, for one of the sources that read it.
type part struct {
	src  source.Source
	file local
}

// content is a served file. It is made when it is first asked for: packed or unpacked as its name says, joined where it is of
// several files. The same files give the same bytes.
type content struct {
	name  string // that its form is taken from
	parts []part
	form  func([]byte) ([]byte, error) // changes what is joined; nil: nothing

	once     sync.Once
	data     []byte
	etag     string
	modified time.Time
	err      error
}

// add takes in files for a source.
func (c *content) add(src source.Source, files []local) {
	for _, f := range files {
		c.parts = append(c.parts, part{src, f})
	}
}

// bytes are those that are served.
func (c *content) bytes() ([]byte, error) {
	c.once.Do(func() {
		if c.data, c.err = c.make(); c.err == nil && c.form != nil {
			c.data, c.err = c.form(c.data)
		}
		if c.err != nil {
			c.err = fmt.Errorf("make %s: %w", c.name, c.err)
			return
		}
		c.etag = fmt.Sprintf(`"%x"`, sha256.Sum256(c.data))
		c.modified = c.date()
	})
	return c.data, c.err
}

// date is when the newest of its files was changed.
func (c *content) date() (newest time.Time) {
	for _, p := range c.parts {
		if info, err := os.Stat(p.file.path); err == nil && info.ModTime().After(newest) {
			newest = info.ModTime()
		}
	}
	return newest.UTC().Truncate(time.Second)
}

func (c *content) serve(w http.ResponseWriter, r *http.Request) {
	data, err := c.bytes()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("ETag", c.etag)
	w.Header().Set("Content-Type", "application/octet-stream")
	http.ServeContent(w, r, "", c.modified, bytes.NewReader(data))
}

var sevenZipName = regexp.MustCompile(`\.7z(\.001)?$`)

func (c *content) make() ([]byte, error) {
	name := strings.ToLower(c.name)
	single := slices.Compact(c.paths())
	if len(single) == 1 && (path.Ext(single[0]) == path.Ext(name) || strings.HasSuffix(single[0], ".zip") && !sevenZipName.MatchString(name)) {
		return os.ReadFile(single[0])
	}
	switch {
	case strings.HasSuffix(name, ".zip"):
		return zipOf(c.members())
	case sevenZipName.MatchString(name):
		members, err := c.members()
		return sevenZipOf(members), err
	}
	joined, err := c.joined()
	if err != nil || !strings.HasSuffix(name, ".gz") {
		return joined, err
	}
	return packed(joined)
}

func (c *content) paths() (out []string) {
	for _, p := range c.parts {
		out = append(out, p.file.path)
	}
	slices.Sort(out)
	return out
}

// joined is its files as one, each once.
func (c *content) joined() ([]byte, error) {
	var all [][]byte
	for _, file := range slices.Compact(c.paths()) {
		b, err := unpacked(file)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	switch {
	case len(all) == 1:
		return all[0], nil
	case bytes.HasPrefix(bytes.TrimSpace(all[0]), []byte("{")):
		return joinFeatures(all)
	default:
		return joinLines(all), nil
	}
}

// unpacked reads a file without its compression.
func unpacked(file string) ([]byte, error) {
	b, err := os.ReadFile(file)
	if err != nil || !bytes.HasPrefix(b, []byte("\x1F\x8B")) {
		return b, err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", file, err)
	}
	return io.ReadAll(z)
}

func packed(b []byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestSpeed) // without a time: the same bytes each time
	if err != nil {
		return nil, err
	}
	_, err = z.Write(b)
	err = errors.Join(err, z.Close())
	return out.Bytes(), err
}

// features are those of a collection.
func features(b []byte) ([]json.RawMessage, error) {
	var collection struct{ Features []json.RawMessage }
	if err := json.Unmarshal(b, &collection); err != nil {
		return nil, err
	}
	if collection.Features == nil {
		return nil, errors.New("it is no collection of features")
	}
	return collection.Features, nil
}

func joinFeatures(all [][]byte) ([]byte, error) {
	var every []json.RawMessage
	for _, b := range all {
		of, err := features(b)
		if err != nil {
			return nil, err
		}
		every = append(every, of...)
	}
	return featureCollection(every), nil
}

func featureCollection(of []json.RawMessage) []byte {
	var out bytes.Buffer
	out.WriteString(`{"type":"FeatureCollection","features":[`)
	for i, f := range of {
		if i > 0 {
			out.WriteString(",\n")
		}
		out.Write(f)
	}
	out.WriteString("]}\n")
	return out.Bytes()
}

// joinLines joins tables with the same header.
func joinLines(all [][]byte) []byte {
	var out bytes.Buffer
	for i, b := range all {
		if i > 0 {
			_, b, _ = bytes.Cut(b, []byte("\n"))
		}
		out.Write(b)
		if len(b) > 0 && b[len(b)-1] != '\n' {
			out.WriteByte('\n')
		}
	}
	return out.Bytes()
}

// member is a file of an archive.
type member struct {
	name string
	data []byte
}

// members are its files as those of an archive, by the names that the sources look for.
func (c *content) members() (out []member, err error) {
	for _, p := range c.parts {
		of, err := p.members()
		if err != nil {
			return nil, err
		}
		for _, m := range of {
			if !slices.ContainsFunc(out, func(have member) bool { return have.name == m.name }) {
				out = append(out, m)
			}
		}
	}
	slices.SortFunc(out, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

func (p part) members() ([]member, error) {
	if strings.HasSuffix(p.file.path, ".zip") {
		return zipMembers(p.file.path)
	}
	b, err := unpacked(p.file.path)
	if err != nil {
		return nil, err
	}
	name := p.file.base()
	if expr := p.src.Read.Member; expr != "" && !regexp.MustCompile(expr).MatchString(name) {
		name = example(expr)
	}
	return []member{{name, b}}, nil
}

func zipMembers(file string) (out []member, err error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	for _, f := range z.File {
		if f.FileInfo().IsDir() {
			continue
		}
		in, err := f.Open()
		if err != nil {
			return nil, err
		}
		b, err := io.ReadAll(in)
		if err := errors.Join(err, in.Close()); err != nil {
			return nil, err
		}
		out = append(out, member{f.Name, b})
	}
	return out, nil
}

func zipOf(members []member, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, m := range members {
		w, err := z.Create(m.name)
		if err == nil {
			_, err = w.Write(m.data)
		}
		if err != nil {
			return nil, err
		}
	}
	err = z.Close()
	return out.Bytes(), err
}

// sevenZipOf is an archive whose members are not compressed.
func sevenZipOf(members []member) []byte {
	var content []byte
	var files []sevenzip.File
	for _, m := range members {
		content = append(content, m.data...)
		files = append(files, sevenzip.File{Name: m.name, Bytes: uint64(len(m.data)), CRC: crc32.ChecksumIEEE(m.data)})
	}
	return sevenzip.Archive(content, sevenzip.Copy, files...)
}
