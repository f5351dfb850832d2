package auth_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

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

func ExampleNormalEmail() {
	fmt.Println(auth.NormalEmail(" Jeanne.Dupont@Exemple.FR "))
	// Output: jeanne.dupont@exemple.fr <nil>
}

// Only what can receive a letter is an address, so that a confirmation has somewhere to go.
func TestNormalEmail(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"a@b.fr": "a@b.fr", "  A+tag@B.Example ": "a+tag@b.example", "dev@localhost": "", "pay@b": "", "é@b.fr": "", "a@b.é": "a@b.xn--9ca",
		"a@Exämple.fr": "a@xn--exmple-cua.fr", "a@xn--exmple-cua.fr": "a@xn--exmple-cua.fr",
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

// Nothing an anonymous client types as an address makes us fail or stores it in two forms.
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

// The account moves to a new address only by a link sent there; the old
// one gets a mail, and links sent to it end.
func TestChangeEmail(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	w.join("paul@exemple.fr")
	w.want(w.RequestEmailChange(ctx, sess, "rien", home), auth.CodeEmailInvalid)
	w.want(w.RequestEmailChange(ctx, sess, " JEANNE@exemple.fr", home), auth.CodeEmailSame)
	// A taken address: the same answer, and its owner gets a mail.
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
	w.want(testkit.ErrorOf(w.SignIn(ctx, jeanne, goodPassword, home)), auth.CodeSignIn)

	// Somebody takes the address between the request and the click.
	w.must(w.RequestEmailChange(ctx, sess, "prise@exemple.fr", home))
	link = w.link(mail.EmailChange)
	w.join("prise@exemple.fr")
	w.want(w.ConfirmEmailChange(ctx, sess, link, home), auth.CodeLinkInvalid)
}

// The reader of a confirmation mail of a change that another account asked for cannot give their address to
// that account, even by mistake; nor does it cost them the account that they are about to make.
func TestChangeEmailTakesBothProofs(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	mallory, _ := w.join("mallory@exemple.fr")
	w.must(w.RequestEmailChange(ctx, mallory, jeanne, home))
	link := w.link(mail.EmailChange)
	browser := w.signUp(jeanne)
	w.want(w.ConfirmEmailChange(ctx, auth.Session{}, link, home), auth.CodeOtherAccount)
	testkit.Must(w.ConfirmEmail(ctx, w.link(mail.Confirm), browser, "", home))(t)
	sess := w.session(w.signIn(jeanne, home).Token)
	if state, err := w.LookEmailChange(ctx, sess, link); err != nil || !state.Elsewhere {
		t.Errorf("the owner of the address sees %+v, %v", state, err)
	}
	w.want(w.ConfirmEmailChange(ctx, sess, link, home), auth.CodeOtherAccount)
	w.want(w.ConfirmEmailChange(ctx, mallory, link, home), auth.CodeLinkInvalid) // the address has an account
	testkit.WantCount(t, w.pool, 2, "accounts are as they were", `SELECT count(*) FROM account.account WHERE email = ANY($1)`, []string{jeanne, "mallory@exemple.fr"})
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

// storeAddress makes a confirmed account whose address was stored in whatever form, with the password of
// another account.
func (w *world) storeAddress(email string, like auth.Session) (id ident.AccountID) {
	w.t.Helper()
	w.must(w.pool.QueryRow(w.t.Context(), `INSERT INTO account.account (email, email_confirmed_at, password_hash, created_at, updated_at)
		SELECT $1, now(), password_hash, now(), now() FROM account.account WHERE id = $2 RETURNING id`, email, like.Account).Scan(&id))
	return id
}

// An account whose address was stored before its form of today signs in by it again; two accounts whose
// addresses become the same are not merged, and the operator reads which they are. What is stored in the form
// of today is not touched.
func TestNormalizeAddresses(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	accounts := auth.NewAccounts(w.pool, w.clock)
	model, _ := w.join(jeanne)
	unicode := w.storeAddress("paul@exämple.fr", model)
	capitals := w.storeAddress("Marie@Exemple.FR", model)
	double, twin := w.storeAddress("luc@exämple.fr", model), w.storeAddress("luc@xn--exmple-cua.fr", model)
	first, second := w.storeAddress("eve@\u00e9a.fr", model), w.storeAddress("eve@e\u0301a.fr", model) // one letter, written in two ways
	dotless, local := w.storeAddress("pay@localhost", model), w.storeAddress("rené@exemple.fr", model)
	before := w.count(`SELECT count(*) FROM account.account WHERE updated_at <> created_at`)

	w.want(testkit.ErrorOf(w.SignIn(ctx, "paul@exämple.fr", goodPassword, home)), auth.CodeSignIn)
	var moved []string
	after := func(_ context.Context, _ pgx.Tx, _ ident.AccountID, former string) error {
		moved = append(moved, former)
		return nil
	}
	changed, faults, err := accounts.NormalizeAddresses(ctx, after)
	w.must(err)
	if changed != 2 || strings.Join(moved, " ") != "paul@exämple.fr Marie@Exemple.FR" {
		t.Errorf("%d changed, and the bills of %q", changed, moved)
	}
	for email, id := range map[string]ident.AccountID{"paul@exämple.fr": unicode, "marie@exemple.fr": capitals} {
		if in, err := w.SignIn(ctx, email, goodPassword, home); err != nil || in.Account != id {
			t.Errorf("%s signs in to account %d: %v", email, in.Account, err)
		}
	}
	named := map[ident.AccountID]string{}
	for _, f := range faults {
		named[f.Account] = f.String()
	}
	if len(faults) != 5 || !strings.Contains(named[double], "is the address luc@xn--exmple-cua.fr of account") || named[twin] != "" ||
		named[first] == "" || named[second] == "" || !strings.Contains(named[local], "not accepted") || !strings.Contains(named[dotless], "not accepted") {
		t.Errorf("reported: %v", named)
	}
	again, err := accounts.AddressFaults(ctx)
	if err != nil || len(again) != len(faults) {
		t.Errorf("reported again: %v, %v", again, err)
	}
	if changed, _, err := accounts.NormalizeAddresses(ctx, after); err != nil || changed != 0 {
		t.Errorf("a second time %d are changed, %v", changed, err)
	}
	if n := w.count(`SELECT count(*) FROM account.account WHERE updated_at <> created_at`); n != before+2 {
		t.Errorf("%d accounts were written instead of 2", n-before)
	}
	entries := testkit.Must(audit.List(ctx, w.pool, unicode, 0, 10))(t)
	found := false
	for _, e := range entries {
		found = found || e.Action == audit.ActionEmailChanged && e.Actor == audit.ActorSystem && e.Detail["from"] == "paul@exämple.fr"
	}
	if !found {
		t.Errorf("the change is not on record: %+v", entries)
	}
	// The way out: the operator gives one of the two another address.
	if _, err := accounts.SetAddress(ctx, double, "luc@xn--exmple-cua.fr", after); err == nil {
		t.Error("the address of another account is given away")
	}
	a := testkit.Must(accounts.SetAddress(ctx, double, "Luc@Exemple.fr", after))(t)
	if in, err := w.SignIn(ctx, "luc@exemple.fr", goodPassword, home); err != nil || in.Account != double || a.Email != "luc@exemple.fr" {
		t.Errorf("with the address that the operator gave: %+v, %v", in, err)
	}
	if left, err := accounts.AddressFaults(ctx); err != nil || len(left) != 4 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// A link that was sent to the former address is not followed after the address has changed.
func TestSetAddressEndsLinks(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	w.must(w.RequestReset(ctx, jeanne, home))
	link := w.link(mail.Reset)
	testkit.Must(auth.NewAccounts(w.pool, w.clock).SetAddress(ctx, sess.Account, "jeanne@exemple.com", nil))(t)
	w.want(w.ResetPassword(ctx, link, newPassword, home), auth.CodeLinkInvalid)
	w.clock.Advance(time.Minute)
	w.must(w.RequestReset(ctx, "jeanne@exemple.com", home))
	w.must(w.ResetPassword(ctx, w.link(mail.Reset), newPassword, home))
}

// person reads the mail of some addresses and acts on all.
type person struct {
	name      string
	addresses []string
	browsers  [2]string // the cookie of the last sign-up in each
	passwords []string
	sessions  []string
}

// ownership plays people against each other, each of whom knows the addresses of all.
type ownership struct {
	*world
	r      *rand.Rand
	people []*person
	setBy  map[string]*person // who chose the password of a hash
	steps  []string
}

func (m *ownership) ownerOf(email string) *person {
	for _, p := range m.people {
		if slices.Contains(p.addresses, email) {
			return p
		}
	}
	return nil
}

func pickRandom[T any](r *rand.Rand, list []T) (one T) {
	if len(list) > 0 {
		one = list[r.IntN(len(list))]
	}
	return one
}

// link is one of the links for some purpose in the mails of a person, mostly a new one; empty: there is none.
func (m *ownership) mailed(p *person, purpose string) string {
	var links []string
	for _, j := range m.mails() {
		if j.Link == nil || j.Link.Purpose != purpose || m.ownerOf(j.To) != p {
			continue
		}
		token, err := m.LinkToken(m.t.Context(), j.Link.Purpose, j.Link.ID)
		if err == nil {
			links = append(links, token)
		} else if !errors.Is(err, mail.ErrNoLink) {
			m.t.Fatal(err)
		}
	}
	if len(links) > 0 && m.r.IntN(3) > 0 {
		return links[len(links)-1]
	}
	return pickRandom(m.r, links)
}

func (m *ownership) password(p *person) string {
	password := fmt.Sprintf("%s choisit le mot numero %d", p.name, len(p.passwords))
	p.passwords = append(p.passwords, password)
	return password
}

// step does one thing as p. Problems are answers like others.
func (m *ownership) step(p *person, email string) (what string, err error) {
	ctx, o, browser := m.t.Context(), originAt(fmt.Sprintf("192.0.2.%d", 1+m.r.IntN(250))), m.r.IntN(2)
	var in auth.SignedIn
	switch what = pickRandom(m.r, []string{"sign up", "sign up", "confirm", "confirm", "confirm", "resend", "forgot", "reset", "sign in", "sign in",
		"identity", "verified identity", "move", "moved", "link", "delete", "scan", "clean"}); what {
	case "sign up":
		p.browsers[browser], err = m.SignUp(ctx, email, m.password(p), o)
	case "confirm":
		var opened *auth.SignedIn
		if opened, err = m.ConfirmEmail(ctx, m.mailed(p, "confirm"), p.browsers[browser], pickRandom(m.r, []string{"", m.password(p)}), o); opened != nil {
			in = *opened
		}
	case "resend":
		err = m.ResendConfirmation(ctx, email, p.browsers[browser], o)
	case "forgot":
		err = m.RequestReset(ctx, email, o)
	case "reset":
		err = m.ResetPassword(ctx, m.mailed(p, "reset"), m.password(p), o)
	case "sign in":
		in, err = m.SignIn(ctx, email, pickRandom(m.r, p.passwords), o)
	case "identity", "verified identity":
		verified := what != "identity" && m.ownerOf(email) == p // a provider vouches for its user's own address only
		in, err = m.SignInWithIdentity(ctx, newClaim("github", p.name+fmt.Sprint(m.r.IntN(3)), email, verified), o)
		if in.Browser != "" {
			p.browsers[browser] = in.Browser
		}
	case "move", "moved", "link", "delete":
		var sess auth.Session
		token := pickRandom(m.r, p.sessions)
		if what == "delete" && len(p.sessions) > 0 { // takes a recent sign-in
			token = p.sessions[len(p.sessions)-1]
		}
		if sess, err = m.Session(ctx, token); err != nil {
			break
		}
		switch what {
		case "move":
			err = m.RequestEmailChange(ctx, sess, email, o)
		case "moved":
			err = m.ConfirmEmailChange(ctx, sess, m.mailed(p, "email"), o)
		case "delete":
			err = m.Delete(ctx, sess, o)
		default:
			err = m.LinkIdentity(ctx, sess, newClaim("gitlab", p.name+fmt.Sprint(m.r.IntN(3)), email, false), o)
		}
	case "scan": // of mails, by a mail scanner
		for _, purpose := range []auth.Purpose{auth.PurposeConfirm, auth.PurposeReset, auth.PurposeEmail} {
			if _, err = m.Look(ctx, purpose, m.mailed(m.ownerOf(email), string(purpose))); err != nil {
				break
			}
		}
	case "clean":
		m.clock.Advance(time.Duration(m.r.Int64N(int64(50 * time.Hour))))
		err = m.Clean(ctx)
	}
	if in.Token != "" {
		p.sessions = append(p.sessions, in.Token)
	}
	return what, err
}

// check fails the test when somebody holds what is another's: a session, or any way
// into an account whose address is confirmed.
func (m *ownership) check(acted *person) {
	m.t.Helper()
	for _, p := range m.people {
		for _, token := range p.sessions {
			if sess, err := m.Session(m.t.Context(), token); err == nil && m.ownerOf(sess.Email) != p {
				m.fail("%s is signed in as %s", p.name, sess.Email)
			}
		}
	}
	rows := testkit.Must(m.pool.Query(m.t.Context(), `
		SELECT a.email, a.email_confirmed_at IS NOT NULL, coalesce(a.password_hash, ''),
		    coalesce((SELECT string_agg(subject, ' ') FROM account.identity i WHERE i.account_id = a.id), '')
		FROM account.account a`))(m.t)
	defer rows.Close()
	for rows.Next() {
		var (
			email, hash, subjects string
			confirmed             bool
		)
		m.must(rows.Scan(&email, &confirmed, &hash, &subjects))
		if hash != "" && m.setBy[hash] == nil {
			m.setBy[hash] = acted
		}
		owner := m.ownerOf(email)
		if !confirmed {
			continue
		}
		if hash != "" && m.setBy[hash] != owner {
			m.fail("the password of %s is of %s", email, m.setBy[hash].name)
		}
		for subject := range strings.FieldsSeq(subjects) {
			if !strings.HasPrefix(subject, owner.name) {
				m.fail("%s is opened by the identity %s", email, subject)
			}
		}
	}
	m.must(rows.Err())
}

func (m *ownership) fail(format string, args ...any) {
	m.t.Helper()
	m.t.Fatalf(format+"\nafter:\n%s", append(args, strings.Join(m.steps, "\n"))...)
}

// No person ever holds what is not theirs, in whatever order people sign up, confirm, reset, sign in, move,
// delete and come by a provider with each other's addresses. The seed of a failure goes into the line below.
func TestPersonHoldsOnlyOwnAccount(t *testing.T) {
	w := newWorld(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	m := &ownership{world: w, r: rand.New(rand.NewPCG(seed, 0)), setBy: map[string]*person{}, people: []*person{
		{name: "owner", addresses: []string{"owner@exemple.fr", "nouvelle@exemple.fr"}},
		{name: "mallory", addresses: []string{"mallory@exemple.fr"}},
	}}
	addresses := []string{"owner@exemple.fr", "owner@exemple.fr", "nouvelle@exemple.fr", "mallory@exemple.fr"}
	deleted := 0
	for range 250 {
		m.clock.Advance(time.Duration(m.r.Int64N(int64(4 * time.Minute))))
		p, email := pickRandom(m.r, m.people), pickRandom(m.r, addresses)
		what, err := m.step(p, email)
		var problem *auth.Problem
		if err != nil && !errors.As(err, &problem) && !errors.Is(err, auth.ErrMailSent) && !errors.Is(err, auth.ErrNoSession) {
			m.fail("%s: %v", what, err)
		}
		m.steps = append(m.steps, fmt.Sprintf("%s: %s (%s): %v", p.name, what, email, err))
		if what == "delete" && err == nil {
			deleted++
		}
		m.check(p)
	}
	t.Logf("%d deletions", deleted)
}
