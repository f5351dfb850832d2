package auth

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/auth/conversion"
	"arpent/auth/member"
	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

const (
	// MaxOrganisations is how many organisations a person may create in a day, and own: each has a quota.
	MaxOrganisations = 5
	// MaxMembers is how many members an organisation may have, invitations that wait included.
	MaxMembers = 100

	organisationsWindow = 24 * time.Hour
)

var errNoOrganisation = fault.Missing("There is no such organisation.")

// errNoMember is also returned for a person who is a member of another organisation.
var errNoMember = fault.Missing("There is no such member.")

// Membership is an organisation as one of its members sees it in a list.
type Membership struct {
	ID      ident.AccountID
	Name    string
	Role    member.Role
	Members int
	Owners  int
	// FactorFrom is when members need a second factor; nil: they need none.
	FactorFrom *time.Time
}

// SoleMember reports whether the organisation has no other member.
func (m Membership) SoleMember() bool { return m.Members == 1 }

// LastOwner reports whether the person is the only owner among several members, and so cannot leave.
func (m Membership) LastOwner() bool { return m.Role == member.Owner && m.Owners == 1 && m.Members > 1 }

// It reads several organisations, and so runs with the rights of the service; $1 is the person.
const listMemberships = `
SELECT o.id, o.name, m.role, count(x.person_id), count(x.person_id) FILTER (WHERE x.role = 'owner'), o.member_factor_from
FROM account.member m JOIN account.account o ON o.id = m.account_id JOIN account.member x ON x.account_id = m.account_id
WHERE m.person_id = $1 GROUP BY o.id, o.name, m.role, o.member_factor_from ORDER BY lower(o.name), o.id`

// Memberships lists the organisations of which the person is a member.
func (s *Service) Memberships(ctx context.Context, sess Session) ([]Membership, error) {
	if !sess.IsMember {
		return nil, nil
	}
	return queryMemberships(pgdb.ForService(ctx), s.db, sess.Account)
}

func queryMemberships(ctx context.Context, db pgdb.DB, person ident.AccountID) ([]Membership, error) {
	list, err := pgdb.Collect(ctx, db, pgx.RowToStructByPos[Membership], listMemberships, person)
	return list, fault.Wrap("list organisations", err)
}

// The email is unique and reaches no mail server (RFC 2606): see migration 45.
const insertOrganisation = `
INSERT INTO account.account (kind, name, email, contact_email, email_confirmed_at, language, created_at, updated_at)
VALUES ('organisation', $1, gen_random_uuid() || '@organisation.invalid', $2, $4, $3, $4, $4) RETURNING id`

const countOwned = `SELECT count(*) FROM account.member WHERE person_id = $1 AND role = 'owner'`

// claimOrganisation counts one more organisation that the locked person makes, or is a *Problem that says why
// they cannot make any now.
func (s *Service) claimOrganisation(ctx context.Context, tx pgx.Tx, person *holder) error {
	if person.confirmedAt == nil {
		return NewProblem("", CodeConfirmFirst)
	}
	counts, err := s.claimEach(ctx, tx, []bucket{{s.accountSubject(triesOrganisations, person.id), 1}},
		MaxOrganisations, organisationsWindow)
	if err != nil {
		return err
	}
	owned, err := pgdb.Value[int](ctx, tx, nil, "count organisations", countOwned, person.id)
	if err == nil && (counts == nil || owned >= MaxOrganisations) {
		err = NewProblem("", CodeOrganisationsFull)
	}
	return err
}

// accountSubject returns the hash under which what is done by that account, or in it, is counted.
func (s *Service) accountSubject(kind string, id ident.AccountID) []byte {
	return s.throttleSubject(kind, strconv.FormatInt(int64(id), 10))
}

