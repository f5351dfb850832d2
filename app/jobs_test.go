package app_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/coverage"
	"arpent/app"
	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/clock"
	"arpent/internal/config"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
	"arpent/web"
)

func mailConfig(url string) config.Config {
	return config.Config{Mode: config.Production, ServiceName: "Arpent", BaseURL: "https://arpent.example", MailFrom: "no-reply@arpent.example",
		SMTPURL: config.Secret(url)}
}

// startJobs starts background jobs for a test.
func startJobs(t *testing.T, pool *pgxpool.Pool, c config.Config) app.Jobs {
	t.Helper()
	j := testkit.Must(app.NewJobs(pool, c, clock.Real{}))(t)
	testkit.NoError(t, j.Start(context.Background()))
	t.Cleanup(func() {
		if err := j.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return j
}

func confirmMail(to string) mail.Job {
	return mail.Job{Template: mail.Confirm, To: to, Language: "fr", Link: &mail.Link{Purpose: "confirm", ID: 1}}
}

// awaitMails waits for a count of mails in the queue.
func awaitMails(t *testing.T, pool *pgxpool.Pool, want int, condition string) {
	t.Helper()
	testkit.Eventually(t, testkit.Timeout, fmt.Sprintf("%d mails with %s", want, condition), func() bool {
		return testkit.Count(t, pool, "SELECT count(*) FROM job.river_job WHERE kind = 'mail' AND "+condition) == want
	})
}

// A mail goes if and only if what caused it was kept, also when it was left before anybody worked.
func TestMailFollowsItsTransaction(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	server := testkit.NewSMTP(t)
	j := testkit.Must(app.NewJobs(pool, mailConfig(server.URL()), clock.Real{}))(t)
	undone := errors.New("undone")
	if err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		return errors.Join(mail.Send(t.Context(), tx, confirmMail("undone@exemple.fr")), undone)
	}); !errors.Is(err, undone) {
		t.Fatal(err)
	}
	testkit.NoError(t, j.Send(t.Context(), confirmMail("marie@exemple.fr")))
	startJobs(t, pool, mailConfig(server.URL()))
	m := server.WaitTo("marie@exemple.fr", "Confirmez")
	if !strings.Contains(m.Text, "https://arpent.example/confirm/token?lang=fr\n") {
		t.Errorf("no link in\n%s", m.Text)
	}
	awaitMails(t, pool, 1, "state = 'completed'")
	testkit.Want(t, len(server.Messages()), 1, "mails")
}

// While the mail server is away nothing is lost, and once it is back each mail arrives, once, whatever the
// number of instances. The server is not asked by each mail that waits.
func TestMailServerAwayAndBack(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	server := testkit.NewSMTP(t)
	server.Stop()
	one := startJobs(t, pool, mailConfig(server.URL()))
	two := startJobs(t, pool, mailConfig(server.URL()))
	const mails = 20
	for i := range mails {
		j := one
		if i%2 == 0 {
			j = two
		}
		testkit.NoError(t, j.Send(t.Context(), confirmMail(fmt.Sprintf("m%d@exemple.fr", i))))
	}
	awaitMails(t, pool, mails, "(metadata->>'snoozes')::int >= 1")
	awaitMails(t, pool, 0, "state IN ('cancelled', 'discarded', 'completed')")
	server.Start()
	back := time.Now()
	awaitMails(t, pool, mails, "state = 'completed'")
	t.Logf("all mails are out %v after the server came back", time.Since(back))
	seen, ids := map[string]int{}, map[string]int{}
	for _, m := range server.Messages() {
		seen[m.Recipient]++
		ids[m.Header.Get("Message-Id")]++
	}
	if len(seen) != mails || len(ids) != mails || len(server.Messages()) != mails {
		t.Errorf("%d mails to %d people with %d ids", len(server.Messages()), len(seen), len(ids))
	}
}

// A full mailbox is tried again; one that does not exist becomes a dead letter that an operator sees,
// without the link in it, and can have sent again.
func TestRefusedMail(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	var full atomic.Int32
	var gone atomic.Bool
	gone.Store(true)
	server := testkit.NewSMTP(t, testkit.SMTPOptions{Refuse: func(to string) error {
		switch {
		case to == "full@exemple.fr" && full.Add(1) <= 2:
			return &smtp.SMTPError{Code: 452, EnhancedCode: smtp.EnhancedCode{4, 2, 2}, Message: "mailbox full"}
		case to == "gone@exemple.fr" && gone.Load():
			return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user"}
		}
		return nil
	}})
	j := startJobs(t, pool, mailConfig(server.URL()))
	for _, to := range []string{"full@exemple.fr", "gone@exemple.fr"} {
		testkit.NoError(t, j.Send(t.Context(), confirmMail(to)))
	}
	server.WaitTo("full@exemple.fr", "Confirmez")
	awaitMails(t, pool, 1, "state = 'cancelled'")

	queue := testkit.Must(mail.NewQueue(pool, pgdb.JobSchema))(t)
	dead, err := queue.List(t.Context(), true, 10)
	if err != nil || len(dead) != 1 || dead[0].To != "gone@exemple.fr" || dead[0].State != mail.Failed || !strings.Contains(dead[0].Why, "no such user") {
		t.Fatalf("%+v, %v", dead, err)
	}
	gone.Store(false)
	if _, err := queue.Retry(t.Context(), dead[0].ID, time.Now().Add(25*time.Hour)); err == nil {
		t.Error("a link that is no longer good is sent")
	}
	_, err = queue.Retry(t.Context(), dead[0].ID, time.Now())
	testkit.NoError(t, err)
	server.WaitTo("gone@exemple.fr", "Confirmez")
	awaitMails(t, pool, 2, "state = 'completed'")
	if _, err := queue.Retry(t.Context(), dead[0].ID, time.Now()); err == nil {
		t.Error("a mail that was sent is sent again")
	}
	testkit.Want(t, len(server.Messages()), 2, "mails")
}

