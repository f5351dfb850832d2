package testkit

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"math/big"
	"net"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// SMTPOptions say what kind of mail server a test needs. The zero value accepts
// every message from every client.
type SMTPOptions struct {
	TLSName  string                   // offer STARTTLS with a certificate of its own making for this name
	Implicit bool                     // TLS from the first byte instead
	User     string                   // require AUTH PLAIN with this user, and Password
	Password string                   //
	Refuse   func(to string) error    // a *smtp.SMTPError is said as it is
	Data     func(m Mail) error       // after the message was read; refused when it gives an error
	Greeting func(c *smtp.Conn) error // refuses a whole session
}

// Mail is a message as the server got it.
type Mail struct {
	From, Recipient string // of the envelope
	Secure          bool   // it came over TLS
	To, Subject     string
	Header          mail.Header
	Text, HTML      string
	Raw             []byte
}

// Catcher is a real SMTP server that keeps what it is sent.
type Catcher struct {
	Roots *x509.CertPool // trusts its certificate

	t      testing.TB
	o      SMTPOptions
	addr   string
	config *tls.Config
	server *smtp.Server
	socket net.Listener

	mu      sync.Mutex
	kept    []Mail
	changed chan struct{} // closed when a message arrives
	dialled int
}

// NewSMTP starts a mail server for the test.
func NewSMTP(t testing.TB, options ...SMTPOptions) *Catcher {
	t.Helper()
	c := &Catcher{t: t, changed: make(chan struct{})}
	if len(options) > 0 {
		c.o = options[0]
	}
	if c.o.TLSName != "" {
		c.config, c.Roots = selfSigned(t, c.o.TLSName)
	}
	c.addr = "127.0.0.1:0"
	c.Start()
	t.Cleanup(c.Stop)
	return c
}

// Addr is host:port; it stays the same over Stop and Start.
func (c *Catcher) Addr() string { return c.addr }

// URL is the value of ARPENT_SMTP_URL.
func (c *Catcher) URL() string {
	scheme, user := "smtp://", ""
	if c.o.Implicit {
		scheme = "smtps://"
	}
	if c.o.User != "" {
		user = c.o.User + ":" + c.o.Password + "@"
	}
	return scheme + user + c.addr
}

// Start lets the server take connections.
func (c *Catcher) Start() {
	c.t.Helper()
	listener, err := net.Listen("tcp", c.addr)
	if err != nil {
		c.t.Fatalf("start the mail server: %v", err)
	}
	c.addr = listener.Addr().String()
	s := smtp.NewServer(smtp.BackendFunc(c.newSession))
	s.Domain, s.ErrorLog = "mail.test", log.New(io.Discard, "", 0)
	s.AllowInsecureAuth = true
	if c.config != nil && !c.o.Implicit {
		s.TLSConfig = c.config
	}
	if c.o.Implicit {
		listener = tls.NewListener(listener, c.config)
	}
	c.server, c.socket = s, listener
	go func() { _ = s.Serve(listener) }() // ends with Stop
}

// Stop ends the server and its connections. Stopping it twice is fine.
func (c *Catcher) Stop() {
	if c.server != nil {
		_ = c.socket.Close() // the server may not have it yet
		_ = c.server.Close()
		c.server = nil
	}
}

// Messages are those that were taken, the oldest first.
func (c *Catcher) Messages() []Mail {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.kept)
}

// Sessions counts the connections that got past the greeting.
func (c *Catcher) Sessions() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dialled
}

// Wait gives the first message, of all, that fits.
func (c *Catcher) Wait(fits func(Mail) bool) Mail {
	c.t.Helper()
	deadline := time.After(Timeout)
	for {
		c.mu.Lock()
		changed, i := c.changed, slices.IndexFunc(c.kept, fits)
		var found Mail
		if i >= 0 {
			found = c.kept[i]
		}
		c.mu.Unlock()
		if i >= 0 {
			return found
		}
		select {
		case <-changed:
		case <-deadline:
			c.t.Fatalf("no such mail came within %v; %d others did", Timeout, len(c.Messages()))
		}
	}
}

// WaitTo waits for a message to an address with these words in its subject.
func (c *Catcher) WaitTo(to, subject string) Mail {
	c.t.Helper()
	return c.Wait(func(m Mail) bool { return m.Recipient == to && strings.Contains(m.Subject, subject) })
}

func (c *Catcher) newSession(conn *smtp.Conn) (smtp.Session, error) {
	c.mu.Lock()
	c.dialled++
	c.mu.Unlock()
	if c.o.Greeting != nil {
		if err := c.o.Greeting(conn); err != nil {
			return nil, err
		}
	}
	return &smtpSession{c: c, conn: conn, known: c.o.User == ""}, nil
}

type smtpSession struct {
	c     *Catcher
	conn  *smtp.Conn
	known bool
	mail  Mail
}

func (s *smtpSession) AuthMechanisms() []string {
	if s.c.o.User == "" {
		return nil
	}
	return []string{sasl.Plain}
}

func (s *smtpSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != s.c.o.User || password != s.c.o.Password {
			return smtp.ErrAuthFailed
		}
		s.known = true
		return nil
	}), nil
}

func (s *smtpSession) Reset()        { s.mail = Mail{} }
func (s *smtpSession) Logout() error { return nil }

func (s *smtpSession) Mail(from string, _ *smtp.MailOptions) error {
	if !s.known {
		return smtp.ErrAuthRequired
	}
	_, s.mail.Secure = s.conn.TLSConnectionState()
	s.mail.From = from
	return nil
}

func (s *smtpSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	if s.c.o.Refuse != nil {
		if err := s.c.o.Refuse(to); err != nil {
			return err
		}
	}
	s.mail.Recipient = to
	return nil
}

func (s *smtpSession) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	m := s.mail
	if err := m.parseMessage(raw); err != nil {
		s.c.t.Errorf("the mail server got what is no mail: %v\n%s", err, raw)
		return err
	}
	if s.c.o.Data != nil {
		if err := s.c.o.Data(m); err != nil {
			return err
		}
	}
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	s.c.kept = append(s.c.kept, m)
	close(s.c.changed)
	s.c.changed = make(chan struct{})
	return nil
}

func selfSigned(t testing.TB, name string) (*tls.Config, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	NoError(t, err)
	leaf, err := x509.ParseCertificate(der)
	NoError(t, err)
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, roots
}
