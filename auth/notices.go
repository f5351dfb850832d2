package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/auth/member"
	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

// MaxQuotaPercents is at how many percentages of a day's quota mails are sent at most.
const MaxQuotaPercents = 3

// The most addresses of each list, in addition to the address of the account.
const (
	MaxNoticeAddresses   = 5
	MaxBillingRecipients = 10
)

const (
	// confirmLife is how long a further address may be confirmed after its link was sent.
	confirmLife = 24 * time.Hour
	// rejectionLife is how long an account may not ask an address again whose reader stopped its notices.
	rejectionLife = 30 * 24 * time.Hour
	// withdrawalPause is how long it may not ask an address again that it removed without an answer: the
	// removal makes the link void by which the reader could have refused. It is as long as that link is kept.
	withdrawalPause = KeepLinks
)

// Without a percentage the former ones are kept: a version that knows the switch alone may turn it on again.
const setQuotaMails = `
UPDATE account.account SET quota_mails = cardinality($2::smallint[]) > 0, updated_at = $3,
    quota_percents = CASE WHEN cardinality($2::smallint[]) > 0 THEN $2::smallint[] ELSE quota_percents END
WHERE id = $1 AND (quota_mails <> (cardinality($2::smallint[]) > 0)
    OR cardinality($2::smallint[]) > 0 AND quota_percents <> $2::smallint[])`

// SetQuotaMails chooses at which percentages of a day's quota mails are sent, 1 to 100 and MaxQuotaPercents
// of them at most; none: no mails.
func (s *Service) SetQuotaMails(ctx context.Context, sess Session, percents []int, o Origin) error {
	chosen := append([]int{}, percents...) // never nil, which would be a null array
	slices.Sort(chosen)
	chosen = slices.Compact(chosen)
	if slices.ContainsFunc(chosen, func(percent int) bool { return percent < 1 || percent > 100 }) {
		return NewProblem("percent", CodePercentInvalid)
	}
	if len(chosen) > MaxQuotaPercents {
		return NewProblem("percent", CodePercentsMany)
	}
	return s.withOrganisation(ctx, sess, member.ChooseNotices, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		tag, err := tx.Exec(ctx, setQuotaMails, h.id, chosen, s.clock.Now())
		if err != nil || tag.RowsAffected() == 0 {
			return fault.Wrap("set the mails about quota", err)
		}
		detail := map[string]any{"quota_mails": len(chosen) > 0}
		if len(chosen) > 0 {
			detail["quota_percents"] = chosen
		}
		return s.recordEvent(ctx, tx, h.id, audit.ActionNotificationsChanged, detail, o)
	})
}

// The lists of further addresses of an account, by the purpose of the links in the mails to them.
const (
	PurposeNotices      Purpose = mail.PurposeNotices      // notices about the quota
	PurposeBillingMails Purpose = mail.PurposeBillingMails // mails about the payments
)

// addressList is a list of further addresses: what its mails are about, and its table.
type addressList struct {
	purpose                             Purpose
	most                                int
	manage                              member.Action
	request                             mail.Template // asks the reader to agree
	added, confirmed, removed, rejected string        // actions in the record of the account
	addressStatements
}

var addressLists = map[Purpose]*addressList{
	PurposeNotices: {PurposeNotices, MaxNoticeAddresses, member.ChooseNotices, mail.NoticeConfirm,
		audit.ActionNoticeAddressAdded, audit.ActionNoticeAddressConfirmed, audit.ActionNoticeAddressRemoved,
		audit.ActionNoticeAddressStopped, addressStatementsOf("account.notice_address")},
	PurposeBillingMails: {PurposeBillingMails, MaxBillingRecipients, member.ManageInvoices, mail.BillingConfirm,
		audit.ActionBillingRecipientAdded, audit.ActionBillingRecipientConfirmed, audit.ActionBillingRecipientRemoved,
		audit.ActionBillingRecipientStopped, addressStatementsOf("account.billing_recipient")},
}

// addressStatements are the statements about one list.
type addressStatements struct {
	list, countOthers, add, remove, find, readNonce, confirm, stop, removeOwn string
}

