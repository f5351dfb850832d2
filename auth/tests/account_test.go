package auth_test

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/internal/audit"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
)

func newAccounts(t *testing.T) *auth.Accounts {
	pool, _ := testkit.DB(t)
	return auth.NewAccounts(pool, clock.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)))
}

// An account is found again under its address however it is typed, and no address has two accounts.
func TestCreateAndFind(t *testing.T) {
	t.Parallel()
	s, ctx := newAccounts(t), t.Context()
	made := testkit.Must(s.Create(ctx, auth.NewAccount{Email: " Jeanne.Dupont@Exemple.FR ", Plan: "pro", Password: "un cheval bleu galope"}))(t)
	if made.Email != "jeanne.dupont@exemple.fr" || made.Confirmed() || made.Plan != "pro" {
		t.Errorf("created %+v", made)
	}
	found, err := s.ByEmail(ctx, "JEANNE.DUPONT@exemple.fr")
	if err != nil || found.ID != made.ID {
		t.Errorf("found %+v, %v", found, err)
	}
	testkit.WantError(t, testkit.ErrorOf(s.Create(ctx, auth.NewAccount{Email: "jeanne.dupont@exemple.FR", Plan: "free"})), auth.ErrEmailTaken, "a second account with one address")
	testkit.WantCode(t, testkit.ErrorOf(s.ByEmail(ctx, "personne@exemple.fr")),
		fault.NotFound, "an unknown address")
	all, err := s.List(ctx)
	if err != nil || len(all) != 1 {
		t.Errorf("listed %d accounts, %v", len(all), err)
	}
}

// What the operator grants is stored, can be taken back, and never touches the plan.
func TestChange(t *testing.T) {
	t.Parallel()
	s, ctx := newAccounts(t), t.Context()
	a, err := s.Create(ctx, auth.NewAccount{Email: "a@exemple.fr", Plan: "standard"})
	testkit.NoError(t, err)
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
	testkit.WantCode(t, testkit.ErrorOf(s.SetLimits(ctx, a.ID, auth.OwnLimits{PerMinute: &zero})), fault.InvalidParameter, "a limit of zero")
	testkit.WantCode(t, testkit.ErrorOf(s.SetLimits(ctx, a.ID+1, auth.OwnLimits{})),
		fault.NotFound, "limits of an unknown account")
}

// The choices of language and mails are kept, and on record only when they change.
func TestSettings(t *testing.T) {
	w, ctx, _ := joinWorld(t)
	in := w.signIn(jeanne, home)
	sess := w.session(in.Token)
	w.want(w.SetLanguage(ctx, sess, "de", home), auth.CodeLanguageUnknown)
	for range 2 {
		w.must(w.SetLanguage(ctx, sess, "en", home))
		w.must(w.SetQuotaMails(ctx, sess, nil, home))
	}
	if s := w.session(in.Token); s.Language != "en" || len(s.QuotaPercents) != 0 {
		t.Errorf("session %+v", s)
	}
	if w.recorded(sess, audit.ActionLanguageChanged) != 1 || w.recorded(sess, audit.ActionNotificationsChanged) != 1 {
		t.Error("not on record once")
	}
}

// A mail that an anonymous visitor asks for comes in the language of the page on which it was asked for.
func TestMailIsInTheLanguageAsked(t *testing.T) {
	w, ctx, _ := joinWorld(t)
	testkit.Must(w.SignUp(ctx, "paul@exemple.fr", goodPassword, home))(t)
	w.clock.Advance(time.Hour) // past the limit of mails to one address
	english := home
	english.Language = "en"
	for template, ask := range map[mail.Template]func() error{
		mail.Reset:        func() error { return w.RequestReset(ctx, jeanne, english) },
		mail.SignUpExists: func() error { _, err := w.SignUp(ctx, jeanne, goodPassword, english); return err },
		mail.Confirm:      func() error { return w.ResendConfirmation(ctx, "paul@exemple.fr", "", english) },
		mail.LinkFirst: func() error {
			_, err := w.SignInWithIdentity(ctx, newClaim("github", "1", jeanne, false), english)
			if errors.Is(err, auth.ErrMailSent) {
				return nil
			}
			return err
		},
	} {
		w.must(ask())
		if m := w.mail(template); m.Language != "en" {
			t.Errorf("mail %s is in %q", template, m.Language)
		}
	}
}

