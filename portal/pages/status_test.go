package pages_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/portal/pages"
)

// A form that is rejected for a while says for how long: 503 when too many
// sign in at once, 429 when one tries too often.
func TestRefusedForAWhile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		problem auth.Problem
		status  int
		retry   string
	}{
		{auth.Problem{Code: auth.CodeBusy, Wait: 10 * time.Second}, http.StatusServiceUnavailable, "10"},
		{auth.Problem{Code: auth.CodeWait, Wait: 1500 * time.Millisecond}, http.StatusTooManyRequests, "2"},
		{auth.Problem{Code: auth.CodeSignIn}, http.StatusUnprocessableEntity, ""},
	} {
		app := fiber.New()
		app.Get("/", func(c *fiber.Ctx) error {
			pages.SetStatus(c, &tt.problem)
			return nil
		})
		res := testkit.Must(app.Test(httptest.NewRequest(http.MethodGet, "/", nil), -1))(t)
		if got := res.Header.Get("Retry-After"); res.StatusCode != tt.status || got != tt.retry {
			t.Errorf("%s: %d, Retry-After %q", tt.problem.Code, res.StatusCode, got)
		}
	}
}
