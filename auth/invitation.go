package auth

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/auth/member"
	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

const (
	// InvitationLife is how long an invitation can be accepted after its link was sent.
	InvitationLife = 7 * 24 * time.Hour
	// MaxInvitations is how many mails of invitations a person, an organisation and a client can send in a
	// day; wider networks have more: clientip.Buckets.
	MaxInvitations = 50

	invitationsWindow   = 24 * time.Hour
	maxInvitationsOfAll = 2000 // in an invitationsWindow, over the whole service
)

// Invitation is an invitation that waits for an answer, as the organisation sees it.
type Invitation struct {
	ID        int64
	Email     string
	Role      member.Role
	Bound     bool // only a person with this address can accept it
	InvitedBy string
	ExpiresAt time.Time
}

const listInvitations = `
SELECT i.id, i.email, i.role, i.bound, coalesce(a.email, ''), i.expires_at
FROM account.invitation i LEFT JOIN account.account a ON a.id = i.invited_by
WHERE i.account_id = $1 ORDER BY i.id`

// Invitations lists the invitations of the organisation that were not answered, expired ones included.
func (s *Service) Invitations(ctx context.Context, sess Session) ([]Invitation, error) {
	list, err := pgdb.Collect(pgdb.ForService(ctx), s.db, pgx.RowToStructByPos[Invitation], listInvitations,
		sess.Organisation)
	return list, fault.Wrap("list invitations", err)
}

const (
	countMembers = `
SELECT (SELECT count(*) FROM account.member WHERE account_id = $1)
    + (SELECT count(*) FROM account.invitation WHERE account_id = $1 AND email <> $2)`

	readInvitedRole = `SELECT role FROM account.invitation WHERE account_id = $1 AND email = $2`

	isMemberAddress = `
SELECT EXISTS (SELECT FROM account.member m JOIN account.account a ON a.id = m.person_id
    WHERE m.account_id = $1 AND lower(a.email) = $2)`

	insertInvitation = `
INSERT INTO account.invitation (account_id, email, role, bound, invited_by, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (account_id, email) DO UPDATE SET role = excluded.role,
    bound = excluded.bound, invited_by = excluded.invited_by, nonce = gen_random_uuid(), expires_at = excluded.expires_at
RETURNING id`
)

// Invite sends a link to an address by which a person becomes a member with that role. bound: only a person
// who signs in with this address; else any reader of the mail. An address that was invited before gets a new
// link with the role of now; the former link ends. A *Problem with CodeWait says that too many mails were
// sent, one with CodeOpenRole that an invitation with that role must be bound to its address.
func (s *Service) Invite(
	ctx context.Context, sess Session, address string, role member.Role, bound bool, o Origin) error {
	email, err := normalEmail(address)
	if err != nil {
		return err
	}
	if !role.IsKnown() {
		return NewProblem("role", CodeRoleUnknown)
	}
	if !bound && role.May(member.InviteMember) {
		return NewProblem("open", CodeOpenRole)
	}
	if err := s.limitInvitations(ctx, sess, o); err != nil {
		return err
	}
	return s.withCompany(ctx, sess, member.InviteMember, func(ctx context.Context, tx pgx.Tx, org *holder) error {
		// of an invitation that this one replaces
		former, err := pgdb.Value[member.Role](ctx, tx, nil, "read an invitation", readInvitedRole, org.id, email)
		if err != nil {
			return err
		}
		if err := s.checkOwnerAct(ctx, tx, org, sess, role, former); err != nil {
			return err
		}
		known, err := pgdb.Value[bool](ctx, tx, nil, "look for a member", isMemberAddress, org.id, email)
		if err == nil && known {
			err = NewProblem("email", CodeMemberKnown)
		}
		if err != nil {
			return err
		}
		if err := RequirePlace(ctx, tx, org.id, email); err != nil {
			return err
		}
		now := s.clock.Now()
		id, err := pgdb.Value[int64](ctx, tx, pgx.ErrNoRows, "make an invitation", insertInvitation, org.id, email,
			role, bound, sess.Account, now, now.Add(InvitationLife))
		if err != nil {
			return err
		}
		return s.sendInvitation(ctx, tx, org, sess, mailedInvitation{id, email, role}, audit.ActionMemberInvited, o)
	})
}

// RequirePlace is a *Problem with CodeMembersFull where the locked organisation has as many members and
// invitations as it may have, that of the address left out.
func RequirePlace(ctx context.Context, tx pgx.Tx, organisation ident.AccountID, email string) error {
	count, err := pgdb.Value[int](ctx, tx, nil, "count members", countMembers, organisation, email)
	if err == nil && count >= MaxMembers {
		err = NewProblem("", CodeMembersFull)
	}
	return err
}

