// Package fetch downloads files: resumed where they were cut off, checked to be whole, and not fetched again
// while the catalogue or the server says that they are unchanged.
package fetch

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Item is a file to fetch.
type Item struct {
	Sources []string // that read it
	Origin  Origin
	Place   Place
	Remote  Remote
	// of the saved file, below the downloads folder, with slashes: host and name, see Origin.Path
	Path     string
	Licence  string
	Homepage string // where to look when it cannot be had; may be empty
	MinRows  int64  // that a table must have; 0: not known
}

// State is how an item ended.
type State string

// The states.
const (
	Fetched   State = "fetched"
	Unchanged State = "unchanged"
	Failed    State = "failed"
)

// Result is the report of one item.
type Result struct {
	Item     Item
	State    State
	Bytes    int64  // received
	Requests int    // redirects too
	Warning  string // what is odd about a file that was taken all the same
	// of a failed one: why, and where to look. It is ErrNothing where the producer has no such file for its
	// place
	Err error
}

// Fetch brings one file into the folder of a manifest. It makes no request when the catalogue says of the
// same edition or checksum what it said of the file that is there, and resumes where an earlier attempt was
// cut off. It gives up after five attempts in a row that bring nothing, and at once when the status is one
// such as 404 or the file is not what it should be.
func Fetch(ctx context.Context, c *Client, m *Manifest, item Item, p Progress) Result {
	counted := &tally{}
	f := &fetching{client: c, manifest: m, item: item, progress: p}
	state, err := f.fetchItem(context.WithValue(ctx, tallyKey{}, counted))
	r := Result{Item: item, State: state, Bytes: counted.bytes.Load(), Requests: int(counted.requests.Load()),
		Warning: f.warning}
	// Addresses of a place are known without asking, and not each place has a file. One of all of France has
	// moved.
	if f.before == nil && item.Place != (Place{}) && IsGone(err) {
		err = fmt.Errorf("%w: %w", ErrNothing, err)
	}
	if err != nil {
		hint := "" // the addresses that the error lacks; an interruption needs none
		if where := slices.DeleteFunc([]string{item.Remote.Address, item.Homepage}, func(a string) bool {
			return a == "" || strings.Contains(err.Error(), a)
		}); len(where) > 0 && !errors.Is(err, context.Canceled) {
			hint = "; see " + strings.Join(where, " and ")
		}
		r.State, r.Err = Failed, fmt.Errorf("fetch %s: %w%s", item.Path, err, hint)
	}
	return r
}

// fetching is a file on its way.
type fetching struct {
	client   *Client
	manifest *Manifest
	item     Item
	progress Progress
	warning  string
	target   string
	part     part
	resumed  bool // the part is made of several answers
	// of the file that is there, as the manifest has it; nil: there is none, or it was changed on our disk
	before *Entry
}

const (
	// progressWorth is how much an attempt brings of a file for it not to count as one that failed.
	progressWorth = 1 << 20
	blockLength   = 32 << 10 // what a process that is killed may have received in vain
)

func (f *fetching) fetchItem(ctx context.Context) (State, error) {
	if ctx.Err() != nil {
		return Failed, context.Cause(ctx)
	}
	local := filepath.FromSlash(f.item.Path)
	if !filepath.IsLocal(local) {
		return Failed, fmt.Errorf("%q is not a path below the downloads folder", f.item.Path)
	}
	f.target = filepath.Join(f.manifest.dir, local)
	f.part = partOf(f.target)
	if err := os.MkdirAll(filepath.Dir(f.target), 0o755); err != nil {
		return Failed, err
	}
	recovered, err := f.recoverPart()
	if err != nil {
		return Failed, err
	}
	f.before = f.intactEntry()
	state := Unchanged
	if f.before != nil && f.matchesCatalogue(*f.before) {
		err = f.confirmEntry(*f.before)
	} else {
		_, furthest := f.part.readNote()
		err = f.client.retryTemporary(ctx, func() error {
			var again *temporary
			state, err = f.fetchOnce(ctx)
			if _, have := f.part.readNote(); have >= furthest+progressWorth && errors.As(err, &again) {
				furthest, again.madeProgress = have, true
			}
			return err
		})
	}
	if recovered && state == Unchanged {
		state = Fetched
	}
	return state, err
}

// recoverPart ends what a killed process had all but done: a part that had come whole, or a file without its
// entry. It reports whether there was such a file.
func (f *fetching) recoverPart() (bool, error) {
	note, have := f.part.readNote()
	if note.SHA256 != "" && have == 0 { // killed after the rename
		if sum, err := SHA256(f.target); err != nil || sum != note.SHA256 {
			return false, removeIfExists(f.part.note)
		}
		return true, f.recordEntry(note)
	}
	if have == 0 || have != note.Bytes || !f.matchesEdition(note) {
		return false, nil
	}
	_, err := f.finishPart(note)
	if _, have := f.part.readNote(); err != nil && have == 0 {
		return false, nil // it was not what it should be, and is fetched anew
	}
	return err == nil, err
}

// matchesEdition reports whether a part is of the edition that is to be fetched.
func (f *fetching) matchesEdition(note Entry) bool {
	r := f.item.Remote
	return note.Address == r.Address && note.Edition == r.Edition && note.Checksum == r.Sum.formatChecksum()
}

