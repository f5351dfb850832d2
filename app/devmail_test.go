package app_test

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/app"
	"arpent/app/dev/testkit"
	"arpent/internal/mail"
)

// A developer reads the mails and follows their links, with the link of the log and from wherever the
// browser runs; nothing in a mail runs, and without that link they cannot be read, not even from this
// machine, where a proxy may pass requests on.
func TestDevelopmentMailbox(t *testing.T) {
	t.Parallel()
	listener := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	base := "http://" + listener.Addr().String()
	server := fiber.New(fiber.Config{DisableStartupMessage: true})
	kept, address := app.RegisterDevMail(server, base)
	go func() { _ = server.Listener(listener) }()
	t.Cleanup(func() { _ = server.Shutdown() })
	b := testkit.NewBrowser(t, base).Stay()
	for _, id := range []string{"mail.1.a", "mail.2.b"} {
		testkit.NoError(t, kept.Send(t.Context(), mail.Message{ID: id, To: "marie@exemple.fr", Subject: "Sujet <" + id + ">", Language: "fr",
			Text: "Suivez <ceci>\nhttp://127.0.0.1/confirm/abc?x=1&y=2\n", HTML: "<p>page " + id + "</p>", At: time.Now()}))
	}
	for name, c := range map[string][]string{"without the token": {"/dev/mail"}, "another token": {"/dev/mail?token=" + strings.Repeat("A", 26)},
		"none": {"/dev/mail?token="}, "an empty cookie": {"/dev/mail", "Cookie", "arpent_dev_mail="}, "a mail": {"/dev/mail/mail.1.a"},
		"its page": {"/dev/mail/mail.1.a/html"}, "another cookie": {"/dev/mail", "Cookie", "arpent_dev_mail=" + strings.Repeat("A", 26)},
		"passed on": {"/dev/mail", "X-Forwarded-For", "203.0.113.7"}} {
		if p := b.Get(c[0], c[1:]...); p.Status != http.StatusForbidden || strings.Contains(p.Body, "marie") {
			t.Errorf("%s: %d", name, p.Status)
		}
	}
	path, token, _ := strings.Cut(strings.TrimPrefix(address, base), "?token=")
	p := b.Get(path + "?token=" + token)
	if attributes := strings.ToLower(p.Header.Get("Set-Cookie")); p.Status != http.StatusSeeOther || p.Location() != "/dev/mail" || p.Header.Get("Referrer-Policy") != "no-referrer" ||
		!strings.Contains(attributes, "httponly") || !strings.Contains(attributes, "samesite=lax") || !strings.Contains(attributes, "path=/dev/mail") || len(token) < 26 {
		t.Errorf("the link: %d %v", p.Status, p.Header)
	}
	p = b.Get("/dev/mail", "X-Forwarded-For", "203.0.113.7") // a proxy is no reason to refuse
	if first, second := strings.Index(p.Body, "mail.2.b"), strings.Index(p.Body, "mail.1.a"); p.Status != 200 || first < 0 || second < first ||
		!strings.Contains(p.Body, "Sujet &lt;mail.1.a&gt;") {
		t.Errorf("%d\n%s", p.Status, p.Body)
	}
	if policy := p.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") ||
		p.Header.Get("Referrer-Policy") != "no-referrer" || p.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v", p.Header)
	}
	if strings.Contains(p.Body, token) {
		t.Error("the page holds the token")
	}
	p = b.Get("/dev/mail/mail.1.a")
	for _, want := range []string{`<a href="http://127.0.0.1/confirm/abc?x=1&amp;y=2">`, "Suivez &lt;ceci&gt;", `sandbox="" src="/dev/mail/mail.1.a/html"`} {
		if !strings.Contains(p.Body, want) {
			t.Errorf("no %s in\n%s", want, p.Body)
		}
	}
	p = b.Get("/dev/mail/mail.1.a/html")
	if p.Body != "<p>page mail.1.a</p>" || !strings.Contains(p.Header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("%v\n%s", p.Header, p.Body)
	}
	testkit.Want(t, b.Get("/dev/mail/mail.9.z").Status, http.StatusNotFound, "an unknown mail")
}
