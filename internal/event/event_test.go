package event_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/tidwall/gjson"

	"arpent/app/dev/testkit"
	"arpent/internal/event"
	"arpent/internal/ident"
)

var at = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

// The examples of the documentation are what an endpoint receives.
func TestDocumentedExamples(t *testing.T) {
	t.Parallel()
	key := event.Key{ID: 11, Name: "import nocturne", Kind: "integration", Last4: "wXyZ"}
	replaces, ends := ident.KeyID(11), time.Date(2026, 11, 28, 23, 0, 0, 0, time.UTC)
	newKey, endingKey := key, key
	newKey.ID, newKey.Last4, newKey.Replaces, endingKey.ExpiresAt = 12, "aBcD", &replaces, &ends
	vintage := "2026-10"
	examples := map[event.Type]any{
		event.QuotaThreshold: event.QuotaData{Day: "2026-11-21", Percent: 80, Used: 1604, Limit: 2000, Plan: "standard"},
		event.KeyCreated:     event.KeyData{Key: newKey},
		event.KeyExpiring:    event.KeyData{Key: endingKey},
		event.KeyRevoked:     event.KeyData{Key: key},
		event.PaymentFailed:  event.PaymentData{Plan: "standard", Until: &ends},
		event.SourceUpdated: event.SourceData{Source: "dvf", Title: "Demandes de valeurs foncières géolocalisées", Producer: "DGFiP", Vintage: &vintage,
			Places: []string{"69", "75"}},
	}
	for _, one := range event.Types {
		e := event.New(one, at, examples[one])
		e.ID = "evt_K2J4XQ7MZB3VYH5ND6TWPCARLE"
		body := testkit.Must(e.Encode())(t)
		var shown bytes.Buffer
		testkit.NoError(t, json.Indent(&shown, []byte(body), "", "  "))
		testkit.Golden(t, "../../../web/guide/samples/event-"+string(one)+".json", append(shown.Bytes(), '\n'))
	}
}

// An event whose cause was taken back is sent to no endpoint.
func TestEventJoinsTheTransaction(t *testing.T) {
	t.Parallel()
	pool, url := testkit.DB(t)
	account := addEndpoint(t, pool, "a@exemple.fr")
	db := testkit.Serving(t, url, nil)
	tx := testkit.Must(db.Begin(t.Context()))(t)
	testkit.NoError(t, event.Record(t.Context(), tx, account, event.KeyRevoked, at, event.KeyData{}))
	testkit.NoError(t, tx.Rollback(t.Context()))
	if n := testkit.Count(t, pool, `SELECT (SELECT count(*) FROM account.webhook_delivery) + (SELECT count(*) FROM job.river_job)`); n != 0 {
		t.Errorf("%d rows", n)
	}
}

// Each source that was updated has its own transaction, so that one that fails undoes no other, and the
// deliveries of its event are queued in one statement, whatever their number.
func TestUpdatedSourcesAreRecordedApart(t *testing.T) {
	t.Parallel()
	pool, url := testkit.DB(t)
	db := testkit.Serving(t, url, nil)
	addEndpoint(t, pool, "a@exemple.fr")
	addEndpoint(t, pool, "b@exemple.fr")
	loadSource(t, pool, "ban", "", "2026-10", at)
	testkit.NoError(t, event.RecordSourceUpdates(t.Context(), db, at))
	loadSource(t, pool, "dvf", "75", "2026-10", at)
	loadSource(t, pool, "radon", "", "", at)
	testkit.NoError(t, event.RecordSourceUpdates(t.Context(), db, at.Add(time.Hour)))
	for sql, want := range map[string]int{
		`SELECT count(*) FROM job.river_job`:                                  4,
		`SELECT count(DISTINCT xmin::text) FROM account.webhook_delivery`:     2,
		`SELECT count(DISTINCT xmin::text || ' ' || cmin) FROM job.river_job`: 2,
	} {
		testkit.Want(t, testkit.Count(t, pool, sql), want, sql)
	}
}

// An endpoint for which as many events wait as may wait gets no other one, until one of them is sent.
func TestWaitingEventsAreLimited(t *testing.T) {
	t.Parallel()
	pool, url := testkit.DB(t)
	db := testkit.Serving(t, url, nil)
	account := addEndpoint(t, pool, "a@exemple.fr")
	addEndpoint(t, pool, "b@exemple.fr") // has a limit of its own
	exec := func(sql string, args ...any) {
		t.Helper()
		testkit.Exec(t, pool, sql, args...)
	}
	exec(`INSERT INTO account.webhook_delivery (webhook_id, account_id, event_id, type, body, created_at)
		SELECT id, account_id, 'evt_' || n, 'key.revoked', '{}', $2 FROM account.webhook, generate_series(1, $3) n WHERE account_id = $1`,
		account, at, event.MaxWaiting)
	record := func() (queued int) {
		t.Helper()
		if err := pgx.BeginFunc(t.Context(), db, func(tx pgx.Tx) error {
			return event.Record(t.Context(), tx, account, event.KeyRevoked, at, event.KeyData{})
		}); err != nil {
			t.Fatal(err)
		}
		return testkit.Count(t, pool, `SELECT count(*) FROM job.river_job`)
	}
	testkit.Want(t, record(), 0, "events beyond the limit")
	exec(`UPDATE account.webhook_delivery SET state = 'failed' WHERE event_id = 'evt_7'`)
	testkit.Want(t, record(), 1, "events after one was given up")
	testkit.Want(t, record(), 1, "events at the limit again")
	// Those of the data are subject to the same limit.
	loadSource(t, pool, "ban", "", "2026-10", at)
	for n := range 2 {
		testkit.NoError(t, event.RecordSourceUpdates(t.Context(), db, at.Add(time.Hour)))
		if n == 0 {
			loadSource(t, pool, "dvf", "75", "2026-10", at)
		}
	}
	if n := testkit.Count(t, pool, `SELECT count(*) FROM account.webhook_delivery WHERE type = 'source.updated'`); n != 1 {
		t.Errorf("%d events of a source, want that of the other account", n)
	}
}

