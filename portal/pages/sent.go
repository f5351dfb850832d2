package pages

import (
	"encoding/base64"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
)

// sentCookie holds the address that this browser had a link sent to, and of which purpose,
// so that the next page can name it without a path that contains it, and says of no mail
// that it is on its way when none was asked for.
const (
	sentCookie = "arpent-sent"
	sentLife   = time.Hour
)

// SetSentTo keeps that a link of the purpose was sent to the address.
func (s *Server) SetSentTo(c *fiber.Ctx, purpose auth.Purpose, email string) {
	if normal, err := auth.NormalEmail(email); err == nil {
		s.SetCookie(c, sentCookie, base64.RawURLEncoding.EncodeToString([]byte(string(purpose)+" "+normal)),
			sentLife)
	} else {
		s.Forget(c, sentCookie)
	}
}

// SentTo is the address that this browser last had a link sent to; empty when that is
// not known, or was a link of another purpose.
func (s *Server) SentTo(c *fiber.Ctx, purpose auth.Purpose) string {
	raw, err := base64.RawURLEncoding.DecodeString(s.Cookie(c, sentCookie))
	if err != nil {
		return ""
	}
	of, to, _ := strings.Cut(string(raw), " ")
	email, err := auth.NormalEmail(to)
	if err != nil || of != string(purpose) {
		return ""
	}
	return email
}

// typedCookie holds what was typed into a form that came back, while its page is opened in another language:
// an address of a page would keep it in logs. Most forms keep an e-mail address alone.
const (
	typedCookie = "arpent-typed"
	typedLife   = time.Minute
	maxTyped    = 2900 // of the 4096 characters that a browser keeps of a cookie, in base64 and with its name
)

// SetTyped keeps what was typed, for the next page with its form.
func (s *Server) SetTyped(c *fiber.Ctx, typed string) {
	if typed != "" && len(typed) <= maxTyped {
		s.SetCookie(c, typedCookie, base64.RawURLEncoding.EncodeToString([]byte(typed)), typedLife)
	}
}

// TakeTyped gives what was kept, once; empty: nothing was.
func (s *Server) TakeTyped(c *fiber.Ctx) string {
	kept := s.Cookie(c, typedCookie)
	if kept == "" {
		return ""
	}
	s.Forget(c, typedCookie)
	raw, _ := base64.RawURLEncoding.DecodeString(kept) // of a cookie that is none of ours, what can be read
	return string(raw)
}

// Typed is the address to show in the field for it: that of the form that was sent,
// or of the one before the language changed.
func (s *Server) Typed(c *fiber.Ctx, v *Visitor) string {
	if v.Frame.Typed = Field(c, "email"); v.Frame.Typed == "" {
		v.Frame.Typed = s.TakeTyped(c)
	}
	return v.Frame.Typed
}

// NothingSent has the browser forget it.
func (s *Server) NothingSent(c *fiber.Ctx) { s.Forget(c, sentCookie) }

// MaskEmail shows enough of an address for its owner to recognise it: j…e@exemple.fr.
func MaskEmail(email string) string {
	local, domain, ok := strings.Cut(email, "@")
	if !ok {
		return ""
	}
	first, size := utf8.DecodeRuneInString(local)
	if size == len(local) {
		return string(first) + "…@" + domain
	}
	last, _ := utf8.DecodeLastRuneInString(local)
	return string(first) + "…" + string(last) + "@" + domain
}
