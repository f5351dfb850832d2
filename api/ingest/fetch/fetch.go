// Package fetch downloads files: resumed where they were cut off, checked to be whole, and not fetched again while the
// server says that they are unchanged.
package fetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	downloadTries = 5
	// stallTimeout is how long a server may say nothing before the connection is given up and resumed.
	stallTimeout = 60 * time.Second
	retryPause   = 500 * time.Millisecond
)

// fetched is kept beside a download: what makes it resumable, and what proves that it is whole.
type fetched struct {
	URL      string `json:"url"`
	ETag     string `json:"etag,omitempty"`
	Modified string `json:"last_modified,omitempty"`
	SHA256   string `json:"sha256,omitempty"` // of the finished file
	Bytes    int64  `json:"bytes,omitempty"`
}

// validator is what If-Range takes: a strong entity tag, else the date of the last change.
func (f fetched) validator() string {
	if f.ETag != "" && !strings.HasPrefix(f.ETag, "W/") {
		return f.ETag
	}
	return f.Modified
}

// Progress is notified of how a download goes.
type Progress interface {
	Start(label string, bytes int64) // so many bytes will come; 0: it is not known
	Add(bytes int64)                 // so many more have come
}

// File brings the file at an address into a folder, below the path of the address. It asks the server whether the file it
// has is still the right one, and resumes where an earlier attempt was cut off. It returns the error of the last of five
// attempts; a status such as 404 ends them at once.
func File(ctx context.Context, address, dir string, p Progress) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	target := filepath.Join(dir, filepath.FromSlash(path.Join("/", u.Path)))
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	d := &download{address: address, target: target, part: target + ".part", note: target + ".json"}
	for try := range downloadTries {
		var again bool
		if again, err = d.attempt(ctx, p); !again {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retryPause << try):
		}
	}
	return fmt.Errorf("after %d tries: %w", downloadTries, err)
}

// download is one file on its way.
type download struct {
	address, target, part, note string
}

// attempt makes one request. again: a later one may succeed.
func (d *download) attempt(ctx context.Context, p Progress) (again bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	req, have, err := d.request(ctx)
	if err != nil {
		return false, err
	}
	stalled := time.AfterFunc(stallTimeout, func() { cancel(errors.New("the server stopped answering")) })
	defer stalled.Stop()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return true, cause(ctx, err)
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotModified:
		return false, nil
	case resp.StatusCode == http.StatusRequestedRangeNotSatisfiable,
		resp.StatusCode == http.StatusPartialContent && !continues(resp.Header.Get("Content-Range"), have):
		return true, errors.Join(errors.New("the part that was there does not fit the file"), remove(d.part))
	case resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests:
		return true, fmt.Errorf("the server answers %s", resp.Status)
	case resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusPartialContent:
		return false, fmt.Errorf("the server answers %s", resp.Status)
	}
	if resp.StatusCode == http.StatusOK {
		have = 0 // the whole file, because it has changed or the server does not resume
	}
	note := fetched{URL: d.address, ETag: resp.Header.Get("ETag"), Modified: resp.Header.Get("Last-Modified")}
	if err := d.receive(ctx, resp, note, have, stalled, p); err != nil {
		return true, cause(ctx, err)
	}
	return false, d.finish(note)
}

// continues reports whether a Content-Range goes from the byte we are at to the end of the file. What it leaves open, such
// as a length that is not known, is believed.
func continues(contentRange string, have int64) bool {
	var first, last, length int64
	n, _ := fmt.Sscanf(contentRange, "bytes %d-%d/%d", &first, &last, &length) // "*" for the length ends it early
	return n >= 2 && first == have && (n == 2 || last == length-1)
}

// remove removes a file that need not be there.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func cause(ctx context.Context, err error) error {
	if c := context.Cause(ctx); c != nil {
		return c
	}
	return err
}

// request asks for what is missing: the rest of a part, the file if it has changed, or all of it.
func (d *download) request(ctx context.Context) (*http.Request, int64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.address, nil)
	if err != nil {
		return nil, 0, err
	}
	req.Header.Set("Accept-Encoding", "identity") // the file's own compression is part of it
	if info, err := os.Stat(d.part); err == nil && info.Size() > 0 {
		if v := readNote(d.part + ".json").validator(); v != "" {
			req.Header.Set("Range", "bytes="+strconv.FormatInt(info.Size(), 10)+"-")
			req.Header.Set("If-Range", v)
			return req, info.Size(), nil
		}
	}
	if n := readNote(d.note); n.URL == d.address && d.whole(n) {
		if n.ETag != "" {
			req.Header.Set("If-None-Match", n.ETag)
		} else if n.Modified != "" {
			req.Header.Set("If-Modified-Since", n.Modified)
		}
	}
	return req, 0, nil
}

// whole reports whether the file that was fetched is still what its note says. One that is not, or cannot be read, is
// fetched anew.
func (d *download) whole(n fetched) bool {
	info, err := os.Stat(d.target)
	if err != nil || info.Size() != n.Bytes {
		return false
	}
	sum, err := SHA256(d.target)
	return err == nil && sum == n.SHA256
}

// receive writes the body after the first have bytes of the part. Each read has its own deadline: stalled.
func (d *download) receive(ctx context.Context, resp *http.Response, note fetched, have int64, stalled *time.Timer, p Progress) error {
	if err := writeNote(d.part+".json", note); err != nil {
		return err
	}
	f, err := os.OpenFile(d.part, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(have); err != nil {
		return err
	}
	if _, err := f.Seek(have, io.SeekStart); err != nil {
		return err
	}
	p.Start("download "+path.Base(d.address), max(resp.ContentLength, 0))
	n, err := io.Copy(f, io.TeeReader(resp.Body, received(func(n int64) {
		stalled.Reset(stallTimeout)
		p.Add(n)
	})))
	if err != nil {
		return fmt.Errorf("after %d bytes: %w", have+n, err)
	}
	if resp.ContentLength >= 0 && n != resp.ContentLength {
		return fmt.Errorf("it ends after %d bytes of %d", n, resp.ContentLength)
	}
	return f.Sync()
}

// received is called with the size of each piece of a body as it arrives.
type received func(bytes int64)

// Write implements io.Writer.
func (r received) Write(p []byte) (int, error) {
	r(int64(len(p)))
	return len(p), nil
}

// finish puts a complete part in its place, with its checksum beside it.
func (d *download) finish(note fetched) error {
	info, err := os.Stat(d.part)
	if err != nil {
		return err
	}
	note.Bytes = info.Size()
	if note.SHA256, err = SHA256(d.part); err != nil {
		return err
	}
	if err := os.Rename(d.part, d.target); err != nil {
		return err
	}
	if err := writeNote(d.note, note); err != nil {
		return err
	}
	return os.Remove(d.part + ".json")
}

// readNote reads what is known of a download; a note that cannot be read is as good as none.
func readNote(path string) fetched {
	var n fetched
	if b, err := os.ReadFile(path); err == nil {
		if json.Unmarshal(b, &n) != nil {
			return fetched{}
		}
	}
	return n
}

func writeNote(path string, n fetched) error {
	b, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o644)
}

// SHA256 is the checksum of a file, in hexadecimal.
func SHA256(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
