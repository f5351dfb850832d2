package auth

import (
	"context"
	"fmt"
	"time"
)

// How long things are kept that nobody needs any more.
const (
	keepLinks    = 7 * 24 * time.Hour // so that a page can say that a link is too old
	keepTries    = 25 * time.Hour     // longer than any window of the throttle
	keepNotices  = 2 * 24 * time.Hour // longer than the day that they are about
	keepPersonal = 365 * 24 * time.Hour
	keepRefusals = 30 * 24 * time.Hour
)

// These alone act on all accounts: they look at the age of rows and at nothing else.
var cleaning = []struct {
	what, sql string
	keep      time.Duration
}{
	{"sessions", `DELETE FROM account.session WHERE expires_at <= $1`, 0},
	{"links", `DELETE FROM account.link WHERE expires_at <= $1`, keepLinks},
	{"tries", `DELETE FROM account.throttle WHERE last_at <= $1 AND (blocked_until IS NULL OR blocked_until <= $1)`, keepTries},
	{"quota notices", `DELETE FROM account.quota_notice WHERE sent_at <= $1`, keepNotices},
	{"refusals", `DELETE FROM account.refusal WHERE minute <= $1`, keepRefusals},
	{"the audit record", `
		UPDATE account.audit SET detail = '{}', address = NULL, agent = NULL
		WHERE at <= $1 AND (address IS NOT NULL OR agent IS NOT NULL OR detail <> '{}')`, keepPersonal},
}

// Clean removes what is over. It is run now and then, by any instance.
func (s *Service) Clean(ctx context.Context) error {
	now := s.clock.Now()
	for _, c := range cleaning {
		if err := execute(ctx, s.db, fmt.Sprintf("clean %s", c.what), c.sql, now.Add(-c.keep)); err != nil {
			return err
		}
	}
	return nil
}