// addressStatementsOf writes them for a table, whose name is a constant of this file.
func addressStatementsOf(table string) addressStatements {
	return addressStatements{
		list: `
SELECT id, email, confirmed_at IS NOT NULL, confirmed_at IS NULL AND asked_at <= $2
FROM ` + table + ` WHERE account_id = $1 ORDER BY id`,
		countOthers: `SELECT count(*) FROM ` + table + ` WHERE account_id = $1 AND email <> $2`,
		add: `
INSERT INTO ` + table + ` AS n (account_id, email, asked_at) VALUES ($1, $2, $3)
ON CONFLICT (account_id, email) DO UPDATE SET asked_at = excluded.asked_at WHERE n.confirmed_at IS NULL
RETURNING id`,
		remove: `
DELETE FROM ` + table + ` WHERE account_id = $1 AND id = $2 RETURNING email, confirmed_at IS NOT NULL`,
		// The token names its row, which has the nonce that it was signed with.
		find: `
SELECT n.id, n.account_id, n.email, coalesce(a.contact_email, a.email), n.confirmed_at IS NOT NULL,
    n.confirmed_at IS NULL AND n.asked_at <= $2, n.nonce
FROM ` + table + ` n JOIN account.account a ON a.id = n.account_id WHERE n.id = $1`,
		readNonce: `SELECT nonce FROM ` + table + ` WHERE id = $1`,
		confirm: `
UPDATE ` + table + ` SET confirmed_at = $3 WHERE account_id = $1 AND id = $2 AND confirmed_at IS NULL`,
		stop:      `DELETE FROM ` + table + ` WHERE account_id = $1 AND id = $2`,
		removeOwn: `DELETE FROM ` + table + ` WHERE account_id = $1 AND email = $2`,
	}
}

// NoticeAddress is a further address of a list.
type NoticeAddress struct {
	ID        int64
	Email     string
	Confirmed bool // its reader has agreed
	Expired   bool // its reader has not, and the link does not work any more
}

// NoticeAddresses lists the further addresses of the account.
func (s *Service) NoticeAddresses(ctx context.Context, sess Session, list Purpose) ([]NoticeAddress, error) {
	all, err := pgdb.Collect(ctx, s.db, pgx.RowToStructByPos[NoticeAddress], addressLists[list].list,
		sess.Organisation, s.clock.Now().Add(-confirmLife))
	return all, fault.Wrap("list further addresses", err)
}

// AddNoticeAddress asks the reader of an address, by a mail with a link, to agree to the mails of a list.
// Nothing else is sent there before. An address that has not answered is asked again. Where its reader
// has refused, or stopped the mails of this account, it is not asked for rejectionLife; where the account
// removed it without an answer, not for withdrawalPause.
func (s *Service) AddNoticeAddress(
	ctx context.Context, sess Session, list Purpose, address string, o Origin) error {
	email, err := normalEmail(address)
	if err != nil {
		return err
	}
	if err := s.limitNetwork(ctx, o); err != nil {
		return err
	}
	l := addressLists[list]
	return s.withOrganisation(ctx, sess, l.manage, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if email == h.email {
			return NewProblem("email", CodeEmailSame)
		}
		if h.confirmedAt == nil { // its address may be of another person
			return NewProblem("", CodeConfirmFirst)
		}
		others, err := pgdb.Value[int](ctx, tx, nil, "count further addresses", l.countOthers, h.id, email)
		if err == nil && others >= l.most {
			err = NewProblem("", CodeNoticesFull)
		}
		if err != nil {
			return err
		}
		job := h.mailJob(l.request, map[string]string{"owner": h.email})
		job.To, job.Link = email, &mail.Link{Purpose: string(l.purpose)}
		job.Link.ID, err = pgdb.Value[int64](ctx, tx, NewProblem("email", CodeNoticeKnown), "add a further address",
			l.add, h.id, email, s.clock.Now())
		if err != nil {
			return err
		}
		// After the row is written, which waits for a reader who is refusing at the same time.
		err = s.checkPause(ctx, tx, s.rejectionSubject(l, h.id, email), s.clock.Now())
		if errors.As(err, new(*Problem)) {
			return NewProblem("email", CodeNoticeRefused)
		}
		if err != nil {
			return err
		}
		if err := s.requireMailSlot(ctx, tx, "notice", email); err != nil {
			return err
		}
		if err := s.recordEvent(ctx, tx, h.id, l.added, map[string]any{"email": email}, o); err != nil {
			return err
		}
		return mail.Send(ctx, tx, job)
	})
}

// RemoveNoticeAddress ends the mails to a further address at once: those to it that wait are not sent.
func (s *Service) RemoveNoticeAddress(ctx context.Context, sess Session, list Purpose, id int64, o Origin) error {
	l := addressLists[list]
	return s.withOrganisation(ctx, sess, l.manage, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		var (
			email     string
			confirmed bool
		)
		err := tx.QueryRow(ctx, l.remove, h.id, id).Scan(&email, &confirmed)
		if err != nil {
			return pgdb.RowError(err, fault.Missing("There is no such address."), "remove a further address")
		}
		if !confirmed {
			if err := s.pauseRequests(ctx, tx, l, h.id, email, withdrawalPause); err != nil {
				return err
			}
		}
		return s.recordEvent(ctx, tx, h.id, l.removed, map[string]any{"email": email}, o)
	})
}

