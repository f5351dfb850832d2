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

// addressList is a list of further addresses.
type addressList struct {
	purpose                   auth.Purpose
	table                     string
	request                   mail.Template
	most                      int
	added, confirmed, stopped string
	exported                  string
}

// eachList runs a test for every list: what is promised to the readers of one holds for those of the other.
func eachList(t *testing.T, test func(t *testing.T, l addressList)) {
	for _, l := range []addressList{
		{auth.PurposeNotices, "account.notice_address", mail.NoticeConfirm, auth.MaxNoticeAddresses, audit.ActionNoticeAddressAdded,
			audit.ActionNoticeAddressConfirmed, audit.ActionNoticeAddressStopped, "notice_addresses"},
		{auth.PurposeBillingMails, "account.billing_recipient", mail.BillingConfirm, auth.MaxBillingRecipients, audit.ActionBillingRecipientAdded,
			audit.ActionBillingRecipientConfirmed, audit.ActionBillingRecipientStopped, "billing_recipients"},
	} {
		t.Run(l.exported, func(t *testing.T) { test(t, l) })
	}
}

// An account whose address becomes that of a recipient gets each mail once: the recipient is removed.
func TestNewAddressLeavesTheLists(t *testing.T) {
	eachList(t, func(t *testing.T, l addressList) {
		w, ctx, sess := joinWorld(t)
		const other = "autre@exemple.fr"
		for _, email := range []string{accountant, other} {
			w.must(w.AddNoticeAddress(ctx, sess, l.purpose, email, home))
			w.must(w.ConfirmNotices(ctx, l.purpose, w.token(w.mail(l.request))))
		}
		w.must(w.RequestEmailChange(ctx, sess, accountant, home))
		w.must(w.ConfirmEmailChange(ctx, sess, w.link(mail.EmailChange), home))
		all := testkit.Must(w.NoticeAddresses(ctx, sess, l.purpose))(t)
		if len(all) != 1 || all[0].Email != other {
			t.Errorf("recipients: %+v", all)
		}
	})
}

// No address gets notices before its reader has agreed: the first mail asks, its link works for a day and
// spends nothing when it is looked at, and the account that is asked about is named in it.
func TestNoticeAddressHasToAgree(t *testing.T) {
	eachList(t, func(t *testing.T, l addressList) {
		w, ctx, sess := joinWorld(t)
		w.must(w.AddNoticeAddress(ctx, sess, l.purpose, " Compta@Exemple.fr ", home))
		m := w.mail(l.request)
		if m.To != accountant || m.Values["owner"] != jeanne || m.Values["address"] != "" || m.Account != int64(sess.Account) {
			t.Errorf("mail %+v", m)
		}
		token := w.token(m)
		want := auth.NoticeRequest{Email: accountant, Account: jeanne}
		for range 2 {
			if got, err := w.LookNotices(ctx, l.purpose, token); err != nil || got != want {
				t.Errorf("look: %+v, %v", got, err)
			}
		}
		confirmed := func() int {
			return w.count(`SELECT count(*) FROM `+l.table+` WHERE account_id = $1 AND confirmed_at IS NOT NULL`, sess.Account)
		}
		if confirmed() != 0 {
			t.Error("looking at the link agreed")
		}
		for _, bad := range []string{"", "x", token[1:], token + "A", token[:len(token)-2] + "AA"} {
			w.want(w.ConfirmNotices(ctx, l.purpose, bad), auth.CodeLinkInvalid)
			if got, err := w.LookNotices(ctx, l.purpose, bad); err != nil || got != (auth.NoticeRequest{}) {
				t.Errorf("%q: %+v, %v", bad, got, err)
			}
			if found, err := w.StopNotices(ctx, l.purpose, bad); found || err != nil {
				t.Errorf("%q stopped notices: %t, %v", bad, found, err)
			}
		}
		w.clock.Advance(24 * time.Hour)
		w.want(w.ConfirmNotices(ctx, l.purpose, token), auth.CodeLinkInvalid)
		if list, err := w.NoticeAddresses(ctx, sess, l.purpose); err != nil || len(list) != 1 || !list[0].Expired || list[0].Confirmed {
			t.Errorf("a day later: %+v, %v", list, err)
		}
		w.must(w.AddNoticeAddress(ctx, sess, l.purpose, accountant, home)) // once more, to the same row
		for range 2 {
			w.must(w.ConfirmNotices(ctx, l.purpose, w.link(l.request)))
		}
		if confirmed() != 1 || w.recorded(sess, l.confirmed) != 1 || w.recorded(sess, l.added) != 2 {
			t.Error("not agreed once, or not on record")
		}
		w.want(w.AddNoticeAddress(ctx, sess, l.purpose, accountant, home), auth.CodeNoticeKnown)
		testkit.WantCount(t, w.pool, 0, "the record of the owner says where the reader of another address is", `SELECT count(*) FROM account.audit WHERE action = $1 AND (address IS NOT NULL OR agent IS NOT NULL)`, l.confirmed)
	})
}