// A server does all the work that the packages declare: what is kept for a time is removed, owners are
// notified before a key expires and when a quota is used up, and what is asked for is done.
func TestServerDoesAllJobs(t *testing.T) {
	t.Parallel()
	s := fixture.New(t)
	const onDemand = `INSERT INTO job.river_job (kind, args, max_attempts) SELECT unnest($1::text[]), '{}', 1`
	asked := []string{"mail", "webhook", "billing_close", "billing_reconcile", "update_data"}
	s.Exec(onDemand, asked)
	s.Run(nil)
	const done = `SELECT count(DISTINCT kind) FROM job.river_job WHERE kind = ANY($1) AND finalized_at IS NOT NULL`
	kinds := append(asked, "clean", "clean_assistants", "expiry_notice", "quota_notice", "source_events", "billing_grace", "billing_wish",
		"member_factor_notice", "domain_check", "management_token_expiry_notice")
	s.Until(func() bool {
		var n int
		testkit.NoError(t, s.Pool.QueryRow(t.Context(), done, kinds).Scan(&n))
		return n == len(kinds)
	})
	if n := testkit.Count(t, s.Pool, `SELECT count(*) FROM job.river_job WHERE errors::text LIKE '%not registered%'`); n != 0 {
		t.Errorf("%d of the jobs have no worker", n)
	}
}

// A mail that was given up is kept for two weeks, and what an instance did that died is taken up by another.
func TestJobsAreKeptAndTakenUp(t *testing.T) {
	t.Parallel()
	s := fixture.New(t)
	s.Exec(`INSERT INTO job.river_job (kind, args, max_attempts, attempt, state, attempted_at, finalized_at)
		SELECT kind, '{}', 3, 1, state::job.river_job_state, now() - interval '3 minutes', now() - ended::interval FROM (VALUES ('mail', 'cancelled', '13 days'), ('mail', 'discarded', '13 days'),
			('mail', 'cancelled', '15 days'), ('mail', 'discarded', '15 days'), ('billing_close', 'running', NULL)) j(kind, state, ended)`)
	s.Run(nil)
	testkit.Eventually(t, testkit.Timeout, "what is too old is deleted, what was lost is taken up", func() bool {
		return testkit.Count(t, s.Pool, `SELECT count(*) FROM job.river_job WHERE finalized_at < now() - interval '14 days' OR
			kind = 'billing_close' AND attempted_at <= now() - interval '3 minutes' AND state = 'running'`) == 0
	})
	if n := testkit.Count(t, s.Pool, `SELECT count(*) FROM job.river_job WHERE kind = 'mail'`); n != 2 {
		t.Errorf("%d mails of 13 days are left, want 2", n)
	}
}

// An operator sees in the log which work failed, and not whom it was about.
func TestFailedJobsAreLogged(t *testing.T) { // not parallel: it reads the log of the process
	log, former := &fixture.Lines{}, slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(log, nil)))
	defer slog.SetDefault(former)
	pool, _ := testkit.DB(t)
	server := testkit.NewSMTP(t, testkit.SMTPOptions{Refuse: func(to string) error {
		return &smtp.SMTPError{Code: 452, EnhancedCode: smtp.EnhancedCode{4, 2, 2}, Message: "the mailbox of " + to + " is full"}
	}})
	testkit.NoError(t, startJobs(t, pool, mailConfig(server.URL())).Send(t.Context(), confirmMail("full@exemple.fr")))
	testkit.Eventually(t, testkit.Timeout, "what failed is in the log", func() bool {
		return strings.Contains(log.String(), `"background job failed"`) && strings.Contains(log.String(), `"kind":"mail"`)
	})
	if strings.Contains(log.String(), "full@exemple.fr") {
		t.Error(log.String())
	}
}

