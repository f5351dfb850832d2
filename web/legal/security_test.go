package legal_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/app/dev/testkit"
	"arpent/internal/clock"
	"arpent/web"
	"arpent/web/legal"
)

// Who finds a hole reads where to write, if there is somebody to write to.
func TestSecurityText(t *testing.T) {
	t.Parallel()
	for contact, want := range map[string]string{
		"security@example.org": `^Contact: mailto:security@example\.org\nExpires: 2027-05-20T00:00:00Z\nPreferred-Languages: fr, en\nCanonical: https://api\.example\.org/\.well-known/security\.txt\n$`,
		"":                     `^Cannot GET`,
	} {
		app := fiber.New()
		legal.New(legal.Options{Clock: clock.At(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)),
			Site: web.New(web.Options{ServiceName: "Arpent", BaseURL: "https://api.example.org", Contact: contact})}).Register(app)
		if _, body := testkit.Get(t, app, "/.well-known/security.txt"); !regexp.MustCompile(want).MatchString(body) {
			t.Errorf("with %q: %s", contact, body)
		}
	}
}