// A new password ends the other sessions and the links that were asked for before, and keeps the one at hand.
func TestChangePassword(t *testing.T) {
	w, ctx, _ := joinWorld(t)
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
	testkit.WantError(t, testkit.ErrorOf(w.Session(ctx, other.Token)), auth.ErrNoSession, "another session")
	w.want(w.ResetPassword(ctx, reset, goodPassword+" encore", home), auth.CodeLinkInvalid)
	if _, err := w.SignIn(ctx, jeanne, newPassword, home); err != nil {
		t.Error(err)
	}
}

// What an operator does to an account is on its record, with the account of the operator when that was done
// in the portal, and without the note, which is the operator's.
func TestOperatorsActsAreRecorded(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	s := auth.NewAccounts(pool, clock.Real{})
	a := testkit.Must(s.Create(t.Context(), auth.NewAccount{Email: "jeanne@exemple.fr", Plan: "free"}))(t)
	n, note := 50, "a partner"
	portal := audit.AsOperator(t.Context(), 7)
	for range 2 { // the second one confirms nothing
		testkit.Must(s.Confirm(portal, a.ID))(t)
	}
	for _, ctx := range []context.Context{portal, t.Context()} {
		testkit.Must(s.SetLimits(ctx, a.ID, auth.OwnLimits{PerDay: &n, Note: &note}))(t)
	}
	testkit.WantCode(t, testkit.ErrorOf(s.SetLimits(portal, a.ID+1, auth.OwnLimits{})),
		fault.NotFound, "limits of an unknown account")
	all, err := audit.ListAll(t.Context(), pool, 0, 10)
	if err != nil || len(all) != 3 {
		t.Fatalf("on record: %+v, %v", all, err)
	}
	limits := map[string]any{"per_minute": nil, "enrichments_per_minute": nil, "per_day": 50.0}
	byOperator := maps.Clone(limits)
	byOperator["operator"] = 7.0
	for i, want := range []struct {
		action string
		detail map[string]any
	}{{audit.ActionLimitsChanged, limits}, {audit.ActionLimitsChanged, byOperator}, {audit.ActionConfirmed, map[string]any{"operator": 7.0}}} {
		if e := all[i]; e.Account != a.ID || e.Actor != audit.ActorOperator || e.Action != want.action || !reflect.DeepEqual(e.Detail, want.detail) {
			t.Errorf("%d: %+v, want %+v", i, e, want)
		}
	}
}

// An operator finds an account by a part of its address or by its number, page by page, the newest first.
func TestSearch(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	s := auth.NewAccounts(pool, clock.Real{})
	var ids []ident.AccountID
	for _, email := range []string{"jeanne@exemple.fr", "paul@exemple.fr", "jeannot_x@exemple.org"} {
		a := testkit.Must(s.Create(t.Context(), auth.NewAccount{Email: email, Plan: "free"}))(t)
		ids = append(ids, a.ID)
	}
	for _, c := range []struct {
		text   string
		before ident.AccountID
		limit  int
		want   []ident.AccountID
	}{
		{"", 0, 2, []ident.AccountID{ids[2], ids[1]}}, {"", ids[1], 2, []ident.AccountID{ids[0]}}, {" JEANN", 0, 9, []ident.AccountID{ids[2], ids[0]}},
		{strconv.Itoa(int(ids[1])), 0, 9, []ident.AccountID{ids[1]}}, {"%", 0, 9, nil}, {"n_t", 0, 9, nil}, {"t_x", 0, 9, []ident.AccountID{ids[2]}},
	} {
		found := testkit.Must(s.Search(t.Context(), c.text, c.before, c.limit))(t)
		var got []ident.AccountID
		for _, a := range found {
			got = append(got, a.ID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q before %d: %v, want %v", c.text, c.before, got, c.want)
		}
	}
	if a, err := s.ByID(t.Context(), ids[1]); err != nil || a.Email != "paul@exemple.fr" {
		t.Errorf("by number: %+v, %v", a, err)
	}
	testkit.WantCode(t, testkit.ErrorOf(s.ByID(t.Context(), 999)), fault.NotFound, "by an unknown number")
}
