package assistant

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"arpent/internal/fault"
)

const (
	maxRedirects     = 20
	maxRedirectBytes = 2000
)

// knownSchemes are those of assistants that have no dot in theirs. A program is to have the name of a domain
// that is its maker's (RFC 8252, 7.1): any other scheme may be one that a browser or a system acts on itself.
var knownSchemes = []string{
	"cursor", // Cursor: cursor://anysphere.cursor-mcp/oauth/callback
	// Visual Studio Code and its extensions, such as Cline: vscode://saoudrizwan.claude-dev/…
	"vscode", "vscode-insiders",
	"windsurf", // Windsurf: windsurf://codeium.windsurf/…
	"warp",     // Warp: warp://mcp/oauth2callback
	"claude",   // Claude on the desktop: claude://…
	"zed",      // Zed: zed://…
}

var (
	schemeForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)
	hostForm   = regexp.MustCompile(`^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$`)
)

// checkRedirect returns what is wrong with an address that a client
// wants its answers sent to; empty: nothing.
func checkRedirect(uri string) string {
	scheme := schemeForm.FindString(uri)
	u, err := url.Parse(uri)
	switch {
	case uri == "" || len(uri) > maxRedirectBytes:
		return "a redirect URI has 1 to 2000 characters"
	case scheme == "" || err != nil || strings.IndexFunc(uri, isForbiddenInURI) >= 0:
		return "a redirect URI is an absolute URI, with other characters than ASCII letters, digits and punctuation escaped"
	case strings.Contains(uri, "#"):
		return "a redirect URI has no fragment"
	case u.User != nil || strings.Contains(u.Host, "@"):
		return "a redirect URI has no user information"
	}
	scheme = strings.ToLower(strings.TrimSuffix(scheme, ":"))
	rest := uri[len(scheme)+1:]
	switch {
	case scheme == "https" || scheme == "http":
		return checkWebRedirect(scheme, rest, u)
	case !strings.Contains(scheme, ".") && !slices.Contains(knownSchemes, scheme):
		return "a redirect URI has the scheme https, http to the person's own machine, or one that is named after a domain of the client's maker such as com.example.app; not " + fault.Excerpt(scheme)
	case !strings.HasPrefix(rest, "/") || strings.Trim(rest, "/") == "":
		return "a redirect URI with a private scheme looks like com.example.app:/callback"
	}
	return ""
}

func checkWebRedirect(scheme, rest string, u *url.URL) string {
	authority, ok := strings.CutPrefix(rest, "//")
	if i := strings.IndexAny(authority, "/?"); i >= 0 {
		authority = authority[:i]
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	switch {
	case !ok || !hostForm.MatchString(authority) || strings.Contains(authority, ".."):
		return "a redirect URI names one host"
	case u.Port() != "" && (err != nil || port == 0):
		return "a redirect URI has a port from 1 to 65535"
	case scheme == "http" && !slices.Contains(loopbackHosts, stripPort(strings.ToLower(authority))):
		return "a redirect URI with http goes to the person's own machine: localhost, 127.0.0.1 or [::1]"
	}
	return ""
}

func isForbiddenInURI(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune("\\<>\"{}|^`", r)
}

// loopbackHosts are the ways in which the person's own machine is named.
var loopbackHosts = []string{"localhost", "127.0.0.1", "[::1]"}

// stripPort takes the port off.
func stripPort(authority string) string {
	if i := strings.LastIndexByte(authority, ':'); i >= 0 && !strings.HasSuffix(authority, "]") {
		return authority[:i]
	}
	return authority
}

// allowsRedirect reports whether asked is one of the addresses registered, character by character. Of a
// program on the person's own machine the port may be another: it takes one that is free when it starts.
func allowsRedirect(registered []string, asked string) bool {
	if slices.Contains(registered, asked) {
		return true
	}
	bare, ok := loopbackWithoutPort(asked)
	return ok && slices.ContainsFunc(registered, func(r string) bool {
		r, ok := loopbackWithoutPort(r)
		return ok && r == bare
	})
}

// loopbackWithoutPort takes the port out of an http address of the person's own machine; false: it is none.
func loopbackWithoutPort(uri string) (string, bool) {
	rest, ok := strings.CutPrefix(uri, "http://")
	if !ok {
		return "", false
	}
	end := len(rest)
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		end = i
	}
	for _, host := range loopbackHosts {
		port, ok := strings.CutPrefix(rest[:end], host)
		if ok && (port == "" || isPort(port)) {
			return "http://" + host + rest[end:], true
		}
	}
	return "", false
}

// isPort reports whether text is a colon and a port as programs write it.
func isPort(text string) bool {
	digits, ok := strings.CutPrefix(text, ":")
	n, err := strconv.ParseUint(digits, 10, 16)
	return ok && err == nil && n > 0 && strconv.FormatUint(n, 10) == digits
}

// appendParameters adds parameters to a redirect URI. What it holds already stays as it is.
func appendParameters(uri string, pairs ...string) string {
	var b strings.Builder
	b.WriteString(uri)
	separator := "?"
	if strings.Contains(uri, "?") {
		separator = "&"
	}
	if strings.HasSuffix(uri, "?") || strings.HasSuffix(uri, "&") {
		separator = ""
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		// a blank as %20: readers of forms and readers of addresses both understand it
		b.WriteString(separator + pairs[i] + "=" + strings.ReplaceAll(url.QueryEscape(pairs[i+1]), "+", "%20"))
		separator = "&"
	}
	return b.String()
}
