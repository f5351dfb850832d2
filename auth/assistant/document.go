package assistant

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/net/publicsuffix"
	"golang.org/x/sync/singleflight"

	"arpent/internal/budget"
	"arpent/internal/clientip"
	"arpent/internal/clock"
	"arpent/internal/fault"
)

// FetchDocument reads what is at an address, and returns for how long it may be kept.
type FetchDocument func(ctx context.Context, url string) (body []byte, keep time.Duration, err error)

const (
	documentTimeout = 5 * time.Second
	// What was read is kept as long as its server says, within these bounds.
	minDocumentKept = time.Minute
	maxDocumentKept = 24 * time.Hour
	// What could not be read is not asked for again for this long.
	failureKept      = 30 * time.Second
	maxDocumentsKept = 1000
	maxFailuresKept  = 500
	// How many are read at once: in all, of one site, and for the people of one network. Tuned on a site and
	// a network that answer nothing (TestConcurrentReadsOfDocumentsTakeTurns): the others do not wait for
	// them.
	documentsAtOnce     = 16
	documentsOfSite     = 2
	documentsForNetwork = 4
)

// documents are clients by the address of the document that describes them. Nothing is kept over a restart
// but what somebody agreed to: a client that is connected needs its document no more.
type documents struct {
	fetch        FetchDocument
	clock        clock.Clock
	flight       singleflight.Group           // several people who connect one assistant wait for one reading
	readSlots    chan struct{}                // admits a reading
	siteSlots    *budget.Groups[string]       // admit a reading of one site
	networkSlots *budget.Groups[netip.Prefix] // admit the people of one network

	kept   *lru.Cache[string, document] // that were read
	failed *lru.Cache[string, document] // that were not: however many, they push out none of the others
}

// document is the outcome of a reading.
type document struct {
	client Client
	err    *PageError // nil: it was read
	until  time.Time  // when it is read again
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

// lookUpClient returns the client that the document at id describes, or a *PageError.
func (d *documents) lookUpClient(ctx context.Context, id string) (Client, error) {
	if wrong := checkDocumentURL(id); wrong != "" {
		return Client{}, &PageError{Code: CodeDocument, Detail: "client_id " + fault.Excerpt(id) + ": " + wrong}
	}
	doc, ok := d.cachedDocument(id)
	if !ok {
		var err *PageError
		if doc, err = d.waitForDocument(ctx, id); err != nil {
			return Client{}, err
		}
	}
	if doc.err != nil {
		return Client{}, doc.err
	}
	return doc.client, nil
}

// waitForDocument has a document read, or waits with others for who has it read.
func (d *documents) waitForDocument(ctx context.Context, id string) (document, *PageError) {
	ctx, cancel := context.WithTimeout(ctx, documentTimeout+time.Second)
	defer cancel()
	if a, _ := ctx.Value(browserKey{}).(netip.Addr); a.IsValid() {
		release, err := d.networkSlots.Take(ctx, clientip.Widest(a))
		if err != nil {
			return document{}, newReadError("too many documents are being read for your network: try again", err)
		}
		defer release()
	}
	// The reading goes on when the one who asked first hangs up: others wait for it too.
	read := d.flight.DoChan(id, func() (any, error) {
		if doc, ok := d.cachedDocument(id); ok { // it was read meanwhile
			return doc, nil
		}
		return d.readDocument(context.WithoutCancel(ctx), id), nil
	})
	select {
	case r := <-read:
		return r.Val.(document), nil
	case <-ctx.Done():
		return document{}, newReadError("the document was not read in time", ctx.Err())
	}
}

// newReadError is the error of a document that was not read.
func newReadError(why string, cause error) *PageError {
	return &PageError{Code: CodeDocument, Detail: why, cause: cause}
}

func (d *documents) cachedDocument(id string) (document, bool) {
	for _, outcomes := range []*lru.Cache[string, document]{d.kept, d.failed} {
		if found, ok := outcomes.Get(id); ok && d.clock.Now().Before(found.until) {
			return found, true
		}
	}
	return document{}, false
}

func (d *documents) readDocument(ctx context.Context, id string) document {
	ctx, cancel := context.WithTimeout(ctx, documentTimeout)
	defer cancel()
	// before d.reads, which is not to be held while waiting for this one
	var site string // what one holder of names has, whatever stands before it
	if u, err := url.Parse(id); err == nil {
		site = u.Hostname()
	}
	if registered, err := publicsuffix.EffectiveTLDPlusOne(site); err == nil {
		site = registered
	}
	release, err := d.siteSlots.Take(ctx, site)
	if err != nil {
		return document{err: newReadError("too many documents of its site are being read: try again", err)}
	}
	defer release()
	select {
	case d.readSlots <- struct{}{}:
		defer func() { <-d.readSlots }()
	case <-ctx.Done():
		return document{err: newReadError("too many documents are being read: try again", ctx.Err())}
	}
	body, keep, err := d.fetch(ctx, id)
	var doc document
	if err == nil {
		doc.client, err = parseDocument(id, body)
	}
	if err != nil {
		// What the network said is left out: it would describe the network that this server is in.
		text := "it could not be read"
		if known, ok := errors.AsType[errDocument](err); ok {
			text = string(known)
		}
		doc.err = newReadError("the document "+fault.Excerpt(id)+": "+text, err)
		doc.until = d.clock.Now().Add(failureKept)
		d.failed.Add(id, doc)
	} else {
		doc.until = d.clock.Now().Add(min(max(keep, minDocumentKept), maxDocumentKept))
		d.kept.Add(id, doc)
	}
	return doc
}

// errDocument is what a page may show of what is wrong with a document.
type errDocument string

func (e errDocument) Error() string { return string(e) }

type browserKey struct{}

// WithBrowser adds for Read where the browser is that brings a request, so that the people of one network
// cannot have so much read for them that others wait.
func WithBrowser(ctx context.Context, a netip.Addr) context.Context {
	return context.WithValue(ctx, browserKey{}, a)
}
