package web_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"arpent/app/dev/testkit"
	"arpent/web"
)

// newTestApp is a server with an answer of each kind, all but one of them long enough to be compressed.
func newTestApp() *fiber.App {
	app := fiber.New()
	app.Use(web.Compress)
	site := web.New(web.Options{ServiceName: "Arpent", BaseURL: "https://api.example.org"})
	site.Register(app)
	long := strings.Repeat("une parcelle, ", 200)
	answer := func(path, kind, body string, headers ...string) {
		app.Get(path, func(c *fiber.Ctx) error {
			c.Set(fiber.HeaderContentType, kind)
			for i := 0; i < len(headers); i += 2 {
				c.Set(headers[i], headers[i+1])
			}
			return c.SendString(body)
		})
	}
	const html = "text/html; charset=utf-8"
	answer("/page", html, long)
	answer("/text", "text/plain; charset=utf-8", long)
	answer("/sitemap", "application/xml; charset=utf-8", long)
	answer("/short", html, "une parcelle")
	answer("/picture", "image/png", long)
	answer("/form", html, long, fiber.HeaderCacheControl, "no-store")
	answer("/tagged", html, long, fiber.HeaderETag, `"of these bytes"`)
	answer("/weakly-tagged", html, long, fiber.HeaderETag, `W/"of this content"`)
	answer("/encoded", html, long, fiber.HeaderContentEncoding, "zstd")
	return app
}

func decodeBody(t *testing.T, encoding, text string) string {
	t.Helper()
	body, err := []byte(text), error(nil)
	switch encoding {
	case "br":
		body, err = fasthttp.AppendUnbrotliBytes(nil, body)
	case "gzip":
		var r *gzip.Reader
		if r, err = gzip.NewReader(bytes.NewReader(body)); err == nil {
			body, err = io.ReadAll(r)
		}
	}
	testkit.NoError(t, err)
	return string(body)
}

// Text arrives compressed, in an encoding that the reader accepts, and caches keep the encodings apart.
func TestTextIsCompressed(t *testing.T) {
	t.Parallel()
	app := newTestApp()
	for _, c := range []struct{ accept, want string }{
		{"gzip, deflate, br, zstd", "br"}, {"gzip, deflate", "gzip"}, {"gzip;q=0.5, br;q=0", "gzip"}, {"deflate", ""}, {"", ""},
	} {
		for _, path := range []string{"/page", "/text", "/sitemap", "/weakly-tagged"} {
			_, plain := testkit.Get(t, app, path)
			res, body := testkit.Get(t, app, path, "Accept-Encoding", c.accept)
			if got := res.Header.Get("Content-Encoding"); got != c.want {
				t.Errorf("%s for %q is in %q, want %q", path, c.accept, got, c.want)
			}
			if decodeBody(t, c.want, body) != plain {
				t.Errorf("%s for %q is another text", path, c.accept)
			}
			if !strings.Contains(res.Header.Get("Vary"), "Accept-Encoding") {
				t.Errorf("%s for %q: a cache would give one reader's encoding to another", path, c.accept)
			}
		}
	}
}

// The length of an answer gives nothing away of a secret in it, because it is not compressed; what is short,
// no text, compressed already or tagged by its bytes stays as it is.
func TestNotCompressed(t *testing.T) {
	t.Parallel()
	app := newTestApp()
	for _, path := range []string{"/short", "/picture", "/form", "/tagged"} {
		if res, _ := testkit.Get(t, app, path, "Accept-Encoding", "br"); res.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s is compressed", path)
		}
	}
	if res, _ := testkit.Get(t, app, "/encoded", "Accept-Encoding", "br"); res.Header.Get("Content-Encoding") != "zstd" {
		t.Error("what is compressed is compressed again")
	}
	for _, cookie := range []string{"arpent-session=x", "__Host-arpent-session=x"} {
		if res, _ := testkit.Get(t, app, "/page", "Accept-Encoding", "br", "Cookie", cookie); res.Header.Get("Content-Encoding") != "" {
			t.Errorf("a page for %s is compressed", cookie)
		}
	}
}

var assetLink = regexp.MustCompile(`/assets/app\.[0-9a-f]+\.(?:css|js)`)

// Styles and scripts are compressed, also for those who are signed in:
// they hold no secret. Fonts are as they are.
func TestAssetsAreCompressed(t *testing.T) {
	t.Parallel()
	app := fiber.New()
	app.Use(web.Compress)
	site := web.New(web.Options{ServiceName: "Arpent", BaseURL: "https://api.example.org"})
	site.Register(app)
	app.Get("/", func(c *fiber.Ctx) error { return web.Send(c, web.Layout(site.Frame(c))) })
	_, page := testkit.Get(t, app, "/")
	found := assetLink.FindAllString(page, -1)
	if len(found) != 2 {
		t.Fatalf("the page links to %q", found)
	}
	for _, path := range found {
		_, plain := testkit.Get(t, app, path)
		for _, encoding := range []string{"br", "gzip"} {
			res, body := testkit.Get(t, app, path, "Accept-Encoding", encoding, "Cookie", "arpent-session=x")
			if res.Header.Get("Content-Encoding") != encoding || decodeBody(t, encoding, body) != plain || len(body)*2 > len(plain) {
				t.Errorf("%s as %s: %q, %d of %d bytes", path, encoding, res.Header.Get("Content-Encoding"), len(body), len(plain))
			}
			if res.Header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s varies by %q", path, res.Header.Get("Vary"))
			}
		}
		font := regexp.MustCompile(`url\("?([^")]*woff2)`).FindStringSubmatch(plain)
		if font == nil {
			continue
		}
		if res, _ := testkit.Get(t, app, "/assets/"+font[1], "Accept-Encoding", "br"); res.Header.Get("Content-Encoding") != "" {
			t.Error("a font is compressed twice")
		}
	}
}
