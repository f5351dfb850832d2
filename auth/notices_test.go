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
	"arpent/internal/audit"
	"arpent/internal/mail"
)

const accountant = "compta@exemple.fr"

// No address gets notices before its reader has agreed: the first mail asks, its link works for a day and spends nothing
// when it is looked at, and the account that is asked about is named in it.
func TestNoticeAddressHasToAgree(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	sess, _ := w.join(jeanne)
	w.must(w.AddNoticeAddress(ctx, sess, " Compta@Exemple.fr ", home))
	m := w.mail(mail.NoticeConfirm)
	if m.To != accountant || m.Values["owner"] != jeanne || m.Values["address"] != "" || m.Account != int64(sess.Account) {
		t.Errorf("mail %+v", m)
	}
	token := w.token(m)
	want := auth.NoticeRequest{Email: accountant, Account: jeanne}
	for range 2 {
		if got, err := w.LookNotices(ctx, token); err != nil || got != want {
			t.Errorf("look: %+v, %v", got, err)
		}
	}
	confirmed := func() int {
		return w.count(`SELECT count(*) FROM account.notice_address WHERE account_id = $1 AND confirmed_at IS NOT NULL`, sess.Account)
	}
	if confirmed() != 0 {
		t.Error("looking at the link agreed")
	}
	for _, bad := range []string{"", "x", token[1:], token + "A", token[:len(token)-2] + "AA"} {
		w.want(w.ConfirmNotices(ctx, bad), auth.CodeLinkInvalid)
		if got, err := w.LookNotices(ctx, bad); err != nil || got != (auth.NoticeRequest{}) {
			t.Errorf("%q: %+v, %v", bad, got, err)
		}
		if found, err := w.StopNotices(ctx, bad); found || err != nil {
			t.Errorf("%q stopped notices: %t, %v", bad, found, err)
		}
	}
	w.clock.Advance(24 * time.Hour)
	w.want(w.ConfirmNotices(ctx, token), auth.CodeLinkInvalid)
	if list, err := w.NoticeAddresses(ctx, sess); err != nil || len(list) != 1 || !list[0].Expired || list[0].Confirmed {
		t.Errorf("a day later: %+v, %v", list, err)
	}
	w.must(w.AddNoticeAddress(ctx, sess, accountant, home)) // once more, to the same row
	for range 2 {
		w.must(w.ConfirmNotices(ctx, w.link(mail.NoticeConfirm)))
	}
	if confirmed() != 1 || w.recorded(sess, audit.ActionNoticeAddressConfirmed) != 1 || w.recorded(sess, audit.ActionNoticeAddressAdded) != 2 {
		t.Error("not agreed once, or not on record")
	}
	w.want(w.AddNoticeAddress(ctx, sess, accountant, home), auth.CodeNoticeKnown)
	if n := w.count(`SELECT count(*) FROM account.audit WHERE action = 'notice_address_confirmed' AND (address IS NOT NULL OR agent IS NOT NULL)`); n != 0 {
		t.Error("the record of the owner says where the reader of another address is")
	}
}

// The reader of an address ends its notices by the link in any of them, and the account cannot ask again for
// 30 days; another account can.
func TestNoticesAreStoppedByTheirReader(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	sess, _ := w.join(jeanne)
	w.join("paul@exemple.fr")
	w.must(w.AddNoticeAddress(ctx, sess, accountant, home))
	m := w.mail(mail.NoticeConfirm)
	token := w.token(m)
	w.must(w.ConfirmNotices(ctx, token))
	w.clock.Advance(300 * 24 * time.Hour) // the links in old notices work too
	for _, want := range []bool{true, false} {
		if found, err := w.StopNotices(ctx, token); found != want || err != nil {
			t.Errorf("the link found an address: %t, %v", found, err)
		}
	}
	if w.recorded(sess, audit.ActionNoticeAddressStopped) != 1 {
		t.Error("not on record once")
	}
	if _, err := w.LinkToken(ctx, mail.PurposeNotices, m.Link.ID); !errors.Is(err, mail.ErrNoLink) {
		t.Errorf("mails that wait would still be sent: %v", err)
	}
	sess = w.session(w.signIn(jeanne, home).Token)
	w.want(w.AddNoticeAddress(ctx, sess, accountant, home), auth.CodeNoticeRefused)
	w.must(w.Clean(ctx)) // keeps the rejection
	w.clock.Advance(30*24*time.Hour - time.Second)
	sess = w.session(w.signIn(jeanne, home).Token)
	w.want(w.AddNoticeAddress(ctx, sess, accountant, home), auth.CodeNoticeRefused)
	asked := 0
	for _, m := range w.mails() {
		if m.To == accountant {
			asked++
		}
	}
	if asked != 1 {
		t.Errorf("an address that has refused got %d mails", asked)
	}
	other := w.session(w.signIn("paul@exemple.fr", home).Token)
	w.must(w.AddNoticeAddress(ctx, other, accountant, home))
	w.clock.Advance(time.Minute)
	w.must(w.AddNoticeAddress(ctx, sess, accountant, home))
}

