package auth

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

const setLanguage = `UPDATE account.account SET language = $2, updated_at = $3 WHERE id = $1`

// SetLanguage chooses the language of the pages and mails: fr or en.
func (s *Service) SetLanguage(ctx context.Context, sess Session, language string, o Origin) error {
	if err := checkLanguage(language); err != nil {
		return err
	}
	return s.withLockedSession(ctx, sess, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if h.language == language {
			return nil
		}
		if err := execStatement(ctx, tx, "set the language", setLanguage, h.id, language,
			s.clock.Now()); err != nil {
			return err
		}
		return s.recordEvent(ctx, tx, h.id, audit.ActionLanguageChanged, map[string]any{"language": language}, o)
	})
}

func checkLanguage(language string) error {
	if language != "fr" && language != "en" {
		return NewProblem("language", CodeLanguageUnknown)
	}
	return nil
}

// RequestEmailChange writes to the new address, which becomes the account's once the link
// in it is followed. When the address has another account that is confirmed its owner gets
// a mail instead, and the answer is the same.
func (s *Service) RequestEmailChange(ctx context.Context, sess Session, address string, o Origin) error {
	if err := s.requireFreshProof(sess, Freshness); err != nil {
		return err
	}
	email, err := normalEmail(address)
	if err != nil {
		return err
	}
	if email == sess.Email {
		return NewProblem("email", CodeEmailSame)
	}
	if err := s.limitNetwork(ctx, o); err != nil {
		return err
	}
	ctx = pgdb.ForService(ctx) // the address may have another account
	return s.withLockedSession(ctx, sess, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if err := s.recordEvent(ctx, tx, h.id, audit.ActionEmailChangeAsked, map[string]any{"email": email},
			o); err != nil {
			return err
		}
		ok, err := s.claimMailSlot(ctx, tx, "email", email)
		if err != nil || !ok {
			return err
		}
		other, err := findHolder(ctx, tx, holderByEmail, email)
		if err != nil {
			return err
		}
		if other != nil && other.confirmedAt != nil {
			return s.sendMail(ctx, tx, other.mailJob(mail.EmailTaken, nil), o)
		}
		// the last address asked for is the one that is meant
		if err := s.endLinks(ctx, tx, h.id, PurposeEmail); err != nil {
			return err
		}
		job := h.mailJob(mail.EmailChange, nil)
		job.To = email
		return s.sendLink(ctx, tx, PurposeEmail, linkBinding{}, job, o)
	})
}

// A loss of the second factor was proved by mail of the former address.
const changeEmail = `
UPDATE account.account SET email = $2, email_confirmed_at = $3, factor_recovery_due_at = NULL, updated_at = $3
WHERE id = $1`

// LookEmailChange is Look at a link to a new address, in a browser that is signed in.
func (s *Service) LookEmailChange(ctx context.Context, sess Session, token string) (LinkState, error) {
	l, err := s.findLink(pgdb.ForService(ctx), s.db, 0, PurposeEmail, token) // of whichever account asked for it
	st := l.stateAt(s.clock.Now())
	st.Elsewhere = st.Valid && l.account != sess.Account
	return st, err
}

// ConfirmEmailChange moves the account to the address that the link was sent to, and writes to
// the old one. Links that were sent to the old one end. It takes both proofs: the mail that the
// link came in, and a session of the account that asked. With the mail alone, its reader would
// give an address to the account of somebody else.
func (s *Service) ConfirmEmailChange(ctx context.Context, sess Session, token string, o Origin) error {
	err := s.redeemLink(pgdb.ForService(ctx), PurposeEmail, token,
		func(ctx context.Context, tx pgx.Tx, h *holder, l *link) error {
			if h.id != sess.Account {
				return NewProblem("", CodeOtherAccount)
			}
			// Following the link proves the address: an unconfirmed sign-up with it is not in the way.
			const remove = removeUnconfirmed + ` AND lower(a.email) = $2` + blankRemoved
			if err := execStatement(ctx, tx, "remove an unconfirmed account", remove, s.clock.Now(),
				l.email); err != nil {
				return err
			}
			if err := execStatement(ctx, tx, "change an address", changeEmail, h.id, l.email,
				s.clock.Now()); err != nil {
				return err
			}
			if err := removeOwnAddress(ctx, tx, h.id, l.email); err != nil {
				return err
			}
			if err := followContact(ctx, tx, h, l.email, s.clock.Now(), s.afterEmailChange); err != nil {
				return err
			}
			err := s.endLinks(ctx, tx, h.id, PurposeConfirm, PurposeReset, PurposeEmail, PurposeRecover)
			if err != nil {
				return err
			}
			if s.afterEmailChange != nil {
				if err := s.afterEmailChange(ctx, tx, h.id, h.email); err != nil {
					return err
				}
			}
			return s.recordAndNotify(ctx, tx, h, event{audit.ActionEmailChanged, map[string]any{"from": h.email,
				"to": l.email},
				mail.EmailChanged, map[string]string{"email": l.email}}, o)
		})
	if pgdb.IsUnique(err) { // somebody else took the address meanwhile
		return NewProblem("", CodeLinkInvalid)
	}
	return err
}

