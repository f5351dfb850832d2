package policy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/auth/member"
	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

// Offer is an organisation that a person can join, as their confirmed address is of a domain of it.
type Offer struct {
	Organisation ident.AccountID
	Name         string
	Domain       string
	Role         member.Role
	Approval     bool       // a member has to approve the person
	AskedAt      *time.Time // when the person asked; nil: not yet
	email        string
	language     string
}

// A proven domain is of one organisation: a person has one offer at most. Their address counts as it is now.
// While the record is gone the domain stays with the organisation, and lets no person join: it may be another
// owner's by now.
const findOffer = `
SELECT o.id, o.name, d.name, d.join_role, d.join_approval, r.created_at, p.email, p.language
FROM account.account p
JOIN account.domain d ON d.name = split_part(lower(p.email), '@', 2)
JOIN account.account o ON o.id = d.account_id
LEFT JOIN account.join_request r ON r.account_id = o.id AND r.person_id = p.id
WHERE p.id = $1 AND p.kind = 'person' AND p.email_confirmed_at IS NOT NULL
    AND d.proven_at IS NOT NULL AND d.seen_at >= d.checked_at AND d.join_role IS NOT NULL
    AND r.declined_at IS NULL
    AND NOT EXISTS (SELECT FROM account.member m WHERE m.account_id = o.id AND m.person_id = p.id)`

// FindOffer finds the organisation that a person can join; nil when there is none.
func (s *Domains) FindOffer(ctx context.Context, person ident.AccountID) (*Offer, error) {
	return queryOffer(pgdb.ForService(ctx), s.db, person)
}

func queryOffer(ctx context.Context, db pgdb.DB, person ident.AccountID) (*Offer, error) {
	var o Offer
	err := db.QueryRow(ctx, findOffer, person).Scan(&o.Organisation, &o.Name, &o.Domain, &o.Role, &o.Approval,
		&o.AskedAt, &o.email, &o.language)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find an organisation to join: %w", err)
	}
	return &o, nil
}

// errNoOffer is the same whether there is no such organisation, or it lets no such person join.
var errNoOffer = fault.Missing("There is no such organisation.")

// withOffer runs an act on the offer of a person in an organisation. The person and the organisation are
// locked in this order, as where an invitation is accepted: the address does not change meanwhile, and acts
// on members take turns.
func (s *Domains) withOffer(ctx context.Context, account, person ident.AccountID, needs member.Action,
	do func(ctx context.Context, tx pgx.Tx, o *Offer) error) error {
	ctx, cancel := context.WithTimeout(pgdb.ForService(ctx), member.StoreTimeout)
	defer cancel()
	return pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		if _, err := member.LockAccount(ctx, tx, person); err != nil {
			return err
		}
		if _, err := member.LockAccount(ctx, tx, account); err != nil {
			return err
		}
		if needs != "" {
			if _, err := member.RequireRole(ctx, tx, account, audit.ActorOf(ctx).Person, needs); err != nil {
				return err
			}
		}
		o, err := queryOffer(ctx, tx, person)
		if err != nil {
			return err
		}
		if o == nil || o.Organisation != account {
			return errNoOffer
		}
		return do(ctx, tx, o)
	})
}

const (
	insertRequest = `
INSERT INTO account.join_request (account_id, person_id, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`

	declineRequest = `
UPDATE account.join_request SET declined_at = $3 WHERE account_id = $1 AND person_id = $2 AND declined_at IS NULL`
)

// Join makes the person of the context a member of an organisation that they have an offer of, and reports
// whether they are one now: where a member has to approve, it leaves a request, once, and owners and
// administrators get a mail.
func (s *Domains) Join(ctx context.Context, account ident.AccountID) (joined bool, err error) {
	person := audit.ActorOf(ctx).Person
	err = s.withOffer(ctx, account, person, "", func(ctx context.Context, tx pgx.Tx, o *Offer) error {
		if !o.Approval {
			joined = true
			if err := s.admitMember(ctx, tx, o, person); err != nil {
				return err
			}
			return apikey.NotifyOwner(ctx, tx, account, mail.JoinedByDomain, map[string]string{"organisation": o.Name,
				"member": o.email, "role": string(o.Role), "domain": o.Domain})
		}
		tag, err := tx.Exec(ctx, insertRequest, account, person, s.clock.Now())
		if err != nil || tag.RowsAffected() == 0 {
			return fault.Wrap("ask to join", err)
		}
		values := map[string]string{"organisation": o.Name, "member": o.email, "role": string(o.Role)}
		if err := member.Notify(ctx, tx, account, member.InviteMember, mail.JoinRequested, values); err != nil {
			return err
		}
		return s.recordEvent(ctx, tx, account, audit.ActionJoinRequested, map[string]any{"domain": o.Domain})
	})
	return joined, err
}