// CreateOrganisation makes an organisation whose owner is the person, whose address gets its mails, and
// chooses it for the session.
func (s *Service) CreateOrganisation(
	ctx context.Context, sess Session, name string, o Origin) (id ident.AccountID, err error) {
	if name, err = checkShownName(name); err != nil {
		return 0, err
	}
	err = s.withLockedSession(pgdb.ForService(ctx), sess, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if err := s.claimOrganisation(ctx, tx, h); err != nil {
			return err
		}
		now := s.clock.Now()
		if err := tx.QueryRow(ctx, insertOrganisation, name, h.email, h.language, now).Scan(&id); err != nil {
			return fmt.Errorf("create an organisation: %w", err)
		}
		if _, err := member.Insert(ctx, tx, id, h.id, member.Owner, now); err != nil {
			return err
		}
		if err := setSessionOrganisation(ctx, tx, sess, id); err != nil {
			return err
		}
		return s.recordEvent(ctx, tx, id, audit.ActionOrganisationCreated, map[string]any{
			audit.DetailBy: h.email, "name": name}, o)
	})
	return id, err
}

const (
	isConvertedInSession = `
SELECT EXISTS (SELECT FROM account.session s JOIN account.member m ON m.person_id = s.account_id
    JOIN account.account o ON o.id = m.account_id
    WHERE s.id = $2 AND m.account_id = $1 AND m.role = 'owner' AND o.name = $3
        AND EXISTS (SELECT FROM account.audit WHERE account_id = $1 AND action = 'became_organisation'))`

	isAddressPending = `
SELECT EXISTS (SELECT FROM account.link
    WHERE account_id = $1 AND purpose = 'email' AND used_at IS NULL AND expires_at > $2)`

	moveTries = `UPDATE account.throttle SET subject = $2 WHERE subject = $1`
)

// BecomeOrganisation makes the account of the person an organisation with that name, and the person its
// owner, under another account of their own: see conversion.Convert. account is that of the page whose form
// was sent: one that became an organisation of that name already, by the same form sent twice, is no error.
// While a change of the person's address is pending it is a *Problem with CodeAddressPending. device is the
// cookie by which the person's other account knows the browser; empty: it has none to get.
func (s *Service) BecomeOrganisation(ctx context.Context, sess Session, account ident.AccountID, name string,
	o Origin) (device string, err error) {
	ctx = pgdb.ForService(ctx)
	if name, err = checkShownName(name); err != nil {
		return "", err
	}
	if account != sess.Account {
		return "", s.requireConverted(ctx, sess, account, name, errNoOrganisation)
	}
	if err := s.requireFreshProof(sess, DeletionFreshness); err != nil {
		return "", err
	}
	err = s.withLockedSession(ctx, sess, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		person, err := s.convertHolder(ctx, tx, h, sess, name, o)
		if err == nil && s.isKnownDevice(o.Device, h) {
			device = s.newDeviceCookie(&holder{id: person, createdAt: h.createdAt})
		}
		return err
	})
	if errors.Is(err, ErrNoSession) { // or the session is that of the other account since a moment
		return "", s.requireConverted(ctx, sess, account, name, err)
	}
	return device, err
}

// requireConverted is an error unless the person of the session is now an owner of the organisation, which
// was the account of a person and has that name.
func (s *Service) requireConverted(ctx context.Context, sess Session, organisation ident.AccountID,
	name string, otherwise error) error {
	converted, err := pgdb.Value[bool](ctx, s.db, nil, "look for an account that became an organisation",
		isConvertedInSession, organisation, sess.ID, name)
	if err == nil && !converted {
		err = otherwise
	}
	return err
}

