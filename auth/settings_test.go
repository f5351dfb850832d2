package auth_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"arpent/app/base/audit"
	"arpent/app/base/mail"
	"arpent/auth"
	"arpent/auth/apikey"
)

// Nothing of one account can be reached with another's session: its ids do not exist there.
func TestAccountsAreApart(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.join(jeanne)
	a := w.session(w.signIn(jeanne, home).Token)
	b, _ := w.join("paul@exemple.fr")
	w.must(w.LinkIdentity(ctx, a, claim("google", "1", jeanne, true), home))
	ids, err := w.Identities(ctx, a)
	w.must(err)

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
	if err := w.Reauthenticate(ctx, mixed, goodPassword, "", home); !errors.Is(err, auth.ErrNoSession) {
		t.Errorf("mixed: %v", err)
	}
	w.want(w.EndSession(ctx, mixed, a.ID, home), "missing")
	document, err := w.Export(ctx, w.session(w.signIn("paul@exemple.fr", home).Token), home)
	w.must(err)
	if strings.Contains(string(document), "jeanne") {
		t.Error("the export of one account tells of another")
	}
}

// People see where they are signed in, and end any of it.
func TestSessionsAreListedAndEnded(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.join(jeanne)
	phone := home
	phone.Agent = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"
	w.clock.Advance(time.Hour)
	other := w.signIn(jeanne, phone)
	w.clock.Advance(time.Hour)
	sess := w.session(w.signIn(jeanne, home).Token)
	all, err := w.Sessions(ctx, sess)
	w.must(err)
	if len(all) != 3 || !all[0].Current || all[0].ID != sess.ID || all[1].Current || all[1].Device != "Safari, iPhone" ||
		all[1].Address != "192.0.2.10" || all[1].Method != "password" || all[0].Device != "Firefox, Linux" {
		t.Errorf("sessions %+v", all)
	}
	w.must(w.EndSession(ctx, sess, all[1].ID, home))
	if _, err := w.Session(ctx, other.Token); !errors.Is(err, auth.ErrNoSession) {
		t.Errorf("the ended session: %v", err)
	}
	w.want(w.EndSession(ctx, sess, all[1].ID, home), "missing")
	if n, err := w.EndOtherSessions(ctx, sess, home); n != 1 || err != nil {
		t.Errorf("ended %d, %v", n, err)
	}
	if m := w.mail(mail.SessionsEnded); m.Values["count"] != "1" {
		t.Errorf("mail %+v", m)
	}
	w.must(w.SignOut(ctx, sess, home))
	w.must(w.SignOut(ctx, sess, home))
	if n := w.count(`SELECT count(*) FROM account.session`); n != 0 {
		t.Errorf("%d sessions left", n)
	}
}

// A new password ends the other sessions and the links that were asked for before, and keeps the one at hand.
func TestChangePassword(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.join(jeanne)
	other := w.signIn(jeanne, home)
	in := w.signIn(jeanne, home)
	sess := w.session(in.Token)
	w.must(w.RequestReset(ctx, jeanne, home))
	reset := w.link(mail.Reset)
	w.want(w.ChangePassword(ctx, sess, "wrong", newPassword, home), auth.CodePasswordWrong)
	w.want(w.ChangePassword(ctx, sess, "", newPassword, home), auth.CodePasswordWrong)
	w.want(w.ChangePassword(ctx, sess, goodPassword, "motdepasse123", home), auth.CodeTooCommon)
	w.must(w.ChangePassword(ctx, sess, goodPassword, newPassword, home))
	w.mail(mail.PasswordChanged)
	w.session(in.Token)
	if _, err := w.Session(ctx, other.Token); !errors.Is(err, auth.ErrNoSession) {
		t.Errorf("another session: %v", err)
	}
	w.want(w.ResetPassword(ctx, reset, goodPassword+" encore", home), auth.CodeLinkInvalid)
	if _, err := w.SignIn(ctx, jeanne, newPassword, home); err != nil {
		t.Error(err)
	}
}

