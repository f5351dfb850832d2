package auth

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/auth/member"
	"arpent/auth/seal"
	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

// What an owner may choose about the notices of a day's quota.
const (
	MaxQuotaPercents   = 3
	MaxNoticeAddresses = 5 // in addition to the address of the account
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
		return newProblem("percent", CodePercentInvalid)
	}
	if len(chosen) > MaxQuotaPercents {
		return newProblem("percent", CodePercentsMany)
	}
	return s.withOrganisation(ctx, sess, member.ChooseNotices, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		tag, err := tx.Exec(ctx, setQuotaMails, h.id, chosen, s.clock.Now())
		if err != nil {
			return fmt.Errorf("set the mails about quota: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return nil
		}
		detail := map[string]any{"quota_mails": len(chosen) > 0}
		if len(chosen) > 0 {
			detail["quota_percents"] = chosen
		}
		return s.recordEvent(ctx, tx, h.id, audit.ActionNotificationsChanged, detail, o)
	})
}

// NoticeAddress is a further address for the notices about the quota of an account.
type NoticeAddress struct {
	ID        int64
	Email     string
	Confirmed bool // its reader has agreed
	Expired   bool // its reader has not, and the link does not work any more
}

const listNoticeAddresses = `
SELECT id, email, confirmed_at IS NOT NULL, confirmed_at IS NULL AND asked_at <= $2
FROM account.notice_address WHERE account_id = $1 ORDER BY id`

// NoticeAddresses lists the further addresses of the account.
func (s *Service) NoticeAddresses(ctx context.Context, sess Session) ([]NoticeAddress, error) {
	list, err := pgdb.Collect(ctx, s.db, pgx.RowToStructByPos[NoticeAddress], listNoticeAddresses, sess.Organisation,
		s.clock.Now().Add(-confirmLife))
	return list, fault.Wrap("list notice addresses", err)
}

const (
	countNoticeAddresses = `SELECT count(*) FROM account.notice_address WHERE account_id = $1 AND email <> $2`
	addNoticeAddress     = `
INSERT INTO account.notice_address AS n (account_id, email, asked_at) VALUES ($1, $2, $3)
ON CONFLICT (account_id, email) DO UPDATE SET asked_at = excluded.asked_at WHERE n.confirmed_at IS NULL
RETURNING id`
)

// AddNoticeAddress asks the reader of an address, by a mail with a link, to agree to the notices about the
// quota. Nothing else is sent there before. An address that has not answered is asked again. Where its reader
// has refused, or stopped the notices of this account, it is not asked for rejectionLife; where the owner
// removed it without an answer, not for withdrawalPause.
func (s *Service) AddNoticeAddress(ctx context.Context, sess Session, address string, o Origin) error {
	email, err := normalEmail(address)
	if err != nil {
		return err
	}
	if err := s.limitNetwork(ctx, o); err != nil {
		return err
	}
	return s.withOrganisation(ctx, sess, member.ChooseNotices, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if email == h.email {
			return newProblem("email", CodeEmailSame)
		}
		if h.confirmedAt == nil { // its address may be of another person
			return newProblem("", CodeConfirmFirst)
		}
		var others int
		if err := tx.QueryRow(ctx, countNoticeAddresses, h.id, email).Scan(&others); err != nil {
			return fmt.Errorf("count notice addresses: %w", err)
		}
		if others >= MaxNoticeAddresses {
			return newProblem("", CodeNoticesFull)
		}
		job := h.mailJob(mail.NoticeConfirm, map[string]string{"owner": h.email})
		job.To, job.Link = email, &mail.Link{Purpose: mail.PurposeNotices}
		err := tx.QueryRow(ctx, addNoticeAddress, h.id, email, s.clock.Now()).Scan(&job.Link.ID)
		if errors.Is(err, pgx.ErrNoRows) {
			return newProblem("email", CodeNoticeKnown)
		}
		if err != nil {
			return fmt.Errorf("add a notice address: %w", err)
		}
		// After the row is written, which waits for a reader who is refusing at the same time.
		err = s.checkPause(ctx, tx, s.rejectionSubject(h.id, email), s.clock.Now())
		if errors.As(err, new(*Problem)) {
			return newProblem("email", CodeNoticeRefused)
		}
		if err != nil {
			return err
		}
		ok, err := s.claimMailSlot(ctx, tx, "notice", email)
		if err != nil {
			return err
		}
		if !ok {
			return s.mailWaitProblem(ctx, tx, "notice", email)
		}
		if err := s.recordEvent(ctx, tx, h.id, audit.ActionNoticeAddressAdded, map[string]any{"email": email},
			o); err != nil {
			return err
		}
		return mail.Send(ctx, tx, job)
	})
}

const removeNoticeAddress = `
DELETE FROM account.notice_address WHERE account_id = $1 AND id = $2
RETURNING email, confirmed_at IS NOT NULL`

