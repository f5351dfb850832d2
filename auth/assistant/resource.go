package assistant

import (
	"net/url"
	"strings"
)

// mcpPath is where the tools are, under the public address.
const mcpPath = "/mcp"

// resource is what tokens are good for: the address of the tools, as people give it to their assistant.
type resource struct {
	canonical          string
	scheme, host, base string // lower case, without a default port; the path of the public address
}

func splitOrigin(u *url.URL) (scheme, host, path string) {
	scheme, host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	}
	return scheme, host, u.EscapedPath()
}

// matchesURI reports whether text means this resource. Clients write it with a slash
// at the end, in capitals, or name the origin.
func (r resource) matchesURI(text string) bool {
	u, err := url.Parse(text)
	if err != nil || strings.ContainsAny(text, "?#") || u.Opaque != "" || u.User != nil || u.Host == "" {
		return false
	}
	scheme, host, path := splitOrigin(u)
	if scheme != r.scheme || host != r.host {
		return false
	}
	path = strings.TrimSuffix(path, "/")
	return path == "" || path == r.base || path == r.base+mcpPath
}
