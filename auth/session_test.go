package auth_test

import (
	"errors"
	"testing"

	"arpent/auth"
)

// Who is signed out everywhere is out, also with what was already under way: a thief's request that waits for a provider
// or for a hash does not put a new password or identity in place after the owner has ended all sessions.
func TestEndedSessionActsNoMore(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	owner, _ := w.join(jeanne)
	thief := w.session(w.signIn(jeanne, home).Token)
	enrolment, err := w.BeginTOTP(ctx, thief)
	w.must(err)
	_, err = w.EndOtherSessions(ctx, owner, home)
	w.must(err)
	for name, act := range map[string]func() error{
		"password": func() error { return w.ChangePassword(ctx, thief, goodPassword, newPassword, home) },
		"email":    func() error { return w.RequestEmailChange(ctx, thief, "autre@exemple.fr", home) },
		"link":     func() error { return w.LinkIdentity(ctx, thief, claim("google", "1", jeanne, true), home) },
		"second": func() error {
			_, err := w.EnableTOTP(ctx, thief, enrolment.Sealed, w.totp(enrolment.Secret), home)
			return err
		},
		"export":   func() error { _, err := w.Export(ctx, thief, home); return err },
		"sessions": func() error { return w.EndAllSessions(ctx, thief, home) },
		"deletion": func() error { return w.Delete(ctx, thief, home) },
	} {
		if err := act(); !errors.Is(err, auth.ErrNoSession) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.session(w.signIn(jeanne, home).Token)
}
