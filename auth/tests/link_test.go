package auth_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/internal/audit"
	"arpent/internal/mail"
)

// A link in a mail works once, in its time, for what it was sent for, and only as we made it.
func TestLinks(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	browser := w.signUp(jeanne)
	confirm := w.link(mail.Confirm)
	w.must(w.RequestReset(ctx, jeanne, home))
	reset := w.link(mail.Reset)

	raw := testkit.Must(base64.RawURLEncoding.DecodeString(confirm))(t)
	flipped := append([]byte{}, raw...)
	flipped[len(flipped)-1] ^= 1
	next := append([]byte{}, raw...)
	next[7]++ // another row, the same proof
	for _, bad := range []string{"", "x", confirm + "A", confirm[1:], reset, base64.RawURLEncoding.EncodeToString(flipped),
		base64.RawURLEncoding.EncodeToString(next), confirm + "="} {
		state, err := w.Look(ctx, auth.PurposeConfirm, bad)
		if err != nil || state != (auth.LinkState{}) {
			t.Errorf("look at %q: %+v, %v", bad, state, err)
		}
		w.want(testkit.ErrorOf(w.ConfirmEmail(ctx, bad, "", "", home)), auth.CodeLinkInvalid)
	}
	w.want(w.ResetPassword(ctx, confirm, newPassword, home), auth.CodeLinkInvalid)
	w.want(w.ConfirmEmailChange(ctx, auth.Session{}, confirm, home), auth.CodeLinkInvalid)

	testkit.Must(w.ConfirmEmail(ctx, confirm, browser, "", home))(t)
	w.want(testkit.ErrorOf(w.ConfirmEmail(ctx, confirm, browser, "", home)), auth.CodeLinkInvalid)
	if state, _ := w.Look(ctx, auth.PurposeConfirm, confirm); state.Valid || !state.Used || state.Email != jeanne {
		t.Errorf("a used link: %+v", state)
	}

	w.clock.Advance(time.Hour)
	w.want(w.ResetPassword(ctx, reset, newPassword, home), auth.CodeLinkInvalid)
	if state, _ := w.Look(ctx, auth.PurposeReset, reset); state.Valid || !state.Expired || state.Used {
		t.Errorf("an old link: %+v", state)
	}
	other := auth.New(auth.Options{DB: w.pool, Clock: w.clock, Secret: []byte("another server's secret, 32 byte")})
	if token, err := other.LinkToken(ctx, "confirm", 1); err != nil || token == confirm {
		t.Errorf("links do not depend on the secret: %v", err)
	}
	testkit.WantError(t, testkit.ErrorOf(w.LinkToken(ctx, "confirm", 999999)),
		mail.ErrNoLink, "a link that is gone")
}

// Confirmation links are good for a day, to the second.
func TestConfirmationExpires(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.signUp(jeanne)
	link := w.link(mail.Confirm)
	w.clock.Advance(24*time.Hour - time.Second)
	if state, _ := w.Look(ctx, auth.PurposeConfirm, link); !state.Valid {
		t.Errorf("a second before: %+v", state)
	}
	w.clock.Advance(time.Second)
	w.want(testkit.ErrorOf(w.ConfirmEmail(ctx, link, "", "", home)), auth.CodeLinkInvalid)
}

// Of two clicks at the same moment one does it.
func TestSimultaneousUsesSpendALinkOnce(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	browser := w.signUp(jeanne)
	confirm := w.link(mail.Confirm)
	if won := runConcurrently(8, func() bool {
		in, err := w.ConfirmEmail(ctx, confirm, browser, "", home)
		return err == nil && in != nil
	}); won != 1 {
		t.Errorf("%d of 8 confirmations won", won)
	}
	testkit.WantCount(t, w.pool, 1, "sessions", `SELECT count(*) FROM account.session`)
	w.must(w.RequestReset(ctx, jeanne, home))
	reset := w.link(mail.Reset)
	if won := runConcurrently(4, func() bool { return w.ResetPassword(ctx, reset, newPassword, home) == nil }); won != 1 {
		t.Errorf("%d of 4 resets won", won)
	}
}

// runConcurrently runs act n times at once and counts how often it was true.
func runConcurrently(n int, act func() bool) int {
	var won atomic.Int64
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			if act() {
				won.Add(1)
			}
		})
	}
	wg.Wait()
	return int(won.Load())
}

