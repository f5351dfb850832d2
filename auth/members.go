package auth

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/auth/apikey"
	"arpent/auth/management"
	"arpent/auth/member"
	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

// Member is a person in an organisation.
type Member struct {
	Person     ident.AccountID
	Email      string
	Role       member.Role
	Since      time.Time
	HasTOTP    bool
	HasPasskey bool
	Keys       int // live ones that the person made, assistants left out
}

// HasFactor reports whether the person has a second factor.
func (m Member) HasFactor() bool { return m.HasTOTP || m.HasPasskey }

const listMembers = `
SELECT m.person_id, a.email, m.role, m.created_at, a.totp_enabled_at IS NOT NULL,
    EXISTS (SELECT FROM account.passkey k WHERE k.account_id = m.person_id),
    (SELECT count(*) FROM account.api_key k WHERE k.account_id = m.account_id AND k.created_by = m.person_id
        AND k.kind = 'integration' AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2))
FROM account.member m JOIN account.account a ON a.id = m.person_id
WHERE m.account_id = $1 ORDER BY m.created_at, m.person_id`

// Members lists the members of the organisation, the first one first.
func (s *Service) Members(ctx context.Context, sess Session) ([]Member, error) {
	list, err := s.queryMembers(ctx, sess.Organisation)
	for i := range list {
		list[i].HasPasskey = list[i].HasPasskey && s.OffersPasskeys()
	}
	return list, err
}

func (s accountRows) queryMembers(ctx context.Context, organisation ident.AccountID) ([]Member, error) {
	list, err := pgdb.Collect(pgdb.ForService(ctx), s.db, pgx.RowToStructByPos[Member], listMembers, organisation,
		s.clock.Now())
	return list, fault.Wrap("list members", err)
}

// Members lists the members of an organisation, whatever the account that the context is confined to; none
// for the account of a person.
func (s *Accounts) Members(ctx context.Context, organisation ident.AccountID) ([]Member, error) {
	return s.queryMembers(ctx, organisation)
}

// Memberships lists the organisations of a person for the operator.
func (s *Accounts) Memberships(ctx context.Context, person ident.AccountID) ([]Membership, error) {
	return queryMemberships(pgdb.ForService(ctx), s.db, person)
}

const upsertOwner = `
INSERT INTO account.member (account_id, person_id, role, created_at) VALUES ($1, $2, 'owner', $3)
ON CONFLICT (account_id, person_id) DO UPDATE SET role = 'owner'`

// AppointOwner makes a person with a confirmed address an owner of an organisation, as the operator's act,
// such as when its only owner is gone. The reason is kept in the record; every owner gets a mail. A
// fault.NotFound without the organisation or the person.
func (s *Accounts) AppointOwner(
	ctx context.Context, organisation ident.AccountID, address, reason string) error {
	reason, err := CheckReason(reason)
	if err != nil {
		return err
	}
	email, err := NormalEmail(address)
	if err != nil {
		return err
	}
	return s.withLockedAccount(pgdb.ForService(ctx), organisation,
		func(ctx context.Context, tx pgx.Tx, org *holder) error {
			if !org.isOrganisation {
				return errNoOrganisation
			}
			person, err := findHolder(ctx, tx, holderByEmail, email)
			if err != nil {
				return err
			}
			if person == nil || person.confirmedAt == nil {
				return fault.Missing("There is no person with this address, or it is not confirmed.")
			}
			if err := execStatement(ctx, tx, "appoint an owner", upsertOwner, org.id, person.id,
				s.clock.Now()); err != nil {
				return err
			}
			if err := s.recordAction(ctx, tx, org.id, audit.ActionMemberRoleChanged, map[string]any{
				"email": person.email, "role": member.Owner, detailReason: reason}); err != nil {
				return err
			}
			return s.notifyOwners(ctx, tx, org, mail.OwnerAdded, map[string]string{"member": person.email}, Origin{})
		})
}

const (
	setRole          = `UPDATE account.member SET role = $3 WHERE account_id = $1 AND person_id = $2`
	countOtherOwners = `
SELECT count(*) FROM account.member WHERE account_id = $1 AND role = 'owner' AND person_id <> $2`
)

