package auth_test

import (
	"bytes"
	"testing"
	"time"

	"arpent/app/base/mail"
	"arpent/auth"
)

// rotate makes a service that goes on with a new secret and the ones that are given as those of before.
func (w *world) rotate(secret []byte, former ...[]byte) *world {
	w.t.Helper()
	next := *w
	next.Service = auth.New(auth.Options{DB: w.pool, Clock: w.clock, Secret: secret, Former: former})
	next.HashWith(w.hasher)
	return &next
}

// Who signed in, enrolled a second factor or waits for a link loses nothing when the server's secret is replaced; a second
// factor that was used since needs the former secret no more, and nothing is good for a server that has neither.
func TestRotationOfTheSecret(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	one, two, other := make([]byte, 32), bytes.Repeat([]byte{2}, 32), bytes.Repeat([]byte{3}, 32)
	sess, device := w.join(jeanne)
	factor, _ := w.enrol(sess)
	pending := w.signIn(jeanne, home)
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
	for server, want := range map[*auth.Service]bool{next.Service: true, without.Service: false} {
		if known, err := server.KnowsDevice(ctx, device, sess.Account); err != nil || known != want {
			t.Errorf("a browser of before is known: %v, %v; want %v", known, err, want)
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
