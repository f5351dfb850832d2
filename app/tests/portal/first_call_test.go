package portal_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/report"
)

// The first call that a page makes is a report like any other: it ends with the
// browser that asked for it, before its deadline.
func TestFirstCallEndsWithItsBrowser(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, nil)
	s.Exec(`WITH l AS (
    INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
    VALUES ('radon', 'test', 'test', 'test', '[]', '', 0, 0, '[]', now(), now(), true) RETURNING id)
INSERT INTO geo.coverage (layer, area, load_id) SELECT 'radon', '', id FROM l`)
	s.Exec(sheetful)
	reader := s.Browser()
	s.Until(func() bool { return reader.Get("/").Find("#demo .report").Length() == 1 })
	b := s.SignUp("jeanne@exemple.fr")
	made := b.Submit(b.Get("/account").Want(http.StatusOK), "/account/keys/new")
	run := made.Find(`form[action$="/run"]`).AttrOr("action", "")
	held := testkit.Must(s.Pool.Begin(t.Context()))(t)
	defer held.Rollback(context.WithoutCancel(t.Context()))
	testkit.Exec(t, held, "LOCK TABLE geo.enrich_radon IN ACCESS EXCLUSIVE MODE")
	const waiting = `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'arpent reports' AND datname = current_database()
AND wait_event_type = 'Lock'`
	form := url.Values{"token": {made.Value("token")}}.Encode() // of this page: a look at the first one would draw its example, a report too
	waits := func(want bool) func() bool {
		return func() bool { return (testkit.Count(t, s.Pool, waiting) > 0) == want }
	}
	hangUp := func() time.Duration {
		ctx, leave := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Base+run, strings.NewReader(form))
		testkit.NoError(t, err)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", s.Base)
		begun, ended := time.Now(), make(chan struct{})
		go func() {
			defer close(ended)
			if res, err := b.Do(req); err == nil {
				res.Body.Close()
			}
		}()
		testkit.Eventually(t, testkit.Timeout, "statements of the report wait", waits(true))
		leave()
		testkit.Eventually(t, testkit.Timeout, "they end, although what they wait for is locked", waits(false))
		<-ended
		return time.Since(begun)
	}
	// A machine that stands still may come to the deadline first.
	took := hangUp()
	for tries := 0; took >= report.DefaultTimeout && tries < 4; tries++ {
		took = hangUp()
	}
	if took >= report.DefaultTimeout {
		t.Errorf("the report goes on for %s without its browser, its deadline being %s", took, report.DefaultTimeout)
	}
}
