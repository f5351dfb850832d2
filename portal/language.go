package portal

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/app/base/httpbody"
	"arpent/web"
)

// language remembers the language that somebody chose: in the account, and in the browser.
func (p *Portal) language(c *fiber.Ctx, v *visitor) error {
	chosen := web.French
	if httpbody.Field(c, "language") == string(web.English) {
		chosen = web.English
	}
	if v.signedIn() {
		if err := p.o.Auth.SetLanguage(v.ctx, v.session, string(chosen), v.origin); err != nil {
			return err
		}
	}
	c.Cookie(&fiber.Cookie{Name: web.LanguageCookie, Value: string(chosen), Path: "/", MaxAge: int((365 * 24 * time.Hour).Seconds()),
		Secure: p.secure, HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode})
	return redirect(c, localPath(httpbody.Field(c, "next"), "/", ""))
}
