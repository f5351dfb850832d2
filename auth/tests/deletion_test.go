package auth_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
)

// What has to be done before an account goes is done with it or not at all: an account whose subscription
// could not be kept to be ended stays, and so does its subscription.
func TestDeletionWaitsForWhatComesBefore(t *testing.T) {
	w := newWorld(t)
	notNow := errors.New("not now")
	var seen []ident.AccountID
	s := auth.New(auth.Options{DB: w.pool, Clock: w.clock, Secret: make([]byte, 32),
		BeforeDelete: func(ctx context.Context, tx pgx.Tx, account ident.AccountID) (string, error) {
			var there bool
			if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM account.account WHERE id = $1)`, account).Scan(&there); err != nil || !there {
				t.Errorf("the account is gone already: %v", err)
			}
			if seen = append(seen, account); len(seen) == 1 {
				return "", notNow
			}
			return "Pro", nil
		}})
	sess, _ := w.join(jeanne)
	testkit.WantError(t, s.Delete(t.Context(), sess, home), notNow)
	const countAccounts = `SELECT count(*) FROM account.account`
	testkit.WantCount(t, w.pool, 1, "accounts after a rejection", countAccounts)
	if err := s.Delete(t.Context(), sess, home); err != nil || len(seen) != 2 || seen[0] != sess.Account {
		t.Errorf("%v, %v", err, seen)
	}
	testkit.WantCount(t, w.pool, 0, "accounts after the deletion", countAccounts)
	if mails := testkit.Mails(t, w.pool); mails[len(mails)-1].Values["plan"] != "Pro" {
		t.Errorf("the mail about the deletion says nothing of the subscription: %v", mails[len(mails)-1].Values)
	}
}

// The export holds all that is kept and no credential; deletion leaves only a record
// that names no person, and ends keys and sessions.
func TestExportAndDelete(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	secret, recovery := w.enrol(sess)
	in := testkit.Must(w.FinishSignIn(ctx, w.signIn(jeanne, home).Pending, w.totp(secret), home))(t)
	sess = w.session(in.Token)
	w.must(w.LinkIdentity(ctx, sess, newClaim("google", "g-1", jeanne, true), home))
	key, keySecret, err := apikey.NewStore(w.pool, w.clock).Create(ctx, sess.Account, apikey.NewKey{Name: "carte"})
	w.must(err)
	testkit.Exec(t, w.pool, `INSERT INTO account.usage (account_id, key_id, operation, status_class, day, requests, counted)
		VALUES ($1, $2, 'get_commune', 2, '2026-03-01', 5, 4)`, sess.Account, key.ID)
	testkit.Exec(t, w.pool, `WITH client AS (INSERT INTO account.assistant_client (id, name, auth_method, redirect_uris, created_at)
			VALUES ('arpi_x', 'Claude', 'none', '{https://claude.example/cb}', now()) RETURNING id)
		INSERT INTO account.assistant_grant (account_id, client_id, key_id, redirect_uri, scope, resource, created_at)
		SELECT $1, id, $2, 'https://claude.example/cb', 'mcp', 'https://arpent.example/mcp', now() FROM client`, sess.Account, key.ID)

	testkit.Exec(t, w.pool, `INSERT INTO account.plan_wish (account_id, plan, created_at) VALUES ($1, 'pro', now())`, sess.Account)

	testkit.Exec(t, w.pool, `INSERT INTO account.stripe_event (id, type, account_id, created_at, received_at, outcome, payload)
		VALUES ('evt_1', 'invoice.paid', $1, now(), now(), 'applied', '{"customer_name": "Jeanne"}')`, sess.Account)

	testkit.Exec(t, w.pool, `INSERT INTO account.management_token (account_id, created_by, name, scopes, token_hash, last4, created_at, expires_at)
		VALUES ($1, $1, 'tableau', '{usage:read}', sha256('x'), 'last', now(), now() + interval '1 day')`, sess.Account)

	testkit.Exec(t, w.pool, insertWebhook, sess.Account, w.clock.Now())

	testkit.Exec(t, w.pool, `INSERT INTO account.domain (account_id, name, token, created_at)
		VALUES ($1, 'exemple.fr', 'x', now())`, sess.Account)
	testkit.Exec(t, w.pool, `INSERT INTO account.join_request (account_id, person_id, created_at)
		VALUES ($1, $1, now())`, sess.Account)

	document := testkit.Must(w.Export(ctx, sess, home))(t)
	var e map[string]any
	w.must(json.Unmarshal(document, &e))
	for _, part := range []string{"identities", "sessions", "keys", "management_tokens", "webhooks", "assistants",
		"usage_by_day", "links", "payment_events", "domains", "join_requests", "audit"} {
		if list, _ := e[part].([]any); len(list) == 0 {
			t.Errorf("the export has no %s: %v", part, e[part])
		}
	}
	if e["account"].(map[string]any)["email"] != jeanne || e["usage_by_day"].([]any)[0].(map[string]any)["requests"] != 5.0 {
		t.Errorf("export %s", document)
	}
	if wish, _ := e["plan_wish"].(map[string]any); wish["plan"] != "pro" {
		t.Errorf("the export has no wish: %v", e["plan_wish"])
	}
	for name, s := range map[string]string{"cookie": in.Token, "key": keySecret, "hash": "argon2id", "totp": secret, "recovery": recovery[0], "sealed": "\\\\x"} {
		if strings.Contains(string(document), s) {
			t.Errorf("the export holds the %s", name)
		}
	}

	w.must(w.Delete(ctx, sess, home))
	if m := w.mail(mail.AccountDeleted); m.To != jeanne {
		t.Errorf("mail %+v", m)
	}
	testkit.WantError(t, testkit.ErrorOf(w.Session(ctx, in.Token)), auth.ErrNoSession, "session")
	w.isGone(sess)
	w.want(w.Delete(ctx, sess, home), "missing")
	w.want(w.SetLanguage(ctx, sess, "en", home), "missing")
	w.join(jeanne) // the address is free again
}

// insertWebhook makes a webhook of account $1 with an event that was sent at $2.
const insertWebhook = `WITH w AS (
		INSERT INTO account.webhook (account_id, url, events, secret_sealed, created_at, secret_at)
		VALUES ($1, 'https://exemple.fr/', '{key.created}', 'sealed', $2, $2) RETURNING id),
	d AS (INSERT INTO account.webhook_delivery (webhook_id, account_id, event_id, type, body, created_at)
		SELECT id, $1, 'evt_1', 'key.created', '{"id": "evt_1"}', $2 FROM w RETURNING id, webhook_id)
	INSERT INTO account.webhook_attempt (delivery_id, webhook_id, account_id, at, status, milliseconds, by_hand) SELECT id, webhook_id, $1, $2, 200, 5, false FROM d`

// What was sent to a webhook is listed for 30 days, and the webhook stays.
func TestDeliveriesAreForgotten(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	testkit.Exec(t, w.pool, insertWebhook, sess.Account, w.clock.Now())
	for _, left := range []int{1, 0} {
		w.clock.Advance(29 * 24 * time.Hour)
		w.must(w.Clean(ctx))
		if d, a := w.count(`SELECT count(*) FROM account.webhook_delivery`), w.count(`SELECT count(*) FROM account.webhook_attempt`); d != left || a != left {
			t.Errorf("%d deliveries and %d attempts are left, want %d", d, a, left)
		}
	}
	if w.count(`SELECT count(*) FROM account.webhook`) != 1 {
		t.Error("the webhook is gone")
	}
}

// A request to join that has no answer ends after 30 days; a declined one stays.
func TestRequestsToJoinEnd(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	other, _ := w.join("paul@exemple.fr")
	testkit.Exec(t, w.pool, `INSERT INTO account.join_request (account_id, person_id, created_at, declined_at)
		VALUES ($1, $2, $3, NULL), ($1, $1, $3, $3)`, sess.Account, other.Account, w.clock.Now())
	for _, left := range []int{2, 1} {
		w.clock.Advance(29 * 24 * time.Hour)
		w.must(w.Clean(ctx))
		testkit.WantCount(t, w.pool, left, "rows are left", `SELECT count(*) FROM account.join_request`)
	}
	testkit.WantCount(t, w.pool, 1, "the declined one is gone",
		`SELECT count(*) FROM account.join_request WHERE declined_at IS NOT NULL`)
}

// isGone checks that nothing personal is left of an account, the only one.
func (w *world) isGone(sess auth.Session) {
	w.t.Helper()
	for _, table := range []string{"account", "api_key", "usage", "usage_hour", "recent_request", "identity", "recovery_code", "link", "session", "assistant_grant", "plan_wish", "notice_address", "billing_recipient", "passkey", "management_token", "webhook", "webhook_delivery", "webhook_attempt", "domain", "join_request"} {
		if n := w.count(`SELECT count(*) FROM account.` + table); n != 0 {
			w.t.Errorf("%d rows left in %s", n, table)
		}
	}
	if w.recorded(sess, audit.ActionAccountDeleted) != 1 {
		w.t.Error("the deletion is not on record")
	}
	testkit.WantCount(w.t, w.pool, 0, "rows of the record still hold personal data", `SELECT count(*) FROM account.audit WHERE detail <> '{}' OR address IS NOT NULL OR agent IS NOT NULL`)
}

// What is over is removed, what still counts is not.
func TestClean(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	w.must(w.RequestReset(ctx, jeanne, home))
	w.want(testkit.ErrorOf(w.SignIn(ctx, jeanne, "wrong", home)), auth.CodeSignIn)
	testkit.Exec(t, w.pool, `INSERT INTO account.quota_notice (account_id, day, percent, sent_at) VALUES ($1, $2::timestamptz::date, 80, $2::timestamptz)`, sess.Account, w.clock.Now())
	rows := func() [5]int {
		return [5]int{w.count(`SELECT count(*) FROM account.session`), w.count(`SELECT count(*) FROM account.link`),
			w.count(`SELECT count(*) FROM account.throttle`),
			w.count(`SELECT count(*) FROM account.audit WHERE address IS NOT NULL`),
			w.count(`SELECT count(*) FROM account.quota_notice`)}
	}
	before := rows()
	w.must(w.Clean(ctx))
	if rows() != before || before[0] != 1 || before[1] != 2 || before[2] == 0 || before[3] != 5 || before[4] != 1 {
		t.Errorf("before %v, after %v", before, rows())
	}
	w.clock.Advance(31 * 24 * time.Hour)
	w.must(w.Clean(ctx))
	if got := rows(); got != [5]int{0, 0, 0, 5, 0} {
		t.Errorf("after a month %v", got)
	}
	w.clock.Advance(365 * 24 * time.Hour)
	w.must(w.Clean(ctx))
	if got := rows(); got[3] != 0 {
		t.Errorf("after a year %v", got)
	}
	if w.recorded(sess, audit.ActionSignedUp) != 1 {
		t.Error("the record itself is gone")
	}
}

// The list of the last requests is kept a day, their number by hour two.
func TestRequestsAreForgotten(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	for _, hours := range []int{0, 23, 25, 47, 49} {
		testkit.Exec(t, w.pool, `
			WITH k AS (INSERT INTO account.api_key (account_id, name, secret_hash, prefix, last4, created_at)
				VALUES ($1::bigint, $2::text, sha256($2::text::bytea), 'p', 'l', $3) RETURNING id),
			h AS (INSERT INTO account.usage_hour (account_id, key_id, operation, status_class, hour, requests) SELECT $1, id, 'o', 2, $3, 1 FROM k)
			INSERT INTO account.recent_request (account_id, key_id, at, operation, status, micros, request_id, requests) SELECT $1, id, $3, 'o', 200, 1, 'r', 1 FROM k`,
			sess.Account, fmt.Sprint(hours), w.clock.Now().Add(-time.Duration(hours)*time.Hour))
	}
	w.must(w.Clean(ctx))
	if recent, byHour := w.count(`SELECT count(*) FROM account.recent_request`), w.count(`SELECT count(*) FROM account.usage_hour`); recent != 2 || byHour != 4 {
		t.Errorf("%d requests and %d hours are left, want 2 and 4", recent, byHour)
	}
	w.must(w.Delete(ctx, sess, home))
	w.isGone(sess)
}

// Nothing of one account can be reached with another's session: its ids do not exist there.
func TestAccountsAreApart(t *testing.T) {
	w, ctx, _ := joinWorld(t)
	a := w.session(w.signIn(jeanne, home).Token)
	b, _ := w.join("paul@exemple.fr")
	w.must(w.LinkIdentity(ctx, a, newClaim("google", "1", jeanne, true), home))
	ids := testkit.Must(w.Identities(ctx, a))(t)

	w.want(w.EndSession(ctx, b, a.ID, home), "missing")
	w.want(w.Unlink(ctx, b, ids[0].ID, home), "missing")
	if n, err := w.EndOtherSessions(ctx, b, home); n != 0 || err != nil {
		t.Errorf("ended %d sessions of others, %v", n, err)
	}
	w.must(w.EndAllSessions(ctx, b, home))
	if all, err := w.Sessions(ctx, a); err != nil || len(all) != 2 {
		t.Errorf("sessions of a: %+v, %v", all, err)
	}
	// A session put together from two accounts is neither's.
	mixed := a
	mixed.Account = b.Account
	testkit.WantError(t, w.Reauthenticate(ctx, mixed, goodPassword, "", home), auth.ErrNoSession, "mixed")
	w.want(w.EndSession(ctx, mixed, a.ID, home), "missing")
	document := testkit.Must(w.Export(ctx, w.session(w.signIn("paul@exemple.fr", home).Token), home))(t)
	if strings.Contains(string(document), "jeanne") {
		t.Error("the export of one account names another")
	}
}

// An operator deletes an account as its owner would: what has to be done first is done in the same
// transaction, nothing personal is left, the owner gets a mail, and the reason alone stays on record.
func TestOperatorDeletesAccount(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	accounts := auth.NewAccounts(w.pool, w.clock)
	before := func(context.Context, pgx.Tx, ident.AccountID) (string, error) { return "Pro", nil }
	for _, reason := range []string{"", " ", strings.Repeat("x", auth.MaxReason+1), "\x00"} {
		if err := accounts.Delete(ctx, sess.Account, reason, before, nil); fault.From(err).Code != fault.InvalidParameter {
			t.Errorf("reason %q: %v", reason, err)
		}
	}
	notNow := errors.New("not now")
	refuse := func(context.Context, pgx.Tx, ident.AccountID) (string, error) { return "", notNow }
	testkit.WantError(t, accounts.Delete(ctx, sess.Account, "ticket 4711", refuse, nil),
		notNow, "what comes before fails")
	w.must(accounts.Delete(audit.AsOperator(ctx, 7), sess.Account, "ticket 4711", before, nil))
	m := w.mail(mail.AccountDeleted)
	if m.To != jeanne || m.Values["plan"] != "Pro" || m.Values["reason"] != "ticket 4711" {
		t.Errorf("mail %+v", m)
	}
	testkit.WantCount(t, w.pool, 0, "accounts are left", `SELECT count(*) FROM account.account`)
	testkit.WantCount(t, w.pool, 1, "records of the deletion with its reason", `SELECT count(*) FROM account.audit WHERE actor = 'operator' AND action = 'account_deleted'
		AND detail = '{"reason": "ticket 4711", "operator": 7}'`)
	testkit.WantCount(t, w.pool, 0, "rows of the record still hold personal data", `SELECT count(*) FROM account.audit
		WHERE address IS NOT NULL OR agent IS NOT NULL OR detail <> '{}' AND action <> 'account_deleted'`)
	w.want(accounts.Delete(ctx, sess.Account, "again", before, nil), "missing")
}

// An operator exports what the owner would get, and the owner reads why.
func TestOperatorExportsAccount(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	w.join("paul@exemple.fr")
	document, err := auth.NewAccounts(w.pool, w.clock).Export(ctx, sess.Account, "asked for by letter")
	w.must(err)
	var e map[string]any
	w.must(json.Unmarshal(document, &e))
	if e["account"].(map[string]any)["email"] != jeanne || strings.Contains(string(document), "paul@") {
		t.Errorf("export %s", document)
	}
	entries := testkit.Must(audit.List(ctx, w.pool, sess.Account, 0, 1))(t)
	if entries[0].Actor != audit.ActorOperator || entries[0].Action != audit.ActionExported ||
		entries[0].Detail["reason"] != "asked for by letter" {
		t.Errorf("recorded %+v", entries[0])
	}
}

// An owner who has lost the second factor gets back in three days after proving by mail to read the address,
// and an owner who has not lost it keeps it: a code that is used meanwhile cancels the end of it.
func TestLostSecondFactor(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	accounts := auth.NewAccounts(w.pool, w.clock)
	start := func() error { return accounts.StartFactorRecovery(ctx, sess.Account, "wrote to support") }
	testkit.WantCode(t, start(), fault.InvalidParameter, "without a second factor")
	secret, _ := w.enrol(sess)
	w.must(start())
	first := w.link(mail.FactorRecovery)
	w.must(start())
	token := w.link(mail.FactorRecovery)
	w.want(testkit.ErrorOf(w.ConfirmFactorRecovery(ctx, first, home)), auth.CodeLinkInvalid) // the last link is the one that is meant
	due := testkit.Must(w.ConfirmFactorRecovery(ctx, token, home))(t)
	if m := w.mail(mail.FactorRecoveryDue); m.Values["until"] != due.Format(time.RFC3339) ||
		!due.Equal(w.clock.Now().Add(72*time.Hour)) {
		t.Errorf("due %v, mail %+v", due, m)
	}
	w.want(testkit.ErrorOf(w.ConfirmFactorRecovery(ctx, token, home)), auth.CodeLinkInvalid)

	in := testkit.Must(w.FinishSignIn(ctx, w.signIn(jeanne, home).Pending, w.totp(secret), home))(t)
	w.clock.Advance(auth.FactorRecoveryDelay)
	w.must(w.Clean(ctx))
	if !w.session(in.Token).HasTOTP || w.recorded(sess, audit.ActionTOTPRecoveryCancelled) != 1 {
		t.Error("a code that was used did not keep the second factor")
	}

	w.must(start())
	testkit.Must(w.ConfirmFactorRecovery(ctx, w.link(mail.FactorRecovery), home))(t)
	w.clock.Advance(auth.FactorRecoveryDelay - time.Minute)
	w.must(w.Clean(ctx))
	if w.signIn(jeanne, home).Pending == "" {
		t.Error("no code is asked for before the delay is over")
	}
	access := testkit.Must(accounts.Access(ctx, sess.Account))(t)
	if access.FactorSince == nil || access.FactorEndsAt == nil || access.RecoveryCodesLeft != 10 ||
		!access.HasPassword || access.Sessions == 0 {
		t.Errorf("access %+v", access)
	}
	w.clock.Advance(time.Minute)
	w.must(w.Clean(ctx))
	w.mail(mail.TwoFactorOff)
	testkit.WantError(t, testkit.ErrorOf(w.Session(ctx, in.Token)), auth.ErrNoSession, "a session goes on")
	if in := w.signIn(jeanne, home); in.Token == "" {
		t.Error("a code is still asked for")
	}
}

// A recovery that an operator takes back ends, and one that was proved by mail of a former address ends with
// it: who reads the mail of that one would get in by it.
func TestFactorRecoveryEnds(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	w.enrol(sess)
	accounts := auth.NewAccounts(w.pool, w.clock)
	recovery := func() (token string) {
		w.must(accounts.StartFactorRecovery(ctx, sess.Account, "wrote to support"))
		return w.link(mail.FactorRecovery)
	}
	for what, end := range map[string]func() error{
		"taken back": func() error { return accounts.CancelFactorRecovery(ctx, sess.Account, "was not the owner") },
		"a new address by the operator": func() error {
			_, err := accounts.SetAddress(ctx, sess.Account, "jeanne.autre@exemple.fr", nil)
			return err
		},
		"a new address by the owner": func() error {
			w.must(w.RequestEmailChange(ctx, sess, "jeanne.neuve@exemple.fr", home))
			return w.ConfirmEmailChange(ctx, sess, w.link(mail.EmailChange), home)
		},
	} {
		testkit.Must(w.ConfirmFactorRecovery(ctx, recovery(), home))(t)
		open := recovery()
		w.must(end())
		access := testkit.Must(accounts.Access(ctx, sess.Account))(t)
		if access.FactorEndsAt != nil {
			t.Errorf("%s: the second factor ends at %v", what, access.FactorEndsAt)
		}
		w.want(testkit.ErrorOf(w.ConfirmFactorRecovery(ctx, open, home)), auth.CodeLinkInvalid)
	}
	testkit.Want(t, w.recorded(sess, audit.ActionTOTPRecoveryCancelled), 1, "cancellations are recorded")
}

// One account whose second factor cannot be turned off keeps no other one waiting, nor what else is cleaned.
func TestCleanGoesOnAfterAnError(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	stuck, _ := w.join(jeanne)
	other, _ := w.join("paul@exemple.fr")
	for _, sess := range []auth.Session{stuck, other} {
		w.enrol(sess)
	}
	testkit.Exec(t, w.pool, `UPDATE account.account SET factor_recovery_due_at = $1`, w.clock.Now())
	testkit.Exec(t, w.pool, fmt.Sprintf(`ALTER TABLE account.account
		ADD CONSTRAINT stuck CHECK (id <> %d OR totp_sealed IS NOT NULL) NOT VALID`, stuck.Account))
	testkit.Exec(t, w.pool, `INSERT INTO account.quota_notice (account_id, day, percent, sent_at)
		SELECT id, '2020-01-01', 80, '2020-01-01' FROM account.account`)
	if err := w.Clean(ctx); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("account %d", stuck.Account)) {
		t.Errorf("the error does not name the account: %v", err)
	}
	testkit.WantCount(t, w.pool, 1, "second factors are on",
		`SELECT count(*) FROM account.account WHERE totp_sealed IS NOT NULL`)
	testkit.WantCount(t, w.pool, 0, "notices are left", `SELECT count(*) FROM account.quota_notice`)
}
