package assistant

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"mime"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/app/base/httpbody"
)

// postToken exchanges a code or a refresh token.
func (s *Server) postToken(ctx context.Context, c *fiber.Ctx) (int, map[string]any, error) {
	form, err := readBody(c)
	if err != nil {
		return 0, nil, err
	}
	grant := form.get("grant_type")
	switch {
	case grant == "":
		return 0, nil, refuse("invalid_request", "grant_type is missing")
	case grant != "authorization_code" && grant != "refresh_token":
		return 0, nil, refuse("unsupported_grant_type", "grant_type is authorization_code or refresh_token")
	}
	client, err := s.authenticated(ctx, c, form)
	if err != nil {
		return 0, nil, err
	}
	if r := form.get("resource"); r != "" && !s.resource.is(r) {
		return 0, nil, refuse("invalid_target", "resource is "+s.resource.canonical)
	}
	var t tokens
	if grant == "authorization_code" {
		t, err = s.redeem(ctx, client, form)
	} else {
		t, err = s.refresh(ctx, client, form)
	}
	if err != nil {
		return 0, nil, err
	}
	return fiber.StatusOK, map[string]any{"access_token": t.access, "token_type": "Bearer",
		"expires_in": int(accessLife.Seconds()), "refresh_token": t.refresh, "scope": Scope}, nil
}

// postRevoke is RFC 7009: either token ends the connection, and the key with it. A token that is not the client's, or
// none at all, is nothing to revoke, and a client that is known hears that all is well.
func (s *Server) postRevoke(ctx context.Context, c *fiber.Ctx) (int, map[string]any, error) {
	form, err := readBody(c)
	if err != nil {
		return 0, nil, err
	}
	client, err := s.authenticated(ctx, c, form)
	if err != nil {
		return 0, nil, err
	}
	if hash, ok := anyToken(form.get("token")); ok {
		if err := s.revoke(ctx, client, hash); err != nil {
			return 0, nil, err
		}
	}
	return fiber.StatusOK, map[string]any{}, nil
}

// readBody reads a form whose parameters are there once each.
func readBody(c *fiber.Ctx) (parameters, error) {
	kind, _, err := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
	if err != nil || kind != fiber.MIMEApplicationForm {
		return parameters{}, refuse("invalid_request", "the body is application/x-www-form-urlencoded")
	}
	form, err := readForm(string(httpbody.Raw(c)))
	if err != nil {
		return form, refuse("invalid_request", err.Error())
	}
	if name := form.repeated(); name != "" {
		return form, refuse("invalid_request", "a parameter is there twice")
	}
	return form, nil
}

// credentials are what a client says it is, and proves it with.
type credentials struct {
	id, secret string
	basic      bool // in the header Authorization
}

// authenticated finds the client that sends a form. One that is unknown is told so in a way that has it register again.
func (s *Server) authenticated(ctx context.Context, c *fiber.Ctx, form parameters) (Client, error) {
	sent, err := readCredentials(c.Get(fiber.HeaderAuthorization), form)
	if err != nil {
		return Client{}, err
	}
	refused := &oauthError{status: fiber.StatusUnauthorized, code: "invalid_client", basic: sent.basic,
		detail: "the client is unknown or its secret is not right: register again"}
	client, err := s.stored(ctx, sent.id)
	switch {
	case errors.Is(err, errUnknownClient):
		return Client{}, refused
	case err != nil:
		return Client{}, err
	}
	if client.secretHash != nil {
		hash := sha256.Sum256([]byte(sent.secret))
		if subtle.ConstantTimeCompare(hash[:], client.secretHash) != 1 {
			return Client{}, refused
		}
	}
	return client, nil
}

func readCredentials(header string, form parameters) (credentials, error) {
	scheme, encoded, found := strings.Cut(header, " ")
	if !found || !strings.EqualFold(scheme, "Basic") { // another scheme says nothing of the client
		if form.get("client_id") == "" {
			return credentials{}, &oauthError{status: fiber.StatusUnauthorized, code: "invalid_client", detail: "client_id is missing"}
		}
		return credentials{id: form.get("client_id"), secret: form.get("client_secret")}, nil
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
	case form.get("client_secret") != "":
		return credentials{}, refuse("invalid_request", "the client proves who it is in one way: in the header or in the form")
	case form.has("client_id") && form.get("client_id") != id:
		return credentials{}, refuse("invalid_request", "client_id is another one in the header than in the form")
	}
	return credentials{id: id, secret: secret, basic: true}, nil
}
