package auth

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"maps"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/auth/passkey"
	"arpent/auth/password"
	"arpent/auth/seal"
	"arpent/internal/audit"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

// Options of a Service.
type Options struct {
	DB    *pgxpool.Pool
	Clock clock.Clock
	// 32 bytes; links, sealed second factors and device cookies are made with keys derived from it
	Secret []byte
	Former [][]byte // secrets of before, the latest first: what was made with them is still good
	Name   string   // of the service, as authenticators show it; empty: Arpent
	// Passwords hashes passwords; nil: password.Shared.
	Passwords *password.Hasher
	// Passkeys checks what passkeys sign; nil: no passkey is offered or accepted.
	Passkeys *passkey.RelyingParty
	// BeforeDelete is done before an account is deleted by its owner; nil: nothing.
	BeforeDelete BeforeDelete
	// AfterEmailChange is done in the transaction that changes the address of an account; nil: nothing.
	AfterEmailChange AfterEmailChange
}

// BeforeDelete is done in the transaction that deletes an account, while the account is still there. It
// returns the title of the plan whose subscription ends with it, empty: none.
type BeforeDelete func(ctx context.Context, tx pgx.Tx, account ident.AccountID) (plan string, err error)

// Service is what people do with their accounts. What a form can correct is a *Problem. The methods
// that take a Session return ErrNoSession when it has ended meanwhile, and a fault.NotFound when the
// account or the row that is named is gone; those that ask for a fresh proof of who one is return a
// *Problem with CodeVerifyFirst without one.
type Service struct {
	accountRows
	keys             derivedKeys
	name             string
	passwords        *password.Hasher
	passkeys         *passkey.RelyingParty // nil: no passkey is offered or accepted
	beforeDelete     BeforeDelete
	afterEmailChange AfterEmailChange
	mailRequests     atomic.Int64
}

// accountRows acts on the rows of accounts, for Service and Accounts. It has no secret and makes no token.
type accountRows struct {
	db    *pgxpool.Pool
	clock clock.Clock
}

// New makes the service.
func New(o Options) *Service {
	o.Name = cmp.Or(o.Name, "Arpent")
	o.Passwords = cmp.Or(o.Passwords, password.Shared)
	return &Service{accountRows: accountRows{o.DB, o.Clock}, keys: deriveKeys(o.Secret, o.Former...), name: o.Name,
		passwords: o.Passwords, passkeys: o.Passkeys, beforeDelete: o.BeforeDelete, afterEmailChange: o.AfterEmailChange}
}

// Origin is where a request comes from.
type Origin struct {
	Address  netip.Addr
	Agent    string
	Device   string // device cookie, empty: none
	Language string // fr or en, of the page
	Next     string // path to go on to once a mailed link is followed; empty: to the account
}

// The outcomes for which a page has an answer of its own.
var (
	ErrNoSession = errors.New("no such session")
	// ErrMailSent: the provider did not vouch for the address; a mail was sent to
	// it, and there is no session.
	ErrMailSent = errors.New("a mail was sent to the address")
)

// workTimeout bounds one act on the database, waiting for its turn included.
const workTimeout = 10 * time.Second

// holder is an account with what its owner proves who they are by. It never leaves this package. That of an
// organisation has its address for mails and no means to sign in.
type holder struct {
	id             ident.AccountID
	isOrganisation bool   // an organisation with members, not a person
	name           string // of such an organisation
	email          string
	confirmedAt    *time.Time
	hash           *string // nil: no password
	language       string
	totpSealed     []byte // nil: no second factor
	totpStep       *int64 // last one that was accepted
	createdAt      time.Time
}

const (
	selectHolder = `SELECT id, kind = 'organisation', coalesce(name, ''), coalesce(contact_email, email),
	email_confirmed_at, password_hash, language,
	CASE WHEN totp_enabled_at IS NOT NULL THEN totp_sealed END, totp_last_step, created_at FROM account.account `
	holderByEmail = selectHolder + `WHERE lower(email) = $1 AND kind = 'person'`
	holderByID    = selectHolder + `WHERE id = $1`
	// Those who change how one signs in take turns. Rows that refer to the account may still be added
	// meanwhile.
	lockHolder        = holderByID + ` FOR NO KEY UPDATE`
	lockHolderByEmail = holderByEmail + ` FOR NO KEY UPDATE`
)

// findHolder finds an account; nil when there is none.
func findHolder(ctx context.Context, q pgdb.DB, sql string, which any) (*holder, error) {
	var h holder
	err := q.QueryRow(ctx, sql, which).Scan(
		&h.id, &h.isOrganisation, &h.name, &h.email, &h.confirmedAt, &h.hash, &h.language, &h.totpSealed, &h.totpStep, &h.createdAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &h, fault.Wrap("read account", err)
}

// requireHolder is findHolder for an account whose absence is the error none.
func requireHolder(ctx context.Context, q pgdb.DB, sql string, which any, none error) (*holder, error) {
	h, err := findHolder(ctx, q, sql, which)
	if err == nil && h == nil {
		err = none
	}
	return h, err
}

// inTx runs one act as a whole or not at all.
func (s accountRows) inTx(ctx context.Context, act func(ctx context.Context, tx pgx.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, workTimeout)
	defer cancel()
	return pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error { return act(ctx, tx) })
}

// accountAction is something to do on a locked account.
type accountAction func(ctx context.Context, tx pgx.Tx, h *holder) error