func addEndpoint(t *testing.T, pool *pgxpool.Pool, email string) (account ident.AccountID) {
	t.Helper()
	err := pool.QueryRow(t.Context(), `WITH a AS (
			INSERT INTO account.account (email, created_at, updated_at) VALUES ($1, $2, $2) RETURNING id)
		INSERT INTO account.webhook (account_id, url, events, secret_sealed, created_at, secret_at)
		SELECT id, 'https://exemple.fr/', '{source.updated,key.revoked}', 'x', $2, $2 FROM a RETURNING account_id`, email, at).Scan(&account)
	testkit.NoError(t, err)
	return account
}

// loadSource records a load that is served in place of the one before.
func loadSource(t *testing.T, pool *pgxpool.Pool, source, scope, vintage string, loaded time.Time) {
	t.Helper()
	testkit.Exec(t, pool, `UPDATE geo.load SET active = false WHERE source = $1 AND scope = $2`, source, scope)
	if _, err := pool.Exec(t.Context(), `INSERT INTO geo.load (source, scope, producer, title, licence, vintage, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
		VALUES ($1, $2, 'DGFiP', 'Ventes', 'LO', nullif($3, ''), '[]', $2 || ' ' || $3, 1, 0, '[]', $4::timestamptz, $4::timestamptz, true)`, source, scope, vintage, loaded); err != nil {
		t.Fatal(err)
	}
}

// A source that was updated is one event for every endpoint that chose it, whatever the number of its places
// and of instances, ten minutes after its last load; what is served when the service is installed is none.
func TestSourceUpdatesOfSimultaneousInstances(t *testing.T) {
	t.Parallel()
	pool, url := testkit.DB(t)
	db := testkit.Serving(t, url, nil)
	addEndpoint(t, pool, "a@exemple.fr")
	addEndpoint(t, pool, "b@exemple.fr")
	seen := 0
	round := func(step string, now time.Time, want ...string) {
		t.Helper()
		done := make(chan error)
		for range 3 {
			go func() { done <- event.RecordSourceUpdates(t.Context(), db, now) }()
		}
		for range 3 {
			testkit.NoError(t, <-done)
		}
		rows, _ := pool.Query(t.Context(), `SELECT body FROM account.webhook_delivery ORDER BY id`)
		bodies := testkit.Must(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
		var got []string
		for _, body := range bodies[seen:] {
			got = append(got, gjson.Get(body, "data").Raw)
		}
		seen = len(bodies)
		var twice []string // one for each account
		for _, one := range want {
			twice = append(twice, one, one)
		}
		if !slices.Equal(got, twice) {
			t.Errorf("%s: %v, want %v", step, got, twice)
		}
	}
	loadSource(t, pool, "dvf", "75", "2026-04", at)
	round("first run", at.Add(time.Hour))
	loadSource(t, pool, "dvf", "75", "2026-10", at.Add(2*time.Hour))
	loadSource(t, pool, "dvf", "69", "2026-10", at.Add(2*time.Hour+5*time.Minute))
	loadSource(t, pool, "radon", "", "", at.Add(2*time.Hour))
	round("too early", at.Add(2*time.Hour+9*time.Minute))
	const radon = `{"source":"radon","title":"Ventes","producer":"DGFiP","vintage":null,"places":[]}`
	round("one of them is quiet", at.Add(2*time.Hour+10*time.Minute), radon)
	round("the other one too", at.Add(2*time.Hour+15*time.Minute),
		`{"source":"dvf","title":"Ventes","producer":"DGFiP","vintage":"2026-10","places":["69","75"]}`)
	round("nothing new", at.Add(24*time.Hour))
	loadSource(t, pool, "dvf", "75", "2026-10", at.Add(24*time.Hour))
	round("the same edition loaded again", at.Add(25*time.Hour))
	if n := testkit.Count(t, pool, `SELECT count(*) FROM job.river_job WHERE kind = 'webhook' AND queue = 'slow'`); n != 4 {
		t.Errorf("%d jobs", n)
	}
	testkit.WantCount(t, pool, 2, "events", `SELECT count(DISTINCT event_id) FROM account.webhook_delivery`)
}
