package testkit

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

// Mails are the messages that were left in a database, in the order in which they were asked for.
func Mails(t testing.TB, pool *pgxpool.Pool) []mail.Job {
	t.Helper()
	jobs, err := pgdb.Collect(t.Context(), pool, pgx.RowTo[mail.Job],
		`SELECT args FROM job.river_job WHERE kind = 'mail' ORDER BY id`)
	NoError(t, err)
	return jobs
}

// RefuseMails has every transaction that leaves a mail fail until accept is called.
func RefuseMails(t testing.TB, pool *pgxpool.Pool) (accept func()) {
	t.Helper()
	alter := func(change string) {
		t.Helper()
		Exec(t, pool, `ALTER TABLE job.river_job `+change)
	}
	alter(`ADD CONSTRAINT no_mails CHECK (kind <> 'mail') NOT VALID`)
	return func() { alter(`DROP CONSTRAINT no_mails`) }
}
