package keys

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// Reading a form about a key never fails, and what is shown again is text.
func FuzzKeyForm(f *testing.F) {
	for _, body := range []string{"name=carte&expires=date&expires_on=2026-02-30&per_day=1+000&networks=203.0.113.7%0A2001:db8::/32", "expires=30&refuse_in_query=on",
		"expires=99999999999999999999", "expires=date&expires_on=9999-12-31", "per_day=%C2%A01%E2%80%AF0", "networks=%00%ff/33", "name=%ff%00&token=x", "&&=;"} {
		f.Add(body)
	}
	app := fiber.New()
	f.Fuzz(func(t *testing.T, body string) {
		ctx := &fasthttp.RequestCtx{}
		ctx.Request.Header.SetMethod(fiber.MethodPost)
		ctx.Request.Header.SetContentType(fiber.MIMEApplicationForm)
		ctx.Request.SetBodyString(body)
		c := app.AcquireCtx(ctx)
		defer app.ReleaseCtx(c)
		form := readForm(c)
		for _, text := range []string{form.Name, form.Expires, form.ExpiresOn, form.PerDay, form.Networks} {
			if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
				t.Errorf("%q: %q", body, text)
			}
		}
		now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		if end, err := parseExpiry(form, now); err == nil && end != nil && form.Expires != "date" && end.Before(now) {
			t.Errorf("%q: ends %s", body, end)
		}
		if r, err := parseRestriction(form); err == nil && len(r.Networks) > 100 {
			t.Errorf("%q: %d networks", body, len(r.Networks))
		}
	})
}
