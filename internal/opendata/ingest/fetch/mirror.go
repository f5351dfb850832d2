package fetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
)

const (
	maxName = 200 // bytes of a file name in a mirror; file systems take 255
	cutName = 160
	// joinedSuffix marks, behind the address of its first page, a file that is made of pages.
	joinedSuffix = "#joined"
)

// MirrorPath is where a mirror has the answer of an address, as a path with slashes below its base:
// the host in lower case, the path, and the query as a part of the file's name. A plain server of
// static files can serve it: there the "?" is written "%3F". Names without an extension or a query
// become folders with a file "index", because what is below them has an address too. Names longer
// than 200 bytes are cut and end in a checksum.
func MirrorPath(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		u = &url.URL{Path: address}
	}
	below := path.Clean("/" + u.Path)
	switch last := path.Base(below); {
	case u.RawQuery != "":
		below += "?" + strings.ReplaceAll(u.RawQuery, "/", "%2F")
	case strings.HasSuffix(u.Path, "/") || path.Ext(last) == "":
		below = path.Join(below, "index")
	}
	if u.Fragment != "" {
		below += "#" + u.Fragment
	}
	names := strings.Split(strings.ToLower(u.Host)+below, "/")
	for i, name := range names {
		if len(name) > maxName {
			sum := sha256.Sum256([]byte(name))
			names[i] = strings.ToValidUTF8(name[:cutName], "") + "~" + hex.EncodeToString(sum[:8])
		}
	}
	return strings.Join(names, "/")
}

// mirrored sends the requests for all hosts to one.
type mirrored struct {
	base *url.URL
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper. Redirects of the mirror to itself are followed as they are.
func (m mirrored) RoundTrip(req *http.Request) (*http.Response, error) {
	if strings.HasPrefix(req.URL.String(), m.base.String()+"/") {
		return m.next.RoundTrip(req)
	}
	req = req.WithContext(context.WithValue(req.Context(), mirrorKey{}, m.base.Redacted()))
	there := req.Clone(req.Context())
	there.Host = ""
	there.URL = &url.URL{Scheme: m.base.Scheme, User: m.base.User, Host: m.base.Host, Path: m.base.Path + "/" +
		MirrorPath(req.URL.String())}
	resp, err := m.next.RoundTrip(there)
	if resp != nil {
		resp.Request = req // the address after redirects is that of the producer
	}
	if err != nil {
		err = fmt.Errorf("the mirror %s (ARPENT_MIRROR) does not answer: %w", m.base.Redacted(), err)
	}
	return resp, err
}

// mirrorKey is the key of the address of the mirror that a request went to in place of a producer.
type mirrorKey struct{}

func (c *Client) recordPath(address string) string {
	return filepath.Join(c.o.Record, filepath.FromSlash(MirrorPath(address)))
}

// recordAnswer keeps the answer of a catalogue in the folder of the mirror that is being filled.
func (c *Client) recordAnswer(address string, answer []byte) error {
	if c.o.Record == "" {
		return nil
	}
	return ReplaceFile(c.recordPath(address), answer)
}

// recordFile puts a finished file into the folder of the mirror that is being
// filled: a hard link, or a copy on another disk.
func (c *Client) recordFile(address, file string) error {
	if c.o.Record == "" {
		return nil
	}
	target := c.recordPath(address)
	here, err := os.Stat(file)
	if err != nil {
		return err
	}
	there, err := os.Stat(target)
	if err == nil && (os.SameFile(here, there) || here.Size() == there.Size() &&
		!there.ModTime().Before(here.ModTime())) {
		return nil // it is of the file as it is now
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	part := partOf(target).data
	if err := removeIfExists(part); err != nil {
		return err
	}
	if os.Link(file, part) == nil {
		return os.Rename(part, target)
	}
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(part)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Rename(part, target)
}
