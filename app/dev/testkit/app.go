package testkit

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/gofiber/fiber/v2"
)

// Get is the answer of an application to a request with these headers, each a name and then its value.
func Get(t testing.TB, app *fiber.App, path string, headers ...string) (*http.Response, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := app.Test(r, -1)
	NoError(t, err)
	body, err := io.ReadAll(res.Body)
	NoError(t, err)
	return res, string(body)
}

// Document is a page of an application. Another status than 200 fails the test.
func Document(t testing.TB, app *fiber.App, path string, headers ...string) *goquery.Document {
	t.Helper()
	res, body := Get(t, app, path, headers...)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%.99s answers %d: %.300s", path, res.StatusCode, body)
	}
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(body))
	NoError(t, err)
	return doc
}

// Contains fails the test for each of the parts that a text lacks.
func Contains(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in\n%.3000s", part, text)
		}
	}
}
