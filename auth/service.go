package auth

import (
	"context"
	"errors"
	"net/netip"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/base/clock"
	"arpent/app/base/ident"
)

// Options of a Service.
type Options struct {
	DB       *pgxpool.Pool
	Clock    clock.Clock
	Secret   []byte   // 32 bytes; links, sealed second factors and device cookies are made with keys derived from it
	Former   [][]byte // secrets of before, the latest first: what was made with them is still good
	MailDown bool     // no mail leaves this server
	Name     string   // of the service, as authenticators show it; empty: Arpent
	// BeforeDelete is done in the transaction that deletes an account, while the account is still there; nil: nothing.
	BeforeDelete func(ctx context.Context, tx pgx.Tx, account ident.AccountID) error
}

// Service is what people do with their accounts.
type Service struct {
	db       *pgxpool.Pool
	clock    clock.Clock
	keys     keys
	trusted  []keys // those whose work is still good, the first of them keys
	name     string
	MailDown bool // no mail leaves this server: the pages say so

	passwords    *hasher
	beforeDelete func(ctx context.Context, tx pgx.Tx, account ident.AccountID) error
}

// New makes the service.
func New(o Options) *Service {
	name := o.Name
	if name == "" {
		name = "Arpent"
	}
	s := &Service{db: o.DB, clock: o.Clock, keys: deriveKeys(o.Secret), name: name, MailDown: o.MailDown,
		passwords: passwords, beforeDelete: o.BeforeDelete}
	s.trusted = []keys{s.keys}
	for _, secret := range o.Former {
		s.trusted = append(s.trusted, deriveKeys(secret))
	}
	return s
}

// Origin is where a request comes from.
type Origin struct {
	Address  netip.Addr
	Agent    string
	Device   string // device cookie, empty: none
	Language string // fr or en, of the page
	Next     string // path to go on to once a mailed link is followed; empty: to the account
}

// SignedIn is the outcome of a sign-in: either the two cookies, or Pending when a second factor is asked.
type SignedIn struct {
	Token   string // session cookie; empty when Pending is not
	Device  string // device cookie
	Account ident.AccountID
	Pending string // to be given back to FinishSignIn
	Browser string // with ErrMailSent: to be given back to ConfirmEmail
}

// The outcomes that a page tells apart.
var (
	ErrNoSession = errors.New("no such session")
	// ErrMailSent: the provider did not vouch for the address; a mail was sent to it, and nobody is signed in.
	ErrMailSent = errors.New("a mail was sent to the address")
)
