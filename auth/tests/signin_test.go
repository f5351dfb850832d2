package auth_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/password"
	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/mail"
)

// Guessing is slowed down to four tries an hour, and what slows it down ends by itself: an owner with a new
// browser waits a quarter of an hour at most, one with a browser that we know does not wait at all.
func TestGuessingIsSlowedDown(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	_, device := w.join(jeanne)
	tried := 0
	var longest time.Duration
	for end := w.clock.Now().Add(3 * time.Hour); w.clock.Now().Before(end); {
		// Another network each time: this is about the account.
		_, err := w.SignIn(ctx, jeanne, "wrong", originAt(fmt.Sprintf("10.%d.%d.1", tried/250, tried%250)))
		var p *auth.Problem
		if !errors.As(err, &p) {
			t.Fatal(err)
		}
		if p.Code == auth.CodeSignIn {
			tried++
			continue
		}
		longest = max(longest, p.Wait)
		w.clock.Advance(p.Wait)
	}
	if longest != 15*time.Minute {
		t.Errorf("the longest pause is %v", longest)
	}
	if tried < 15 || tried > 30 {
		t.Errorf("%d guesses in three hours", tried)
	}
	w.want(testkit.ErrorOf(w.SignIn(ctx, jeanne, "wrong", originAt("203.0.113.77"))), auth.CodeSignIn)
	owner := home
	w.want(testkit.ErrorOf(w.SignIn(ctx, jeanne, goodPassword, owner)), auth.CodeWait)
	owner.Device = device
	if in, err := w.SignIn(ctx, jeanne, goodPassword, owner); err != nil || in.Device != device {
		t.Errorf("the owner's own browser: %v", err)
	}
	// The owner's sign-in did not lift the guesser's wait, and trying did not prolong the owner's wait.
	w.want(testkit.ErrorOf(w.SignIn(ctx, jeanne, goodPassword, home)), auth.CodeWait)
	for range 99 {
		w.clock.Advance(9 * time.Second)
		_, _ = w.SignIn(ctx, jeanne, "wrong", originAt("203.0.113.77"))
	}
	w.clock.Advance(9 * time.Second)
	if _, err := w.SignIn(ctx, jeanne, goodPassword, home); err != nil {
		t.Errorf("after a quarter of an hour: %v", err)
	}
	// Success starts anew.
	for range 4 {
		w.want(testkit.ErrorOf(w.SignIn(ctx, jeanne, "wrong", home)), auth.CodeSignIn)
	}
}

// The device cookie exempts one account only: not another account, not a cookie that
// was never given, and it has its own count.
func TestDeviceCookieIsBound(t *testing.T) {
	w, ctx, _ := joinWorld(t)
	_, foreign := w.join("paul@exemple.fr")
	for range 5 {
		w.want(testkit.ErrorOf(w.SignIn(ctx, jeanne, "wrong", home)), auth.CodeSignIn)
	}
	for _, device := range []string{"", foreign, foreign + "x", "AAAA"} {
		o := home
		o.Device = device
		w.want(testkit.ErrorOf(w.SignIn(ctx, jeanne, goodPassword, o)), auth.CodeWait)
	}
	w.clock.Advance(time.Hour)
	own := w.signIn(jeanne, home).Device
	o := home
	o.Device = own
	for range 5 {
		w.want(testkit.ErrorOf(w.SignIn(ctx, jeanne, "wrong", o)), auth.CodeSignIn)
	}
	w.want(testkit.ErrorOf(w.SignIn(ctx, jeanne, goodPassword, o)), auth.CodeWait)
	if _, err := w.SignIn(ctx, jeanne, goodPassword, home); err != nil {
		t.Errorf("failures of one device count against others: %v", err)
	}
}

// Guesses sent all at once cannot slip through before the first of them is counted.
func TestSimultaneousGuessesAreCounted(t *testing.T) {
	w, ctx, _ := joinWorld(t)
	var judged atomic.Int64
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			_, err := w.SignIn(ctx, jeanne, "wrong", home)
			if problemCode(t, err) == auth.CodeSignIn {
				judged.Add(1)
			}
		})
	}
	wg.Wait()
	if n := judged.Load(); n != 5 {
		t.Errorf("%d of 40 guesses at once were judged, want 5", n)
	}
}

