package app_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/app"
	"arpent/app/mail"
)

// A developer reads the mails and follows their links; nothing in a mail runs, and nobody else on the network, nor a
// page in the same browser, reads them.
func TestDevelopmentMailbox(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	base := "http://" + listener.Addr().String()
	server := fiber.New(fiber.Config{DisableStartupMessage: true})
	kept := app.RegisterDevMail(server, base)
	go func() { _ = server.Listener(listener) }()
	t.Cleanup(func() { _ = server.Shutdown() })
	get := func(path string, header ...string) (int, http.Header, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
			if header[i] == "Host" {
				req.Host = header[i+1]
			}
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, res.Header, string(body)
	}
	for _, id := range []string{"mail.1.a", "mail.2.b"} {
		if err := kept.Send(t.Context(), mail.Message{ID: id, To: "marie@exemple.fr", Subject: "Sujet <" + id + ">", Language: "fr",
			Text: "Suivez <ceci>\nhttp://127.0.0.1/confirm/abc?x=1&y=2\n", HTML: "<p>page " + id + "</p>", At: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	status, header, body := get("/dev/mail")
	if first, second := strings.Index(body, "mail.2.b"), strings.Index(body, "mail.1.a"); status != 200 || first < 0 || second < first ||
		!strings.Contains(body, "Sujet &lt;mail.1.a&gt;") {
		t.Errorf("%d\n%s", status, body)
	}
	if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") ||
		header.Get("Referrer-Policy") != "no-referrer" || header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v", header)
	}
	_, _, body = get("/dev/mail/mail.1.a")
	for _, want := range []string{`<a href="http://127.0.0.1/confirm/abc?x=1&amp;y=2">`, "Suivez &lt;ceci&gt;", `sandbox="" src="/dev/mail/mail.1.a/html"`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in\n%s", want, body)
		}
	}
	_, header, body = get("/dev/mail/mail.1.a/html")
	if body != "<p>page mail.1.a</p>" || !strings.Contains(header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("%v\n%s", header, body)
	}
	for name, c := range map[string][]string{
		"passed on": {"/dev/mail", "X-Forwarded-For", "203.0.113.7"}, "passed on otherwise": {"/dev/mail", "Forwarded", "for=1.2.3.4"},
		"another name": {"/dev/mail", "Host", "rebound.example"}, "unknown": {"/dev/mail/mail.9.z"}, "its page": {"/dev/mail/mail.1.a/html", "X-Forwarded-For", "::1"},
	} {
		if status, _, body := get(c[0], c[1:]...); status != http.StatusNotFound || strings.Contains(body, "marie") {
			t.Errorf("%s: %d", name, status)
		}
	}
}
