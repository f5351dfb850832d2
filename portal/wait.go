package portal

import (
	"net/url"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/auth/social"
	"arpent/portal/view"
	"arpent/web"
)

// longestNext is how long a path may be that is remembered across pages and mails.
const longestNext = 5100

// nextOf is where somebody was on the way to; empty: nowhere of ours.
func nextOf(c *fiber.Ctx) string { return localNext(typed(c, "next")) }

func localNext(next string) string {
	if len(next) > longestNext {
		return ""
	}
	return localPath(next, "", "")
}

// withNext is a page of ours that leads on to next.
func withNext(page, next string) string {
	switch {
	case next == "":
		return page
	case strings.Contains(page, "?"):
		return page + "&next=" + escape(next)
	}
	return page + "?next=" + escape(next)
}

// providersFor are the third parties whose buttons lead on to next: a path that their cookie cannot hold would be lost on
// the way.
func (p *Portal) providersFor(next string) []view.Provider {
	if len(next) > social.MaxNext {
		return nil
	}
	return p.providers()
}

// waitOver tells whether the link that this browser waits for was followed, and where it can go on then.
func (p *Portal) waitOver(c *fiber.Ctx, v *visitor) (to string, over bool, err error) {
	next := nextOf(c)
	if v.signedIn() {
		return localPath(next, "/account", ""), v.session.Confirmed, nil
	}
	over, err = p.o.Auth.Followed(v.ctx, p.cookie(c, signUpCookie))
	return withNext("/signin?done=confirmed", next), over, err
}

// goOn takes whoever has followed the link on, from the page that waits for it.
func (p *Portal) goOn(c *fiber.Ctx, v *visitor) error {
	to, over, err := p.waitOver(c, v)
	if err != nil {
		return err
	}
	if !over {
		to = withNext("/signup/sent?done=waiting", nextOf(c))
	}
	return redirect(c, to)
}

// waiting tells a script whether it is time to go on.
func (p *Portal) waiting(c *fiber.Ctx, v *visitor) error {
	_, over, err := p.waitOver(c, v)
	if err != nil {
		return err
	}
	web.Guard(c)
	if !over {
		return c.SendStatus(fiber.StatusNoContent)
	}
	return c.SendString("over")
}

// keepOpener lets a client find back the window in which it opened an authorization: the policy of other pages would cut
// the two apart, for good, on any page in between. A client that is no web page has no such window.
func keepOpener(c *fiber.Ctx) {
	self := c.OriginalURL()
	if c.Method() == fiber.MethodPost && c.Path() == authorizePath {
		self = authorizePath + "?" + typed(c, "request")
	}
	to := string(c.Response().Header.Peek(fiber.HeaderLocation))
	if slices.ContainsFunc([]string{self, typed(c, "next"), to, nextIn(to)}, fromAWindow) {
		c.Set("Cross-Origin-Opener-Policy", "unsafe-none")
	}
}

// fromAWindow reports whether a path is that of an authorization whose client may be a web page.
func fromAWindow(path string) bool {
	query, ok := strings.CutPrefix(path, authorizePath+"?")
	if !ok {
		return false
	}
	parameters, _ := url.ParseQuery(query)
	u, err := url.Parse(parameters.Get("redirect_uri"))
	return err == nil && (u.Scheme == "https" || u.Scheme == "http")
}

// nextIn is where a page of ours leads on to; empty: nowhere.
func nextIn(path string) string {
	u, err := url.Parse(path)
	if err != nil {
		return ""
	}
	return u.Query().Get("next")
}