// One network that tries a common password on many accounts is slowed
// down; its neighbour is not. IPv6 counts by /64.
func TestNetworkIsSlowedDown(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	judged := 0
	for i := range 30 {
		_, err := w.SignIn(ctx, fmt.Sprintf("user%d@exemple.fr", i), "wrong", originAt(fmt.Sprintf("2001:db8:1:2::%d", i+1)))
		if problemCode(t, err) == auth.CodeSignIn {
			judged++
		}
	}
	if judged != 20 {
		t.Errorf("%d of 30 judged, want 20", judged)
	}
	_, err := w.SignIn(ctx, "other@exemple.fr", "wrong", originAt("2001:db8:1:3::1"))
	w.want(err, auth.CodeSignIn)
	w.clock.Advance(31 * time.Minute)
	_, err = w.SignIn(ctx, "other@exemple.fr", "wrong", originAt("2001:db8:1:2::1"))
	w.want(err, auth.CodeSignIn)
}

// A mail reports a sign-in on a browser that was not seen before, and not the others.
func TestNewDeviceIsReported(t *testing.T) {
	w := newWorld(t)
	_, device := w.join(jeanne)
	o := home
	o.Device = device
	w.signIn(jeanne, o)
	if n := len(w.mails()); n != 1 {
		t.Errorf("%d mails, want that of the sign-up only", n)
	}
	in := w.signIn(jeanne, originAt("2001:db8::7"))
	if in.Device == "" || in.Device == device {
		t.Errorf("device %q", in.Device)
	}
	m := w.mail(mail.NewSignIn)
	if m.To != jeanne || m.Values["device"] != "Firefox, Linux" || m.Values["address"] != "2001:db8::7" || m.Values["at"] != "2026-03-01T12:00:00Z" {
		t.Errorf("mail %+v", m)
	}
}

// When too many sign in at once the rest is asked to come back, and no try is lost.
func TestTooManySimultaneousSignIns(t *testing.T) {
	w, ctx, _ := joinWorld(t)
	full := auth.New(auth.Options{DB: w.pool, Clock: w.clock, Secret: make([]byte, 32), Passwords: password.NewHasher(0, 0, time.Minute)})
	for range 10 { // more than the free tries: none of them counts
		_, err := full.SignIn(ctx, jeanne, goodPassword, home)
		w.want(err, auth.CodeBusy)
		if f := fault.From(err); f.Code != fault.Unavailable || f.RetryAfter <= 0 {
			t.Errorf("a full queue is %+v", f)
		}
	}
	w.want(testkit.ErrorOf(full.SignUp(ctx, "paul@exemple.fr", goodPassword, home)), auth.CodeBusy)
	w.signIn(jeanne, home)
}

// Failed and successful sign-ins are on record with where they came from.
func TestSignInsAreRecorded(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	w.want(testkit.ErrorOf(w.SignIn(ctx, jeanne, "wrong", originAt("198.51.100.9"))), auth.CodeSignIn)
	w.signIn(jeanne, home)
	entries := testkit.Must(audit.List(ctx, w.pool, sess.Account, 0, 2))(t)
	if len(entries) != 2 || entries[0].Action != audit.ActionSignedIn || entries[1].Action != audit.ActionSignInFailed ||
		entries[1].Address.String() != "198.51.100.9" || entries[1].Actor != audit.ActorAccount || entries[1].Agent == "" {
		t.Errorf("record %+v", entries)
	}
}

// weaken stores the good password as a server with cheaper parameters did, and gives what it stored.
func (w *world) weaken() string {
	w.t.Helper()
	weaker := password.Cost
	weaker.Memory, weaker.Iterations = 1024, 1
	hash := testkit.Must(argon2id.CreateHash(goodPassword, &weaker))(w.t)
	testkit.Exec(w.t, w.pool, `UPDATE account.account SET password_hash = $1`, hash)
	return hash
}

func sameCost(hash string) bool {
	p, _, _, err := argon2id.DecodeHash(hash)
	return err == nil && *p == password.Cost
}

func (w *world) stored() (hash string, changed *time.Time) {
	w.t.Helper()
	w.must(w.pool.QueryRow(w.t.Context(), `SELECT password_hash, password_changed_at FROM account.account`).Scan(&hash, &changed))
	return hash, changed
}

