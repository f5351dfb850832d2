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
	"arpent/app/base/mail"
)

// A developer reads the mails and follows their links, with the link of the log and from wherever the browser runs; nothing
// in a mail runs, and nobody without that link reads them, not even from this machine, where a proxy may pass requests on.
func TestDevelopmentMailbox(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	base := "http://" + listener.Addr().String()
	server := fiber.New(fiber.Config{DisableStartupMessage: true})
	kept, address := app.RegisterDevMail(server, base)
	go func() { _ = server.Listener(listener) }()
	t.Cleanup(func() { _ = server.Shutdown() })
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
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
		res, err := browser.Do(req)
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
	for name, c := range map[string][]string{"without the token": {"/dev/mail"}, "another token": {"/dev/mail?token=" + strings.Repeat("A", 26)},
		"none": {"/dev/mail?token="}, "an empty cookie": {"/dev/mail", "Cookie", "arpent_dev_mail="}, "a mail": {"/dev/mail/mail.1.a"},
		"its page": {"/dev/mail/mail.1.a/html"}, "another cookie": {"/dev/mail", "Cookie", "arpent_dev_mail=" + strings.Repeat("A", 26)},
		"passed on": {"/dev/mail", "X-Forwarded-For", "203.0.113.7"}} {
		if status, _, body := get(c[0], c[1:]...); status != http.StatusForbidden || strings.Contains(body, "marie") {
			t.Errorf("%s: %d", name, status)
		}
	}
	path, token, _ := strings.Cut(strings.TrimPrefix(address, base), "?token=")
	status, header, _ := get(path + "?token=" + token)
	cookie, _, _ := strings.Cut(header.Get("Set-Cookie"), ";")
	if attributes := strings.ToLower(header.Get("Set-Cookie")); status != http.StatusSeeOther || header.Get("Location") != "/dev/mail" || header.Get("Referrer-Policy") != "no-referrer" ||
		!strings.Contains(attributes, "httponly") || !strings.Contains(attributes, "samesite=lax") || !strings.Contains(attributes, "path=/dev/mail") || len(token) < 26 {
		t.Errorf("the link: %d %v", status, header)
	}
	without := get
	get = func(path string, header ...string) (int, http.Header, string) {
		return without(path, append(header, "Cookie", cookie)...)
	}
	status, header, body := get("/dev/mail", "X-Forwarded-For", "203.0.113.7") // a proxy is no reason to refuse
	if first, second := strings.Index(body, "mail.2.b"), strings.Index(body, "mail.1.a"); status != 200 || first < 0 || second < first ||
		!strings.Contains(body, "Sujet &lt;mail.1.a&gt;") {
		t.Errorf("%d\n%s", status, body)
	}
	if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") ||
		header.Get("Referrer-Policy") != "no-referrer" || header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v", header)
	}
	if strings.Contains(body, token) {
		t.Error("the page holds the token")
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
	if status, _, _ := get("/dev/mail/mail.9.z"); status != http.StatusNotFound {
		t.Errorf("an unknown mail: %d", status)
	}
}
