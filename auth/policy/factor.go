package policy

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/auth"
	"arpent/auth/member"
	"arpent/internal/audit"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/jobs"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

const (
	// DefaultFactorDays and MaxFactorDays are how far away the date is that the form offers, and that it
	// accepts.
	DefaultFactorDays = 14
	MaxFactorDays     = 365

	// reminder is how long before the date a member without a second factor gets the second mail.
	reminder    = 3 * 24 * time.Hour
	mailEvery   = 24 * time.Hour // between two mails to a member, however often the date is changed
	noticeEvery = time.Hour
	noticeBatch = 500 // what one run handles; the rest waits for the next
	noticeJob   = "member_factor_notice"
)

// Factors keeps the rule of an organisation that its members need a second factor from a date on, and
// notifies those who have none. Package auth applies the rule to sessions: auth.Session.NeedsFactor. What is
// done is recorded as done by the audit.Actor of the context.
type Factors struct {
	db       *pgxpool.Pool
	clock    clock.Clock
	passkeys bool // the server accepts passkeys
}

// NewFactors makes the store. passkeys: passkeys are second factors here.
func NewFactors(db *pgxpool.Pool, c clock.Clock, passkeys bool) *Factors {
	return &Factors{db, c, passkeys}
}

// Jobs returns the periodic job, which also runs at once when a rule is set.
func (s *Factors) Jobs() []jobs.Job {
	return []jobs.Job{jobs.Every(noticeEvery, noticeJob, s.NotifyMembers)}
}

// Require has the members of the organisation of a session need a second factor from the beginning of a day
// in Paris on; today: at once. A *auth.Problem for another day than the next MaxFactorDays, and with
// auth.CodeFactorFirst while the session has no second factor itself: its owner would be kept out.
func (s *Factors) Require(ctx context.Context, sess auth.Session, day clock.Date) error {
	today := clock.Day(s.clock.Now())
	if day < today || day > today+MaxFactorDays {
		return auth.NewProblem("from", auth.CodeFactorDate)
	}
	if sess.LacksFactor() {
		return auth.NewProblem("", auth.CodeFactorFirst)
	}
	from := day.Start()
	return s.changeRule(ctx, sess.Organisation, &from, audit.ActionMemberFactorRequired,
		map[string]any{"starts": from.UTC().Format(time.RFC3339)})
}

// Release ends the rule of the organisation of a session.
func (s *Factors) Release(ctx context.Context, sess auth.Session) error {
	return s.changeRule(ctx, sess.Organisation, nil, audit.ActionMemberFactorReleased, nil)
}

const (
	setRule = `
UPDATE account.account SET member_factor_from = $2, updated_at = $3
WHERE id = $1 AND kind = 'organisation' AND member_factor_from IS DISTINCT FROM $2`

	// After a change of the date the members get the mails anew, at most one each mailEvery.
	forgetMails = `UPDATE account.member SET factor_mails = 0 WHERE account_id = $1`
)

// changeRule sets the rule of an organisation for the person of the context, whose role must allow it. nil:
// there is none. Set to what it is already, nothing is done.
func (s *Factors) changeRule(ctx context.Context, account ident.AccountID, from *time.Time, action string,
	detail map[string]any) error {
	return member.Act(ctx, s.db, account, member.RequireFactor,
		func(ctx context.Context, tx pgx.Tx, _ bool) error {
			by, now := audit.ActorOf(ctx), s.clock.Now()
			tag, err := tx.Exec(ctx, setRule, account, from, now)
			if err != nil || tag.RowsAffected() == 0 {
				return fault.Wrap("set the rule of second factors", err)
			}
			if _, err := tx.Exec(ctx, forgetMails, account); err != nil {
				return fmt.Errorf("forget the mails about second factors: %w", err)
			}
			if from != nil {
				if err := jobs.Insert(ctx, tx, jobs.Named(noticeJob), nil); err != nil {
					return err
				}
			}
			return audit.Record(ctx, tx, now, audit.Event{Account: account, Actor: by.Kind, Action: action,
				Detail: detail, Address: by.Address, Agent: by.Agent})
		})
}

//go:embed due.sql
var dueSQL string

// NotifyMembers sends a batch of the mails that are due to members without a second factor: one once it is
// required, and one shortly before the date; at most one a day, and one for both when the date is near. A
// mail is recorded by the transaction that leaves it: each is sent once, whatever the number of instances.
func (s *Factors) NotifyMembers(ctx context.Context) error {
	now := s.clock.Now()
	return pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		type due struct {
			Organisation    string
			From            time.Time
			Person          int64
			Email, Language string
		}
		list, err := pgdb.Collect(ctx, tx, pgx.RowToStructByPos[due], dueSQL, now, now.Add(reminder), s.passkeys,
			noticeBatch, now.Add(-mailEvery))
		if err != nil {
			return fmt.Errorf("find members without a second factor: %w", err)
		}
		for _, d := range list {
			if err := mail.Send(ctx, tx, mail.Job{Template: mail.FactorNeeded, To: d.Email, Language: d.Language,
				Account: d.Person, Values: map[string]string{"organisation": d.Organisation,
					"starts": d.From.UTC().Format(time.RFC3339)}}); err != nil {
				return err
			}
		}
		return nil
	})
}
