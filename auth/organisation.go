package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"arpent/auth/apikey"
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

	maxOrganisationName = 80
	organisationsWindow = 24 * time.Hour
)

// ErrRole is returned for an act that the role of the person in the organisation does not allow.
var ErrRole = errors.New("the role in the organisation does not allow this")

var errNoOrganisation = fault.Missing("There is no such organisation.")

// errNoMember is also returned for a person who is a member of another organisation.
var errNoMember = fault.Missing("There is no such member.")

// Membership is an organisation as one of its members sees it in a list.
type Membership struct {
	ID      ident.AccountID
	Name    string
	Role    Role
	Members int
	Owners  int
}

// SoleMember reports whether the organisation has no other member.
func (m Membership) SoleMember() bool { return m.Members == 1 }

// LastOwner reports whether the person is the only owner among several members, and so cannot leave.
func (m Membership) LastOwner() bool { return m.Role == Owner && m.Owners == 1 && m.Members > 1 }

// It is asked for the service, as it reads several organisations; the person is who it names.
const listMemberships = `
SELECT o.id, o.name, m.role, count(x.person_id), count(x.person_id) FILTER (WHERE x.role = 'owner')
FROM account.member m JOIN account.account o ON o.id = m.account_id JOIN account.member x ON x.account_id = m.account_id
WHERE m.person_id = $1 GROUP BY o.id, o.name, m.role ORDER BY lower(o.name), o.id`

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

// checkOrganisationName trims a name, or is a Problem of the field.
func checkOrganisationName(name string) (string, error) {
	name = strings.Join(strings.Fields(name), " ")
	isHidden := func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }
	if n := utf8.RuneCountInString(name); n < 1 || n > maxOrganisationName || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, isHidden) {
		return "", newProblem("name", CodeNameInvalid)
	}
	return name, nil
}

// The email is unique and reaches no mail server (RFC 2606): see migration 44.
const insertOrganisation = `
INSERT INTO account.account (kind, name, email, contact_email, email_confirmed_at, language, created_at, updated_at)
VALUES ('organisation', $1, gen_random_uuid() || '@organisation.invalid', $2, $4, $3, $4, $4) RETURNING id`

const insertMember = `
INSERT INTO account.member (account_id, person_id, role, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`

const countOwned = `SELECT count(*) FROM account.member WHERE person_id = $1 AND role = 'owner'`

