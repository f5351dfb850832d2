package auth_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/internal/audit"
	"arpent/internal/ident"
	"arpent/internal/mail"
)

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
