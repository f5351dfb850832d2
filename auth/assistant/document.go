package assistant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"arpent/app/clock"
	"arpent/app/fault"
)

// FetchDocument reads what is at an address, and tells for how long it may be kept.
type FetchDocument func(ctx context.Context, url string) (body []byte, keep time.Duration, err error)

const (
	documentTimeout = 5 * time.Second
	// What was read is kept as long as its server says, within these bounds.
	documentKeptLeast = time.Minute
	documentKeptMost  = 24 * time.Hour
	// What could not be read is not asked for again for this long.
	failureKept      = 30 * time.Second
	maxDocumentsKept = 1000
	documentsAtOnce  = 16
)

// documents are clients by the address of the document that describes them. Nothing is kept over a restart but what
// somebody agreed to: a client that is connected needs its document no more.
type documents struct {
	fetch  FetchDocument
	clock  clock.Clock
	flight singleflight.Group // several people who connect one assistant wait for one reading
	turns  chan struct{}

	mu   sync.Mutex
	kept map[string]document
}

// document is the outcome of a reading.
type document struct {
	client Client
	err    *PageError // nil: it was read
	until  time.Time
}

func newDocuments(fetch FetchDocument, c clock.Clock) *documents {
	return &documents{fetch: fetch, clock: c, turns: make(chan struct{}, documentsAtOnce), kept: map[string]document{}}
}

// isDocument tells whether a client's identifier is the address of a document rather than one drawn here.
func isDocument(id string) bool { return strings.HasPrefix(id, "https://") }

func documentHost(id string) string {
	u, err := url.Parse(id)
	if err != nil {
		return ""
	}
	return u.Host
}

// hostName is a name of the public Internet: it has a dot, and its last part is not a number.
var hostName = regexp.MustCompile(`^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z](?:[a-z0-9-]*[a-z0-9])?$`)

const maxDocumentURL = 2000

// checkDocumentURL tells what is wrong with the address of a document; empty: nothing. Where the name leads to is
// checked when it is known.
func checkDocumentURL(id string) string {
	u, err := url.Parse(id)
	switch {
	case err != nil || len(id) > maxDocumentURL || strings.IndexFunc(id, notInURI) >= 0:
		return "it is not the address of a document"
	case u.Scheme != "https" || u.Opaque != "":
		return "it must begin with https"
	case strings.Contains(id, "#") || u.User != nil || strings.Contains(u.Host, "@"):
		return "it must have neither a fragment nor user information"
	case u.Port() != "" && u.Port() != "443" || strings.HasSuffix(u.Host, ":"):
		return "it must be on port 443"
	case !hostName.MatchString(u.Hostname()) || len(u.Hostname()) > 253:
		return "its host must be a name of the public Internet, in small letters"
	case u.Path == "" || u.Path == "/":
		return "it must have a path"
	case hasDotSegment(u.Path):
		return "its path must have no segments . or .."
	}
	return ""
}

// hasDotSegment looks at the path as it is once decoded.
func hasDotSegment(path string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' }),
		func(segment string) bool { return segment == "." || segment == ".." })
}

// client gives the client that the document at id describes, or a *PageError.
func (d *documents) client(ctx context.Context, id string) (Client, error) {
	if wrong := checkDocumentURL(id); wrong != "" {
		return Client{}, &PageError{Code: CodeDocument, Detail: "client_id " + fault.Excerpt(id) + ": " + wrong}
	}
	doc, ok := d.recall(id)
	if !ok {
		// The reading goes on when the one who asked first hangs up: others wait for it too.
		read := d.flight.DoChan(id, func() (any, error) { return d.read(context.WithoutCancel(ctx), id), nil })
		select {
		case r := <-read:
			doc = r.Val.(document)
		case <-ctx.Done():
			return Client{}, &PageError{Code: CodeDocument, Detail: "the document was not read in time", cause: ctx.Err()}
		}
	}
	if doc.err != nil {
		return Client{}, doc.err
	}
	return doc.client, nil
}

func (d *documents) recall(id string) (document, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc, ok := d.kept[id]
	return doc, ok && d.clock.Now().Before(doc.until)
}

func (d *documents) read(ctx context.Context, id string) document {
	ctx, cancel := context.WithTimeout(ctx, documentTimeout)
	defer cancel()
	select {
	case d.turns <- struct{}{}:
		defer func() { <-d.turns }()
	case <-ctx.Done(): // not kept: it says nothing of the document
		return document{err: &PageError{Code: CodeDocument, Detail: "too many documents are being read: try again", cause: ctx.Err()}}
	}
	body, keep, err := d.fetch(ctx, id)
	var doc document
	if err == nil {
		doc.client, err = parseDocument(id, body)
	}
	keep = min(max(keep, documentKeptLeast), documentKeptMost)
	if err != nil {
		doc.err = &PageError{Code: CodeDocument, Detail: "the document " + fault.Excerpt(id) + ": " + plain(err), cause: err}
		keep = failureKept
	}
	doc.until = d.clock.Now().Add(keep)
	d.keep(id, doc)
	return doc
}

// errDocument is what a reader of a page may be told of a document.
type errDocument string

func (e errDocument) Error() string { return string(e) }

// plain keeps to itself what the network said: it would tell of the network that this server is in.
func plain(err error) string {
	var known errDocument
	if errors.As(err, &known) {
		return string(known)
	}
	return "it could not be read"
}

func (d *documents) keep(id string, doc document) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.clock.Now()
	if len(d.kept) >= maxDocumentsKept {
		for other, old := range d.kept {
			if !now.Before(old.until) {
				delete(d.kept, other)
			}
		}
	}
	for other := range d.kept {
		if len(d.kept) < maxDocumentsKept {
			break
		}
		delete(d.kept, other)
	}
	d.kept[id] = doc
}

// parseDocument reads the description of a client.
func parseDocument(id string, body []byte) (Client, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(body, &m); err != nil || m == nil {
		return Client{}, errDocument("it is not a JSON object")
	}
	own, _, err := textMember(m, "client_id")
	if err != nil || own != id {
		return Client{}, errDocument("its client_id is not its address")
	}
	name, _, err := textMember(m, "client_name")
	if err != nil || cleanName(name) == "" {
		return Client{}, errDocument("it has no client_name")
	}
	all, err := textsMember(m, "redirect_uris")
	if err != nil {
		return Client{}, errDocument("its redirect_uris is not a list of texts")
	}
	// An address of a kind that we do not answer to harms nobody where it is: it is not taken for one.
	redirects := slices.DeleteFunc(all, func(uri string) bool { return checkRedirect(uri) != "" })
	if len(redirects) == 0 || len(redirects) > maxRedirects {
		return Client{}, errDocument(fmt.Sprintf("it must have 1 to %d usable redirect_uris", maxRedirects))
	}
	method, _, err := textMember(m, "token_endpoint_auth_method")
	_, secret := m["client_secret"]
	if err != nil || secret || strings.HasPrefix(method, "client_secret_") {
		return Client{}, errDocument("a client with a public document keeps no secret: token_endpoint_auth_method is none")
	}
	uri, _, _ := textMember(m, "client_uri")
	return Client{ID: id, Name: cleanName(name), Host: documentHost(id), URI: homePage(uri), method: "none",
		redirects: redirects, document: true}, nil
}