// convertHolder makes the locked account an organisation, and returns the account that the person gets.
func (s *Service) convertHolder(ctx context.Context, tx pgx.Tx, h *holder, sess Session, name string,
	o Origin) (person ident.AccountID, err error) {
	now := s.clock.Now()
	pending, err := pgdb.Value[bool](ctx, tx, nil, "look for a change of address", isAddressPending, h.id, now)
	if err == nil && pending {
		err = NewProblem("", CodeAddressPending)
	}
	if err != nil {
		return 0, err
	}
	if err := s.claimOrganisation(ctx, tx, h); err != nil {
		return 0, err
	}
	list, err := queryMemberships(ctx, tx, h.id)
	if err != nil {
		return 0, err
	}
	for _, id := range sortedOrganisations(list) { // an act on the membership waits, and then finds none
		if _, err := findHolder(ctx, tx, lockHolder, id); err != nil {
			return 0, err
		}
	}
	account := conversion.Account{ID: h.id, Email: h.email, CreatedAt: h.createdAt, Name: name,
		KeepPersonal: KeepPersonal}
	if h.totpSealed != nil {
		secret, err := s.openTOTP(ctx, tx, h)
		if err != nil {
			return 0, err
		}
		account.SealFactor = func(person ident.AccountID) []byte {
			return s.keys.totp.SealBytes(secret, totpSealContext(person))
		}
	}
	person, err = conversion.Convert(ctx, tx, account, now)
	if err != nil {
		return 0, err
	}
	for _, kind := range []string{triesOrganisations, triesInvitations, triesCode} {
		err := execStatement(ctx, tx, "move the count of "+kind, moveTries, s.accountSubject(kind, h.id),
			s.accountSubject(kind, person))
		if err != nil {
			return 0, err
		}
	}
	sess.Account = person
	if err := setSessionOrganisation(ctx, tx, sess, h.id); err != nil {
		return 0, err
	}
	detail := map[string]any{audit.DetailBy: h.email, "name": name}
	for _, id := range []ident.AccountID{h.id, person} {
		if err := s.recordEvent(ctx, tx, id, audit.ActionBecameOrganisation, detail, o); err != nil {
			return 0, err
		}
	}
	job := h.mailJob(mail.BecameOrganisation, map[string]string{"organisation": name})
	return person, s.sendMail(ctx, tx, job, o)
}

const chooseOrganisation = `UPDATE account.session SET organisation_id = nullif($3, account_id) WHERE id = $2 AND account_id = $1`

func setSessionOrganisation(ctx context.Context, tx pgx.Tx, sess Session, id ident.AccountID) error {
	return execExpectingRow(ctx, tx, ErrNoSession, "choose an organisation", chooseOrganisation, sess.Account,
		sess.ID, id)
}

// ChooseOrganisation has the pages of the session show an organisation of which the person is a member, or
// the person's own account. Any other is a fault.NotFound.
func (s *Service) ChooseOrganisation(ctx context.Context, sess Session, id ident.AccountID) error {
	return s.withLockedSession(pgdb.ForService(ctx), sess, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if id != h.id {
			role, err := member.ReadRole(ctx, tx, id, h.id)
			if err != nil {
				return err
			}
			if role == "" {
				return errNoOrganisation
			}
		}
		return setSessionOrganisation(ctx, tx, sess, id)
	})
}

// memberRole reads the role of a member, or is errNoMember.
func memberRole(
	ctx context.Context, q pgdb.DB, organisation, person ident.AccountID) (role member.Role, err error) {
	role, err = member.ReadRole(ctx, q, organisation, person)
	if err == nil && role == "" {
		err = errNoMember
	}
	return role, err
}

// withOrganisation runs one act on the organisation of a session, whose row is locked meanwhile, if the role
// that the person has there now allows it; else it is member.ErrRole. For the person's own account it is
// withLockedSession. Acts on members take turns: the lock of the organisation comes first.
func (s *Service) withOrganisation(ctx context.Context, sess Session, a member.Action, do accountAction) error {
	switch {
	case !sess.ActsForOrganisation():
		return s.withLockedSession(ctx, sess, do)
	case sess.NeedsFactor:
		return member.ErrRole
	}
	return s.withLockedAccount(pgdb.ForService(ctx), sess.Organisation,
		func(ctx context.Context, tx pgx.Tx, org *holder) error {
			if err := requireSession(ctx, tx, sess); err != nil {
				return err
			}
			role, err := memberRole(ctx, tx, org.id, sess.Account)
			if err != nil {
				return err
			}
			if !role.May(a) {
				return member.ErrRole
			}
			return do(ctx, tx, org)
		})
}

