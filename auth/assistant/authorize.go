package assistant

import (
	"context"
	"errors"
	"slices"
	"strings"

	"arpent/app/base/fault"
)

const (
	maxQuery     = 16 << 10
	maxState     = 4096
	challengeLen = 43 // SHA-256 as base64url
)

// Read reads the query of an authorization request. Until the client and the address of its answer are known to be
// right, what is wrong is a *PageError, and the browser must stay here; after that it is a *RedirectError. Any other
// error says that accounts cannot be read at the moment.
func (s *Server) Read(ctx context.Context, query string) (Request, error) {
	query = strings.Clone(query) // it may be a string of the framework's, good until the answer only
	if len(query) > maxQuery {
		return Request{}, &PageError{Code: CodeRequest, Detail: "the request is longer than 16 kB"}
	}
	p, err := readForm(query)
	if err != nil {
		return Request{}, &PageError{Code: CodeRequest, Detail: err.Error()}
	}
	r, err := s.whoAndWhere(ctx, p)
	if err != nil {
		return Request{}, err
	}
	if len(p.get("state")) <= maxState && !p.twice["state"] {
		r.State, r.hasState = p.get("state"), p.has("state")
	}
	if code, detail := s.checkRequest(p); code != "" {
		return Request{}, &RedirectError{Location: s.refusal(r, code, detail), Code: code, Detail: detail}
	}
	r.Scope, r.Resource, r.Challenge = Scope, s.resource.canonical, p.get("code_challenge")
	return r, nil
}

// whoAndWhere finds the client and makes sure that the answer goes to it.
func (s *Server) whoAndWhere(ctx context.Context, p parameters) (Request, error) {
	switch {
	case p.twice["client_id"] || p.twice["redirect_uri"]:
		return Request{}, &PageError{Code: CodeRequest, Detail: "client_id or redirect_uri is there twice"}
	case p.get("client_id") == "":
		return Request{}, &PageError{Code: CodeRequest, Detail: "client_id is missing"}
	}
	client, err := s.client(ctx, p.get("client_id"))
	if err != nil {
		return Request{}, err
	}
	uri := p.get("redirect_uri")
	switch {
	case uri == "":
		return Request{}, &PageError{Code: CodeRedirect, Detail: "redirect_uri is missing"}
	case checkRedirect(uri) != "" || !allowsRedirect(client.redirects, uri):
		return Request{}, &PageError{Code: CodeRedirect,
			Detail: "redirect_uri " + fault.Excerpt(uri) + " is not one that the client registered: it must be the same, character by character"}
	}
	return Request{Client: client, RedirectURI: uri}, nil
}

// client finds who asks: in its document, or among those who registered.
func (s *Server) client(ctx context.Context, id string) (Client, error) {
	if s.documents != nil && isDocument(id) {
		return s.documents.client(ctx, id)
	}
	c, err := s.stored(ctx, id)
	if errors.Is(err, errUnknownClient) || err == nil && c.document {
		return Client{}, &PageError{Code: CodeUnknownClient,
			Detail: "client_id " + fault.Excerpt(id) + " is not registered here: remove the connector in the assistant and add it again"}
	}
	return c, err
}

// checkRequest gives what is to be said of a request of a known client; an empty code: nothing.
func (s *Server) checkRequest(p parameters) (code, detail string) {
	method := p.get("code_challenge_method")
	switch {
	case p.repeated() == "resource":
		return "invalid_target", "one resource can be asked for at a time: " + s.resource.canonical
	case p.repeated() != "":
		return "invalid_request", fault.Excerpt(p.repeated()) + " is there twice"
	case len(p.get("state")) > maxState:
		return "invalid_request", "state is longer than 4096 bytes"
	case p.has("request"):
		return "request_not_supported", "send the parameters in the query"
	case p.has("request_uri"):
		return "request_uri_not_supported", "send the parameters in the query"
	case p.get("response_type") == "":
		return "invalid_request", "response_type is missing: send code"
	case p.get("response_type") != "code":
		return "unsupported_response_type", "response_type is code"
	case p.get("response_mode") != "" && p.get("response_mode") != "query":
		return "invalid_request", "response_mode is query"
	case p.get("code_challenge") == "":
		return "invalid_request", "code_challenge is missing: PKCE is required"
	case method != "S256":
		return "invalid_request", "code_challenge_method is S256"
	case !isChallenge(p.get("code_challenge")):
		return "invalid_request", "code_challenge is the SHA-256 of the verifier as 43 characters of base64url"
	case p.get("resource") != "" && !s.resource.is(p.get("resource")):
		return "invalid_target", "resource is " + s.resource.canonical
	case p.get("scope") != "" && !slices.Contains(strings.Fields(p.get("scope")), Scope):
		return "invalid_scope", "scope is " + Scope
	}
	return "", ""
}

func isChallenge(s string) bool {
	return len(s) == challengeLen && strings.IndexFunc(s, func(r rune) bool {
		return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}) < 0
}

// refusal is where to send the browser with an error. Error texts have no quotes or backslashes, as RFC 6749 wants.
func (s *Server) refusal(r Request, code, detail string) string {
	return answerTo(r.RedirectURI, s.andState(r, "error", code, "error_description", described(detail))...)
}

// andState ends an answer as every one ends: with the state as it came, and who answers.
func (s *Server) andState(r Request, pairs ...string) []string {
	if r.hasState || r.State != "" {
		pairs = append(pairs, "state", r.State)
	}
	return append(pairs, "iss", s.issuer)
}

// described keeps to the characters that RFC 6749 allows in error_description.
func described(text string) string {
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
