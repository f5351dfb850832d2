package assistant

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"arpent/app/base/clock"
	"arpent/app/base/fault"
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
	maxFailuresKept  = 500
	// How many are read at once: in all, of one site, and for the people of one network.
	documentsAtOnce     = 16
	documentsOfSite     = 2
	documentsForNetwork = 4
)

// documents are clients by the address of the document that describes them. Nothing is kept over a restart but what
// somebody agreed to: a client that is connected needs its document no more.
type documents struct {
	fetch  FetchDocument
	clock  clock.Clock
	flight singleflight.Group // several people who connect one assistant wait for one reading
	turns  chan struct{}
	sites  *shares // of those turns, by the site that is read
	askers *shares // who may have a document read, by their network

	mu     sync.Mutex
	kept   map[string]document // that were read
	failed map[string]document // that were not: however many, they push out none of the others
}

// document is the outcome of a reading.
type document struct {
	client Client
	err    *PageError // nil: it was read
	until  time.Time
}

func newDocuments(fetch FetchDocument, c clock.Clock) *documents {
	return &documents{fetch: fetch, clock: c, turns: make(chan struct{}, documentsAtOnce),
		sites: newShares(documentsOfSite), askers: newShares(documentsForNetwork),
		kept: map[string]document{}, failed: map[string]document{}}
}

// isDocument reports whether a client's identifier is the address of a document rather than one drawn here.
func isDocument(id string) bool { return strings.HasPrefix(id, "https://") }

func documentHost(id string) string {
	u, err := url.Parse(id)
	if err != nil {
		return ""
	}
	return u.Host
}

// client gives the client that the document at id describes, or a *PageError.
func (d *documents) client(ctx context.Context, id string) (Client, error) {
	if wrong := checkDocumentURL(id); wrong != "" {
		return Client{}, &PageError{Code: CodeDocument, Detail: "client_id " + fault.Excerpt(id) + ": " + wrong}
	}
	doc, ok := d.recall(id)
	if !ok {
		var err *PageError
		if doc, err = d.wait(ctx, id); err != nil {
			return Client{}, err
		}
	}
	if doc.err != nil {
		return Client{}, doc.err
	}
	return doc.client, nil
}

// wait has a document read, or waits with others for who has it read.
func (d *documents) wait(ctx context.Context, id string) (document, *PageError) {
	ctx, cancel := context.WithTimeout(ctx, documentTimeout+time.Second)
	defer cancel()
	leave, err := d.askers.enter(ctx, browserNetwork(ctx))
	if err != nil {
		return document{}, notRead("too many documents are being read for your network: try again", err)
	}
	defer leave()
	if doc, ok := d.recall(id); ok { // it was read meanwhile
		return doc, nil
	}
	// The reading goes on when the one who asked first hangs up: others wait for it too.
	read := d.flight.DoChan(id, func() (any, error) { return d.read(context.WithoutCancel(ctx), id), nil })
	select {
	case r := <-read:
		return r.Val.(document), nil
	case <-ctx.Done():
		return document{}, notRead("the document was not read in time", ctx.Err())
	}
}

// notRead says nothing of the document itself: it is not kept.
func notRead(why string, cause error) *PageError {
	return &PageError{Code: CodeDocument, Detail: why, cause: cause}
}

func (d *documents) recall(id string) (document, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range []map[string]document{d.kept, d.failed} {
		if doc, ok := m[id]; ok && d.clock.Now().Before(doc.until) {
			return doc, true
		}
	}
	return document{}, false
}

func (d *documents) read(ctx context.Context, id string) document {
	ctx, cancel := context.WithTimeout(ctx, documentTimeout)
	defer cancel()
	leave, err := d.sites.enter(ctx, siteOf(id)) // before the other turn, which is not to be held while waiting for this one
	if err != nil {
		return document{err: notRead("too many documents of its site are being read: try again", err)}
	}
	defer leave()
	select {
	case d.turns <- struct{}{}:
		defer func() { <-d.turns }()
	case <-ctx.Done():
		return document{err: notRead("too many documents are being read: try again", ctx.Err())}
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
	if doc.err != nil {
		keepIn(d.failed, maxFailuresKept, id, doc, now)
		return
	}
	delete(d.failed, id)
	keepIn(d.kept, maxDocumentsKept, id, doc, now)
}

// keepIn makes room by letting go of what is out of date, and then of any.
func keepIn(m map[string]document, most int, id string, doc document, now time.Time) {
	if len(m) >= most {
		for other, old := range m {
			if !now.Before(old.until) {
				delete(m, other)
			}
		}
	}
	for other := range m {
		if len(m) < most {
			break
		}
		delete(m, other)
	}
	m[id] = doc
}