// requireOtherOwner is a Problem with CodeLastOwner unless the locked organisation has an owner other than
// the person.
func requireOtherOwner(ctx context.Context, tx pgx.Tx, org *holder, person ident.AccountID) error {
	others, err := pgdb.Value[int](ctx, tx, nil, "count owners", countOtherOwners, org.id, person)
	if err == nil && others == 0 {
		err = NewProblem("", CodeLastOwner)
	}
	return err
}

// checkOwnerAct is an error for an act on the role of an owner, which one of the roles is, by a member who
// may not appoint owners, or who has not just proved who they are.
func (s *Service) checkOwnerAct(
	ctx context.Context, tx pgx.Tx, org *holder, sess Session, roles ...member.Role) error {
	if !slices.Contains(roles, member.Owner) {
		return nil
	}
	own, err := memberRole(ctx, tx, org.id, sess.Account)
	if err != nil {
		return err
	}
	if !own.May(member.AppointOwner) {
		return member.ErrRole
	}
	return s.requireFreshProof(sess, Freshness)
}

// ChangeRole gives a member another role. A role that may not have keys ends their personal keys, those of
// their assistants included, and one that may not manage tokens the management tokens that they made. The
// last owner keeps theirs: a Problem with CodeLastOwner.
func (s *Service) ChangeRole(
	ctx context.Context, sess Session, person ident.AccountID, role member.Role, o Origin) error {
	if !role.IsKnown() {
		return NewProblem("role", CodeRoleUnknown)
	}
	return s.withCompany(ctx, sess, member.ChangeRole, func(ctx context.Context, tx pgx.Tx, org *holder) error {
		was, err := memberRole(ctx, tx, org.id, person)
		if err != nil || was == role {
			return err
		}
		if err := s.checkOwnerAct(ctx, tx, org, sess, was, role); err != nil {
			return err
		}
		if role == member.Owner {
			if err := s.claimOwnerMail(ctx, tx, org); err != nil {
				return err
			}
		}
		if was == member.Owner {
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
		if !role.May(member.CreateKey) {
			if err := apikey.RevokePersonal(ctx, tx, org.id, person, s.clock.Now()); err != nil {
				return err
			}
		}
		if !role.May(member.ManageTokens) {
			if err := management.RevokeOf(ctx, tx, org.id, person, s.clock.Now()); err != nil {
				return err
			}
		}
		h, err := requireHolder(ctx, tx, holderByID, person, errNoMember)
		if err != nil {
			return err
		}
		if err := s.recordEvent(ctx, tx, org.id, audit.ActionMemberRoleChanged, map[string]any{"email": h.email,
			"role": role, "old_role": was}, o); err != nil {
			return err
		}
		switch member.Owner {
		case role:
			return s.notifyOwners(ctx, tx, org, mail.OwnerAdded, map[string]string{"member": h.email}, o)
		case was:
			return s.notifyOwners(ctx, tx, org, mail.OwnerRemoved, map[string]string{"member": h.email}, o, h)
		}
		return nil
	})
}

const listOwners = `
SELECT a.email, a.language FROM account.member m JOIN account.account a ON a.id = m.person_id
WHERE m.account_id = $1 AND m.role = 'owner' ORDER BY m.person_id`

// reader is an address that a mail goes to, and the language of its reader.
type reader struct{ Email, Language string }

// notifyOwners notifies the owners of an organisation by mail of what was done, each in their language, and
// further readers in theirs.
func (s accountRows) notifyOwners(ctx context.Context, tx pgx.Tx, org *holder, t mail.Template,
	values map[string]string, o Origin, further ...*holder) error {
	readers, err := pgdb.Collect(ctx, tx, pgx.RowToStructByPos[reader], listOwners, org.id)
	if err != nil {
		return fmt.Errorf("list owners: %w", err)
	}
	for _, h := range further {
		if !slices.ContainsFunc(readers, func(r reader) bool { return strings.EqualFold(r.Email, h.email) }) {
			readers = append(readers, reader{h.email, h.language})
		}
	}
	values["organisation"] = org.name
	for _, r := range readers {
		j := mail.Job{Template: t, To: r.Email, Language: r.Language, Account: int64(org.id), Values: values}
		if err := s.sendMail(ctx, tx, j, o); err != nil {
			return err
		}
	}
	return nil
}

// RemoveMember ends the membership of another person, with their personal keys and invitations: see
// endMembership. The person gets a mail.
func (s *Service) RemoveMember(ctx context.Context, sess Session, person ident.AccountID, o Origin) error {
	if person == sess.Account {
		return s.LeaveOrganisation(ctx, sess, o)
	}
	return s.withCompany(ctx, sess, member.RemoveMember, func(ctx context.Context, tx pgx.Tx, org *holder) error {
		role, err := memberRole(ctx, tx, org.id, person)
		if err != nil {
			return err
		}
		if err := s.checkOwnerAct(ctx, tx, org, sess, role); err != nil {
			return err
		}
		h, err := requireHolder(ctx, tx, holderByID, person, errNoMember)
		if err != nil {
			return err
		}
		if err := s.endMembership(ctx, tx, org, h, s.afterEmailChange, o); err != nil {
			return err
		}
		if err := s.recordEvent(ctx, tx, org.id, audit.ActionMemberRemoved, map[string]any{"email": h.email,
			"role": role}, o); err != nil {
			return err
		}
		return mail.Send(ctx, tx, h.mailJob(mail.MemberRemoved, map[string]string{"organisation": org.name}))
	})
}

// LeaveOrganisation ends the membership of the person. The last owner cannot leave: a Problem with
// CodeLastOwner.
func (s *Service) LeaveOrganisation(ctx context.Context, sess Session, o Origin) error {
	return s.withCompany(ctx, sess, member.LeaveOrganisation, func(ctx context.Context, tx pgx.Tx, org *holder) error {
		h, err := requireHolder(ctx, tx, holderByID, sess.Account, ErrNoSession)
		if err != nil {
			return err
		}
		if err := s.endMembership(ctx, tx, org, h, s.afterEmailChange, o); err != nil {
			return err
		}
		return s.recordEvent(ctx, tx, org.id, audit.ActionMemberLeft, map[string]any{"email": h.email}, o)
	})
}

const (
	deleteMember = `DELETE FROM account.member WHERE account_id = $1 AND person_id = $2`
	endNotices   = `
WITH quota AS (DELETE FROM account.notice_address WHERE account_id = $1 AND lower(email) = lower($2))
DELETE FROM account.billing_recipient WHERE account_id = $1 AND lower(email) = lower($2)`
	// A former member joins again by invitation only, not by an address of a domain.
	blockJoining = `
INSERT INTO account.join_request (account_id, person_id, created_at, declined_at) VALUES ($1, $2, $3, $3)
ON CONFLICT (account_id, person_id) DO UPDATE SET declined_at = excluded.declined_at`
	leaveSession = `UPDATE account.session SET organisation_id = NULL WHERE account_id = $2 AND organisation_id = $1`
	nextContact  = `
SELECT a.email FROM account.member m JOIN account.account a ON a.id = m.person_id
WHERE m.account_id = $1 AND m.role = 'owner' ORDER BY m.created_at, m.person_id LIMIT 1`
)

// endMembership ends the membership of a person in the locked organisation: their sessions show it no more,
// their personal keys, management tokens, assistants and invitations end, their address gets no notices of it
// any more, its mails and bills go to an owner if they went to them, and they join again by invitation only.
// Keys that they made for the organisation stay. The other owners get a mail when an owner leaves; the last
// one stays: a Problem with CodeLastOwner.
func (s accountRows) endMembership(
	ctx context.Context, tx pgx.Tx, org, person *holder, after AfterEmailChange, o Origin) error {
	if err := requireOtherOwner(ctx, tx, org, person.id); err != nil {
		return err
	}
	role, err := memberRole(ctx, tx, org.id, person.id)
	if err != nil {
		return err
	}
	if err := execStatement(ctx, tx, "end a membership", deleteMember, org.id, person.id); err != nil {
		return err
	}
	if err := execStatement(ctx, tx, "keep a former member from joining", blockJoining, org.id, person.id,
		s.clock.Now()); err != nil {
		return err
	}
	if err := execStatement(ctx, tx, "leave an organisation", leaveSession, org.id, person.id); err != nil {
		return err
	}
	if err := endInvitationsOf(ctx, tx, org.id, person.id, ""); err != nil {
		return err
	}
	if err := apikey.RevokePersonal(ctx, tx, org.id, person.id, s.clock.Now()); err != nil {
		return err
	}
	if err := management.RevokeOf(ctx, tx, org.id, person.id, s.clock.Now()); err != nil {
		return err
	}
	if role == member.Owner {
		err := s.notifyOwners(ctx, tx, org, mail.OwnerRemoved, map[string]string{"member": person.email}, o)
		if err != nil {
			return err
		}
	}
	if err := execStatement(ctx, tx, "end mails to a former member", endNotices, org.id, person.email); err != nil {
		return err
	}
	if org.email != person.email {
		if after == nil {
			return nil
		}
		return after(ctx, tx, org.id, person.email) // who may have bills sent to their own address
	}
	contact, err := pgdb.Value[string](ctx, tx, pgx.ErrNoRows, "find a contact", nextContact, org.id)
	if err != nil {
		return err
	}
	return moveContact(ctx, tx, org, contact, s.clock.Now(), after)
}

// endMemberships ends every membership of a person whose account is about to be deleted. An organisation
// without another member is deleted; one of which the person is the last owner among others is a Problem with
// CodeLastOwner, and nothing is deleted.
func (s accountRows) endMemberships(ctx context.Context, tx pgx.Tx, person *holder, d deletion) error {
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
		others, err := pgdb.Value[int](ctx, tx, nil, "count members", countOtherMembers, id, person.id)
		if err != nil {
			return err
		}
		if others == 0 {
			err = s.deleteHolder(ctx, tx, org, d)
		} else if err = s.endMembership(ctx, tx, org, person, d.after, d.origin); err == nil {
			err = d.recordEvent(ctx, tx, s.clock.Now(), audit.Event{Account: id, Action: audit.ActionMemberLeft,
				Detail: map[string]any{"email": person.email}, Address: d.origin.Address, Agent: d.origin.Agent})
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

// PersonalKey is a live key that ends with the membership of the person who made it.
type PersonalKey struct {
	Organisation string
	Name         string
	Assistant    bool
	CreatedAt    time.Time
	LastUsedAt   *time.Time
}

const listPersonalKeys = `
SELECT o.name, k.name, k.kind = 'assistant', k.created_at, k.last_used_at
FROM account.api_key k JOIN account.account o ON o.id = k.account_id
WHERE k.created_by = $1 AND k.personal AND o.kind = 'organisation' AND k.revoked_at IS NULL
    AND (k.expires_at IS NULL OR k.expires_at > $2)
ORDER BY lower(o.name), k.id DESC`

// PersonalKeys lists the personal keys of the person in all organisations.
func (s *Service) PersonalKeys(ctx context.Context, sess Session) ([]PersonalKey, error) {
	list, err := pgdb.Collect(pgdb.ForService(ctx), s.db, pgx.RowToStructByPos[PersonalKey], listPersonalKeys,
		sess.Account, s.clock.Now())
	return list, fault.Wrap("list personal keys", err)
}

// EndPersonalKeys ends the personal keys of the person in all organisations, those of assistants included,
// and the management tokens that they made there and in their own account: what a person does whose account
// was in the hands of another.
func (s *Service) EndPersonalKeys(ctx context.Context, sess Session) error {
	return s.withLockedSession(pgdb.ForService(ctx), sess, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		list, err := queryMemberships(ctx, tx, h.id)
		if err != nil {
			return err
		}
		for _, id := range sortedOrganisations(list) {
			if _, err := findHolder(ctx, tx, lockHolder, id); err != nil {
				return err
			}
			if err := apikey.RevokePersonal(ctx, tx, id, h.id, s.clock.Now()); err != nil {
				return err
			}
			if err := management.RevokeOf(ctx, tx, id, h.id, s.clock.Now()); err != nil {
				return err
			}
		}
		return management.RevokeOf(ctx, tx, h.id, h.id, s.clock.Now())
	})
}
