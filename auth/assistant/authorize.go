package assistant

import (
	"context"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"arpent/auth/apikey"
	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
)

const (
	maxQuery = 16 << 10
	maxState = 4096
)

// challengeForm is SHA-256 as base64url.
var challengeForm = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// Read reads the query of an authorization request. Until the client and the address of its answer are known
// to be right, what is wrong is a *PageError, and the browser must stay here; after that it is a
// *RedirectError. Any other error says that accounts cannot be read at the moment.
func (s *Server) Read(ctx context.Context, query string) (Request, error) {
	query = strings.Clone(query) // it may be a string of the framework's, good until the answer only
	if len(query) > maxQuery {
		return Request{}, &PageError{Code: CodeRequest, Detail: "the request is longer than 16 kB"}
	}
	p, err := readForm(query)
	if err != nil {
		return Request{}, &PageError{Code: CodeRequest, Detail: err.Error()}
	}
	r, err := s.readClientAndRedirect(ctx, p)
	if err != nil {
		return Request{}, err
	}
	if len(p.Get("state")) <= maxState && !isRepeated(p, "state") {
		r.State, r.hasState = p.Get("state"), p.Has("state")
	}
	if code, detail := s.checkRequest(p); code != "" {
		return Request{}, &RedirectError{Location: s.errorRedirectURL(r, code, detail), Code: code, Detail: detail}
	}
	r.Scope, r.Resource, r.Challenge = Scope, s.resource.canonical, p.Get("code_challenge")
	return r, nil
}

// readClientAndRedirect finds the client, in its document or among those who registered, and makes sure that
// the answer goes to it.
func (s *Server) readClientAndRedirect(ctx context.Context, p url.Values) (Request, error) {
	switch {
	case isRepeated(p, "client_id") || isRepeated(p, "redirect_uri"):
		return Request{}, &PageError{Code: CodeRequest, Detail: "client_id or redirect_uri is there twice"}
	case p.Get("client_id") == "":
		return Request{}, &PageError{Code: CodeRequest, Detail: "client_id is missing"}
	}
	var client Client
	var err error
	if id := p.Get("client_id"); s.documents != nil && isDocument(id) {
		client, err = s.documents.lookUpClient(ctx, id)
	} else {
		client, err = s.findStoredClient(ctx, id)
		if errors.Is(err, errUnknownClient) || err == nil && client.document {
			err = &PageError{Code: CodeUnknownClient,
				Detail: "client_id " + fault.Excerpt(id) + " is not registered here"}
		}
	}
	if err != nil {
		return Request{}, err
	}
	uri := p.Get("redirect_uri")
	switch {
	case uri == "":
		return Request{}, &PageError{Code: CodeRedirect, Detail: "redirect_uri is missing"}
	case checkRedirect(uri) != "" || !allowsRedirect(client.redirects, uri):
		return Request{}, &PageError{Code: CodeRedirect,
			Detail: "redirect_uri " + fault.Excerpt(uri) +
				" is not one that the client registered: it must be the same, character by character"}
	}
	return Request{Client: client, RedirectURI: uri}, nil
}

// checkRequest returns what is wrong with a request of a known client; an empty code: nothing.
func (s *Server) checkRequest(p url.Values) (code, detail string) {
	method := p.Get("code_challenge_method")
	switch {
	case firstRepeated(p) == "resource":
		return "invalid_target", "one resource can be asked for at a time: " + s.resource.canonical
	case firstRepeated(p) != "":
		return "invalid_request", fault.Excerpt(firstRepeated(p)) + " is there twice"
	case len(p.Get("state")) > maxState:
		return "invalid_request", "state is longer than 4096 bytes"
	case p.Has("request"):
		return "request_not_supported", "send the parameters in the query"
	case p.Has("request_uri"):
		return "request_uri_not_supported", "send the parameters in the query"
	case p.Get("response_type") == "":
		return "invalid_request", "response_type is missing: send code"
	case p.Get("response_type") != "code":
		return "unsupported_response_type", "response_type must be code"
	case p.Get("response_mode") != "" && p.Get("response_mode") != "query":
		return "invalid_request", "response_mode is query"
	case p.Get("code_challenge") == "":
		return "invalid_request", "code_challenge is missing: PKCE is required"
	case method != "S256":
		return "invalid_request", "code_challenge_method is S256"
	case !challengeForm.MatchString(p.Get("code_challenge")):
		return "invalid_request", "code_challenge is the SHA-256 of the verifier as 43 characters of base64url"
	case p.Get("resource") != "" && !s.resource.matchesURI(p.Get("resource")):
		return "invalid_target", "resource is " + s.resource.canonical
	case p.Get("scope") != "" && !slices.Contains(strings.Fields(p.Get("scope")), Scope):
		return "invalid_scope", "scope is " + Scope
	}
	return "", ""
}

const insertCode = `
INSERT INTO account.assistant_code (code_hash, account_id, client_id, redirect_uri, challenge, scope, resource, address, agent,
    created_at, expires_at, person_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, nullif($9, ''), $10, $11, nullif($12::bigint, 0))`

// Approve records that r.Person agrees for an account, their own or that of an organisation, and returns
// where to send the browser: to the client, with a code that is good once and for a minute. Nothing is
// granted before the client exchanges it. For an account that cannot have one more assistant it returns
// apikey.ErrUnconfirmed or apikey.ErrTooManyAssistants, to be shown.
func (s *Server) Approve(
	ctx context.Context, account ident.AccountID, r Request) (location string, err error) {
	code, hash := apikey.Draw(codeMark)
	now := s.o.Clock.Now()
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := apikey.MayConnect(ctx, tx, account, now); err != nil {
			return err
		}
		if r.Client.document {
			if err := saveClient(ctx, tx, upsertClient, r.Client, now); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, insertCode, hash[:], account, r.Client.ID, r.RedirectURI, r.Challenge, r.Scope,
			r.Resource, r.Origin.Address.Unmap().WithZone(""), audit.CleanAgent(r.Origin.Agent), now,
			now.Add(codeLife), r.Person)
		return fault.Wrap("keep a code", err)
	})
	if err != nil {
		return "", wrapUnavailable("issue a code", err)
	}
	return s.redirectURL(r, "code", code), nil
}

// Deny returns where to send the browser when the account's owner does not agree.
func (s *Server) Deny(r Request) (location string) {
	return s.errorRedirectURL(r, "access_denied", "the account's owner did not agree")
}

// errorRedirectURL is where to send the browser with an error. Error texts have
// no quotes or backslashes, as RFC 6749 wants.
func (s *Server) errorRedirectURL(r Request, code, detail string) string {
	return s.redirectURL(r, "error", code, "error_description", sanitizeDescription(detail))
}

// redirectURL is the redirect URI with the parameters of an answer, the state as it came, and who answers.
func (s *Server) redirectURL(r Request, pairs ...string) string {
	if r.hasState || r.State != "" {
		pairs = append(pairs, "state", r.State)
	}
	return appendParameters(r.RedirectURI, append(pairs, "iss", s.issuer)...)
}

// sanitizeDescription keeps to the characters that RFC 6749 allows in error_description.
func sanitizeDescription(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '"' || r == '\\':
			return '\''
		case r < ' ' || r > '~':
			return '?'
		}
		return r
	}, text)
}
