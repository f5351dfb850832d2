package assistant

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/app/base/httpbody"
	"arpent/auth/apikey"
)

var (
	grantTypes  = []string{"authorization_code", "refresh_token"}
	authMethods = []string{"none", "client_secret_post", "client_secret_basic"}
)

// postRegister is RFC 7591: anybody may register a client, and nothing comes of it until somebody lets it in.
func (s *Server) postRegister(ctx context.Context, c *fiber.Ctx) (int, map[string]any, error) {
	client, echo, err := readRegistration(httpbody.Raw(c))
	if err != nil {
		return 0, nil, err
	}
	client.ID, _ = apikey.Draw(clientMark)
	echo["client_id"] = client.ID
	echo["client_id_issued_at"] = s.o.Clock.Now().Unix()
	echo["client_secret_expires_at"] = 0 // never
	if client.method != "none" {
		secret, hash := apikey.Draw(secretMark)
		client.secretHash, echo["client_secret"] = hash[:], secret
	}
	client.network = networkOf(s.address(c))
	if err := s.register(ctx, client); err != nil {
		return 0, nil, err
	}
	return fiber.StatusCreated, echo, nil
}

// readRegistration gives the client that a registration describes, and what of it is registered. What we do not know is
// passed over, and what is null is not there.
func readRegistration(body []byte) (Client, map[string]any, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(body, &m); err != nil || m == nil {
		return Client{}, nil, refuse("invalid_client_metadata", "the body is not a JSON object")
	}
	redirects, err := readRedirects(m)
	if err != nil {
		return Client{}, nil, err
	}
	echo := map[string]any{"redirect_uris": redirects, "scope": Scope}
	for _, name := range []string{"client_name", "client_uri", "logo_uri", "tos_uri", "policy_uri", "software_id", "software_version", "application_type"} {
		text, there, err := textMember(m, name)
		if err != nil {
			return Client{}, nil, refuse("invalid_client_metadata", name+" is not a text")
		}
		// Clients read back what was registered, and some stop at an address that is none.
		if there && (!strings.HasSuffix(name, "_uri") || isWebAddress(text)) {
			echo[name] = text
		}
	}
	if contacts, err := textsMember(m, "contacts"); err == nil && contacts != nil {
		echo["contacts"] = contacts
	}
	method, err := readMethods(m, echo)
	if err != nil {
		return Client{}, nil, err
	}
	name, _ := echo["client_name"].(string)
	uri, _ := echo["client_uri"].(string)
	return Client{Name: nameOf(name, redirects), URI: homePage(uri), method: method, redirects: redirects}, echo, nil
}

func readRedirects(m map[string]json.RawMessage) ([]string, error) {
	redirects, err := textsMember(m, "redirect_uris")
	switch {
	case err != nil:
		return nil, refuse("invalid_redirect_uri", "redirect_uris is not a list of texts")
	case len(redirects) == 0 || len(redirects) > maxRedirects:
		return nil, refuse("invalid_redirect_uri", fmt.Sprintf("redirect_uris has 1 to %d entries", maxRedirects))
	}
	for _, uri := range redirects {
		if wrong := checkRedirect(uri); wrong != "" {
			return nil, refuse("invalid_redirect_uri", wrong)
		}
	}
	return redirects, nil
}

// readMethods settles how the client proves who it is, and what it can ask for. It gets what we have of what it wants;
// only one that could do nothing here is refused.
func readMethods(m map[string]json.RawMessage, echo map[string]any) (method string, err error) {
	method, there, err := textMember(m, "token_endpoint_auth_method")
	if !there {
		method = "client_secret_basic" // what RFC 7591 says when nothing is said
	}
	if err != nil || !slices.Contains(authMethods, method) {
		return "", refuse("invalid_client_metadata", "token_endpoint_auth_method is one of "+strings.Join(authMethods, ", "))
	}
	grants, err := textsMember(m, "grant_types")
	if err != nil || len(grants) > 0 && !slices.Contains(grants, "authorization_code") {
		return "", refuse("invalid_client_metadata", "grant_types has authorization_code")
	}
	responses, err := textsMember(m, "response_types")
	if err != nil || len(responses) > 0 && !slices.Contains(responses, "code") {
		return "", refuse("invalid_client_metadata", "response_types has code")
	}
	echo["token_endpoint_auth_method"] = method
	echo["grant_types"] = grantTypes // a refresh token is given to all, whether they asked for it
	echo["response_types"] = []string{"code"}
	return method, nil
}
