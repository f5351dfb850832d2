package mail

import (
	"context"
	"errors"
	"time"
)

// Message is a mail, ready to leave.
type Message struct {
	ID       string // the same however often the same job is tried, so that a repeat is recognised
	To       string
	Subject  string
	Text     string
	HTML     string
	At       time.Time
	Language string

	// Unsubscribe is the address that stops mails of this kind by a POST (RFC 8058); empty: the recipient is the
	// owner of an account, who chooses them there.
	Unsubscribe string
}

// Sender takes a message, or says with one of the errors below why not.
type Sender interface {
	Send(ctx context.Context, m Message) error
}

// Why a message was not taken. Anything else is treated as ErrLater.
var (
	// ErrServer: the mail server cannot be used at this moment, whatever the message.
	ErrServer = errors.New("the mail server cannot be used")
	// ErrLater: the server wants to be asked again about this message.
	ErrLater = errors.New("the mail server asks to try again")
	// ErrRefused: the server will never take this message.
	ErrRefused = errors.New("the mail server refuses the message")
	// ErrNone: there is no mail server.
	ErrNone = errors.New("no mail server is configured (ARPENT_SMTP_URL)")
)

// None is the sender of a server that has no mail server: messages wait until it has one.
type None struct{}

// Send keeps the message waiting.
func (None) Send(context.Context, Message) error { return ErrNone }