// The reader of an address ends its notices by the link in any of them, and the account cannot ask again for
// 30 days; another account can.
func TestNoticesAreStoppedByTheirReader(t *testing.T) {
	eachList(t, func(t *testing.T, l addressList) {
		w, ctx, sess := joinWorld(t)
		w.join("paul@exemple.fr")
		w.must(w.AddNoticeAddress(ctx, sess, l.purpose, accountant, home))
		m := w.mail(l.request)
		token := w.token(m)
		w.must(w.ConfirmNotices(ctx, l.purpose, token))
		w.clock.Advance(300 * 24 * time.Hour) // the links in old notices work too
		for _, want := range []bool{true, false} {
			if found, err := w.StopNotices(ctx, l.purpose, token); found != want || err != nil {
				t.Errorf("the link found an address: %t, %v", found, err)
			}
		}
		if w.recorded(sess, l.stopped) != 1 {
			t.Error("not on record once")
		}
		testkit.WantError(t, testkit.ErrorOf(w.LinkToken(ctx, string(l.purpose), m.Link.ID)),
			mail.ErrNoLink, "mails that wait would still be sent")
		sess = w.session(w.signIn(jeanne, home).Token)
		w.want(w.AddNoticeAddress(ctx, sess, l.purpose, accountant, home), auth.CodeNoticeRefused)
		w.must(w.Clean(ctx)) // keeps the rejection
		w.clock.Advance(30*24*time.Hour - time.Second)
		sess = w.session(w.signIn(jeanne, home).Token)
		w.want(w.AddNoticeAddress(ctx, sess, l.purpose, accountant, home), auth.CodeNoticeRefused)
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
		w.must(w.AddNoticeAddress(ctx, other, l.purpose, accountant, home))
		w.clock.Advance(time.Minute)
		w.must(w.AddNoticeAddress(ctx, sess, l.purpose, accountant, home))
	})
}