// limitInvitations is a *Problem with CodeWait once the member, all members of the organisation, the network
// of the member or all organisations together have sent as many invitations as they can within a day. They
// do not count as requests of the network, from which colleagues sign up: see limitNetwork.
func (s *Service) limitInvitations(ctx context.Context, sess Session, o Origin) error {
	subject := func(kind string, id ident.AccountID) bucket {
		return bucket{s.accountSubject(kind, id), 1}
	}
	buckets := append([]bucket{subject(triesInvitations, sess.Account),
		subject("invitations of an organisation", sess.Organisation)}, s.networkBuckets("invitations", o)...)
	buckets = append(buckets, bucket{s.throttleSubject("invitations", "all networks"),
		maxInvitationsOfAll / MaxInvitations})
	counts, err := s.claimEach(ctx, s.db, buckets, MaxInvitations, invitationsWindow)
	if err == nil && counts == nil {
		err = s.requestWaitProblem(ctx, buckets, MaxInvitations, invitationsWindow)
	}
	if err != nil {
		return err
	}
	if sent := counts[len(counts)-1]; sent == maxInvitationsOfAll/2 || sent == maxInvitationsOfAll {
		slog.Error("organisations send many invitations", "invitations", sent, "ceiling", maxInvitationsOfAll,
			"within", invitationsWindow.String())
	}
	return nil
}

// mailedInvitation is what the mail of an invitation says.
type mailedInvitation struct {
	id    int64
	email string
	role  member.Role
}

// sendInvitation leaves the mail of an invitation and records it. The reader may have no account: the mail is
// in the language of the member who invites.
func (s *Service) sendInvitation(ctx context.Context, tx pgx.Tx, org *holder, sess Session, i mailedInvitation,
	action string, o Origin) error {
	if err := s.requireMailSlot(ctx, tx, "invitation", i.email); err != nil {
		return err
	}
	job := mail.Job{Template: mail.Invitation, To: i.email, Language: sess.Language, Account: int64(org.id),
		Link: &mail.Link{Purpose: mail.PurposeInvitation, ID: i.id},
		Values: map[string]string{"organisation": org.name, "inviter": sess.Email,
			"role": string(i.role)}}
	if err := mail.Send(ctx, tx, job); err != nil {
		return err
	}
	return s.recordEvent(ctx, tx, org.id, action, map[string]any{"email": i.email, "role": i.role}, o)
}

const renewInvitation = `
UPDATE account.invitation SET nonce = gen_random_uuid(), expires_at = $3, invited_by = $4
WHERE account_id = $1 AND id = $2 RETURNING email, role`

// ResendInvitation sends the link of an invitation again, which is good for InvitationLife from now. The
// former link ends.
func (s *Service) ResendInvitation(ctx context.Context, sess Session, id int64, o Origin) error {
	if err := s.limitInvitations(ctx, sess, o); err != nil {
		return err
	}
	return s.withCompany(ctx, sess, member.InviteMember, func(ctx context.Context, tx pgx.Tx, org *holder) error {
		i := mailedInvitation{id: id}
		err := tx.QueryRow(ctx, renewInvitation, org.id, id, s.clock.Now().Add(InvitationLife),
			sess.Account).Scan(&i.email, &i.role)
		if err != nil {
			return pgdb.RowError(err, errNoInvitation, "renew an invitation")
		}
		if err := s.checkOwnerAct(ctx, tx, org, sess, i.role); err != nil {
			return err
		}
		return s.sendInvitation(ctx, tx, org, sess, i, audit.ActionInvitationResent, o)
	})
}

var errNoInvitation = fault.Missing("There is no such invitation.")

const deleteInvitation = `DELETE FROM account.invitation WHERE account_id = $1 AND id = $2 RETURNING email, role`

// WithdrawInvitation ends an invitation: its link does not work any more, and a mail that waits is not sent.
func (s *Service) WithdrawInvitation(ctx context.Context, sess Session, id int64, o Origin) error {
	return s.withCompany(ctx, sess, member.InviteMember, func(ctx context.Context, tx pgx.Tx, org *holder) error {
		var (
			email string
			role  member.Role
		)
		err := tx.QueryRow(ctx, deleteInvitation, org.id, id).Scan(&email, &role)
		if err != nil {
			return pgdb.RowError(err, errNoInvitation, "withdraw an invitation")
		}
		if err := s.checkOwnerAct(ctx, tx, org, sess, role); err != nil {
			return err
		}
		return s.recordEvent(ctx, tx, org.id, audit.ActionInvitationWithdrawn, map[string]any{"email": email,
			"role": role}, o)
	})
}

