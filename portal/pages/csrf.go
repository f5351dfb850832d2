package pages

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp/fasthttpadaptor"

	"arpent/internal/httpbody"
	"arpent/internal/ident"
	"arpent/web"
)

// A form carries a token that only this server makes: of a signed-in visitor it belongs to the session and
// names the organisation that the page showed, of others it is valid for a day. In addition the origin of
// every request that changes something is checked (Sec-Fetch-Site, Origin).
const (
	csrfField     = "token"
	anonymousLife = 24 * time.Hour
)

// CSRFKey derives the key of CSRF tokens from the server's secret.
func CSRFKey(secret []byte) []byte {
	// unchanged: open forms stay valid
	key, err := hkdf.Key(sha256.New, secret, nil, "arpent forgery token", sha256.Size)
	if err != nil {
		panic(err) // the length is within what the hash allows
	}
	return key
}

// CSRFToken returns the token of a form of a page that shows no organisation. session is empty for a visitor
// who is not signed in.
func CSRFToken(key []byte, session string, now time.Time) string {
	return csrfTokenOf(key, session, 0, now)
}

// csrfTokenOf returns the token of a form. organisation is 0 on pages of a person's own account.
func csrfTokenOf(key []byte, session string, organisation ident.AccountID, now time.Time) string {
	head := binary.BigEndian.AppendUint64(nil, uint64(now.UnixMilli()))
	if organisation != 0 {
		head = binary.BigEndian.AppendUint64(head, uint64(organisation))
	}
	return base64.RawURLEncoding.EncodeToString(append(head, csrfSum(key, session, head)...))
}

func csrfSum(key []byte, session string, head []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(head)
	h.Write([]byte(session))
	return h.Sum(nil)
}

// splitToken returns what a token was made of, and its sum; nil: it has not the form of one.
func splitToken(token string) (head, sum []byte) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) != 8+sha256.Size && len(raw) != 16+sha256.Size {
		return nil, nil
	}
	return raw[:len(raw)-sha256.Size], raw[len(raw)-sha256.Size:]
}

func isValidToken(key []byte, token, session string, now time.Time) bool {
	head, sum := splitToken(token)
	if head == nil || !hmac.Equal(sum, csrfSum(key, session, head)) {
		return false
	}
	return session != "" || now.Sub(tokenTime(token)) < anonymousLife
}

// RenderedAt is when the page was rendered whose form was sent. The token must be valid.
func RenderedAt(c *fiber.Ctx) time.Time { return tokenTime(httpbody.Field(c, csrfField)) }

func tokenTime(token string) time.Time {
	head, _ := splitToken(token)
	if head == nil {
		return time.Time{}
	}
	return time.UnixMilli(int64(binary.BigEndian.Uint64(head)))
}

// tokenOrganisation is the organisation that the page of a form showed; 0: a person's own account.
func tokenOrganisation(token string) ident.AccountID {
	head, _ := splitToken(token)
	if len(head) < 16 {
		return 0
	}
	return ident.AccountID(binary.BigEndian.Uint64(head[8:]))
}

// checkCSRF rejects a request that changes something and was not sent by a form of ours. The token is only
// read from the body: in an address it would end up in logs.
func (s *Server) checkCSRF(c *fiber.Ctx, v *Visitor) error {
	if c.Method() == fiber.MethodGet || c.Method() == fiber.MethodHead {
		return nil
	}
	var r http.Request
	if err := fasthttpadaptor.ConvertRequest(c.Context(), &r, true); err != nil {
		return errCSRF
	}
	token := httpbody.Field(c, csrfField)
	if s.origin.Check(&r) != nil {
		return errCSRF
	}
	if !s.acceptsCSRFToken(c, v, token) {
		return errStaleForm
	}
	return nil
}

// acceptsCSRFToken also accepts the token of a session that has ended: the public pages go by the cookie
// alone, and signing out there, or in again, must not fail because the form is out of date.
func (s *Server) acceptsCSRFToken(c *fiber.Ctx, v *Visitor, token string) bool {
	ended := s.Cookie(c, web.SessionCookie)
	return slices.ContainsFunc(s.csrfKeys, func(key []byte) bool {
		return isValidToken(key, token, v.token, s.Now()) || ended != "" && isValidToken(key, token, ended, s.Now())
	})
}