// An owner cannot void the link by which a reader refuses and ask again at once: an address that is removed without
// an answer is not asked for a week. One that had agreed can be asked again.
func TestRemovedAddressIsNotAskedAgainAtOnce(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	sess, _ := w.join(jeanne)
	other, _ := w.join("paul@exemple.fr")
	ask := func() error { return w.AddNoticeAddress(ctx, sess, accountant, home) }
	remove := func() {
		t.Helper()
		list, err := w.NoticeAddresses(ctx, sess)
		w.must(err)
		w.must(w.RemoveNoticeAddress(ctx, sess, list[0].ID, home))
	}
	w.must(ask())
	remove()
	w.clock.Advance(time.Hour)
	w.want(ask(), auth.CodeNoticeRefused)
	w.must(w.AddNoticeAddress(ctx, other, accountant, home))
	w.must(w.Clean(ctx)) // keeps the pause
	w.clock.Advance(auth.KeepLinks - time.Hour - time.Second)
	sess = w.session(w.signIn(jeanne, home).Token)
	w.want(ask(), auth.CodeNoticeRefused)
	w.clock.Advance(time.Second)
	w.must(ask())
	w.must(w.ConfirmNotices(ctx, w.link(mail.NoticeConfirm)))
	remove()
	w.clock.Advance(time.Minute)
	w.must(ask())
}

// statementHook runs a function once, before the first statement that contains a text.
type statementHook struct {
	before string
	run    func()
}

func (h *statementHook) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if run := h.run; run != nil && strings.Contains(q.SQL, h.before) {
		h.run = nil
		run()
	}
	return ctx
}

func (*statementHook) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// A reader who refuses while the owner asks again is not written to: the rejection is looked for when the address
// is written, not before.
func TestRejectionDuringRequestHolds(t *testing.T) {
	t.Parallel()
	pool, url := testkit.DB(t)
	w, ctx := worldOn(t, pool), t.Context()
	sess, _ := w.join(jeanne)
	w.must(w.AddNoticeAddress(ctx, sess, accountant, home))
	token := w.link(mail.NoticeConfirm)
	w.clock.Advance(time.Minute)
	traced := worldOn(t, testkit.Serving(t, url, &statementHook{"INSERT INTO account.notice_address", func() {
		if found, err := w.StopNotices(ctx, token); !found || err != nil {
			t.Errorf("refuse: %t, %v", found, err)
		}
	}}))
	traced.clock.Set(w.clock.Now())
	w.want(traced.AddNoticeAddress(ctx, sess, accountant, home), auth.CodeNoticeRefused)
	if n := w.count(`SELECT count(*) FROM account.notice_address`); n != 0 || len(w.mails()) != 2 {
		t.Errorf("%d addresses, mails %+v", n, w.mails())
	}
}

// A mail whose link this version does not know is not given up: an instance of the version that left it can
// still send it.
func TestUnknownPurposeIsNotAVoidLink(t *testing.T) {
	w := newWorld(t)
	if _, err := w.LinkToken(t.Context(), "later", 1); err == nil || errors.Is(err, mail.ErrNoLink) {
		t.Errorf("unknown purpose: %v", err)
	}
	for _, purpose := range []string{"confirm", "reset", "email", "verify", "recover", mail.PurposeNotices} {
		if _, err := w.LinkToken(t.Context(), purpose, 1); !errors.Is(err, mail.ErrNoLink) {
			t.Errorf("%s: %v", purpose, err)
		}
	}
}

