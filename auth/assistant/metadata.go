package assistant

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"arpent/internal/fault"
)

// hostName is a name of the public Internet: it has a dot, and its last part is not a number.
var hostName = regexp.MustCompile(`^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z](?:[a-z0-9-]*[a-z0-9])?$`)

const maxDocumentURL = 2000

// checkDocumentURL returns what is wrong with the address of a document; empty: nothing. Where the
// name leads to is checked when it is known.
func checkDocumentURL(id string) string {
	u, err := url.Parse(id)
	switch {
	case err != nil || len(id) > maxDocumentURL || strings.IndexFunc(id, isForbiddenInURI) >= 0:
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
	}
	// of the path as it is once decoded
	for _, segment := range strings.FieldsFunc(u.Path, func(r rune) bool { return r == '/' || r == '\\' }) {
		if segment == "." || segment == ".." {
			return "its path must have no segments . or .."
		}
	}
	return ""
}

// parseDocument reads the description of a client.
func parseDocument(id string, body []byte) (Client, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(body, &m); err != nil || m == nil {
		return Client{}, errDocument("it is not a JSON object")
	}
	own, _, err := stringMember(m, "client_id")
	if err != nil || own != id {
		return Client{}, errDocument("its client_id is not its address")
	}
	name, _, err := stringMember(m, "client_name")
	if err != nil || cleanName(name) == "" {
		return Client{}, errDocument("it has no client_name")
	}
	all, err := stringListMember(m, "redirect_uris")
	if err != nil {
		return Client{}, errDocument("its redirect_uris is not a list of texts")
	}
	// An address of a kind that the server does not redirect to is harmless in the list: it is left out.
	redirects := slices.DeleteFunc(all, func(uri string) bool { return checkRedirect(uri) != "" })
	if len(redirects) == 0 || len(redirects) > maxRedirects {
		return Client{}, errDocument(fmt.Sprintf("it must have 1 to %d usable redirect_uris", maxRedirects))
	}
	if err := checkMethod(m); err != nil {
		return Client{}, err
	}
	uri, _, _ := stringMember(m, "client_uri")
	return Client{ID: id, Name: cleanName(name), Host: documentHost(id), URI: safeHomePage(uri), method: "none",
		redirects: redirects, document: true}, nil
}

// checkMethod rejects a client whose only authentication method is one that this server does not check. One
// that can do without, as it says in the list of OpenID Connect Relying Party Metadata Choices,
// does so here: ChatGPT prefers a signature.
func checkMethod(m map[string]json.RawMessage) error {
	method, there, err := stringMember(m, "token_endpoint_auth_method")
	_, secret := m["client_secret"]
	// what is no such list offers no choice
	choices, _ := stringListMember(m, "token_endpoint_auth_methods_supported")
	switch {
	case err != nil || secret || strings.HasPrefix(method, "client_secret_"):
		return errDocument("a client with a public document keeps no secret: token_endpoint_auth_method is none")
	case there && method != "none" && !slices.Contains(choices, "none"):
		return errDocument("its token_endpoint_auth_method " + fault.Excerpt(method) +
			" is not supported here: it is none, with PKCE")
	}
	return nil
}

var errMember = errors.New("a member has another type")

// stringMember reads a member that is a text. One that is null is not there.
func stringMember(m map[string]json.RawMessage, name string) (text string, there bool, err error) {
	raw, there := m[name]
	if !there || isNull(raw) {
		return "", false, nil
	}
	if err := json.Unmarshal(raw, &text); err != nil {
		return "", true, errMember
	}
	return text, true, nil
}

// stringListMember reads a member that is a list of texts. One that is null is not there.
func stringListMember(m map[string]json.RawMessage, name string) ([]string, error) {
	raw, there := m[name]
	if !there || isNull(raw) {
		return nil, nil
	}
	var list []*string
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, errMember
	}
	texts := make([]string, len(list))
	for i, text := range list {
		if text == nil {
			return nil, errMember
		}
		texts[i] = *text
	}
	return texts, nil
}

func isNull(raw json.RawMessage) bool { return bytes.Equal(bytes.TrimSpace(raw), []byte("null")) }

// isWebAddress reports whether a text is the address of something on the web.
func isWebAddress(uri string) bool {
	u, err := url.Parse(uri)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil &&
		len(uri) <= maxRedirectBytes && strings.IndexFunc(uri, isForbiddenInURI) < 0
}

// safeHomePage returns a URL that a page may show and link to; empty: it is not safe.
func safeHomePage(uri string) string {
	if !isWebAddress(uri) || !strings.HasPrefix(strings.ToLower(uri), "https:") {
		return ""
	}
	return uri
}