// AddressFault is a stored address that is not in the form of NormalEmail and is not brought to it. Its owner
// cannot sign in by it.
type AddressFault struct {
	Account ident.AccountID
	Email   string
	Normal  string            // empty: NormalEmail does not accept the address
	Same    []ident.AccountID // accounts that have the address Normal, or would have it
}

// String says what is wrong, for the operator.
func (f AddressFault) String() string {
	if f.Normal == "" {
		return fmt.Sprintf("account %d has %s, which is not accepted as an address", f.Account, f.Email)
	}
	var same []string
	for _, id := range f.Same {
		same = append(same, strconv.FormatInt(int64(id), 10))
	}
	return fmt.Sprintf("account %d has %s, which is the address %s of account %s",
		f.Account, f.Email, f.Normal, strings.Join(same, ", "))
}

// AfterEmailChange is done in the transaction that changes the address of an account.
type AfterEmailChange func(ctx context.Context, tx pgx.Tx, account ident.AccountID, former string) error

// storedAddress is a row with an address.
type storedAddress struct {
	ID    ident.AccountID
	Email string
}

// The condition is that of the index account_email_form, which holds these rows alone. It is over all
// accounts, as each start asks for it.
const unnormalAddresses = `
SELECT id, email FROM account.account
WHERE email <> lower(email) OR email ~ '[^!-~]' OR email !~ '^[^@]+@[^@]+[.][^@]+$' ORDER BY id`

const accountsWithAddresses = `SELECT id, lower(email) FROM account.account WHERE lower(email) = ANY($1)`

// NormalizeAddresses brings the stored addresses to the form of NormalEmail, in which addresses are compared.
// Accounts whose addresses become the same are not merged: they stay as they are and are returned, with the
// addresses that are not accepted any more. after is called for each address that changes; nil: nothing is.
func (s *Accounts) NormalizeAddresses(
	ctx context.Context, after AfterEmailChange) (changed int, faults []AddressFault, err error) {
	changes, faults, err := s.planAddressChanges(ctx)
	if err != nil {
		return 0, nil, err
	}
	for _, c := range changes {
		err := s.moveAddress(ctx, c.ID, c.Email, c.normal, audit.ActorSystem, after)
		switch {
		case err == nil:
			changed++
		case pgdb.IsUnique(err): // an account took the address meanwhile: the next start names it
			faults = append(faults, AddressFault{Account: c.ID, Email: c.Email, Normal: c.normal})
		case fault.From(err).Code != fault.NotFound: // another instance did it meanwhile
			return changed, faults, err
		}
	}
	return changed, faults, nil
}

// AddressFaults lists what NormalizeAddresses cannot change.
func (s *Accounts) AddressFaults(ctx context.Context) ([]AddressFault, error) {
	_, faults, err := s.planAddressChanges(ctx)
	return faults, err
}

// addressChange is an address and the form that it gets.
type addressChange struct {
	storedAddress
	normal string
}