// An account cannot make the service write to addresses as it likes: it has to be confirmed, names five at most,
// and the limits of mails to one address and from one network hold, over all accounts.
func TestNoticeMailsAreLimited(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	sess, _ := w.join(jeanne)
	other, _ := w.join("paul@exemple.fr")
	for _, bad := range []string{"", "x", "a@b", "A <a@b.fr>", strings.Repeat("a", 250) + "@b.fr"} {
		w.want(w.AddNoticeAddress(ctx, sess, bad, home), auth.CodeEmailInvalid)
	}
	w.want(w.AddNoticeAddress(ctx, sess, jeanne, home), auth.CodeEmailSame)
	w.must(w.AddNoticeAddress(ctx, sess, accountant, home))
	w.want(w.AddNoticeAddress(ctx, sess, accountant, home), auth.CodeWait)
	w.want(w.AddNoticeAddress(ctx, other, accountant, home), auth.CodeWait)
	for n := range 4 {
		w.clock.Advance(time.Minute)
		w.must(w.AddNoticeAddress(ctx, []auth.Session{sess, other}[n%2], accountant, home))
	}
	w.clock.Advance(time.Minute)
	w.want(w.AddNoticeAddress(ctx, other, accountant, home), auth.CodeWait) // five a day
	for n := range 4 {
		w.must(w.AddNoticeAddress(ctx, sess, fmt.Sprintf("%d@exemple.fr", n), home))
	}
	w.want(w.AddNoticeAddress(ctx, sess, "sixieme@exemple.fr", home), auth.CodeNoticesFull)
	list, err := w.NoticeAddresses(ctx, sess)
	w.must(err)
	w.want(w.RemoveNoticeAddress(ctx, other, list[0].ID, home), "missing")
	w.must(w.RemoveNoticeAddress(ctx, sess, list[0].ID, home))
	w.want(w.RemoveNoticeAddress(ctx, sess, list[0].ID, home), "missing")
	for n := range 30 {
		if err = w.AddNoticeAddress(ctx, other, fmt.Sprintf("autre%d@exemple.fr", n), home); err != nil && problemCode(t, err) == auth.CodeWait {
			break
		}
	}
	w.want(err, auth.CodeWait) // one network, to many addresses
	_, err = w.pool.Exec(ctx, `UPDATE account.account SET email_confirmed_at = NULL WHERE id = $1`, sess.Account)
	w.must(err)
	w.want(w.AddNoticeAddress(ctx, sess, "x@exemple.fr", originAt("198.51.100.9")), auth.CodeConfirmFirst)
}

// The addresses are in the export of the account. They go with it, and a week after a request without an answer.
func TestNoticeAddressesAreKeptNoLonger(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	sess, _ := w.join(jeanne)
	w.must(w.AddNoticeAddress(ctx, sess, accountant, home))
	w.must(w.ConfirmNotices(ctx, w.link(mail.NoticeConfirm)))
	w.must(w.AddNoticeAddress(ctx, sess, "muet@exemple.fr", home))
	document, err := w.Export(ctx, sess, home)
	w.must(err)
	var file struct {
		Addresses []struct {
			Email       string     `json:"email"`
			ConfirmedAt *time.Time `json:"confirmed_at"`
		} `json:"notice_addresses"`
	}
	w.must(json.Unmarshal(document, &file))
	if a := file.Addresses; len(a) != 2 || a[0].Email != accountant || a[0].ConfirmedAt == nil || a[1].ConfirmedAt != nil || strings.Contains(string(document), "nonce") {
		t.Errorf("the export has %+v", a)
	}
	w.clock.Advance(auth.KeepLinks - time.Second)
	w.must(w.Clean(ctx))
	if n := w.count(`SELECT count(*) FROM account.notice_address`); n != 2 {
		t.Errorf("%d addresses before a week is over", n)
	}
	w.clock.Advance(time.Second)
	w.must(w.Clean(ctx))
	if n := w.count(`SELECT count(*) FROM account.notice_address`); n != 1 {
		t.Errorf("%d addresses after a week", n)
	}
	sess = w.session(w.signIn(jeanne, home).Token)
	w.must(w.Delete(ctx, sess, home))
	w.isGone(sess)
}

// An owner chooses up to three percentages; anything else is refused and changes nothing.
func TestQuotaPercents(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.join(jeanne)
	in := w.signIn(jeanne, home)
	sess := w.session(in.Token)
	is := func(want ...int) {
		t.Helper()
		if got := w.session(in.Token).QuotaPercents; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("mails at %v, want %v", got, want)
		}
	}
	is(80, 100)
	w.must(w.SetQuotaMails(ctx, sess, []int{100, 1, 37, 1}, home))
	is(1, 37, 100)
	for _, bad := range [][]int{{0}, {101}, {-5, 50}} {
		w.want(w.SetQuotaMails(ctx, sess, bad, home), auth.CodePercentInvalid)
	}
	w.want(w.SetQuotaMails(ctx, sess, []int{1, 2, 3, 4}, home), auth.CodePercentsMany)
	is(1, 37, 100)
	w.must(w.SetQuotaMails(ctx, sess, nil, home))
	is()
}