// intactEntry returns the entry of the file that is there if it still is what was fetched. One that was
// written since the last check is read whole for that.
func (f *fetching) intactEntry() *Entry {
	e, found := f.manifest.Get(f.item.Path)
	info, err := os.Stat(f.target)
	if !found || err != nil || info.Size() != e.Bytes {
		return nil
	}
	if info.ModTime().After(e.CheckedAt) {
		if sum, err := SHA256(f.target); err != nil || sum != e.SHA256 {
			return nil
		}
	}
	return &e
}

// matchesCatalogue reports whether the catalogue says of the producer's file what it said
// of the one that is there. A file that is made of pages has no length in catalogues: the
// same edition of the same address is enough.
func (f *fetching) matchesCatalogue(e Entry) bool {
	r := f.item.Remote
	switch {
	case r.Sum.Kind == "sha256":
		return strings.EqualFold(r.Sum.Hex, e.SHA256)
	case r.Sum.Kind != "":
		return r.Sum.formatChecksum() == e.Checksum
	case r.Edition == "" || r.Edition != e.Edition:
		return false
	default:
		return r.Bytes != 0 && r.Bytes == e.Bytes || r.Write != nil && r.Address == e.Address
	}
}

func (s Checksum) formatChecksum() string {
	if s.Kind == "" {
		return ""
	}
	return s.Kind + ":" + strings.ToLower(s.Hex)
}

// fetchOnce tries once to bring the file. One made of pages lies in a mirror as a whole.
func (f *fetching) fetchOnce(ctx context.Context) (State, error) {
	if f.item.Remote.Write == nil {
		return f.downloadFile(ctx, f.item.Remote.Address)
	}
	if f.client.mirror != nil {
		state, err := f.downloadFile(ctx, f.item.Remote.Address+joinedSuffix)
		if !IsGone(err) {
			return state, err
		}
	}
	// Of pages nothing of an earlier attempt is used: they may be of another edition.
	note := f.newEntry()
	f.resumed = false
	unrecorded := *f.client // a mirror has the file as a whole
	unrecorded.o.Record = ""
	err := f.appendToPart(note, 0, f.item.Remote.Bytes, func(w io.Writer) error {
		return f.item.Remote.Write(ctx, &unrecorded, w)
	})
	if err != nil {
		return Failed, errors.Join(err, f.part.removeFiles())
	}
	return f.finishPart(note)
}

// canRevalidate reports whether the file that is there may still be the one at the producer's. What the
// catalogue says differs from it, if it says anything.
func (f *fetching) canRevalidate() bool {
	return f.before != nil && f.before.Address == f.item.Remote.Address && f.item.Remote.Sum.Kind == ""
}

// requestHeader asks for what is missing: the rest of a part, the file if it has changed, or all
// of it. have is how much of the part stays.
func (f *fetching) requestHeader(note Entry, have int64) (http.Header, int64) {
	header := http.Header{}
	switch {
	case have > 0 && f.matchesEdition(note) && (note.rangeValidator() != "" || note.Checksum != ""):
		header.Set("Range", "bytes="+strconv.FormatInt(have, 10)+"-")
		if v := note.rangeValidator(); v != "" {
			header.Set("If-Range", v)
		}
		return header, have
	case f.canRevalidate() && f.before.ETag != "":
		header.Set("If-None-Match", f.before.ETag)
	case f.canRevalidate() && f.before.LastModified != "":
		header.Set("If-Modified-Since", f.before.LastModified)
	}
	return header, 0
}

// downloadFile makes one request for the file or what is missing of it.
func (f *fetching) downloadFile(ctx context.Context, address string) (State, error) {
	note, have := f.part.readNote()
	header, have := f.requestHeader(note, have)
	resp, err := f.client.sendRequest(ctx, address, header)
	if err != nil {
		return Failed, err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotModified && f.before != nil,
		resp.StatusCode == http.StatusOK && f.canRevalidate() && isSameResponse(*f.before, resp):
		return Unchanged, f.confirmEntry(*f.before)
	case resp.StatusCode == http.StatusRequestedRangeNotSatisfiable && have > 0,
		resp.StatusCode == http.StatusPartialContent && !isContinuation(resp, note, have):
		return Failed, errors.Join(&temporary{error: errors.New(
			"the partial download does not match the file on the server; starting again")}, f.part.removeFiles())
	}
	if err := checkStatus(resp, address); err != nil {
		return Failed, err
	}
	if resp.StatusCode == http.StatusOK || have == 0 {
		have = 0 // the whole file, because it has changed or the server does not resume
		note = f.newEntry()
		note.Final, note.Bytes, note.ContentType = resp.Request.URL.String(), totalLength(resp),
			resp.Header.Get("Content-Type")
		note.ETag, note.LastModified = resp.Header.Get("ETag"), resp.Header.Get("Last-Modified")
	}
	in := bufio.NewReaderSize(resp.Body, blockLength)
	if have == 0 { // a page in place of the file must not take the place of the part
		head, err := in.Peek(blockLength)
		if err == nil || err == io.EOF {
			err = Recognize(head, f.item.Path)
		} else if len(head) > 0 {
			err = nil // it was cut off: what came of it is worth keeping
		}
		if err != nil {
			return Failed, err
		}
	}
	f.resumed = have > 0
	err = f.appendToPart(note, have, max(resp.ContentLength, 0), func(w io.Writer) error {
		_, err := in.WriteTo(w)
		return err
	})
	if err != nil {
		return Failed, err
	}
	return f.finishPart(note)
}

// SHA256 is the checksum of a file, or of several joined, in hexadecimal.
func SHA256(paths ...string) (string, error) {
	sum := sha256.New()
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(sum, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
