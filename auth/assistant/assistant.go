// Package assistant lets people connect AI assistants to their account: it is the OAuth authorization
// server of the service's tools. It promises that a code or a token is stored as a hash only and worth
// nothing to anybody but the client it was made for; that each connection is a key of the account,
// whose revocation ends it everywhere within a second; and that neither a restart nor a second
// instance disturbs an assistant that is connected.
package assistant

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/singleflight"

	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/internal/budget"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
)

// Scope is the one thing that can be granted: to use the tools as the account.
const Scope = "mcp"

// How long things are good for.
const (
	codeLife    = time.Minute
	accessLife  = time.Hour
	RefreshLife = 60 * 24 * time.Hour // of a connection that is not used
	// ConnectionMaxLife is how long a connection lives from the consent, however much it is used. A person
	// who agreed once is asked again once a year: often enough that what they no longer remember ends by
	// itself, rarely enough that it is read.
	ConnectionMaxLife = 365 * 24 * time.Hour
	// A refresh token that was exchanged is taken again for this long: the answer may have been lost, and two
	// programs may share one token. After it, somebody holds what they should not.
	refreshGrace = 45 * time.Second
)

// workTimeout bounds one act on the database. Assistants give up on an answer after ten seconds.
const workTimeout = 5 * time.Second

// Options of New.
type Options struct {
	DB    *pgxpool.Pool
	Clock clock.Clock
	Index *apikey.Index
	// BaseURL is the public address, without a slash at its end: the issuer. The resource is BaseURL + "/mcp".
	BaseURL, ServiceName string
	// ClientDocuments lets clients be known by the address of a document
	// that this server reads over the network.
	ClientDocuments bool
	// Fetch reads such a document; nil: over https, from public addresses only.
	Fetch FetchDocument
	// Client returns where a request comes from; nil: the peer, as if there were no proxies.
	Client func(*fiber.Ctx) netip.Addr
}

// Server answers clients, and what the pages ask of it.
type Server struct {
	o         Options
	issuer    string
	resource  resource
	documents *documents                        // nil: clients have no documents here
	tokens    *lru.Cache[[32]byte, cachedToken] // by their hash
	lookups   chan struct{}                     // admits a query for a token that is not in memory
	readings  singleflight.Group                // of keys
	metadata  [2][]byte                         // of the resource, of the authorization server

	registrationLimits registrationBounds
}

// New makes the server.
func New(o Options) *Server {
	issuer := strings.TrimRight(o.BaseURL, "/")
	s := &Server{o: o, issuer: issuer, resource: resource{canonical: issuer + mcpPath},
		tokens:  newCache[[32]byte, cachedToken](maxTokensKept),
		lookups: make(chan struct{}, lookupsAtOnce), registrationLimits: defaultRegistrationBounds}
	if u, err := url.Parse(issuer); err == nil {
		// the configuration was checked: an unreadable one matches nothing
		s.resource.scheme, s.resource.host, s.resource.base = splitOrigin(u)
	}
	if o.ClientDocuments {
		fetch := o.Fetch
		if fetch == nil {
			fetch = newFetcher().fetchBody
		}
		s.documents = &documents{fetch: fetch, clock: o.Clock, readSlots: make(chan struct{}, documentsAtOnce),
			siteSlots:    budget.NewGroups[string](documentsOfSite),
			networkSlots: budget.NewGroups[netip.Prefix](documentsForNetwork),
			kept:         newCache[string, document](maxDocumentsKept),
			failed:       newCache[string, document](maxFailuresKept)}
	}
	s.metadata = s.buildMetadata()
	return s
}

// Client is who asks for access. Nothing of it is proven but the place that its answers go to.
type Client struct {
	ID   string
	Name string // fit to be shown: cleaned and shortened
	Host string // of the document that describes it, the one proof of who it is; empty: it has none
	URI  string // its home page, as it says; empty: it says none

	method     string
	secretHash []byte // nil: it keeps no secret
	redirects  []string
	document   bool
	network    netip.Prefix // where it registered from; the zero value: not known, or it did not register
}

// RedirectHost is what a person is to see of the place that the answer goes to: the host in full, or the
// scheme of a program on the person's own machine.
func (r Request) RedirectHost() string { return redirectHost(r.RedirectURI) }

func redirectHost(uri string) string {
	u, err := url.Parse(uri)
	switch {
	case err != nil:
		return ""
	case u.Scheme == "https" || u.Scheme == "http":
		return u.Host
	}
	return u.Scheme + ":"
}

// Request is an authorization request that is as it should be: it can be shown to the person, and answered.
type Request struct {
	Client      Client
	RedirectURI string
	State       string
	Scope       string // what is granted, whatever was asked for
	Resource    string
	Challenge   string
	// Origin is the browser in which the person agrees, for the record and the mail; set it before Approve.
	Origin auth.Origin
	// Person is who agrees, with whose membership the connection ends; 0: the account itself. Set it before
	// Approve.
	Person ident.AccountID

	hasState bool
}

// PageError is a request that must be answered by a page: who asks,
// or where the answer would go, is not right.
type PageError struct {
	Code   string // one of the codes below
	Detail string // what was wrong, in English, for the developer of the client
	cause  error
}

// The codes of a PageError.
const (
	CodeUnknownClient = "unknown_client"  // remove the connector in the assistant and add it again
	CodeRedirect      = "redirect_uri"    // missing, or not one that the client registered
	CodeDocument      = "client_document" // the document of the client cannot be read or is not right
	CodeRequest       = "request"         // unreadable, or without a client
)

func (e *PageError) Error() string { return e.Code + ": " + e.Detail }

// Unwrap returns the cause; nil when the request itself is at fault.
func (e *PageError) Unwrap() error { return e.cause }

// RedirectError is a request that is rejected by sending the browser back to the client.
type RedirectError struct {
	Location string
	Code     string
	Detail   string
}

func (e *RedirectError) Error() string { return e.Code + ": " + e.Detail }

// IsLocal reports whether the address is one of the person's own machine.
func (e *RedirectError) IsLocal() bool {
	u, err := url.Parse(e.Location)
	return err == nil && u.Scheme == "http" && slices.Contains(loopbackHosts, stripPort(strings.ToLower(u.Host)))
}

// ErrInvalidToken is the one answer to every access token that is not accepted, whatever the reason.
var ErrInvalidToken = fault.New(fault.InvalidAPIKey, "The access token is unknown, expired or revoked.", nil)

// inTx runs one act as a whole or not at all.
func (s *Server) inTx(ctx context.Context, act func(ctx context.Context, tx pgx.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, workTimeout)
	defer cancel()
	return pgx.BeginFunc(ctx, s.o.DB, func(tx pgx.Tx) error { return act(ctx, tx) })
}

// wrapUnavailable makes an error of the database one that is safe to show: it is
// worth trying again. A fault stays as it is.
func wrapUnavailable(doing string, err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	return fault.Down("Accounts cannot be read at the moment. Try again shortly.", fault.Wrap(doing, err))
}
