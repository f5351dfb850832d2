package auth_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"arpent/app/base/clock"
	"arpent/app/base/fault"
	"arpent/app/dev/testkit"
	"arpent/auth"
)

func store(t *testing.T) *auth.Accounts {
	pool, _ := testkit.DB(t)
	return auth.NewAccounts(pool, clock.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)))
}

// An account is found again under its address however it is typed, and no address has two accounts.
func TestCreateAndFind(t *testing.T) {
	t.Parallel()
	s, ctx := store(t), t.Context()
	made, err := s.Create(ctx, auth.NewAccount{Email: " Jeanne.Dupont@Exemple.FR ", Plan: "pro", Password: "un cheval bleu galope"})
	if err != nil {
		t.Fatal(err)
	}
	if made.Email != "jeanne.dupont@exemple.fr" || made.Confirmed() || made.Plan != "pro" {
		t.Errorf("created %+v", made)
	}
	found, err := s.ByEmail(ctx, "JEANNE.DUPONT@exemple.fr")
	if err != nil || found.ID != made.ID {
		t.Errorf("found %+v, %v", found, err)
	}
	if _, err := s.Create(ctx, auth.NewAccount{Email: "jeanne.dupont@exemple.FR", Plan: "free"}); !errors.Is(err, auth.ErrEmailTaken) {
		t.Errorf("a second account with one address: %v", err)
	}
	if _, err := s.ByEmail(ctx, "personne@exemple.fr"); fault.From(err).Code != fault.NotFound {
		t.Errorf("an unknown address: %v", err)
	}
	all, err := s.List(ctx)
	if err != nil || len(all) != 1 {
		t.Errorf("listed %d accounts, %v", len(all), err)
	}
}

// What the operator grants is stored, can be taken back, and never touches the plan.
func TestChange(t *testing.T) {
	t.Parallel()
	s, ctx := store(t), t.Context()
	a, err := s.Create(ctx, auth.NewAccount{Email: "a@exemple.fr", Plan: "standard"})
	if err != nil {
		t.Fatal(err)
	}
	if a, err = s.Confirm(ctx, a.ID); err != nil || !a.Confirmed() {
		t.Errorf("confirm: %+v, %v", a, err)
	}
	n, note := 500, "research"
	if a, err = s.SetLimits(ctx, a.ID, auth.OwnLimits{PerDay: &n, Note: &note}); err != nil ||
		*a.Own.PerDay != n || a.Own.PerMinute != nil || a.Plan != "standard" || *a.Own.Note != note {
		t.Errorf("limits: %+v, %v", a, err)
	}
	if a, err = s.SetLimits(ctx, a.ID, auth.OwnLimits{}); err != nil || a.Own.PerDay != nil {
		t.Errorf("limits taken back: %+v, %v", a, err)
	}
	zero := 0
	if _, err = s.SetLimits(ctx, a.ID, auth.OwnLimits{PerMinute: &zero}); fault.From(err).Code != fault.InvalidParameter {
		t.Errorf("a limit of zero: %v", err)
	}
	if _, err = s.SetLimits(ctx, a.ID+1, auth.OwnLimits{}); fault.From(err).Code != fault.NotFound {
		t.Errorf("limits of nobody: %v", err)
	}
}

// Only what can receive a letter is an address, so that a confirmation has somewhere to go.
func TestNormalEmail(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"a@b.fr": "a@b.fr", "  A+tag@B.Example ": "a+tag@b.example", "dev@localhost": "dev@localhost",
		"": "", "a": "", "a@": "", "@b": "", "a@b@c": "", "A <a@b.fr>": "", "a@b.fr (me)": "", "a b@c.fr": "",
		"a@b..fr": "", "a@-b.fr": "", "a@[127.0.0.1]": "", "\"x y\"@b.fr": "", "a@b.fr\nBcc: c@d.fr": "", "a\x00@b.fr": "", "\u202ea@b.fr": "", "a\u200b@b.fr": "",
		strings.Repeat("a", 65) + "@b.fr": "", "a@" + strings.Repeat("b.", 130) + "fr": "",
	} {
		got, err := auth.NormalEmail(address)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v", address, got, err)
		}
	}
}

// A password that is tried first by whoever guesses is refused before it protects anything.
func TestCheckPassword(t *testing.T) {
	t.Parallel()
	for password, good := range map[string]bool{
		"un cheval bleu galope": true, "é7!kLpQ2xZm9": true, strings.Repeat("kz7 wq", 21): true,
		"correct horse stapler batteries": true, "ils sont fous ces romains !": true,
		"short": false, "elevenchars": false, strings.Repeat("abcdef", 22): false, "aaaaaaaaaaaaaaaa": false,
		"121212121212": false, "123456789012": false, "MotDePasse2026!": false, "Password123!!": false,
		"azertyuiop12": false, "jeanne@exemple.fr": false, "bad\xffutf8 password": false, "Mot de passe 1234": false,
		"OlympiqueDeMarseille": false, "soleil-soleil-soleil": false, "sésameouvretoi": false, "Jeanne-1984-fr": false,
		"nicolas nicolas": false, "M0td3p@sse-s0l3il": false, "m@rs31ll3 2024": false, "qsdfghjklmazer": false, "loulou.chouchou": false, "abcabcabcabcabcabcabc": false,
	} {
		if err := auth.CheckPassword(password, "jeanne@exemple.fr"); (err == nil) != good {
			t.Errorf("%q: %v", password, err)
		}
	}
}

// Nothing a stranger types as an address makes us fail or stores it in two forms.
func FuzzNormalEmail(f *testing.F) {
	f.Add("a@b.fr")
	f.Add("A <a@b.fr>")
	f.Add("İ@b.fr")
	f.Fuzz(func(t *testing.T, address string) {
		once, err := auth.NormalEmail(address)
		if err != nil {
			return
		}
		if twice, err := auth.NormalEmail(once); err != nil || twice != once {
			t.Errorf("%q becomes %q, then %q (%v)", address, once, twice, err)
		}
	})
}
