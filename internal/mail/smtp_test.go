package mail_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"arpent/app/dev/testkit"
	"arpent/internal/mail"
)

var message = mail.Message{ID: "mail.7.x", To: "marie@exemple.fr", Subject: "Votre clé « été »", Text: "Bonjour,\n\n.Une ligne à point\n",
	HTML: "<p>Bonjour</p>", At: time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC), Language: "fr"}

func newSMTP(t *testing.T, address string) *mail.SMTP {
	t.Helper()
	return testkit.Must(mail.NewSMTP(address, "no-reply@arpent.test", "Arpent"))(t)
}

// A mail arrives as it was written, says that no answer is read, and says the same id each time it is sent.
func TestMailArrives(t *testing.T) {
	t.Parallel()
	server := testkit.NewSMTP(t)
	s := newSMTP(t, server.URL())
	for range 2 {
		testkit.NoError(t, s.Send(t.Context(), message))
	}
	all := server.Messages()
	if len(all) != 2 {
		t.Fatalf("%d mails", len(all))
	}
	m := all[0]
	if m.From != "no-reply@arpent.test" || m.To != message.To || m.Recipient != message.To || m.Subject != message.Subject ||
		m.Text != message.Text || m.HTML != message.HTML {
		t.Errorf("got %+v", m)
	}
	for name, want := range map[string]string{
		"Message-Id": "<mail.7.x@arpent.test>", "Auto-Submitted": "auto-generated", "From": `"Arpent" <no-reply@arpent.test>`,
		"Date": "Sun, 01 Mar 2026 09:30:00 +0000", "Content-Language": "fr", "User-Agent": "", "X-Mailer": "",
	} {
		if got := m.Header.Get(name); got != want || all[1].Header.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for name := range m.Header {
		if strings.HasPrefix(name, "List-") || name == "Precedence" {
			t.Errorf("%s makes a notice look like a newsletter", name)
		}
	}
}

// A mail to a further address can be stopped by the program that reads it, in one request (RFC 8058).
func TestMailCanBeStopped(t *testing.T) {
	t.Parallel()
	server := testkit.NewSMTP(t)
	s := newSMTP(t, server.URL())
	for address, want := range map[string][2]string{
		"https://arpent.example/notices/" + strings.Repeat("a", 43): {"<https://arpent.example/notices/" + strings.Repeat("a", 43) + ">", "List-Unsubscribe=One-Click"},
		"http://127.0.0.1:8080/notices/abc":                         {"<http://127.0.0.1:8080/notices/abc>", ""},
	} {
		m := message
		m.Unsubscribe = address
		testkit.NoError(t, s.Send(t.Context(), m))
		all := server.Messages()
		header := all[len(all)-1].Header
		if got := [2]string{header.Get("List-Unsubscribe"), header.Get("List-Unsubscribe-Post")}; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Neither the password nor the mail is said to a server that does not prove who it is over TLS.
func TestMailNeedsTLS(t *testing.T) {
	t.Parallel()
	plain := testkit.NewSMTP(t)
	s := newSMTP(t, "smtp://mail.test:587")
	s.DialTo(plain.Addr())
	if err := s.Send(t.Context(), message); !errors.Is(err, mail.ErrServer) {
		t.Errorf("a server without TLS: %v", err)
	}
	for name, implicit := range map[string]bool{"smtp": false, "smtps": true} {
		server := testkit.NewSMTP(t, testkit.SMTPOptions{TLSName: "mail.test", Implicit: implicit, User: "arpent", Password: "s3cr3t/@"})
		s := newSMTP(t, name+"://arpent:s3cr3t%2F%40@mail.test")
		s.DialTo(server.Addr())
		if err := s.Send(t.Context(), message); !errors.Is(err, mail.ErrServer) {
			t.Errorf("%s, a certificate of an unknown authority: %v", name, err)
		}
		s.Trust(server.Roots)
		if err := s.Send(t.Context(), message); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if all := server.Messages(); len(all) != 1 || !all[0].Secure {
			t.Errorf("%s: %d mails", name, len(all))
		}
		other := newSMTP(t, name+"://arpent:wrong@mail.test")
		other.DialTo(server.Addr())
		other.Trust(server.Roots)
		err := other.Check(t.Context())
		if !errors.Is(err, mail.ErrServer) || strings.Contains(err.Error(), "wrong") {
			t.Errorf("%s, a wrong password: %v", name, err)
		}
	}
	if len(plain.Messages()) != 0 {
		t.Error("a mail left in the clear")
	}
}

// A server on the same machine is spoken to over TLS when it offers it, with any certificate.
func TestMailServerOnThisMachine(t *testing.T) {
	t.Parallel()
	server := testkit.NewSMTP(t, testkit.SMTPOptions{TLSName: "snakeoil.test", User: "arpent", Password: "p"})
	testkit.NoError(t, newSMTP(t, server.URL()).Send(t.Context(), message))
	if !server.Messages()[0].Secure {
		t.Error("in the clear")
	}
}

// What a server says decides whether a mail is tried again at once, later, or never.
func TestAnswersOfTheServer(t *testing.T) {
	t.Parallel()
	say := func(code int) error {
		return &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCodeNotSet, Message: "said by a test"}
	}
	for name, c := range map[string]struct {
		o    testkit.SMTPOptions
		want error
	}{
		"mailbox full":         {testkit.SMTPOptions{Refuse: func(string) error { return say(452) }}, mail.ErrLater},
		"greylisted":           {testkit.SMTPOptions{Data: func(testkit.Mail) error { return say(451) }}, mail.ErrLater},
		"no such mailbox":      {testkit.SMTPOptions{Refuse: func(string) error { return say(550) }}, mail.ErrRefused},
		"spam":                 {testkit.SMTPOptions{Data: func(testkit.Mail) error { return say(554) }}, mail.ErrRefused},
		"shutting down":        {testkit.SMTPOptions{Refuse: func(string) error { return say(421) }}, mail.ErrServer},
		"wants a password":     {testkit.SMTPOptions{Refuse: func(string) error { return say(530) }}, mail.ErrServer},
		"refuses this machine": {testkit.SMTPOptions{Greeting: func(*smtp.Conn) error { return say(554) }}, mail.ErrServer},
		"hangs up": {testkit.SMTPOptions{Refuse: func(string) error { return nil },
			Greeting: func(c *smtp.Conn) error { return c.Conn().Close() }}, mail.ErrServer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := testkit.NewSMTP(t, c.o)
			if err := newSMTP(t, server.URL()).Send(t.Context(), message); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
	t.Run("is not there", func(t *testing.T) {
		t.Parallel()
		server := testkit.NewSMTP(t)
		server.Stop()
		if err := newSMTP(t, server.URL()).Send(t.Context(), message); !errors.Is(err, mail.ErrServer) {
			t.Error(err)
		}
	})
	t.Run("breaks off after the mail", func(t *testing.T) {
		t.Parallel()
		var conn *smtp.Conn
		server := testkit.NewSMTP(t, testkit.SMTPOptions{
			Greeting: func(c *smtp.Conn) error { conn = c; return nil }, Data: func(testkit.Mail) error { return conn.Conn().Close() }})
		if err := newSMTP(t, server.URL()).Send(t.Context(), message); !errors.Is(err, mail.ErrLater) {
			t.Errorf("whether it was taken is not known; it must not be sent every few seconds: %v", err)
		}
	})
}

// A text typed into a form cannot add a header, a second recipient or a command.
func TestHeaderInjection(t *testing.T) {
	t.Parallel()
	server := testkit.NewSMTP(t)
	s, err := mail.NewSMTP(server.URL(), "no-reply@arpent.test", "Arp\r\nBcc: evil@exemple.fr\r\nent")
	testkit.NoError(t, err)
	m := message
	m.Subject, m.ID = "a\r\nBcc: evil@exemple.fr\r\n\r\nbody\u2028x", "x>\r\nBcc: evil@exemple.fr"
	testkit.NoError(t, s.Send(t.Context(), m))
	got := server.Messages()[0]
	if got.Header.Get("Bcc") != "" || strings.ContainsAny(got.Subject, "\r\n\u2028") || got.Text != m.Text {
		t.Errorf("%s", got.Raw)
	}
	for _, to := range []string{"a@exemple.fr\r\nRCPT TO:<b@exemple.fr>", "a@exemple.fr, b@exemple.fr", "Name <a@exemple.fr>", "", "a@exemple.fr\r\n"} {
		m.To = to
		if err := s.Send(t.Context(), m); !errors.Is(err, mail.ErrRefused) {
			t.Errorf("to %q: %v", to, err)
		}
	}
	testkit.Want(t, len(server.Messages()), 1, "mails")
}

// A wrong address is said to be one, without the password in it.
func TestMailServerAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "mail.test", "http://mail.test", "smtp://u:hidden@", "smtp://u:hidden@mail.test:99999", "smtp://u:hid%zzden@mail.test"} {
		if _, err := mail.NewSMTP(address, "a@b.fr", "Arpent"); err == nil || strings.Contains(err.Error(), "hid") {
			t.Errorf("%q: %v", address, err)
		}
	}
	if _, err := mail.NewSMTP("smtp://mail.test", "no-at-sign", "Arpent"); err == nil {
		t.Error("a sender that is no address")
	}
}
