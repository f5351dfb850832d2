package billing_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gofiber/fiber/v2"

	"arpent/app/dev/testkit"
	"arpent/billing"
)

// A call that is not read is counted under a reason, whatever its status: an alert without a reason says
// nothing to the operator.
func TestRejectedCallHasReason(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{http.StatusRequestEntityTooLarge: "too_large",
		http.StatusUnsupportedMediaType: "encoded", http.StatusBadRequest: "unreadable",
		http.StatusExpectationFailed: "unreadable", http.StatusTeapot: "unreadable"} {
		var counted []string
		w := billing.Webhook{Rejected: func(reason string) { counted = append(counted, reason) }}
		app := fiber.New()
		app.Post("/", func(c *fiber.Ctx) error { return w.Fault(c, status) })
		res := testkit.Must(app.Test(httptest.NewRequest(http.MethodPost, "/", nil), -1))(t)
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != status || string(body) != "rejected: "+want+"\n" ||
			len(counted) != 1 || counted[0] != want {
			t.Errorf("%d: %d %q, counted %q, %v", status, res.StatusCode, body, counted, err)
		}
	}
}