// RemoveNoticeAddress ends the notices to a further address at once: mails to it that wait are not sent.
func (s *Service) RemoveNoticeAddress(ctx context.Context, sess Session, id int64, o Origin) error {
	return s.withOrganisation(ctx, sess, member.ChooseNotices, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		var (
			email     string
			confirmed bool
		)
		err := tx.QueryRow(ctx, removeNoticeAddress, h.id, id).Scan(&email, &confirmed)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.Missing("There is no such address.")
		}
		if err != nil {
			return fmt.Errorf("remove a notice address: %w", err)
		}
		if !confirmed {
			if err := s.pauseRequests(ctx, tx, h.id, email, withdrawalPause); err != nil {
				return err
			}
		}
		return s.recordEvent(ctx, tx, h.id, audit.ActionNoticeAddressRemoved, map[string]any{"email": email}, o)
	})
}

// Pauses that are over are removed with the tries.
const keepRejection = `
INSERT INTO account.throttle (subject, failures, last_at, blocked_until) VALUES ($1, 0, $2, $3)
ON CONFLICT (subject) DO UPDATE SET last_at = excluded.last_at, blocked_until = excluded.blocked_until`

// pauseRequests keeps the account from asking the address for a time.
func (s *Service) pauseRequests(ctx context.Context, tx pgx.Tx, account ident.AccountID, email string,
	pause time.Duration) error {
	now := s.clock.Now()
	return execStatement(ctx, tx, "keep a rejection", keepRejection, s.rejectionSubject(account, email), now,
		now.Add(pause))
}

// rejectionSubject is what a rejection is kept under, which does not contain the address. The audit record of
// the account names it for KeepPersonal, as it does what its owner typed.
func (s *Service) rejectionSubject(account ident.AccountID, email string) []byte {
	return s.throttleSubject(fmt.Sprintf("notices of %d rejected", account), email)
}

// NoticeRequest is what the page of a link about notices shows. Its zero value: the address is not asked, or
// the link was not made here.
type NoticeRequest struct {
	Email     string // where the link was sent; to be shown in part
	Account   string // the address of the account; to be shown in part
	Confirmed bool   // the reader has agreed
	Expired   bool   // the reader has not, and cannot any more
}

// noticeRow is a row of account.notice_address whose token was presented.
type noticeRow struct {
	id      int64
	account ident.AccountID
	NoticeRequest
}

// The token names its row, which has the nonce that it was signed with.
const findNotice = `
SELECT n.id, n.account_id, n.email, coalesce(a.contact_email, a.email), n.confirmed_at IS NOT NULL,
    n.confirmed_at IS NULL AND n.asked_at <= $2, n.nonce
FROM account.notice_address n JOIN account.account a ON a.id = n.account_id WHERE n.id = $1`

// findNotice finds the address of a token, whatever its account; nil when there is none.
func (s *Service) findNotice(ctx context.Context, q pgdb.DB, token string) (*noticeRow, error) {
	b, err := seal.Decode(token)
	if err != nil || len(b) != 8+seal.MACSize {
		return nil, nil
	}
	var (
		row noticeRow
		n   nonce
	)
	err = q.QueryRow(ctx, findNotice, int64(binary.BigEndian.Uint64(b)), s.clock.Now().Add(-confirmLife)).Scan(
		&row.id, &row.account, &row.Email, &row.Account, &row.Confirmed, &row.Expired, &n)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read a notice address: %w", err)
	case !s.keys.link.Verify(b[8:], mail.PurposeNotices, string(b[:8]), string(n[:])):
		return nil, nil
	}
	return &row, nil
}

// LookNotices returns what a link about notices is for. It changes nothing: mail scanners follow links too.
func (s *Service) LookNotices(ctx context.Context, token string) (NoticeRequest, error) {
	row, err := s.findNotice(ctx, s.db, token)
	if err != nil || row == nil {
		return NoticeRequest{}, err
	}
	return row.NoticeRequest, nil
}

const confirmNotice = `
UPDATE account.notice_address SET confirmed_at = $3
WHERE account_id = $1 AND id = $2 AND confirmed_at IS NULL`

// ConfirmNotices has the notices of an account sent to the address of the link. A link that is too old or
// void is a *Problem with CodeLinkInvalid.
func (s *Service) ConfirmNotices(ctx context.Context, token string) error {
	return s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		row, err := s.findNotice(ctx, tx, token)
		if err != nil {
			return err
		}
		if row == nil || row.Expired {
			return newProblem("", CodeLinkInvalid)
		}
		return s.changeNotice(ctx, tx, row, "confirm a notice address", audit.ActionNoticeAddressConfirmed,
			confirmNotice, row.account, row.id, s.clock.Now())
	})
}

const stopNotice = `DELETE FROM account.notice_address WHERE account_id = $1 AND id = $2`

// StopNotices ends the notices of an account to the address of the link, or refuses them, and keeps the
// account from asking again for rejectionLife. It reports whether it found the address: a link that is void
// ends nothing, and costs no transaction.
func (s *Service) StopNotices(ctx context.Context, token string) (found bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, workTimeout)
	defer cancel()
	row, err := s.findNotice(ctx, s.db, token)
	if err != nil || row == nil {
		return false, err
	}
	return true, s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := s.pauseRequests(ctx, tx, row.account, row.Email, rejectionLife); err != nil {
			return err
		}
		return s.changeNotice(ctx, tx, row, "stop notices", audit.ActionNoticeAddressStopped, stopNotice,
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