// admitMember makes a person a member as an offer says.
func (s *Domains) admitMember(ctx context.Context, tx pgx.Tx, o *Offer, person ident.AccountID) error {
	if err := auth.RequirePlace(ctx, tx, o.Organisation, o.email); err != nil {
		return err
	}
	if _, err := member.Insert(ctx, tx, o.Organisation, person, o.Role, s.clock.Now()); err != nil {
		return err
	}
	detail := map[string]any{"role": o.Role, "domain": o.Domain}
	if audit.ActorOf(ctx).Person != person { // who else is named as the one who acts
		detail["email"] = o.email
	}
	return s.recordEvent(ctx, tx, o.Organisation, audit.ActionMemberJoined, detail)
}

// Request is a person who asks to join.
type Request struct {
	Person  ident.AccountID
	Email   string
	Role    member.Role // that the person would have
	Domain  string
	AskedAt time.Time
}

// Requests of people whose address is of another domain since are left out.
const listRequests = `
SELECT p.id, p.email, d.join_role, d.name, r.created_at
FROM account.join_request r
JOIN account.account p ON p.id = r.person_id
JOIN account.domain d ON d.account_id = r.account_id AND d.name = split_part(lower(p.email), '@', 2)
WHERE r.account_id = $1 AND r.declined_at IS NULL AND p.email_confirmed_at IS NOT NULL
    AND d.proven_at IS NOT NULL AND d.seen_at >= d.checked_at AND d.join_role IS NOT NULL
    AND NOT EXISTS (SELECT FROM account.member m WHERE m.account_id = r.account_id AND m.person_id = p.id)
ORDER BY r.created_at, p.id`

// Requests lists the people who ask to join an organisation, the first one first.
func (s *Domains) Requests(ctx context.Context, account ident.AccountID) ([]Request, error) {
	list, err := pgdb.Collect(pgdb.ForService(ctx), s.db, pgx.RowToStructByPos[Request], listRequests, account)
	return list, fault.Wrap("list requests to join", err)
}

// Approve makes a person who asked a member, with the role that the domain gives now. The person gets a mail.
// A person who did not ask, or whose address is no longer of the domain, is a fault.NotFound.
func (s *Domains) Approve(ctx context.Context, account, person ident.AccountID) error {
	return s.withOffer(ctx, account, person, member.InviteMember, func(
		ctx context.Context, tx pgx.Tx, o *Offer) error {
		if o.AskedAt == nil {
			return errNoOffer
		}
		if err := s.admitMember(ctx, tx, o, person); err != nil {
			return err
		}
		return mail.Send(ctx, tx, mail.Job{Template: mail.JoinApproved, To: o.email, Language: o.language,
			Account: int64(person), Values: map[string]string{"organisation": o.Name, "role": string(o.Role)}})
	})
}

// Decline refuses a person who asked. They cannot ask again; an invitation is still possible.
func (s *Domains) Decline(ctx context.Context, account, person ident.AccountID) error {
	return s.withOffer(ctx, account, person, member.InviteMember, func(
		ctx context.Context, tx pgx.Tx, o *Offer) error {
		tag, err := tx.Exec(ctx, declineRequest, account, person, s.clock.Now())
		if err == nil && tag.RowsAffected() == 0 {
			err = errNoOffer
		}
		if err != nil {
			return fault.Wrap("decline a request to join", err)
		}
		return s.recordEvent(ctx, tx, account, audit.ActionJoinDeclined, map[string]any{"email": o.email})
	})
}