// Nothing in the database, the queue of mails included, is enough to follow a link.
func TestLinksAreNotStored(t *testing.T) {
	w := newWorld(t)
	w.signUp(jeanne)
	link := w.link(mail.Confirm)
	n := w.count(`SELECT count(*) FROM account.link l WHERE position($1 IN l::text) > 0`, link) +
		w.count(`SELECT count(*) FROM job.river_job j WHERE position($1 IN j::text) > 0`, link)
	if n != 0 {
		t.Error("the link is stored")
	}
}

// A reset gives the account back to the person who reads its mail: the sessions end,
// the old password with them.
func TestReset(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	in := w.signIn(jeanne, home)
	w.must(w.RequestReset(ctx, "JEANNE@exemple.fr", home))
	first := w.link(mail.Reset)
	w.clock.Advance(2 * time.Minute)
	w.must(w.RequestReset(ctx, jeanne, home))
	link := w.link(mail.Reset)
	w.must(w.RequestEmailChange(ctx, sess, "voleur@exemple.fr", home)) // by who is in the account
	email := w.link(mail.EmailChange)
	testkit.Exec(t, w.pool, `WITH c AS (INSERT INTO account.assistant_client (id, name, auth_method, redirect_uris, created_at)
			VALUES ('c', 'C', 'none', '{http://localhost/}', now()) RETURNING id)
		INSERT INTO account.assistant_code (code_hash, account_id, client_id, redirect_uri, challenge, scope, resource, created_at, expires_at)
		SELECT sha256('a'), $1, id, 'http://localhost/', repeat('x', 43), 'mcp', 'x', now(), now() + interval '1 minute' FROM c`, sess.Account)
	for range 6 { // somebody guesses
		_, _ = w.SignIn(ctx, jeanne, "wrong", originAt("198.51.100.3"))
	}
	hashes := w.hasher.Done()
	w.want(w.ResetPassword(ctx, "nonsense", newPassword, home), auth.CodeLinkInvalid)
	w.want(w.ResetPassword(ctx, link, "short", home), auth.CodeTooShort)
	if w.hasher.Done() != hashes {
		t.Error("a bad link or password cost a hash")
	}
	w.must(w.ResetPassword(ctx, link, newPassword, home))
	w.mail(mail.PasswordChanged)
	testkit.WantError(t, testkit.ErrorOf(w.Session(ctx, in.Token)),
		auth.ErrNoSession, "a session outlives the reset")
	w.want(w.ResetPassword(ctx, first, newPassword, home), auth.CodeLinkInvalid)
	_, err := w.SignIn(ctx, jeanne, goodPassword, home)
	w.want(err, auth.CodeSignIn)
	if in, err = w.SignIn(ctx, jeanne, newPassword, home); err != nil {
		t.Fatalf("the new password: %v", err)
	}
	w.want(w.ConfirmEmailChange(ctx, w.session(in.Token), email, home), auth.CodeLinkInvalid)
	testkit.WantCount(t, w.pool, 0, "an authorization from before can still be exchanged",
		`SELECT count(*) FROM account.assistant_code`)
	if w.recorded(sess, audit.ActionPasswordReset) != 1 || w.recorded(sess, audit.ActionPasswordResetAsked) != 2 {
		t.Error("the reset is not on record")
	}
}

// Somebody who signs up with an address that is not theirs keeps nothing of it once its owner comes:
// no session, no identity, no second factor.
func TestResetTakesAnUnconfirmedAccountBack(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.signUp(jeanne)
	var squatter auth.Session
	confirmed := func(at *time.Time) {
		testkit.Exec(t, w.pool, `UPDATE account.account SET email_confirmed_at = $1`, at)
	}
	now := w.clock.Now()
	confirmed(&now) // as if the rule below had not been kept
	squatter = w.session(w.signIn(jeanne, home).Token)
	w.must(w.LinkIdentity(ctx, squatter, auth.Claim{Provider: "github", Subject: "squatter"}, home))
	w.enrol(squatter)
	confirmed(nil)
	w.want(w.LinkIdentity(ctx, squatter, auth.Claim{Provider: "gitlab", Subject: "squatter"}, home), auth.CodeConfirmFirst)
	w.must(w.RequestReset(ctx, jeanne, home))
	w.must(w.ResetPassword(ctx, w.link(mail.Reset), newPassword, home))
	in := testkit.Must(w.SignIn(ctx, jeanne, newPassword, home))(t)
	if in.Pending != "" {
		t.Fatal("the squatter's second factor is asked")
	}
	sess := w.session(in.Token)
	if ids, err := w.Identities(ctx, sess); err != nil || len(ids) != 0 || !sess.Confirmed || sess.HasTOTP {
		t.Errorf("left over: %+v %+v, %v", ids, sess, err)
	}
	testkit.WantCount(t, w.pool, 1, "sessions", `SELECT count(*) FROM account.session`)
}

