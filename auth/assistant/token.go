package assistant

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"maps"
	"mime"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"arpent/auth/apikey"
	"arpent/internal/httpbody"
)

// Everything that is handed out has the form of an API key, with a beginning of its own: a leak scanner finds
// it, and garbage is rejected without a look-up.
const (
	clientMark  = "arpi_" // a client's identifier, which is no secret
	secretMark  = "arps_" // a client's secret
	codeMark    = "arpc_"
	accessMark  = "arpa_"
	refreshMark = "arpr_"
)

// postToken exchanges a code or a refresh token.
func (s *Server) postToken(ctx context.Context, c *fiber.Ctx) (int, map[string]any, error) {
	form, err := readBody(c)
	if err != nil {
		return 0, nil, err
	}
	grant := form.Get("grant_type")
	switch {
	case grant == "":
		return 0, nil, badRequest("invalid_request", "grant_type is missing")
	case grant != "authorization_code" && grant != "refresh_token":
		return 0, nil, badRequest("unsupported_grant_type", "grant_type is authorization_code or refresh_token")
	}
	client, err := s.authenticateClient(ctx, c, form)
	if err != nil {
		return 0, nil, err
	}
	if r := form.Get("resource"); r != "" && !s.resource.matchesURI(r) {
		return 0, nil, badRequest("invalid_target", "resource is "+s.resource.canonical)
	}
	var t tokens
	if grant == "authorization_code" {
		t, err = s.redeemCode(ctx, client, form)
	} else {
		t, err = s.refreshTokens(ctx, client, form)
	}
	if err != nil {
		return 0, nil, err
	}
	return fiber.StatusOK, map[string]any{"access_token": t.access, "token_type": "Bearer",
		"expires_in": int(t.expires.Sub(s.o.Clock.Now()).Seconds()), "refresh_token": t.refresh,
		"scope": Scope}, nil
}

// postRevoke is RFC 7009: either token ends the connection, and the key with it. A token that is not the
// client's, or none at all, is nothing to revoke, and a client that is known gets a 200.
func (s *Server) postRevoke(ctx context.Context, c *fiber.Ctx) (int, map[string]any, error) {
	form, err := readBody(c)
	if err != nil {
		return 0, nil, err
	}
	client, err := s.authenticateClient(ctx, c, form)
	if err != nil {
		return 0, nil, err
	}
	hash, ok := apikey.Check(refreshMark, form.Get("token"))
	if !ok {
		hash, ok = apikey.Check(accessMark, form.Get("token"))
	}
	if ok {
		if err := s.revokeToken(ctx, client, hash); err != nil {
			return 0, nil, err
		}
	}
	return fiber.StatusOK, map[string]any{}, nil
}

// readBody reads a form whose parameters are there once each.
func readBody(c *fiber.Ctx) (url.Values, error) {
	kind, _, err := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
	if err != nil || kind != fiber.MIMEApplicationForm {
		return nil, badRequest("invalid_request", "the body is application/x-www-form-urlencoded")
	}
	form, err := readForm(string(httpbody.Raw(c)))
	if err != nil {
		return form, badRequest("invalid_request", err.Error())
	}
	if name := firstRepeated(form); name != "" {
		return form, badRequest("invalid_request", "a parameter is there twice")
	}
	return form, nil
}

// credentials are what a client says it is, and proves it with.
type credentials struct {
	id, secret string
	basic      bool // in the header Authorization
}

// authenticateClient finds the client that sends a form. One that is unknown
// gets the error that has it register again.
func (s *Server) authenticateClient(ctx context.Context, c *fiber.Ctx, form url.Values) (Client, error) {
	sent, err := readCredentials(c.Get(fiber.HeaderAuthorization), form)
	if err != nil {
		return Client{}, err
	}
	rejected := &oauthError{status: fiber.StatusUnauthorized, code: "invalid_client", basic: sent.basic,
		detail: "the client is unknown or its secret is not right: register again"}
	client, err := s.findStoredClient(ctx, sent.id)
	switch {
	case errors.Is(err, errUnknownClient):
		return Client{}, rejected
	case err != nil:
		return Client{}, err
	}
	if client.secretHash != nil {
		hash := sha256.Sum256([]byte(sent.secret))
		if subtle.ConstantTimeCompare(hash[:], client.secretHash) != 1 {
			return Client{}, rejected
		}
	}
	return client, nil
}

func readCredentials(header string, form url.Values) (credentials, error) {
	scheme, encoded, found := strings.Cut(header, " ")
	if !found || !strings.EqualFold(scheme, "Basic") { // another scheme says nothing of the client
		if form.Get("client_id") == "" {
			return credentials{}, &oauthError{status: fiber.StatusUnauthorized, code: "invalid_client",
				detail: "client_id is missing"}
		}
		return credentials{id: form.Get("client_id"), secret: form.Get("client_secret")}, nil
	}
	bad := &oauthError{status: fiber.StatusUnauthorized, code: "invalid_client", basic: true,
		detail: "the header Authorization is not HTTP Basic with the client's identifier and secret, each form-encoded"}
	text, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	if err != nil {
		return credentials{}, bad
	}
	rawID, rawSecret, found := strings.Cut(string(text), ":")
	id, err := url.QueryUnescape(rawID)
	secret, err2 := url.QueryUnescape(rawSecret)
	switch {
	case !found || err != nil || err2 != nil || id == "":
		return credentials{}, bad
	case form.Get("client_secret") != "":
		return credentials{}, badRequest("invalid_request",
			"the client proves who it is in one way: in the header or in the form")
	case form.Has("client_id") && form.Get("client_id") != id:
		return credentials{}, badRequest("invalid_request",
			"client_id is another one in the header than in the form")
	}
	return credentials{id: id, secret: secret, basic: true}, nil
}

// maxParameters is more than any request of ours has.
const maxParameters = 60

var errForm = errors.New("the parameters are not form-encoded text")

// binaryParameters are the parameters that need not be text: a state goes back as it came, and a client whose
// identifier is none is answered as unknown.
var binaryParameters = []string{"state", "client_id"}

// isStorableText reports whether s is valid UTF-8 without NUL, as PostgreSQL requires.
func isStorableText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// readForm reads name=value pairs between ampersands. A semicolon is a character like any other.
func readForm(text string) (url.Values, error) {
	values, err := url.ParseQuery(strings.ReplaceAll(text, ";", "%3B"))
	if err != nil || strings.Count(text, "&") >= maxParameters {
		return nil, errForm
	}
	for name, all := range values {
		isBinary := func(value string) bool { return !isStorableText(value) }
		if !isStorableText(name) || slices.ContainsFunc(all, isBinary) && !slices.Contains(binaryParameters, name) {
			return nil, errForm
		}
	}
	return values, nil
}

// isRepeated reports whether a parameter is there twice, which must not be trusted.
func isRepeated(p url.Values, name string) bool { return len(p[name]) > 1 }

// firstRepeated returns the first of the names that are there twice; empty: there is none.
func firstRepeated(p url.Values) string {
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if isRepeated(p, name) {
			return name
		}
	}
	return ""
}
