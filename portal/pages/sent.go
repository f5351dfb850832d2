package pages

import (
	"encoding/base64"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
)

// sentCookie holds the address that this browser had a link sent to, and of which purpose, so that the next page can name it
// without a path that contains it, and says of no mail that it is on its way when none was asked for.
const (
	sentCookie = "arpent-sent"
	sentLife   = time.Hour
)

// SetSentTo keeps that a link of the purpose was sent to the address.
func (s *Server) SetSentTo(c *fiber.Ctx, purpose auth.Purpose, email string) {
	if normal, err := auth.NormalEmail(email); err == nil {
		s.SetCookie(c, sentCookie, base64.RawURLEncoding.EncodeToString([]byte(string(purpose)+" "+normal)), sentLife)
	} else {
		s.Forget(c, sentCookie)
	}
}

// SentTo is the address that this browser last had a link sent to; empty when that is not known, or was a link of another purpose.
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

// typedCookie holds the address that was typed into a form that came back, while its page is opened in another language: an address of
// a page would keep it in logs.
const (
	typedCookie = "arpent-typed"
	typedLife   = time.Minute
	maxTyped    = 254
)

// SetTyped keeps an address that was typed, for the next page with its form.
func (s *Server) SetTyped(c *fiber.Ctx, email string) {
	if email != "" && len(email) <= maxTyped {
		s.SetCookie(c, typedCookie, base64.RawURLEncoding.EncodeToString([]byte(email)), typedLife)
	}
}

// Typed is the address to show in the field for it: that of the form that was sent, or of the one before the language changed.
func (s *Server) Typed(c *fiber.Ctx, v *Visitor) string {
	v.Frame.Typed = Field(c, "email")
	if kept := s.Cookie(c, typedCookie); v.Frame.Typed == "" && kept != "" {
		raw, _ := base64.RawURLEncoding.DecodeString(kept) // of a cookie that is none of ours, what can be read
		v.Frame.Typed = string(raw)
		s.Forget(c, typedCookie)
	}
	return v.Frame.Typed
}

// NothingSent has the browser forget it.
func (s *Server) NothingSent(c *fiber.Ctx) { s.Forget(c, sentCookie) }