// A hash that was made with other parameters is accepted, and made anew with those of today by the sign-in
// that proves the password. It is the same password: sessions stay, and so does the date of its last change.
func TestOldHashesAreRenewed(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	before := w.signUpAndIn()
	old := w.weaken()
	_, changed := w.stored()
	w.want(testkit.ErrorOf(w.SignIn(ctx, jeanne, "wrong", home)), auth.CodeSignIn)
	if hash, _ := w.stored(); hash != old {
		t.Error("a wrong password changed the hash")
	}
	w.signIn(jeanne, home)
	renewed, changedNow := w.stored()
	if !sameCost(renewed) || !reflect.DeepEqual(changed, changedNow) {
		t.Errorf("after the sign-in: %s, changed at %v, before at %v", renewed, changedNow, changed)
	}
	w.session(before)
	w.signIn(jeanne, home)
	if again, _ := w.stored(); again != renewed {
		t.Error("a hash of today was made anew")
	}
}

// The second factor completes the sign-in whose first factor renewed the hash.
func TestOldHashIsRenewedBeforeTheSecondFactor(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	secret, _ := w.enrol(sess)
	w.weaken()
	in := w.signIn(jeanne, home)
	if done, err := w.FinishSignIn(ctx, in.Pending, w.totp(secret), home); err != nil || done.Token == "" {
		t.Errorf("finish: %+v, %v", done, err)
	}
	if hash, _ := w.stored(); !sameCost(hash) {
		t.Errorf("not renewed: %s", hash)
	}
}

// signUpAndIn gives the cookie of a session.
func (w *world) signUpAndIn() string {
	w.t.Helper()
	w.join(jeanne)
	return w.signIn(jeanne, home).Token
}

// Who guesses at many accounts from one network gains nothing by signing
// in to one of their own between the guesses.
func TestOwnAccountDoesNotForgiveTheNetwork(t *testing.T) {
	w, ctx, _ := joinWorld(t)
	for n := range 20 {
		_, err := w.SignIn(ctx, fmt.Sprintf("a%d@exemple.fr", n), "wrong", home)
		w.want(err, auth.CodeSignIn)
		if n%5 == 0 {
			w.signIn(jeanne, home)
		}
	}
	w.want(testkit.ErrorOf(w.SignIn(ctx, "encore@exemple.fr", "wrong", home)), auth.CodeWait)
}

// What is proved counts for the account as it is once it is proved: a password that was replaced while it was
// checked opens nothing, a second factor that was turned on since is asked for, and nothing is written
// about a sign-up that another took the place of.
func TestSimultaneousChangeOfAnAccountBeingProved(t *testing.T) {
	type proof func(w *world, sess auth.Session) error
	signIn := func(w *world, _ auth.Session) error {
		_, err := w.SignIn(w.t.Context(), jeanne, goodPassword, home)
		return err
	}
	for name, tc := range map[string]struct {
		sql  string
		act  proof
		want string
	}{
		"new password": {`UPDATE account.account SET password_hash = 'other'`, signIn, auth.CodeSignIn},
		"new sign-up":  {`UPDATE account.account SET password_hash = 'other', email_confirmed_at = NULL`, signIn, auth.CodeSignIn},
		"second factor": {`UPDATE account.account SET totp_sealed = 'x', totp_enabled_at = now()`, func(w *world, sess auth.Session) error {
			return w.Reauthenticate(w.t.Context(), sess, goodPassword, "", home)
		}, auth.CodeCodeWrong},
	} {
		t.Run(name, func(t *testing.T) {
			w, ctx, sess := joinWorld(t)
			if name == "new sign-up" { // whose address is yet to be confirmed
				testkit.Exec(t, w.pool, `UPDATE account.account SET email_confirmed_at = NULL`)
			}
			w.clock.Advance(2 * time.Minute)
			mails := len(w.mails())
			changing := testkit.Must(w.pool.Begin(ctx))(t)
			defer changing.Rollback(context.WithoutCancel(ctx))
			testkit.Must(changing.Exec(ctx, tc.sql))(t)
			ended := make(chan error, 1)
			go func() { ended <- tc.act(w, sess) }()
			testkit.Eventually(t, testkit.Timeout, "the account is waited for", func() bool {
				return w.count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) > 0
			})
			w.must(changing.Commit(ctx))
			w.want(<-ended, tc.want)
			if n := len(w.mails()); n != mails {
				t.Errorf("%d mails", n-mails)
			}
		})
	}
}