// Nor once its owner has followed the link in the mail: a visitor who asks for an account with
// somebody else's address, by a password or through a provider that vouches for nothing,
// prepares no way in to the account that it becomes.
func TestSquatterPreparesNoWayIn(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	squatter := newClaim("github", "squatter", jeanne, false)
	_, err := w.SignInWithIdentity(ctx, squatter, home)
	if !errors.Is(err, auth.ErrMailSent) {
		t.Fatal(err)
	}
	for range 6 { // somebody guesses
		_, _ = w.SignIn(ctx, jeanne, "wrong", originAt("198.51.100.3"))
	}
	testkit.Must(w.ConfirmEmail(ctx, w.link(mail.Confirm), "", newPassword, home))(t)
	if _, err := w.SignIn(ctx, jeanne, newPassword, home); err != nil {
		t.Errorf("the chosen password: %v", err)
	}
	if in, err := w.SignInWithIdentity(ctx, squatter, home); !errors.Is(err, auth.ErrMailSent) || in.Token != "" {
		t.Errorf("the squatter is in: %+v, %v", in, err)
	}
	w.must(w.RequestReset(ctx, jeanne, home))
	w.must(w.ResetPassword(ctx, w.link(mail.Reset), newPassword, home))
	if in, err := w.SignIn(ctx, jeanne, newPassword, home); err != nil || in.Pending != "" {
		t.Errorf("the owner: %+v, %v", in, err)
	}
	testkit.WantCount(t, w.pool, 0, "identities", `SELECT count(*) FROM account.identity`)
}

// The person who follows a link goes on to where its requester was going, also by a link that was sent again
// from a page that knows nothing of it; and the browser that waits can see it, and no other.
func TestLinkRemembersWhereTo(t *testing.T) {
	w := newWorld(t)
	const next = "/oauth/authorize?state=a%2Bb&x=+%20"
	o := home
	o.Next = next
	browser := testkit.Must(w.SignUp(t.Context(), jeanne, goodPassword, o))(t)
	followed := func(browser string, want bool) {
		t.Helper()
		if got, err := w.Followed(t.Context(), browser); err != nil || got != want {
			t.Errorf("followed: %v, %v; want %v", got, err, want)
		}
	}
	followed(browser, false)
	w.clock.Advance(2 * time.Minute)
	w.must(w.ResendConfirmation(t.Context(), jeanne, "", home))
	link := w.link(mail.Confirm)
	state := testkit.Must(w.Look(t.Context(), auth.PurposeConfirm, link))(t)
	if state.Next != next {
		t.Errorf("leads on to %q", state.Next)
	}
	testkit.Must(w.ConfirmEmail(t.Context(), link, "", newPassword, home))(t)
	followed(browser, true)
	known := testkit.Must(w.SignUp(t.Context(), jeanne, goodPassword, o))(t)
	for _, other := range []string{known, "", "x", browser[1:] + "A"} {
		followed(other, false)
	}
	w.must(w.RequestReset(t.Context(), jeanne, o))
	state = testkit.Must(w.Look(t.Context(), auth.PurposeReset, w.link(mail.Reset)))(t)
	if state.Next != next {
		t.Errorf("a reset leads on to %q", state.Next)
	}
}

// rotate makes a service that goes on with a new secret and the ones that are given as those of before.
func (w *world) rotate(secret []byte, former ...[]byte) *world {
	w.t.Helper()
	next := *w
	next.Service = auth.New(auth.Options{DB: w.pool, Clock: w.clock, Secret: secret, Former: former, Passwords: w.hasher})
	return &next
}