// The account moves to a new address only by a link sent there; the old one is told, and links sent to it end.
func TestChangeEmail(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	sess, _ := w.join(jeanne)
	w.join("paul@exemple.fr")
	w.want(w.RequestEmailChange(ctx, sess, "rien", home), auth.CodeEmailInvalid)
	w.want(w.RequestEmailChange(ctx, sess, " JEANNE@exemple.fr", home), auth.CodeEmailSame)
	// A taken address: the same answer, and its owner is told.
	w.must(w.RequestEmailChange(ctx, sess, "paul@exemple.fr", home))
	if m := w.mail(mail.EmailTaken); m.To != "paul@exemple.fr" || m.Link != nil {
		t.Errorf("mail %+v", m)
	}
	w.must(w.RequestEmailChange(ctx, sess, "faute@exemple.fr", home))
	typo := w.link(mail.EmailChange)
	w.must(w.RequestReset(ctx, jeanne, home))
	reset := w.link(mail.Reset)
	w.must(w.RequestEmailChange(ctx, sess, "jeanne.neuve@exemple.fr", home))
	link := w.link(mail.EmailChange)
	if m := w.mail(mail.EmailChange); m.To != "jeanne.neuve@exemple.fr" {
		t.Errorf("mail %+v", m)
	}
	w.want(w.ConfirmEmailChange(ctx, sess, typo, home), auth.CodeLinkInvalid)
	w.must(w.ConfirmEmailChange(ctx, sess, link, home))
	if m := w.mail(mail.EmailChanged); m.To != jeanne || m.Values["email"] != "jeanne.neuve@exemple.fr" {
		t.Errorf("mail %+v", m)
	}
	w.want(w.ConfirmEmailChange(ctx, sess, link, home), auth.CodeLinkInvalid)
	w.want(w.ResetPassword(ctx, reset, newPassword, home), auth.CodeLinkInvalid)
	w.signIn("jeanne.neuve@exemple.fr", home)
	_, err := w.SignIn(ctx, jeanne, goodPassword, home)
	w.want(err, auth.CodeSignIn)

	// Somebody takes the address between the request and the click.
	w.must(w.RequestEmailChange(ctx, sess, "prise@exemple.fr", home))
	link = w.link(mail.EmailChange)
	w.join("prise@exemple.fr")
	w.want(w.ConfirmEmailChange(ctx, sess, link, home), auth.CodeLinkInvalid)
}

// Whoever reads the mail of a change that a stranger asked for cannot give their address to the stranger's account, even
// by mistake; nor does it cost them the account that they are about to make.
func TestChangeEmailTakesBothProofs(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	stranger, _ := w.join("mallory@exemple.fr")
	w.must(w.RequestEmailChange(ctx, stranger, jeanne, home))
	link := w.link(mail.EmailChange)
	browser := w.signUp(jeanne)
	w.want(w.ConfirmEmailChange(ctx, auth.Session{}, link, home), auth.CodeOtherAccount)
	_, err := w.ConfirmEmail(ctx, w.link(mail.Confirm), browser, "", home)
	w.must(err)
	sess := w.session(w.signIn(jeanne, home).Token)
	if state, err := w.LookEmailChange(ctx, sess, link); err != nil || !state.Elsewhere {
		t.Errorf("the owner of the address sees %+v, %v", state, err)
	}
	w.want(w.ConfirmEmailChange(ctx, sess, link, home), auth.CodeOtherAccount)
	w.want(w.ConfirmEmailChange(ctx, stranger, link, home), auth.CodeLinkInvalid) // the address has an account
	if n := w.count(`SELECT count(*) FROM account.account WHERE email = ANY($1)`, []string{jeanne, "mallory@exemple.fr"}); n != 2 {
		t.Errorf("%d accounts are as they were, want 2", n)
	}
}

// The choices of language and mails are kept, and on record only when they change.
func TestSettings(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.join(jeanne)
	in := w.signIn(jeanne, home)
	sess := w.session(in.Token)
	w.want(w.SetLanguage(ctx, sess, "de", home), auth.CodeLanguageUnknown)
	for range 2 {
		w.must(w.SetLanguage(ctx, sess, "en", home))
		w.must(w.SetQuotaMails(ctx, sess, false, home))
	}
	if s := w.session(in.Token); s.Language != "en" || s.QuotaMails {
		t.Errorf("session %+v", s)
	}
	if w.recorded(sess, audit.ActionLanguageChanged) != 1 || w.recorded(sess, audit.ActionNotificationsChanged) != 1 {
		t.Error("not on record once")
	}
}

