package portal

import (
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
// the two apart, for good, on any page in between.
func keepOpener(c *fiber.Ctx) {
	for _, path := range []string{c.Path(), typed(c, "next"), string(c.Response().Header.Peek(fiber.HeaderLocation))} {
		if page, _, _ := strings.Cut(path, "?"); page == authorizePath {
			c.Set("Cross-Origin-Opener-Policy", "unsafe-none")
		}
	}
}