// CreateOrganisation makes an organisation whose owner is the person, whose address gets its mails, and chooses
// it for the session.
func (s *Service) CreateOrganisation(
	ctx context.Context, sess Session, name string, o Origin) (id ident.AccountID, err error) {
	if name, err = checkOrganisationName(name); err != nil {
		return 0, err
	}
	if !sess.Confirmed {
		return 0, newProblem("", CodeConfirmFirst)
	}
	subject := s.throttleSubject("organisations", strconv.FormatInt(int64(sess.Account), 10))
	counts, err := s.claimEach(ctx, []bucket{{subject, 1}}, MaxOrganisations, organisationsWindow)
	if err != nil {
		return 0, err
	}
	if counts == nil {
		return 0, newProblem("", CodeOrganisationsFull)
	}
	err = s.withLockedSession(pgdb.ForService(ctx), sess, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		var owned int
		if err := tx.QueryRow(ctx, countOwned, h.id).Scan(&owned); err != nil {
			return fmt.Errorf("count organisations: %w", err)
		}
		if owned >= MaxOrganisations {
			return newProblem("", CodeOrganisationsFull)
		}
		now := s.clock.Now()
		if err := tx.QueryRow(ctx, insertOrganisation, name, h.email, h.language, now).Scan(&id); err != nil {
			return fmt.Errorf("create an organisation: %w", err)
		}
		if err := execStatement(ctx, tx, "add the owner", insertMember, id, h.id, Owner, now); err != nil {
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

const chooseOrganisation = `UPDATE account.session SET organisation_id = nullif($3, account_id) WHERE id = $2 AND account_id = $1`

func setSessionOrganisation(ctx context.Context, tx pgx.Tx, sess Session, id ident.AccountID) error {
	return execExpectingRow(ctx, tx, ErrNoSession, "choose an organisation", chooseOrganisation, sess.Account,
		sess.ID, id)
}

const readRole = `SELECT role FROM account.member WHERE account_id = $1 AND person_id = $2`

// ChooseOrganisation has the pages of the session show an organisation of which the person is a member, or the
// person's own account. Any other is a fault.NotFound.
func (s *Service) ChooseOrganisation(ctx context.Context, sess Session, id ident.AccountID) error {
	return s.withLockedSession(pgdb.ForService(ctx), sess, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if id != h.id {
			if _, err := memberRole(ctx, tx, id, h.id); err != nil {
				return errNoOrganisation
			}
		}
		return setSessionOrganisation(ctx, tx, sess, id)
	})
}

// memberRole reads the role of a member, or is errNoMember.
func memberRole(
	ctx context.Context, q pgdb.DB, organisation, person ident.AccountID) (role Role, err error) {
	err = q.QueryRow(ctx, readRole, organisation, person).Scan(&role)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", errNoMember
	}
	return role, fault.Wrap("read a role", err)
}

// withOrganisation runs one act on the organisation of a session, whose row is locked meanwhile, if the role that
// the person has there now allows it; else it is ErrRole. For the person's own account it is withLockedSession.
// Acts on members take turns: the lock of the organisation comes first.
func (s *Service) withOrganisation(ctx context.Context, sess Session, a Action, do accountAction) error {
	if !sess.ActsForOrganisation() {
		return s.withLockedSession(ctx, sess, do)
	}
	return s.withLockedAccount(pgdb.ForService(ctx), sess.Organisation,
		func(ctx context.Context, tx pgx.Tx, org *holder) error {
			var held bool
			err := tx.QueryRow(ctx, holdSession, sess.Account, sess.ID).Scan(&held)
			if errors.Is(err, pgx.ErrNoRows) {
				return ErrNoSession
			}
			if err != nil {
				return fmt.Errorf("hold a session: %w", err)
			}
			role, err := memberRole(ctx, tx, org.id, sess.Account)
			if err != nil {
				return err
			}
			if !role.May(a) {
				return ErrRole
			}
			return do(ctx, tx, org)
		})
}

// withCompany is withOrganisation for what a person's own account does not have.
func (s *Service) withCompany(ctx context.Context, sess Session, a Action, do accountAction) error {
	if !sess.ActsForOrganisation() {
		return errNoOrganisation
	}
	return s.withOrganisation(ctx, sess, a, do)
}

const renameOrganisation = `
UPDATE account.account SET name = $2, updated_at = $3 WHERE id = $1 AND kind = 'organisation' AND name <> $2`

// RenameOrganisation gives the organisation another name.
func (s *Service) RenameOrganisation(ctx context.Context, sess Session, name string, o Origin) error {
	name, err := checkOrganisationName(name)
	if err != nil {
		return err
	}
	return s.withCompany(ctx, sess, RenameOrganisation, func(ctx context.Context, tx pgx.Tx, org *holder) error {
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
	err = s.db.QueryRow(ctx, readContact, sess.Organisation).Scan(&email)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", errNoOrganisation
	}
	return email, fault.Wrap("read the contact of an organisation", err)
}

// SetContact has the mails and invoices of the organisation sent to one of its members.
func (s *Service) SetContact(ctx context.Context, sess Session, person ident.AccountID, o Origin) error {
	return s.withCompany(ctx, sess, SetContact, func(ctx context.Context, tx pgx.Tx, org *holder) error {
		var email string
		err := tx.QueryRow(ctx, findMemberAddress, org.id, person).Scan(&email)
		if errors.Is(err, pgx.ErrNoRows) {
			return errNoMember
		}
		if err != nil {
			return fmt.Errorf("read the address of a member: %w", err)
		}
		if email == org.email {
			return nil
		}
		if err := moveContact(ctx, tx, org, email, s.clock.Now(), s.afterEmailChange); err != nil {
			return err
		}
		return s.recordEvent(ctx, tx, org.id, audit.ActionContactChanged, map[string]any{"email": email}, o)
	})
}

const setContact = `
UPDATE account.account SET contact_email = $2, updated_at = $3 WHERE id = $1 AND kind = 'organisation'`

func moveContact(ctx context.Context, tx pgx.Tx, org *holder, email string, now time.Time,
	after AfterEmailChange) error {
	if err := execStatement(ctx, tx, "set a contact", setContact, org.id, email, now); err != nil || after == nil {
		return err
	}
	return after(ctx, tx, org.id, org.email)
}

// Member is a person in an organisation.
type Member struct {
	Person  ident.AccountID
	Email   string
	Role    Role
	Since   time.Time
	HasTOTP bool
	Keys    int // live ones that the person made, assistants left out
}

const listMembers = `
SELECT m.person_id, a.email, m.role, m.created_at, a.totp_enabled_at IS NOT NULL,
    (SELECT count(*) FROM account.api_key k WHERE k.account_id = m.account_id AND k.created_by = m.person_id
        AND k.kind = 'integration' AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2))
FROM account.member m JOIN account.account a ON a.id = m.person_id
WHERE m.account_id = $1 ORDER BY m.created_at, m.person_id`

// Members lists the members of the organisation, the first one first.
func (s *Service) Members(ctx context.Context, sess Session) ([]Member, error) {
	list, err := pgdb.Collect(pgdb.ForService(ctx), s.db, pgx.RowToStructByPos[Member], listMembers,
		sess.Organisation, s.clock.Now())
	return list, fault.Wrap("list members", err)
}

const (
	setRole          = `UPDATE account.member SET role = $3 WHERE account_id = $1 AND person_id = $2`
	countOtherOwners = `
SELECT count(*) FROM account.member WHERE account_id = $1 AND role = 'owner' AND person_id <> $2`
)

// requireOtherOwner is a Problem with CodeLastOwner unless the locked organisation has an owner other than the
// person.
func requireOtherOwner(ctx context.Context, tx pgx.Tx, org *holder, person ident.AccountID) error {
	var others int
	if err := tx.QueryRow(ctx, countOtherOwners, org.id, person).Scan(&others); err != nil {
		return fmt.Errorf("count owners: %w", err)
	}
	if others == 0 {
		return newProblem("", CodeLastOwner)
	}
	return nil
}

// checkOwnerAct is ErrRole for an act on the role of an owner by a member who may not appoint owners.
func checkOwnerAct(ctx context.Context, tx pgx.Tx, org *holder, sess Session, roles ...Role) error {
	for _, r := range roles {
		if r != Owner {
			continue
		}
		own, err := memberRole(ctx, tx, org.id, sess.Account)
		if err != nil {
			return err
		}
		if !own.May(AppointOwner) {
			return ErrRole
		}
	}
	return nil
}

// ChangeRole gives a member another role. A role that may not have keys ends their personal keys, those of their
// assistants included. The last owner keeps theirs: a Problem with CodeLastOwner.
func (s *Service) ChangeRole(
	ctx context.Context, sess Session, person ident.AccountID, role Role, o Origin) error {
	if !isRole(string(role)) {
		return newProblem("role", CodeRoleUnknown)
	}
	return s.withCompany(ctx, sess, ChangeRole, func(ctx context.Context, tx pgx.Tx, org *holder) error {
		was, err := memberRole(ctx, tx, org.id, person)
		if err != nil || was == role {
			return err
		}
		if err := checkOwnerAct(ctx, tx, org, sess, was, role); err != nil {
			return err
		}
		if was == Owner {
			if err := requireOtherOwner(ctx, tx, org, person); err != nil {
				return err
			}
		}
		if err := execStatement(ctx, tx, "change a role", setRole, org.id, person, role); err != nil {
			return err
		}
		if err := endInvitationsOf(ctx, tx, org.id, person, role); err != nil {
			return err
		}
		if !role.May(CreateKey) {
			if err := endAccess(ctx, tx, org.id, person, s.clock.Now()); err != nil {
				return err
			}
		}
		return s.recordMember(ctx, tx, org, person, audit.ActionMemberRoleChanged, map[string]any{"role": role,
			"old_role": was}, o)
	})
}

// recordMember records what was done to a member, by their address.
func (s accountRows) recordMember(ctx context.Context, tx pgx.Tx, org *holder, person ident.AccountID,
	action string, detail map[string]any, o Origin) error {
	h, err := findHolder(ctx, tx, holderByID, person)
	if err != nil {
		return err
	}
	if h == nil {
		return errNoMember
	}
	if detail == nil {
		detail = map[string]any{}
	}
	detail["email"] = h.email
	return s.recordEvent(ctx, tx, org.id, action, detail, o)
}

// RemoveMember ends the membership of another person, and what it carried: see endMembership. The person gets a
// mail.
func (s *Service) RemoveMember(ctx context.Context, sess Session, person ident.AccountID, o Origin) error {
	if person == sess.Account {
		return s.LeaveOrganisation(ctx, sess, o)
	}
	return s.withCompany(ctx, sess, RemoveMember, func(ctx context.Context, tx pgx.Tx, org *holder) error {
		role, err := memberRole(ctx, tx, org.id, person)
		if err != nil {
			return err
		}
		if err := checkOwnerAct(ctx, tx, org, sess, role); err != nil {
			return err
		}
		h, err := findHolder(ctx, tx, holderByID, person)
		if err != nil {
			return err
		}
		if h == nil {
			return errNoMember
		}
		if err := s.endMembership(ctx, tx, org, h, s.afterEmailChange); err != nil {
			return err
		}
		if err := s.recordEvent(ctx, tx, org.id, audit.ActionMemberRemoved, map[string]any{"email": h.email,
			"role": role}, o); err != nil {
			return err
		}
		return mail.Send(ctx, tx, h.mailJob(mail.MemberRemoved, map[string]string{"organisation": org.name}))
	})
}

// LeaveOrganisation ends the membership of the person. The last owner cannot leave: a Problem with CodeLastOwner.
func (s *Service) LeaveOrganisation(ctx context.Context, sess Session, o Origin) error {
	return s.withCompany(ctx, sess, LeaveOrganisation, func(ctx context.Context, tx pgx.Tx, org *holder) error {
		h, err := findHolder(ctx, tx, holderByID, sess.Account)
		if err != nil {
			return err
		}
		if h == nil {
			return ErrNoSession
		}
		if err := s.endMembership(ctx, tx, org, h, s.afterEmailChange); err != nil {
			return err
		}
		return s.recordEvent(ctx, tx, org.id, audit.ActionMemberLeft, map[string]any{"email": h.email}, o)
	})
}

const (
	deleteMember = `DELETE FROM account.member WHERE account_id = $1 AND person_id = $2`
	leaveSession = `UPDATE account.session SET organisation_id = NULL WHERE account_id = $2 AND organisation_id = $1`
	deleteCodes  = `DELETE FROM account.assistant_code WHERE account_id = $1 AND person_id = $2 AND used_at IS NULL`
	nextContact  = `
SELECT a.email FROM account.member m JOIN account.account a ON a.id = m.person_id
WHERE m.account_id = $1 AND m.role = 'owner' ORDER BY m.created_at, m.person_id LIMIT 1`
)

// endAccess ends the personal keys of a person in an organisation, and the codes for which an assistant has not got
// its tokens yet.
func endAccess(ctx context.Context, tx pgx.Tx, organisation, person ident.AccountID, now time.Time) error {
	if err := execStatement(ctx, tx, "void codes of assistants", deleteCodes, organisation, person); err != nil {
		return err
	}
	return apikey.RevokePersonal(ctx, tx, organisation, person, now)
}

// endMembership ends the membership of a person in the locked organisation: their sessions show it no more, their
// personal keys, assistants and invitations end, and its mails go to an owner if they went to them. Keys that they
// made for the organisation stay. The last owner stays: a Problem with CodeLastOwner.
func (s accountRows) endMembership(
	ctx context.Context, tx pgx.Tx, org, person *holder, after AfterEmailChange) error {
	if err := requireOtherOwner(ctx, tx, org, person.id); err != nil {
		return err
	}
	if err := execStatement(ctx, tx, "end a membership", deleteMember, org.id, person.id); err != nil {
		return err
	}
	if err := execStatement(ctx, tx, "leave an organisation", leaveSession, org.id, person.id); err != nil {
		return err
	}
	if err := endInvitationsOf(ctx, tx, org.id, person.id, ""); err != nil {
		return err
	}
	if err := endAccess(ctx, tx, org.id, person.id, s.clock.Now()); err != nil {
		return err
	}
	if org.email != person.email {
		return nil
	}
	var contact string
	if err := tx.QueryRow(ctx, nextContact, org.id).Scan(&contact); err != nil {
		return fmt.Errorf("find a contact: %w", err)
	}
	return moveContact(ctx, tx, org, contact, s.clock.Now(), after)
}

// endMemberships ends every membership of a person whose account is about to be deleted. An organisation without
// another member is deleted; one of which the person is the last owner among others is a Problem with
// CodeLastOwner, and nothing is deleted.
func (s accountRows) endMemberships(ctx context.Context, tx pgx.Tx, person *holder, before BeforeDelete,
	after AfterEmailChange, o Origin) error {
	list, err := queryMemberships(ctx, tx, person.id)
	if err != nil {
		return err
	}
	for _, id := range sortedOrganisations(list) { // the order in which they are locked is the same everywhere
		org, err := findHolder(ctx, tx, lockHolder, id)
		if err != nil {
			return err
		}
		if org == nil {
			continue // deleted meanwhile
		}
		var others int
		if err := tx.QueryRow(ctx, countOtherMembers, id, person.id).Scan(&others); err != nil {
			return fmt.Errorf("count members: %w", err)
		}
		if others == 0 {
			if err := s.deleteHolder(ctx, tx, org, before, after, map[string]string{}, o); err != nil {
				return err
			}
			err = s.recordEvent(ctx, tx, id, audit.ActionAccountDeleted, nil, Origin{})
		} else if err = s.endMembership(ctx, tx, org, person, after); err == nil {
			err = s.recordEvent(ctx, tx, id, audit.ActionMemberLeft, map[string]any{"email": person.email}, o)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

const countOtherMembers = `SELECT count(*) FROM account.member WHERE account_id = $1 AND person_id <> $2`

func sortedOrganisations(list []Membership) []ident.AccountID {
	ids := make([]ident.AccountID, len(list))
	for i, m := range list {
		ids[i] = m.ID
	}
	slices.Sort(ids)
	return ids
}

// DeleteOrganisation ends the organisation and all that belongs to it. Its members keep their own accounts.
func (s *Service) DeleteOrganisation(ctx context.Context, sess Session, o Origin) error {
	if err := s.requireFreshProof(sess, DeletionFreshness); err != nil {
		return err
	}
	return s.withCompany(ctx, sess, DeleteOrganisation, func(ctx context.Context, tx pgx.Tx, org *holder) error {
		if err := s.deleteHolder(ctx, tx, org, s.beforeDelete, nil, map[string]string{}, o); err != nil {
			return err
		}
		return s.recordEvent(ctx, tx, org.id, audit.ActionAccountDeleted, nil, Origin{})
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
		if after == nil {
			return nil
		}
		if err := after(ctx, tx, id, person.email); err != nil {
			return err
		}
	}
	return nil
}