func (s *Accounts) planAddressChanges(
	ctx context.Context) (changes []addressChange, faults []AddressFault, err error) {
	stored, err := pgdb.Collect(ctx, s.db, pgx.RowToStructByPos[storedAddress], unnormalAddresses)
	if err != nil {
		return nil, nil, fmt.Errorf("list addresses of another form: %w", err)
	}
	owners := map[string][]ident.AccountID{} // by address in its form: the accounts that have it or would
	var normals []string
	for _, a := range stored {
		normal, err := NormalEmail(a.Email)
		if err != nil {
			faults = append(faults, AddressFault{Account: a.ID, Email: a.Email})
			continue
		}
		changes, normals = append(changes, addressChange{a, normal}), append(normals, normal)
		owners[normal] = append(owners[normal], a.ID)
	}
	taken, err := pgdb.Collect(ctx, s.db, pgx.RowToStructByPos[storedAddress], accountsWithAddresses, normals)
	if err != nil {
		return nil, nil, fmt.Errorf("list the accounts of addresses: %w", err)
	}
	for _, a := range taken {
		if !slices.Contains(owners[a.Email], a.ID) {
			owners[a.Email] = append(owners[a.Email], a.ID)
		}
	}
	changes = slices.DeleteFunc(changes, func(c addressChange) bool {
		isItself := func(id ident.AccountID) bool { return id == c.ID }
		same := slices.DeleteFunc(slices.Clone(owners[c.normal]), isItself)
		if len(same) > 0 {
			faults = append(faults, AddressFault{Account: c.ID, Email: c.Email, Normal: c.normal, Same: same})
		}
		return len(same) > 0
	})
	return changes, faults, nil
}

// SetAddress gives an account another address, as the operator's act, and ends the links that were sent to
// the former one. An address of another account is ErrEmailTaken, an account that is not there a
// fault.NotFound.
func (s *Accounts) SetAddress(
	ctx context.Context, id ident.AccountID, address string, after AfterEmailChange) (Account, error) {
	email, err := NormalEmail(address)
	if err != nil {
		return Account{}, err
	}
	a, err := s.ByID(ctx, id)
	if err != nil {
		return Account{}, err
	}
	if err := s.moveAddress(ctx, id, a.Email, email, audit.ActorOperator, after); pgdb.IsUnique(err) {
		return Account{}, ErrEmailTaken
	} else if err != nil {
		return Account{}, err
	}
	return s.ByID(ctx, id)
}

const (
	moveAddress = `
		UPDATE account.account SET email = $3, factor_recovery_due_at = NULL, updated_at = $4
		WHERE id = $1 AND email = $2`
	endMovedLinks = `UPDATE account.link SET used_at = $2 WHERE account_id = $1 AND used_at IS NULL`
)

// moveAddress changes the address of an account that has the former one; else it is a fault.NotFound.
func (s *Accounts) moveAddress(
	ctx context.Context, id ident.AccountID, former, email, actor string, after AfterEmailChange) error {
	now := s.clock.Now().Truncate(time.Microsecond)
	return pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		gone := fault.Missing("There is no account with this number and address.")
		if err := execExpectingRow(ctx, tx, gone, "change an address", moveAddress, id, former, email,
			now); err != nil {
			return err
		}
		if err := execStatement(ctx, tx, "end the links to the former address", endMovedLinks, id,
			now); err != nil {
			return err
		}
		if err := followContact(ctx, tx, &holder{id: id, email: former}, email, now, after); err != nil {
			return err
		}
		if after != nil {
			if err := after(ctx, tx, id, former); err != nil {
				return err
			}
		}
		return audit.Record(ctx, tx, now, audit.Event{Account: id, Actor: actor, Action: audit.ActionEmailChanged,
			Detail: map[string]any{"from": former, "to": email}})
	})
}

const moveContacts = `
UPDATE account.account SET contact_email = $2, updated_at = $3 WHERE contact_email = $1 AND kind = 'organisation'
    AND EXISTS (SELECT FROM account.member m WHERE m.account_id = account.id AND m.person_id = $4)
RETURNING id`

// followContact has the organisations whose mails go to a member follow the member's new address.
func followContact(ctx context.Context, tx pgx.Tx, person *holder, email string, now time.Time,
	after AfterEmailChange) error {
	ids, err := pgdb.Collect(ctx, tx, pgx.RowTo[ident.AccountID], moveContacts, person.email, email, now, person.id)
	if err != nil {
		return fmt.Errorf("move contacts: %w", err)
	}
	for _, id := range ids {
		if err := removeOwnAddress(ctx, tx, id, email); err != nil {
			return err
		}
		if after == nil {
			continue
		}
		if err := after(ctx, tx, id, person.email); err != nil {
			return err
		}
	}
	return nil
}
