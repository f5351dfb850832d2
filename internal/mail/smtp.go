package mail

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	gomail "github.com/wneessen/go-mail"
)

const (
	connectTimeout = 10 * time.Second // until the server is ready for a message
	// One message: a server that looks into it for long, and then takes it, would else get it again and again.
	messageTimeout = time.Minute
	smtpPort       = 587
	smtpsPort      = 465
)

// SMTP sends through a mail server, one connection a message: mails are few,
// and an idle connection is one that breaks.
type SMTP struct {
	host     string
	port     int
	user     string
	password string
	implicit bool // TLS from the first byte
	loopback bool
	from     netmail.Address
	tls      *tls.Config
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
}

// NewSMTP reads the address of a mail server. With smtp:// the connection must turn to TLS before anything is
// said, except to this very machine, where it does when the server offers it; smtps:// is TLS from the start.
func NewSMTP(address, from, serviceName string) (*SMTP, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || (u.Scheme != "smtp" && u.Scheme != "smtps") {
		// not its value: it holds a password
		return nil, errors.New("read the URL of the mail server: expected smtp://user:password@host:587 or smtps://…")
	}
	sender, err := netmail.ParseAddress(from)
	if err != nil {
		return nil, fmt.Errorf("read the sender %q of mails: %w", from, err)
	}
	sender.Name = cmp.Or(sender.Name, oneLine(serviceName))
	s := &SMTP{host: u.Hostname(), port: smtpPort, implicit: u.Scheme == "smtps", from: *sender,
		dial: (&net.Dialer{}).DialContext}
	if s.implicit {
		s.port = smtpsPort
	}
	if p := u.Port(); p != "" {
		if s.port, err = strconv.Atoi(p); err != nil || s.port < 1 || s.port > 65535 {
			return nil, errors.New("read the URL of the mail server: the port must be 1 to 65535")
		}
	}
	s.user = u.User.Username()
	s.password, _ = u.User.Password()
	ip := net.ParseIP(s.host)
	s.loopback = strings.EqualFold(s.host, "localhost") || ip != nil && ip.IsLoopback()
	// A mail server on this machine has a self-signed certificate, and the traffic to it does not leave the
	// machine.
	s.tls = &tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12, InsecureSkipVerify: s.loopback}
	return s, nil
}

// senderDomain is the part of the sender's address after the @.
func (s *SMTP) senderDomain() string {
	return s.from.Address[strings.LastIndexByte(s.from.Address, '@')+1:]
}

// Check connects, proves who we are when there is a user, and leaves.
func (s *SMTP) Check(ctx context.Context) error {
	return s.runSession(ctx, func(*gomail.Client) error { return nil })
}

// Send gives the message to the server. Nil means that the server has taken it.
func (s *SMTP) Send(ctx context.Context, m Message) error {
	msg, err := s.buildMessage(m)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	err = s.runSession(ctx, func(c *gomail.Client) error { return c.Send(msg) })
	if msg.IsDelivered() {
		return nil // what went wrong after the server took the message must not send it again
	}
	return classifyError(err)
}

// runSession runs over one connection, which ends with it, whatever happens. The library looks at a context
// while it dials only; closing the connection is what ends the rest.
func (s *SMTP) runSession(ctx context.Context, run func(*gomail.Client) error) error {
	var open connections
	defer open.close()
	c, err := gomail.NewClient(s.host, s.clientOptions(&open)...)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrServer, err)
	}
	dialling, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	dialled := context.AfterFunc(dialling, open.close)
	err = c.DialWithContext(dialling)
	dialled()
	if err != nil {
		// Not the message's fault, whatever the code: a wrong password must not turn all mails into dead letters.
		return fmt.Errorf("%w: %w", ErrServer, err)
	}
	defer context.AfterFunc(ctx, open.close)()
	if err := run(c); err != nil {
		return err
	}
	_ = c.Close() // the farewell; nothing depends on it
	return nil
}

func (s *SMTP) clientOptions(open *connections) []gomail.Option {
	policy := gomail.TLSMandatory
	if s.loopback {
		policy = gomail.TLSOpportunistic
	}
	o := []gomail.Option{
		gomail.WithPort(s.port), gomail.WithTimeout(messageTimeout), gomail.WithHELO(s.senderDomain()),
		gomail.WithTLSConfig(s.tls),
		gomail.WithTLSPolicy(policy), gomail.WithDialContextFunc(
			func(ctx context.Context, network, address string) (net.Conn, error) {
				return s.dialServer(ctx, network, address, open)
			}),
	}
	if s.implicit {
		o = append(o, gomail.WithSSL())
	}
	if s.user != "" {
		o = append(o, gomail.WithUsername(s.user), gomail.WithPassword(s.password),
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin))
	}
	return o
}

func (s *SMTP) dialServer(ctx context.Context, network, address string, open *connections) (net.Conn, error) {
	conn, err := s.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	open.add(conn)
	if !s.implicit {
		return conn, nil
	}
	secure := tls.Client(conn, s.tls)
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	return secure, nil
}

// buildMessage makes the message. The library encodes header values, so that none can end its line.
func (s *SMTP) buildMessage(m Message) (*gomail.Msg, error) {
	to, err := netmail.ParseAddress(m.To)
	if err != nil || to.Name != "" {
		return nil, errors.New("the recipient is not an e-mail address")
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(&s.from)
	msg.ToMailAddress(to)
	msg.Subject(oneLine(m.Subject))
	msg.SetDateWithValue(m.At)
	msg.SetMessageIDWithValue(oneLine(m.ID) + "@" + s.senderDomain())
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // no automatic answer, please
	msg.SetGenHeader("X-Auto-Response-Suppress", "All")  // the same, for Exchange
	msg.SetGenHeader("Content-Language", m.Language)
	if m.Unsubscribe != "" {
		msg.SetGenHeader("List-Unsubscribe", "<"+oneLine(m.Unsubscribe)+">")
		if strings.HasPrefix(m.Unsubscribe, "https://") { // RFC 8058 knows no other
			msg.SetGenHeader("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
		}
	}
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	return msg, nil
}

// classifyError turns what the server said to one message into what to do about it.
func classifyError(err error) error {
	if err == nil || errors.Is(err, ErrServer) {
		return err
	}
	var said *gomail.SendError
	if !errors.As(err, &said) {
		return fmt.Errorf("%w: %w", ErrServer, err)
	}
	text, _, _ := strings.Cut(said.Error(), ", affected recipient") // the log names the recipient apart
	as := func(kind error) error { return fmt.Errorf("%w: %s", kind, text) }
	switch code := said.ErrorCode(); {
	case code < 400 && said.Reason == gomail.ErrSMTPDataClose:
		// Whether the server took it is not known. Ever longer waits, a limited number of times: better twice
		// than not at all, and better twice than every few seconds.
		return as(ErrLater)
	case code < 400 || code == 421 || code == 530: // the connection broke; the server hangs up; it wants a password
		return as(ErrServer)
	case code < 500:
		return as(ErrLater)
	}
	return as(ErrRefused)
}

// connections are those of one session. The library leaves them open when the server is rude.
type connections struct {
	mu   sync.Mutex
	open []net.Conn
}

func (c *connections) add(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = append(c.open, conn)
}

func (c *connections) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.open {
		_ = conn.Close() // twice is fine
	}
	c.open = nil
}
