package testkit

import (
	"encoding/json"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/base/mail"
)

// Mails are the messages that were left in a database, in the order in which they were asked for.
func Mails(t testing.TB, pool *pgxpool.Pool) []mail.Job {
	t.Helper()
	rows, err := pool.Query(t.Context(), `SELECT args FROM job.river_job WHERE kind = 'mail' ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := pgx.CollectRows(rows, pgx.RowTo[json.RawMessage])
	if err != nil {
		t.Fatal(err)
	}
	jobs := make([]mail.Job, len(raw))
	for i, r := range raw {
		if err := json.Unmarshal(r, &jobs[i]); err != nil {
			t.Fatal(err)
		}
	}
	return jobs
}

// RefuseMails has every transaction that leaves a mail fail until accept is called.
func RefuseMails(t testing.TB, pool *pgxpool.Pool) (accept func()) {
	t.Helper()
	alter := func(change string) {
		t.Helper()
		if _, err := pool.Exec(t.Context(), `ALTER TABLE job.river_job `+change); err != nil {
			t.Fatal(err)
		}
	}
	alter(`ADD CONSTRAINT no_mails CHECK (kind <> 'mail') NOT VALID`)
	return func() { alter(`DROP CONSTRAINT no_mails`) }
}