const (
	endInvitations      = `DELETE FROM account.invitation WHERE account_id = $1 AND invited_by = $2`
	endOwnerInvitations = endInvitations + ` AND role = 'owner'`
)

// endInvitationsOf ends the invitations of a member that the member could not send with that role; an empty
// one: all of them.
func endInvitationsOf(ctx context.Context, tx pgx.Tx, organisation, person ident.AccountID, role member.Role) error {
	switch {
	case !role.May(member.InviteMember):
		return execStatement(ctx, tx, "end invitations", endInvitations, organisation, person)
	case !role.May(member.AppointOwner):
		return execStatement(ctx, tx, "end invitations of owners", endOwnerInvitations, organisation, person)
	}
	return nil
}

// InvitationRequest is what the page of an invitation shows. Its zero value: there is no such invitation.
type InvitationRequest struct {
	Organisation string
	InvitedBy    string // the address of the member
	Email        string // where it was sent; to be shown in part
	Role         member.Role
	Bound        bool
	Expired      bool
}

// invitationRow is a row of account.invitation whose token was presented.
type invitationRow struct {
	id           int64
	organisation ident.AccountID
	email        string
	InvitationRequest
}

const findInvitation = `
SELECT i.id, i.account_id, i.email, o.name, coalesce(a.email, ''), i.role, i.bound, i.expires_at <= $2, i.nonce
FROM account.invitation i JOIN account.account o ON o.id = i.account_id
LEFT JOIN account.account a ON a.id = i.invited_by WHERE i.id = $1`

// findInvitation finds the invitation of a token, whatever its organisation; nil when there is none.
func (s *Service) findInvitation(ctx context.Context, q pgdb.DB, token string) (*invitationRow, error) {
	var row invitationRow
	found, err := s.readTokenRow(ctx, q, mail.PurposeInvitation, token, findInvitation, []any{s.clock.Now()},
		&row.id, &row.organisation, &row.email, &row.Organisation, &row.InvitedBy,
		&row.Role, &row.Bound, &row.Expired)
	if err != nil || !found {
		return nil, err
	}
	row.InvitationRequest.Email = row.email
	return &row, nil
}

// LookInvitation returns what an invitation is to. It changes nothing: mail scanners follow links too.
func (s *Service) LookInvitation(ctx context.Context, token string) (InvitationRequest, error) {
	row, err := s.findInvitation(pgdb.ForService(ctx), s.db, token)
	if err != nil || row == nil {
		return InvitationRequest{}, err
	}
	return row.InvitationRequest, nil
}

// AcceptInvitation makes the person who is signed in a member, once, and chooses the organisation for the
// session. A person who is a member already keeps their role, and the invitation stays for the person that it
// is for. A link that is void is a *Problem with CodeLinkInvalid, one that was sent to another person
// CodeOtherAddress.
func (s *Service) AcceptInvitation(ctx context.Context, sess Session, token string, o Origin) error {
	ctx = pgdb.ForService(ctx) // of the person and of the organisation
	return s.withLockedSession(ctx, sess, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if h.confirmedAt == nil {
			return NewProblem("", CodeConfirmFirst)
		}
		row, err := s.findInvitation(ctx, tx, token)
		if err != nil {
			return err
		}
		if row == nil || row.Expired {
			return NewProblem("", CodeLinkInvalid)
		}
		if row.Bound && !strings.EqualFold(row.email, h.email) {
			return NewProblem("", CodeOtherAddress)
		}
		org, err := findHolder(ctx, tx, lockHolder, row.organisation)
		if err != nil {
			return err
		}
		void := NewProblem("", CodeLinkInvalid) // used, withdrawn or sent again meanwhile
		if org == nil {
			return void
		}
		if row, err = s.findInvitation(ctx, tx, token); err != nil {
			return err
		}
		if row == nil {
			return void
		}
		joined, err := member.Insert(ctx, tx, org.id, h.id, row.Role, s.clock.Now())
		if err != nil {
			return err
		}
		if err := setSessionOrganisation(ctx, tx, sess, org.id); err != nil || !joined {
			return err
		}
		if err := execStatement(ctx, tx, "use an invitation up", deleteInvitation, org.id, row.id); err != nil {
			return err
		}
		detail := map[string]any{audit.DetailBy: h.email, "role": row.Role}
		if err := s.recordEvent(ctx, tx, org.id, audit.ActionMemberJoined, detail, o); err != nil {
			return err
		}
		if row.Role == member.Owner {
			return s.notifyOwners(ctx, tx, org, mail.OwnerAdded, map[string]string{"member": h.email}, o)
		}
		return mail.Send(ctx, tx, org.mailJob(mail.MemberJoined, map[string]string{"organisation": org.name,
			"member": h.email, "role": string(row.Role)}))
	})
}
