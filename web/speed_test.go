package web_test

import (
	"io"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/web"
)

// All pages write the speed of an operation in the same words, and none where it was not measured: a
// customer who compares two pages finds one figure.
func TestSpeed(t *testing.T) {
	t.Parallel()
	site := web.New(web.Options{ServiceName: "Arpent", Speed: func(operation string) (time.Duration, time.Duration) {
		if operation != "get_parcel" {
			return 0, 0
		}
		return 12_589 * time.Microsecond, 1_258_925 * time.Microsecond
	}})
	app := fiber.New()
	app.Get("/:operation", func(c *fiber.Ctx) error {
		f := site.Frame(c)
		if s := f.Speed(c.Params("operation")); s != nil {
			return c.SendString(s.Text(f.Lang))
		}
		return c.SendString("not measured")
	})
	for path, want := range map[string]string{
		"/get_parcel?lang=fr": "médiane 13\u00a0ms, 95\u00a0% sous 1\u202f259\u00a0ms", "/get_parcel?lang=en": "median 13 ms, 95% within 1,259 ms",
		"/get_commune?lang=en": "not measured",
	} {
		res, err := app.Test(httptest.NewRequest("GET", path, nil), -1)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(res.Body); err != nil || string(body) != want {
			t.Errorf("%s: %q, %v", path, body, err)
		}
	}
}