// withLockedAccount runs one act on an account, whose row is locked meanwhile.
// An account that is gone is a fault.NotFound.
func (s accountRows) withLockedAccount(ctx context.Context, id ident.AccountID, do accountAction) error {
	return s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		h, err := requireHolder(ctx, tx, lockHolder, id, errNoAccount)
		if err != nil {
			return err
		}
		return do(ctx, tx, h)
	})
}

// The session cannot be ended before the act is.
const holdSession = `SELECT true FROM account.session WHERE id = $2 AND account_id = $1 FOR KEY SHARE`

func requireSession(ctx context.Context, tx pgx.Tx, sess Session) error {
	_, err := pgdb.Value[bool](ctx, tx, ErrNoSession, "hold a session", holdSession, sess.Account, sess.ID)
	return err
}

// withLockedSession is withLockedAccount for the account of a session, or ErrNoSession. The session was
// read when the request came in, which may have waited for a provider or for a hash: a session that ended
// meanwhile changes nothing.
func (s *Service) withLockedSession(ctx context.Context, sess Session, do accountAction) error {
	return s.withLockedAccount(ctx, sess.Account, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if err := requireSession(ctx, tx, sess); err != nil {
			return err
		}
		return do(ctx, tx, h)
	})
}

// withFreshSession is withLockedSession for an act that asks for a fresh proof of who one is.
func (s *Service) withFreshSession(ctx context.Context, sess Session, within time.Duration,
	do accountAction) error {
	if err := s.requireFreshProof(sess, within); err != nil {
		return err
	}
	return s.withLockedSession(ctx, sess, do)
}

// event is what was done to an account, as the audit record and a mail to its owner describe it.
type event struct {
	action string
	detail map[string]any
	mail   mail.Template
	values map[string]string
}

// recordAndNotify adds an event to the audit record and warns the owner of it.
func (s *Service) recordAndNotify(ctx context.Context, tx pgx.Tx, h *holder, e event, o Origin) error {
	if err := s.recordEvent(ctx, tx, h.id, e.action, e.detail, o); err != nil {
		return err
	}
	return s.notifyOwner(ctx, tx, h, e.mail, e.values, o)
}

// recordEvent adds to the audit record.
func (s accountRows) recordEvent(ctx context.Context, db audit.DB, id ident.AccountID, action string,
	detail map[string]any, o Origin) error {
	return audit.Record(ctx, db, s.clock.Now(), audit.Event{
		Account: id, Action: action, Detail: detail, Address: o.Address, Agent: o.Agent})
}

// notifyOwner notifies the account's owner by mail of what was done, when and from where. An address that
// is not confirmed may belong to another person, and gets no mail.
func (s accountRows) notifyOwner(ctx context.Context, tx pgx.Tx, h *holder, t mail.Template,
	values map[string]string, o Origin) error {
	if h.confirmedAt == nil {
		return nil
	}
	return s.sendMail(ctx, tx, h.mailJob(t, values), o)
}

// mailJob is a message to the account's owner.
func (h *holder) mailJob(t mail.Template, values map[string]string) mail.Job {
	return mail.Job{Template: t, To: h.email, Language: h.language, Account: int64(h.id), Values: values}
}

// mailAskedFor is a message that an anonymous visitor asks for, in the language of the page, which its
// reader reads.
func (h *holder) mailAskedFor(t mail.Template, values map[string]string, o Origin) mail.Job {
	job := h.mailJob(t, values)
	job.Language = languageOf(o)
	return job
}

// sendMail sends a mail that names where the request came from.
func (s accountRows) sendMail(ctx context.Context, tx pgx.Tx, j mail.Job, o Origin) error {
	values := audit.Actor{Address: o.Address, Agent: o.Agent}.MailValues(s.clock.Now())
	maps.Copy(values, j.Values)
	j.Values = values
	return mail.Send(ctx, tx, j)
}

// execStatement runs a statement whose count of rows does not matter.
func execStatement(ctx context.Context, db audit.DB, what, sql string, args ...any) error {
	_, err := db.Exec(ctx, sql, args...)
	return fault.Wrap(what, err)
}

// execExpectingRow runs a statement, and returns none if it affected no row.
func execExpectingRow(ctx context.Context, db audit.DB, none error, what, sql string, args ...any) error {
	tag, err := db.Exec(ctx, sql, args...)
	if err == nil && tag.RowsAffected() == 0 {
		return none
	}
	return fault.Wrap(what, err)
}

// languageOf returns the language of a page, French for an unknown one.
func languageOf(o Origin) string {
	if o.Language == "en" {
		return "en"
	}
	return "fr"
}

// derivedKeys are those that this package uses, one for each purpose.
type derivedKeys struct {
	throttle                      []byte
	link, device                  seal.Signer
	totp, pending, enrol, passkey seal.Sealer
}

func deriveKeys(secret []byte, former ...[]byte) derivedKeys {
	of := func(purpose string) (all [][]byte) {
		for _, s := range slices.Concat([][]byte{secret}, former) {
			all = append(all, seal.DeriveKey(s, purpose))
		}
		return all
	}
	return derivedKeys{throttle: seal.DeriveKey(secret, "throttle"), link: of("link"), device: of("device"),
		totp: seal.NewSealer(of("totp")...), pending: seal.NewSealer(of("pending")...),
		enrol: seal.NewSealer(of("enrol")...), passkey: seal.NewSealer(of("passkey")...)}
}

// newToken is 256 random bits as text, for a cookie.
func newToken() string { return seal.Encode(randomBytes(32)) }

func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}

func hashSHA256(s string) []byte {
	sum := sha256.Sum256([]byte(s))
	return sum[:]
}
