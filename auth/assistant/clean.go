package assistant

import (
	"context"
	"time"

	"arpent/app/base/jobs"
)

const (
	// A code that was used is known for this long after it expired, so that bringing it again ends the connection.
	codesKept  = 24 * time.Hour
	cleanEvery = time.Hour
	// cleanTimeout bounds one statement.
	cleanTimeout = 20 * time.Second
)

// These act on all accounts: they look at what is over and at nothing else. $1 is a time.
var cleaning = []struct {
	what, sql string
	keep      time.Duration
}{
	{"codes", `DELETE FROM account.assistant_code WHERE expires_at <= $1`, codesKept},
	{"tokens", `DELETE FROM account.assistant_token WHERE expires_at <= $1`, 0},
	{"grants", `
		UPDATE account.assistant_grant g SET ended_at = $1, ended_by = 'key' FROM account.api_key k
		WHERE k.id = g.key_id AND g.ended_at IS NULL AND (k.revoked_at IS NOT NULL OR k.expires_at <= $1)`, 0},
	{"tokens of ended grants", `
		DELETE FROM account.assistant_token t USING account.assistant_grant g WHERE g.id = t.grant_id AND g.ended_at <= $1`, 0},
	{"clients", `
		DELETE FROM account.assistant_client c WHERE c.granted_at IS NULL AND c.created_at <= $1
		AND NOT EXISTS (SELECT FROM account.assistant_code k WHERE k.client_id = c.id)`, waitingKept},
}

// Jobs is what connections need done beside the requests.
func (s *Server) Jobs() []jobs.Job {
	return []jobs.Job{jobs.Every(cleanEvery, "clean_assistants", s.Clean)}
}

// Clean removes what is over: expired codes and tokens, connections that let all their tokens expire with their keys, the
// tokens of connections that have ended, clients that nobody let in within days. It is run now and then, by any instance.
func (s *Server) Clean(ctx context.Context) error {
	now := s.o.Clock.Now()
	if err := s.endUnusedGrants(ctx, now); err != nil {
		return errorOf("clean unused grants", err)
	}
	for _, c := range cleaning {
		if err := s.cleanOne(ctx, c.sql, now.Add(-c.keep)); err != nil {
			return errorOf("clean "+c.what, err)
		}
	}
	return nil
}

func (s *Server) cleanOne(ctx context.Context, sql string, until time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, cleanTimeout)
	defer cancel()
	_, err := s.o.DB.Exec(ctx, sql, until)
	return err
}