// The export holds all that is kept and nothing that lets somebody in; deletion leaves nothing but a record that tells
// of nobody, and ends keys and sessions.
func TestExportAndDelete(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	sess, _ := w.join(jeanne)
	secret, recovery := w.enrol(sess)
	in, err := w.FinishSignIn(ctx, w.signIn(jeanne, home).Pending, w.totp(secret), home)
	w.must(err)
	sess = w.session(in.Token)
	w.must(w.LinkIdentity(ctx, sess, claim("google", "g-1", jeanne, true), home))
	key, keySecret, err := apikey.NewStore(w.pool, w.clock).Create(ctx, sess.Account, apikey.NewKey{Name: "carte"})
	w.must(err)
	_, err = w.pool.Exec(ctx, `INSERT INTO account.usage (account_id, key_id, operation, status_class, day, requests, counted)
		VALUES ($1, $2, 'get_commune', 2, '2026-03-01', 5, 4)`, sess.Account, key.ID)
	w.must(err)
	_, err = w.pool.Exec(ctx, `WITH client AS (INSERT INTO account.assistant_client (id, name, auth_method, redirect_uris, created_at)
			VALUES ('arpi_x', 'Claude', 'none', '{https://claude.example/cb}', now()) RETURNING id)
		INSERT INTO account.assistant_grant (account_id, client_id, key_id, redirect_uri, scope, resource, created_at)
		SELECT $1, id, $2, 'https://claude.example/cb', 'mcp', 'https://arpent.example/mcp', now() FROM client`, sess.Account, key.ID)
	w.must(err)

	document, err := w.Export(ctx, sess, home)
	w.must(err)
	var e map[string]any
	w.must(json.Unmarshal(document, &e))
	for _, part := range []string{"identities", "sessions", "keys", "assistants", "usage_by_day", "audit"} {
		if list, _ := e[part].([]any); len(list) == 0 {
			t.Errorf("the export has no %s: %v", part, e[part])
		}
	}
	if e["account"].(map[string]any)["email"] != jeanne || e["usage_by_day"].([]any)[0].(map[string]any)["requests"] != 5.0 {
		t.Errorf("export %s", document)
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
	if _, err := w.Session(ctx, in.Token); !errors.Is(err, auth.ErrNoSession) {
		t.Errorf("session: %v", err)
	}
	w.isGone(sess)
	w.want(w.Delete(ctx, sess, home), "missing")
	w.want(w.SetLanguage(ctx, sess, "en", home), "missing")
	w.join(jeanne) // the address is free again
}

// isGone checks that nothing is left of an account, the only one, that tells of a person.
func (w *world) isGone(sess auth.Session) {
	w.t.Helper()
	for _, table := range []string{"account", "api_key", "usage", "identity", "recovery_code", "link", "session", "assistant_grant"} {
		if n := w.count(`SELECT count(*) FROM account.` + table); n != 0 {
			w.t.Errorf("%d rows left in %s", n, table)
		}
	}
	if w.recorded(sess, audit.ActionAccountDeleted) != 1 {
		w.t.Error("the deletion is not on record")
	}
	if n := w.count(`SELECT count(*) FROM account.audit WHERE detail <> '{}' OR address IS NOT NULL OR agent IS NOT NULL`); n != 0 {
		w.t.Errorf("%d rows of the record still tell of somebody", n)
	}
}

// What is over is removed, what still counts is not.
func TestClean(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	sess, _ := w.join(jeanne)
	w.must(w.RequestReset(ctx, jeanne, home))
	_, err := w.SignIn(ctx, jeanne, "wrong", home)
	w.want(err, auth.CodeSignIn)
	_, err = w.pool.Exec(ctx, `INSERT INTO account.quota_notice (account_id, day, percent, sent_at) VALUES ($1, $2::timestamptz::date, 80, $2::timestamptz)`, sess.Account, w.clock.Now())
	w.must(err)
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

// Browsers are named as people know them.
func TestDevice(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"": "", "something": "", "curl/8.5.0": "curl",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0": "Edge, Windows",
		"Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36":              "Chrome, Android",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15":     "Safari, macOS",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 CriOS/140.0 Mobile/15E148 Safari/604.1":        "Chrome, iPhone",
	} {
		if got := audit.Device(agent); got != want {
			t.Errorf("%q: %q, want %q", agent, got, want)
		}
	}
}
