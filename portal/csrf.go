package portal

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp/fasthttpadaptor"

	"arpent/app/base/httpbody"
	"arpent/web"
)

// A form carries a token that only this server makes: for whoever is signed in it belongs to the session, for others
// it is good for a day. Beside it every request that changes something is checked for where it comes from
// (Sec-Fetch-Site, Origin).
const (
	csrfField     = "token"
	anonymousLife = 24 * time.Hour
)

// CSRFToken makes the token of a form. session is empty for somebody who is not signed in.
func CSRFToken(key []byte, session string, now time.Time) string {
	stamp := make([]byte, 8, 8+sha256.Size)
	binary.BigEndian.PutUint64(stamp, uint64(now.UnixMilli()))
	return base64.RawURLEncoding.EncodeToString(append(stamp, csrfSum(key, session, stamp)...))
}

func csrfSum(key []byte, session string, stamp []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(stamp)
	h.Write([]byte(session))
	return h.Sum(nil)
}

func csrfTokenHolds(key []byte, token, session string, now time.Time) bool {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) != 8+sha256.Size || !hmac.Equal(raw[8:], csrfSum(key, session, raw[:8])) {
		return false
	}
	return session != "" || now.Sub(shownAt(token)) < anonymousLife
}

// shownAt is when a token that holds was made, which is when the page of its form was.
func shownAt(token string) time.Time {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) < 8 {
		return time.Time{}
	}
	return time.UnixMilli(int64(binary.BigEndian.Uint64(raw)))
}

// checkCSRF refuses what changes something and was not sent by a form of ours. The token counts in the body alone:
// in an address it would end up in logs.
func (p *Portal) checkCSRF(c *fiber.Ctx, v *visitor) error {
	if c.Method() == fiber.MethodGet || c.Method() == fiber.MethodHead {
		return nil
	}
	var r http.Request
	if err := fasthttpadaptor.ConvertRequest(c.Context(), &r, true); err != nil {
		return errForged
	}
	token := httpbody.Field(c, csrfField)
	if p.origin.Check(&r) != nil {
		return errForged
	}
	if !p.csrfTokenHolds(c, v, token) {
		return errStale
	}
	return nil
}

// csrfTokenHolds also takes the token of a session that has ended: the public pages go by the cookie alone, and
// whoever signs out there, or in again, shall not be told that the form is out of date.
func (p *Portal) csrfTokenHolds(c *fiber.Ctx, v *visitor, token string) bool {
	ended := p.cookie(c, web.SessionCookie)
	return slices.ContainsFunc(p.csrfKeys, func(key []byte) bool {
		return csrfTokenHolds(key, token, v.token, p.now()) || ended != "" && csrfTokenHolds(key, token, ended, p.now())
	})
}
