package pages

import (
	"net/url"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/auth/assistant"
	"arpent/web"
)

// LocalPath returns the path of an address on this server, or fallback for anything that a browser could
// follow to another one. host is the accepted host of an absolute address; empty: none is.
func LocalPath(address, fallback, host string) string {
	if strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }) {
		return fallback
	}
	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.Opaque != "" || u.Host != "" && (host == "" || u.Host != host) ||
		u.Host == "" && u.Scheme != "" {
		return fallback
	}
	// "/.//host" is "//host" once the dot is dropped, and "%2Fa" begins
	// with a slash for us and not for a browser.
	if !strings.HasPrefix(u.EscapedPath(), "/") || strings.Contains(u.Path, "//") {
		return fallback
	}
	local := url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery}
	return local.String()
}

// Redirect has the browser GET another page, in the language that the address of this one asks for.
func Redirect(c *fiber.Ctx, to string) error { return redirectIn(c, to, web.Lang(c.Query("lang"))) }

// RedirectAfter has the browser GET another page unless what was done failed.
func RedirectAfter(c *fiber.Ctx, err error, to string) error {
	if err != nil {
		return err
	}
	return Redirect(c, to)
}

// Redirect has the browser GET another page, in the language that this page was asked for in.
func (v *Visitor) Redirect(c *fiber.Ctx, to string) error { return redirectIn(c, to, v.Frame.Asked()) }

// redirectIn names the language in addresses of ours that name none. An authorization request stays as its
// client made it.
func redirectIn(c *fiber.Ctx, to string, l web.Lang) error {
	web.Guard(c)
	u, err := url.Parse(to)
	if err == nil && u.Host == "" && u.Path != assistant.AuthorizePath && !u.Query().Has("lang") {
		page, fragment, _ := strings.Cut(to, "#")
		to = InLanguage(page, l)
		if fragment != "" {
			to += "#" + fragment
		}
	}
	return c.Redirect(to, fiber.StatusSeeOther)
}

// UseLanguage shows the rest of a request in a language, after a redirect from a third party whose address
// does not say it. Empty: nothing changes.
func (v *Visitor) UseLanguage(l web.Lang) {
	if l != "" {
		v.Frame = v.Frame.In(l)
		v.Origin.Language = string(v.Frame.Lang)
	}
}

// maxNext is the maximum length of a path that is carried along across pages and mails.
const maxNext = 5100

// Next returns the path to continue to after signing in or up; empty: there is none on this server.
func Next(c *fiber.Ctx) string { return LocalNext(Field(c, "next")) }

// LocalNext returns next if it is a path of ours that can be carried along, else nothing.
func LocalNext(next string) string {
	if len(next) > maxNext {
		return ""
	}
	return LocalPath(next, "", "")
}

// WithNext returns the path of a page of ours that continues to next.
func WithNext(page, next string) string {
	if next == "" {
		return page
	}
	return withQuery(page, "next", next)
}

// WithBack returns the path of a page of ours that leads back to another one when it is cancelled.
func WithBack(page, back string) string {
	if back == "" {
		return page
	}
	return withQuery(page, "back", back)
}

// InLanguage returns the path of a page of ours in a language; one that is none of ours asks for nothing.
func InLanguage(page string, l web.Lang) string {
	if l != web.French && l != web.English {
		return page
	}
	return withQuery(page, "lang", string(l))
}

func withQuery(page, name, value string) string {
	separator := "?"
	if strings.Contains(page, "?") {
		separator = "&"
	}
	return page + separator + name + "=" + url.QueryEscape(value)
}

// allowOpener keeps the window of an authorization connected with the client that opened it: the
// opener policy of other pages would separate the two, for good, on any page in between. A client
// that is not a web page has no such window.
func allowOpener(c *fiber.Ctx) {
	self := c.OriginalURL()
	if c.Method() == fiber.MethodPost && c.Path() == assistant.AuthorizePath {
		self = assistant.AuthorizePath + "?" + Field(c, "request")
	}
	to := string(c.Response().Header.Peek(fiber.HeaderLocation))
	if slices.ContainsFunc([]string{self, Field(c, "next"), to, nextParameter(to)}, isWebAuthorization) {
		c.Set("Cross-Origin-Opener-Policy", "unsafe-none")
	}
}

// isWebAuthorization reports whether a path is that of an authorization whose client may be a web page.
func isWebAuthorization(path string) bool {
	query, ok := strings.CutPrefix(path, assistant.AuthorizePath+"?")
	if !ok {
		return false
	}
	parameters, _ := url.ParseQuery(query)
	u, err := url.Parse(parameters.Get("redirect_uri"))
	return err == nil && (u.Scheme == "https" || u.Scheme == "http")
}

// nextParameter returns the path that a page continues to; empty: none.
func nextParameter(path string) string {
	u, err := url.Parse(path)
	if err != nil {
		return ""
	}
	return u.Query().Get("next")
}
