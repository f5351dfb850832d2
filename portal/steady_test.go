package portal_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/portal"
)

// Whatever an address caused, the answer about it leaves at a step of the clock: work of up to a step cannot be told
// from none.
func TestAnswersLeaveAtSteps(t *testing.T) {
	t.Parallel()
	for spent, leaves := range map[time.Duration]time.Duration{
		0:                              portal.Step,
		time.Millisecond:               portal.Step,
		41 * time.Millisecond:          portal.Step,
		portal.Step - 1:                portal.Step,
		portal.Step:                    2 * portal.Step,
		portal.Step + time.Millisecond: 2 * portal.Step,
		time.Second:                    time.Second + portal.Step,
	} {
		if got := spent + portal.UntilStep(spent); got != leaves {
			t.Errorf("after work of %v the answer leaves at %v, want %v", spent, got, leaves)
		}
	}
}

// What is asked about an address leaves at a step wherever it is asked. The clock of the test stands still: the work takes no
// time, and the whole step is waited for.
func TestDoorsLeaveAtSteps(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.account("connue@exemple.fr")
	for _, door := range []string{"/signin", "/signup", "/forgot", "/resend"} {
		for _, email := range []string{"connue@exemple.fr", "inconnue@exemple.fr"} {
			b := s.browser()
			form := signUp(email, ownersPassword)
			form.Set("token", b.token())
			asked := time.Now()
			b.send(http.MethodPost, door, form)
			if took := time.Since(asked); took < portal.Step {
				t.Errorf("%s answers about %s after %v", door, email, took)
			}
		}
	}
}

// A form that is refused for a while says for how long: 503 when too many sign in at once, 429 when one tries too often.
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
			portal.SetStatus(c, &tt.problem)
			return nil
		})
		req, err := http.NewRequest(http.MethodGet, "/", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := app.Test(req, -1)
		if err != nil {
			t.Fatal(err)
		}
		if got := res.Header.Get("Retry-After"); res.StatusCode != tt.status || got != tt.retry {
			t.Errorf("%s: %d, Retry-After %q", tt.problem.Code, res.StatusCode, got)
		}
	}
}