// An owner cannot void the link by which a reader refuses and ask again at once: an address that is removed
// without an answer is not asked for a week. One that had agreed can be asked again.
func TestRemovedAddressIsNotAskedAgainAtOnce(t *testing.T) {
	eachList(t, func(t *testing.T, l addressList) {
		w, ctx, sess := joinWorld(t)
		other, _ := w.join("paul@exemple.fr")
		ask := func() error { return w.AddNoticeAddress(ctx, sess, l.purpose, accountant, home) }
		remove := func() {
			t.Helper()
			list := testkit.Must(w.NoticeAddresses(ctx, sess, l.purpose))(t)
			w.must(w.RemoveNoticeAddress(ctx, sess, l.purpose, list[0].ID, home))
		}
		w.must(ask())
		remove()
		w.clock.Advance(time.Hour)
		w.want(ask(), auth.CodeNoticeRefused)
		w.must(w.AddNoticeAddress(ctx, other, l.purpose, accountant, home))
		w.must(w.Clean(ctx)) // keeps the pause
		w.clock.Advance(auth.KeepLinks - time.Hour - time.Second)
		sess = w.session(w.signIn(jeanne, home).Token)
		w.want(ask(), auth.CodeNoticeRefused)
		w.clock.Advance(time.Second)
		w.must(ask())
		w.must(w.ConfirmNotices(ctx, l.purpose, w.link(l.request)))
		remove()
		w.clock.Advance(time.Minute)
		w.must(ask())
	})
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

// A reader who refuses while the owner asks again is not written to: the rejection is looked for when the
// address is written, not before.
func TestRejectionDuringRequestHolds(t *testing.T) {
	t.Parallel()
	pool, url := testkit.DB(t)
	w, ctx := worldOn(t, pool), t.Context()
	l := addressList{purpose: auth.PurposeNotices, table: "account.notice_address", request: mail.NoticeConfirm}
	sess, _ := w.join(jeanne)
	w.must(w.AddNoticeAddress(ctx, sess, l.purpose, accountant, home))
	token := w.link(l.request)
	w.clock.Advance(time.Minute)
	traced := worldOn(t, testkit.Serving(t, url, &statementHook{"INSERT INTO account.notice_address", func() {
		if found, err := w.StopNotices(ctx, l.purpose, token); !found || err != nil {
			t.Errorf("refuse: %t, %v", found, err)
		}
	}}))
	traced.clock.Set(w.clock.Now())
	w.want(traced.AddNoticeAddress(ctx, sess, l.purpose, accountant, home), auth.CodeNoticeRefused)
	if n := w.count(`SELECT count(*) FROM ` + l.table); n != 0 || len(w.mails()) != 2 {
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
	for _, purpose := range []string{"confirm", "reset", "email", "verify", "recover", mail.PurposeNotices, mail.PurposeBillingMails} {
		if _, err := w.LinkToken(t.Context(), purpose, 1); !errors.Is(err, mail.ErrNoLink) {
			t.Errorf("%s: %v", purpose, err)
		}
	}
}

// An account cannot make the service write to addresses as it likes: it has to be confirmed, names five at
// most, and the limits of mails to one address and from one network hold, over all accounts.
func TestNoticeMailsAreLimited(t *testing.T) {
	eachList(t, func(t *testing.T, l addressList) {
		w, ctx, sess := joinWorld(t)
		other, _ := w.join("paul@exemple.fr")
		for _, bad := range []string{"", "x", "a@b", "A <a@b.fr>", strings.Repeat("a", 250) + "@b.fr"} {
			w.want(w.AddNoticeAddress(ctx, sess, l.purpose, bad, home), auth.CodeEmailInvalid)
		}
		w.want(w.AddNoticeAddress(ctx, sess, l.purpose, jeanne, home), auth.CodeEmailSame)
		w.must(w.AddNoticeAddress(ctx, sess, l.purpose, accountant, home))
		w.want(w.AddNoticeAddress(ctx, sess, l.purpose, accountant, home), auth.CodeWait)
		w.want(w.AddNoticeAddress(ctx, other, l.purpose, accountant, home), auth.CodeWait)
		for n := range 4 {
			w.clock.Advance(time.Minute)
			w.must(w.AddNoticeAddress(ctx, []auth.Session{sess, other}[n%2], l.purpose, accountant, home))
		}
		w.clock.Advance(time.Minute)
		w.want(w.AddNoticeAddress(ctx, other, l.purpose, accountant, home), auth.CodeWait) // five a day
		for n := range l.most - 1 {
			w.must(w.AddNoticeAddress(ctx, sess, l.purpose, fmt.Sprintf("%d@exemple.fr", n), home))
		}
		w.want(w.AddNoticeAddress(ctx, sess, l.purpose, "sixieme@exemple.fr", originAt("198.51.100.7")), auth.CodeNoticesFull)
		list, err := w.NoticeAddresses(ctx, sess, l.purpose)
		w.must(err)
		w.want(w.RemoveNoticeAddress(ctx, other, l.purpose, list[0].ID, home), "missing")
		w.must(w.RemoveNoticeAddress(ctx, sess, l.purpose, list[0].ID, home))
		w.want(w.RemoveNoticeAddress(ctx, sess, l.purpose, list[0].ID, home), "missing")
		for n := range 30 {
			if err = w.AddNoticeAddress(ctx, other, l.purpose, fmt.Sprintf("autre%d@exemple.fr", n), home); err != nil && problemCode(t, err) == auth.CodeWait {
				break
			}
		}
		w.want(err, auth.CodeWait) // one network, to many addresses
		testkit.Exec(t, w.pool, `UPDATE account.account SET email_confirmed_at = NULL WHERE id = $1`, sess.Account)
		w.want(w.AddNoticeAddress(ctx, sess, l.purpose, "x@exemple.fr", originAt("198.51.100.9")), auth.CodeConfirmFirst)
	})
}

// The addresses are in the export of the account. They go with it, and a week after a request without an
// answer.
func TestNoticeAddressesAreKeptNoLonger(t *testing.T) {
	eachList(t, func(t *testing.T, l addressList) {
		w, ctx, sess := joinWorld(t)
		w.must(w.AddNoticeAddress(ctx, sess, l.purpose, accountant, home))
		w.must(w.ConfirmNotices(ctx, l.purpose, w.link(l.request)))
		w.must(w.AddNoticeAddress(ctx, sess, l.purpose, "muet@exemple.fr", home))
		document := testkit.Must(w.Export(ctx, sess, home))(t)
		var file map[string]json.RawMessage
		w.must(json.Unmarshal(document, &file))
		var a []struct {
			Email       string     `json:"email"`
			ConfirmedAt *time.Time `json:"confirmed_at"`
		}
		w.must(json.Unmarshal(file[l.exported], &a))
		if len(a) != 2 || a[0].Email != accountant || a[0].ConfirmedAt == nil || a[1].ConfirmedAt != nil || strings.Contains(string(document), "nonce") {
			t.Errorf("the export has %+v", a)
		}
		w.clock.Advance(auth.KeepLinks - time.Second)
		w.must(w.Clean(ctx))
		testkit.WantCount(t, w.pool, 2, "addresses before a week is over", `SELECT count(*) FROM `+l.table)
		w.clock.Advance(time.Second)
		w.must(w.Clean(ctx))
		testkit.WantCount(t, w.pool, 1, "addresses after a week", `SELECT count(*) FROM `+l.table)
		sess = w.session(w.signIn(jeanne, home).Token)
		w.must(w.Delete(ctx, sess, home))
		w.isGone(sess)
	})
}

// A link of one list does nothing in the other: who agreed to quota notices gets no mails about payments, and
// stops those alone.
func TestListsOfAddressesAreApart(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	w.must(w.AddNoticeAddress(ctx, sess, auth.PurposeNotices, accountant, home))
	notices := w.link(mail.NoticeConfirm)
	w.clock.Advance(time.Minute)
	w.must(w.AddNoticeAddress(ctx, sess, auth.PurposeBillingMails, accountant, home))
	w.want(w.ConfirmNotices(ctx, auth.PurposeBillingMails, notices), auth.CodeLinkInvalid)
	w.must(w.ConfirmNotices(ctx, auth.PurposeNotices, notices))
	if list, err := w.NoticeAddresses(ctx, sess, auth.PurposeBillingMails); err != nil || len(list) != 1 || list[0].Confirmed {
		t.Errorf("after the other list was agreed to: %+v, %v", list, err)
	}
	w.must(w.ConfirmNotices(ctx, auth.PurposeBillingMails, w.link(mail.BillingConfirm)))
	if found, err := w.StopNotices(ctx, auth.PurposeNotices, notices); !found || err != nil {
		t.Fatalf("stop: %t, %v", found, err)
	}
	if list, err := w.NoticeAddresses(ctx, sess, auth.PurposeBillingMails); err != nil || len(list) != 1 || !list[0].Confirmed {
		t.Errorf("after the other list was stopped: %+v, %v", list, err)
	}
	w.clock.Advance(time.Minute)
	w.want(w.AddNoticeAddress(ctx, sess, auth.PurposeNotices, accountant, home), auth.CodeNoticeRefused)
}
