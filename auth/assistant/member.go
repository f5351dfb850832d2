package assistant

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
)

var errMember = errors.New("a member has another type")

// textMember reads a member that is a text. One that is null is not there.
func textMember(m map[string]json.RawMessage, name string) (text string, there bool, err error) {
	raw, there := m[name]
	if !there || isNull(raw) {
		return "", false, nil
	}
	if err := json.Unmarshal(raw, &text); err != nil {
		return "", true, errMember
	}
	return text, true, nil
}

// textsMember reads a member that is a list of texts. One that is null is not there.
func textsMember(m map[string]json.RawMessage, name string) ([]string, error) {
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
		len(uri) <= maxRedirectBytes && strings.IndexFunc(uri, notInURI) < 0
}

// homePage is an address that a page may show and link to; empty: it is none.
func homePage(uri string) string {
	if !isWebAddress(uri) || !strings.HasPrefix(strings.ToLower(uri), "https:") {
		return ""
	}
	return uri
}