// removeOwnAddress removes the new address of an account from its lists, as that gets their mails already.
func removeOwnAddress(ctx context.Context, tx pgx.Tx, account ident.AccountID, email string) error {
	for _, l := range addressLists {
		if err := execStatement(ctx, tx, "remove the address of an account from a list", l.removeOwn, account,
			email); err != nil {
			return err
		}
	}
	return nil
}

// Pauses that are over are removed with the tries.
const keepRejection = `
INSERT INTO account.throttle (subject, failures, last_at, blocked_until) VALUES ($1, 0, $2, $3)
ON CONFLICT (subject) DO UPDATE SET last_at = excluded.last_at, blocked_until = excluded.blocked_until`

// pauseRequests keeps the account from asking the address for a time.
func (s *Service) pauseRequests(ctx context.Context, tx pgx.Tx, l *addressList, account ident.AccountID,
	email string, pause time.Duration) error {
	now := s.clock.Now()
	return execStatement(ctx, tx, "keep a rejection", keepRejection, s.rejectionSubject(l, account, email), now,
		now.Add(pause))
}

// rejectionSubject is what a rejection is kept under, which does not contain the address. The audit record of
// the account names it for KeepPersonal, as it does what its owner typed.
func (s *Service) rejectionSubject(l *addressList, account ident.AccountID, email string) []byte {
	return s.throttleSubject(fmt.Sprintf("%s of %d rejected", l.purpose, account), email)
}

// NoticeRequest is what the page of a link to a further address shows. Its zero value: the address is not
// asked, or the link was not made here.
type NoticeRequest struct {
	Email     string // where the link was sent; to be shown in part
	Account   string // the address of the account; to be shown in part
	Confirmed bool   // the reader has agreed
	Expired   bool   // the reader has not, and cannot any more
}

// noticeRow is the row of a further address whose token was presented.
type noticeRow struct {
	list    *addressList
	id      int64
	account ident.AccountID
	NoticeRequest
}

// findNotice finds the address of a token, whatever its account; nil when there is none.
func (s *Service) findNotice(ctx context.Context, q pgdb.DB, list Purpose, token string) (*noticeRow, error) {
	row := noticeRow{list: addressLists[list]}
	found, err := s.readTokenRow(ctx, q, list, token, row.list.find, []any{s.clock.Now().Add(-confirmLife)},
		&row.id, &row.account, &row.Email, &row.Account, &row.Confirmed, &row.Expired)
	if err != nil || !found {
		return nil, err
	}
	return &row, nil
}

// LookNotices returns what a link of a list is for. It changes nothing: mail scanners follow links too.
func (s *Service) LookNotices(ctx context.Context, list Purpose, token string) (NoticeRequest, error) {
	row, err := s.findNotice(ctx, s.db, list, token)
	if err != nil || row == nil {
		return NoticeRequest{}, err
	}
	return row.NoticeRequest, nil
}

// ConfirmNotices has the mails of a list of an account sent to the address of the link. A link that is too
// old or void is a *Problem with CodeLinkInvalid.
func (s *Service) ConfirmNotices(ctx context.Context, list Purpose, token string) error {
	return s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		row, err := s.findNotice(ctx, tx, list, token)
		if err != nil {
			return err
		}
		if row == nil || row.Expired {
			return NewProblem("", CodeLinkInvalid)
		}
		return s.changeNotice(ctx, tx, row, "confirm a further address", row.list.confirmed,
			row.list.confirm, row.account, row.id, s.clock.Now())
	})
}

// StopNotices ends the mails of a list of an account to the address of the link, or refuses them, and keeps
// the account from asking again for rejectionLife. It reports whether it found the address: a link that is
// void ends nothing, and costs no transaction.
func (s *Service) StopNotices(ctx context.Context, list Purpose, token string) (found bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, workTimeout)
	defer cancel()
	row, err := s.findNotice(ctx, s.db, list, token)
	if err != nil || row == nil {
		return false, err
	}
	return true, s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := s.pauseRequests(ctx, tx, row.list, row.account, row.Email, rejectionLife); err != nil {
			return err
		}
		return s.changeNotice(ctx, tx, row, "stop the mails to an address", row.list.rejected, row.list.stop,
			row.account, row.id)
	})
}

// changeNotice runs a statement of the reader of an address and, where it changes the row, records it. The
// reader is not the owner of the account: the record does not say where from.
func (s *Service) changeNotice(ctx context.Context, tx pgx.Tx, row *noticeRow, what, action, sql string,
	args ...any) error {
	tag, err := tx.Exec(ctx, sql, args...)
	if err != nil || tag.RowsAffected() == 0 {
		return fault.Wrap(what, err)
	}
	return s.recordEvent(ctx, tx, row.account, action, map[string]any{"email": row.Email}, Origin{})
}