// withCompany is withOrganisation for acts that a person's own account does not have.
func (s *Service) withCompany(ctx context.Context, sess Session, a member.Action, do accountAction) error {
	if !sess.ActsForOrganisation() {
		return errNoOrganisation
	}
	return s.withOrganisation(ctx, sess, a, do)
}

const renameOrganisation = `
UPDATE account.account SET name = $2, updated_at = $3 WHERE id = $1 AND kind = 'organisation' AND name <> $2`

// RenameOrganisation gives the organisation another name.
func (s *Service) RenameOrganisation(ctx context.Context, sess Session, name string, o Origin) error {
	name, err := checkShownName(name)
	if err != nil {
		return err
	}
	return s.withCompany(ctx, sess, member.RenameOrganisation, func(ctx context.Context, tx pgx.Tx, org *holder) error {
		tag, err := tx.Exec(ctx, renameOrganisation, org.id, name, s.clock.Now())
		if err != nil || tag.RowsAffected() == 0 {
			return fault.Wrap("rename an organisation", err)
		}
		return s.recordEvent(ctx, tx, org.id, audit.ActionOrganisationRenamed, map[string]any{"name": name,
			"old_name": org.name}, o)
	})
}

const findMemberAddress = `
SELECT a.email FROM account.member m JOIN account.account a ON a.id = m.person_id
WHERE m.account_id = $1 AND m.person_id = $2`

const readContact = `SELECT contact_email FROM account.account WHERE id = $1 AND kind = 'organisation'`

// OrganisationContact returns the address that gets the mails and invoices of the organisation.
func (s *Service) OrganisationContact(ctx context.Context, sess Session) (email string, err error) {
	return pgdb.Value[string](ctx, s.db, errNoOrganisation, "read the contact of an organisation", readContact,
		sess.Organisation)
}

// SetContact has the mails and invoices of the organisation sent to one of its members. The former address
// gets a mail about it.
func (s *Service) SetContact(ctx context.Context, sess Session, person ident.AccountID, o Origin) error {
	if err := s.requireFreshProof(sess, Freshness); err != nil {
		return err
	}
	return s.withCompany(ctx, sess, member.SetContact, func(ctx context.Context, tx pgx.Tx, org *holder) error {
		email, err := pgdb.Value[string](ctx, tx, errNoMember, "read the address of a member", findMemberAddress,
			org.id, person)
		if err != nil || email == org.email {
			return err
		}
		if err := s.claimOwnerMail(ctx, tx, org); err != nil {
			return err
		}
		if err := moveContact(ctx, tx, org, email, s.clock.Now(), s.afterEmailChange); err != nil {
			return err
		}
		return s.recordAndNotify(ctx, tx, org, event{audit.ActionContactChanged, map[string]any{"email": email},
			mail.ContactChanged, map[string]string{"organisation": org.name, "email": email}}, o)
	})
}

const setContact = `
UPDATE account.account SET contact_email = $2, updated_at = $3 WHERE id = $1 AND kind = 'organisation'`

func moveContact(ctx context.Context, tx pgx.Tx, org *holder, email string, now time.Time,
	after AfterEmailChange) error {
	if err := execStatement(ctx, tx, "set a contact", setContact, org.id, email, now); err != nil {
		return err
	}
	if err := removeOwnAddress(ctx, tx, org.id, email); err != nil || after == nil {
		return err
	}
	return after(ctx, tx, org.id, org.email)
}

// DeleteOrganisation ends the organisation and all that belongs to it. Its members keep their own accounts.
func (s *Service) DeleteOrganisation(ctx context.Context, sess Session, o Origin) error {
	if err := s.requireFreshProof(sess, DeletionFreshness); err != nil {
		return err
	}
	return s.withCompany(ctx, sess, member.DeleteOrganisation, func(ctx context.Context, tx pgx.Tx, org *holder) error {
		return s.deleteHolder(ctx, tx, org, deletion{before: s.beforeDelete, origin: o})
	})
}