// After three days, and not before, a mail that no server took is given up; a
// link is given up when it is no longer good.
func TestMailIsGivenUp(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	server := testkit.NewSMTP(t)
	server.Stop()
	j := testkit.Must(app.NewJobs(pool, mailConfig(server.URL()), clock.Real{}))(t)
	notice := mail.Job{Template: mail.PasswordChanged, To: "old@exemple.fr", Language: "en"}
	for _, m := range []mail.Job{notice, {Template: mail.PasswordChanged, To: "young@exemple.fr"}, confirmMail("link@exemple.fr")} {
		testkit.NoError(t, j.Send(t.Context(), m))
	}
	testkit.Exec(t, pool, `UPDATE job.river_job SET created_at = now() - CASE args->>'to'
		WHEN 'old@exemple.fr' THEN interval '73 hours' WHEN 'young@exemple.fr' THEN interval '71 hours' ELSE interval '25 hours' END`)
	startJobs(t, pool, mailConfig(server.URL()))
	awaitMails(t, pool, 2, "state = 'cancelled' AND args->>'to' IN ('old@exemple.fr', 'link@exemple.fr')")
	awaitMails(t, pool, 1, "(metadata->>'snoozes')::int >= 1 AND args->>'to' = 'young@exemple.fr'")
}

// In production without a mail server mails wait, in development they are shown: the pages show which.
func TestWithoutMailServer(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	c := mailConfig("")
	j := startJobs(t, pool, c)
	if !j.MailDown() || j.HasDevMail() {
		t.Error("production")
	}
	testkit.NoError(t, j.Send(t.Context(), confirmMail("marie@exemple.fr")))
	awaitMails(t, pool, 1, "state = 'scheduled'")
	c.Mode = config.Development
	if j, err := app.NewJobs(pool, c, clock.Real{}); err != nil || j.MailDown() || !j.HasDevMail() {
		t.Errorf("development: %v", err)
	}
}

// The daily update is the program's own command; what it ends with is what the job ends with.
func TestDailyUpdate(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"", "03:30"} {
		if scheduled, err := app.UpdateIsScheduled(config.Config{Update: at}); err != nil || scheduled != (at != "") {
			t.Errorf("at %q it is scheduled: %v, %v", at, scheduled, err)
		}
	}
	if err := app.RunUpdate(t.Context(), ""); err == nil {
		t.Error("without a program nothing would ever run")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	script := func(end string) {
		testkit.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\necho \"$@\" > "+dir+"/arguments\n"+end), 0o700))
	}
	script("exit 0\n")
	if err := app.RunUpdate(t.Context(), program); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "arguments")); err != nil || string(got) != "update --no-index\n" {
		t.Errorf("it is called with %q, %v", got, err)
	}
	script("echo first; echo one; echo two; echo 3 sources were not brought up to date; exit 1\n")
	if err := app.RunUpdate(t.Context(), program); err == nil || !strings.Contains(err.Error(), "two; 3 sources were not") || strings.Contains(err.Error(), "first") {
		t.Errorf("a failed update ends with %v", err)
	}
	script("exec sleep 600\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := app.RunUpdate(ctx, program); err == nil {
		t.Error("a service that stops does not stop its update")
	}
}

// An assistant reads the same numbers of parcels as the pages of coverage have, and the names of the
// communes: a commune of which only a part is loaded is no whole one, and an arrondissement no commune.
func TestLoadedHereCountsAsCoverage(t *testing.T) {
	t.Parallel()
	s := web.Status{Layers: []string{}, Places: web.Places{
		Parcels:   strings.Split("13029 25354 27412 36174 69114 75118 91027 91216 91326 93010", " "),
		Addresses: []string{"54084", "93010"},
	}}
	counted := &coverage.Served{Document: coverage.Document{Keys: []coverage.Key{
		{Part: coverage.Data, Name: coverage.Parcels, Share: coverage.Share{Communes: 7, Partly: 3, Of: 34875}},
	}}}
	name := func(code string) string { return map[string]string{"93010": "Bondy", "75118": "Paris"}[code] }
	const want = "parcels of 7 communes and parts of 3 more (Paris 75118, Bondy 93010); house numbers of 54084, 93010, elsewhere search finds communes alone"
	if got := app.LoadedHere(s, counted, name); !strings.Contains(got, want) {
		t.Errorf("it is %q, expected %q in it", got, want)
	}
	unnamed := func(string) string { return "" }
	if got := app.LoadedHere(s, nil, unnamed); !strings.Contains(got, "parcels of 10 communes or départements") {
		t.Errorf("before anything is counted it is %q", got)
	}
}

// However little is loaded, an assistant reads of it in few words: clients cut the instructions at 2 kB.
func TestLoadedHereIsShort(t *testing.T) {
	t.Parallel()
	six := strings.Split("13029 25354 27412 36174 69114 75118", " ")
	var keys []web.KnownKey
	for i := range 30 {
		keys = append(keys, web.KnownKey{Name: fmt.Sprintf("logements_vacants_%02d", i), Known: i / 15})
	}
	got := app.LoadedHere(web.Status{Layers: []string{"sales", "roads"}, Places: web.Places{Parcels: six, Addresses: six, Sales: six},
		Known: []web.KnownLevel{{Level: "commune", Of: 34875, Keys: keys}}}, nil, func(string) string { return "" })
	if want := "Statistics of the 34875 communes: all but logements_vacants_00, logements_vacants_01, logements_vacants_02 and 12 more."; len(got) > 440 || !strings.Contains(got, want) {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}