// Who signed in, enrolled a second factor or waits for a link loses nothing when the server's
// secret is replaced; a second factor that was used since needs the former secret no more, and
// nothing is good for a server that has neither.
func TestRotationOfTheSecret(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	one, two, other := make([]byte, 32), bytes.Repeat([]byte{2}, 32), bytes.Repeat([]byte{3}, 32)
	sess, _ := w.join(jeanne)
	factor, _ := w.enrol(sess)
	pending := w.signIn(jeanne, home)
	_, device := w.join("paul@exemple.fr")
	known := home
	known.Device = device
	w.must(w.RequestReset(ctx, jeanne, home))
	reset := w.link(mail.Reset)

	next, without := w.rotate(two, one), w.rotate(other, two)
	if st, err := without.Look(ctx, auth.PurposeReset, reset); err != nil || st.Valid {
		t.Errorf("a link of an unknown secret: %+v, %v", st, err)
	}
	if _, err := without.FinishSignIn(ctx, pending.Pending, w.totp(factor), home); err == nil {
		t.Error("a sign-in of an unknown secret is finished")
	}
	if st, err := next.Look(ctx, auth.PurposeReset, reset); err != nil || !st.Valid {
		t.Errorf("a link of the former secret: %+v, %v", st, err)
	}
	done, err := next.FinishSignIn(ctx, pending.Pending, w.totp(factor), home)
	if err != nil || done.Token == "" {
		t.Fatalf("a sign-in that began under the former secret: %v", err)
	}
	for server, want := range map[*world]bool{next: true, without: false} {
		if in := server.signIn("paul@exemple.fr", known); (in.Device == device) != want {
			t.Errorf("a browser of before is known: %v, want %v", !want, want)
		}
	}

	w.clock.Advance(time.Minute)
	alone := w.rotate(two)
	in := alone.signIn(jeanne, home)
	if done, err := alone.FinishSignIn(ctx, in.Pending, w.totp(factor), home); err != nil || done.Token == "" {
		t.Errorf("the second factor was not sealed anew when it was used: %v", err)
	}
	if st, err := alone.Look(ctx, auth.PurposeReset, reset); err != nil || st.Valid {
		t.Errorf("a link of a secret that is gone: %+v, %v", st, err)
	}
}

// After a restore from a backup numbers are given again. A mail, or a cookie, of what was lost
// opens nothing of the account that has its number now.
func TestNumbersGivenAgain(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	_, device := w.join(jeanne)
	w.must(w.RequestReset(ctx, jeanne, home))
	lost := w.link(mail.Reset)
	var number, account int64
	w.must(w.pool.QueryRow(ctx, `SELECT max(id) FROM account.link`).Scan(&number))
	w.must(w.pool.QueryRow(ctx, `SELECT id FROM account.account`).Scan(&account))
	_, err := w.pool.Exec(ctx, `DELETE FROM account.account`)
	w.must(err)

	w.clock.Advance(2 * time.Minute)
	w.join("paul@exemple.fr")
	w.must(w.RequestReset(ctx, "paul@exemple.fr", home))
	testkit.Exec(t, w.pool, `SET session_replication_role = replica`)
	for _, sql := range []string{
		`UPDATE account.link SET id = DEFAULT`, `ALTER TABLE account.link ALTER id SET GENERATED BY DEFAULT`,
		`INSERT INTO account.link (id, account_id, purpose, email, created_at, expires_at)
			SELECT $1, account_id, purpose, email, created_at, expires_at FROM account.link WHERE purpose = 'reset'`,
	} {
		if sql[0] == 'I' {
			_, err = w.pool.Exec(ctx, sql, number)
		} else {
			_, err = w.pool.Exec(ctx, sql)
		}
		w.must(err)
	}
	if state, err := w.Look(ctx, auth.PurposeReset, lost); err != nil || state != (auth.LinkState{}) {
		t.Errorf("a link of before opens the row of somebody else: %+v, %v", state, err)
	}
	w.want(w.ResetPassword(ctx, lost, newPassword, home), auth.CodeLinkInvalid)

	// The account of another has the number: the browser that was known there is not known here.
	testkit.Exec(t, w.pool, `ALTER TABLE account.account ALTER id SET GENERATED BY DEFAULT`)
	testkit.Exec(t, w.pool, `INSERT INTO account.account (id, email, email_confirmed_at, password_hash, created_at, updated_at)
		SELECT $1, 'lea@exemple.fr', email_confirmed_at, password_hash, created_at, updated_at FROM account.account`, account)
	known := home
	known.Device = device
	in := w.signIn("lea@exemple.fr", known)
	if in.Device == device {
		t.Error("the browser of somebody else is known")
	}
	w.mail(mail.NewSignIn)
}
