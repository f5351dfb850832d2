package portal_test

import (
	"bytes"
	"encoding/base64"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/member"
	"arpent/auth/social"
	"arpent/billing"
	"arpent/internal/clock"
	"arpent/internal/mail"
	"arpent/portal"
)

// An owner adds an address for notices, its reader agrees in a browser of their own, and the owner removes
// it.
func TestRecipients(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	const path = "/account/settings/recipients"
	p := b.Post(path, url.Values{"email": {"pas une adresse"}}).Want(http.StatusUnprocessableEntity)
	if p.Error("email") == "" || p.Value("email") != "pas une adresse" {
		t.Errorf("next to the field: %q, kept: %q", p.Error("email"), p.Value("email"))
	}
	b.Post(path, url.Values{"email": {"compta@exemple.fr"}}).Want(http.StatusOK, "Un lien est parti vers compta@exemple.fr", "en attente")
	b.Post(path, url.Values{"email": {"compta@exemple.fr"}}).Want(http.StatusTooManyRequests, "Trop d’essais")
	link := s.link(s.last("compta@exemple.fr", mail.NoticeConfirm))
	reader := s.browser()
	asked := reader.Get(link).Want(http.StatusOK, "j…e@exemple.fr", "c…a@exemple.fr", "Recevoir ces e-mails", "Refuser")
	testkit.Want(t, asked.Header.Get("Referrer-Policy"), "no-referrer", "the page discloses its link")
	reader.Send(http.MethodPost, link, url.Values{"answer": {"agree"}}).Want(http.StatusForbidden) // without the token of the page
	reader.Post(link, url.Values{"answer": {"agree"}}).Want(http.StatusOK, "Avis acceptés", "Ne plus les recevoir")
	b.Get("/account/settings").Want(http.StatusOK, "acceptée")
	b.Post(path, url.Values{"email": {"compta@exemple.fr"}}).Want(http.StatusUnprocessableEntity, "reçoit déjà")
	b.Get("/account/security/activity").Want(http.StatusOK, "Avis de quota acceptés par le destinataire", "compta@exemple.fr")

	list, err := s.auth.NoticeAddresses(t.Context(), auth.Session{Account: b.account.ID, Organisation: b.account.ID}, auth.PurposeNotices)
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	other := s.member("paul@exemple.fr")
	other.Post(path+"/1/remove", nil).Want(http.StatusNotFound)
	b.Post(path+"/1/remove", nil).Want(http.StatusOK, "L’adresse est retirée")
	reader.Get(link+"?done=stopped").Want(http.StatusGone, "n’est plus valable", "le lien du dernier reçu")
	reader.Post(link, url.Values{"answer": {"agree"}}).Want(http.StatusUnprocessableEntity)
	reader.Post(link, url.Values{"answer": {"stop"}}).Want(http.StatusGone, "n’est plus valable").Lacks("30\u00a0jours")
}

// A full list says why nothing can be added, and shows what was wrong with a form that was sent from a page
// opened before.
func TestRecipientsAreFull(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	s.exec(`INSERT INTO account.notice_address (account_id, email, asked_at, confirmed_at)
		SELECT $1, n || '@exemple.fr', $2::timestamptz, $2::timestamptz FROM generate_series(1, 5) n`, b.account.ID, noon)
	const path = "/account/settings/recipients"
	if p := b.Get("/account/settings").Want(http.StatusOK, "La liste est pleine"); p.Find(`input[name="email"][type="email"]`).Length() != 0 {
		t.Error("a full list has the form")
	}
	b.Post(path, url.Values{"email": {"sixieme@exemple.fr"}}).Want(http.StatusUnprocessableEntity, "La liste est pleine")
	b.Post(path, url.Values{"email": {"1@exemple.fr"}}).Want(http.StatusUnprocessableEntity, "reçoit déjà ces e-mails")
}

// While the database is away a program that stops notices is asked to come back. A text that is no token
// needs no database.
func TestStopByMailWithoutDatabase(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *portal.Options, _ *social.Options) {
		away, err := pgxpool.New(t.Context(), "postgres://arpent@127.0.0.1:1/arpent?sslmode=disable")
		testkit.NoError(t, err)
		t.Cleanup(away.Close)
		o.Auth = auth.New(auth.Options{DB: away, Clock: clock.At(noon), Secret: testSecret})
	})
	for token, want := range map[string]int{strings.Repeat("A", 42): http.StatusGone, strings.Repeat("é", 40): http.StatusGone,
		base64.RawURLEncoding.EncodeToString(make([]byte, 32)): http.StatusServiceUnavailable} {
		if status := postAs(t, s.base+"/notices/"+url.PathEscape(token), "application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"); status != want {
			t.Errorf("%s: %d, want %d", token, status, want)
		}
	}
}

// The reader of an address stops the notices: by the page, or by the request that mail programs make (RFC
// 8058), which brings no cookie and no token of a form.
func TestNoticesAreStoppedInOneClick(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	var parts bytes.Buffer
	form := multipart.NewWriter(&parts)
	testkit.NoError(t, form.WriteField("List-Unsubscribe", "One-Click"))
	_ = form.Close()
	for name, stop := range map[string]func(link string) int{
		"page": func(link string) int {
			p := s.browser().Post(link, url.Values{"answer": {"stop"}})
			return p.Want(p.Status, map[int]string{http.StatusOK: "Avis arrêtés", http.StatusGone: "n’est plus valable"}[p.Status]).Status
		},
		"urlencoded": func(link string) int {
			return postAs(t, s.base+link, "application/x-www-form-urlencoded", "List-Unsubscribe=One-Click")
		},
		"multipart": func(link string) int { return postAs(t, s.base+link, form.FormDataContentType(), parts.String()) },
	} {
		email := name + "@exemple.fr"
		b.Post("/account/settings/recipients", url.Values{"email": {email}}).Want(http.StatusOK)
		link := s.link(s.last(email, mail.NoticeConfirm))
		s.browser().Post(link, url.Values{"answer": {"agree"}}).Want(http.StatusOK)
		s.expectCount(1, `SELECT count(*) FROM account.notice_address WHERE confirmed_at IS NOT NULL`)
		s.browser().Get(link)
		if status := postAs(t, s.base+link, "application/x-www-form-urlencoded", "x=y"); status != http.StatusForbidden {
			t.Errorf("%s: another form without a token: %d", name, status)
		}
		for _, want := range []int{http.StatusOK, http.StatusGone} { // a request may be repeated
			testkit.Want(t, stop(link), want, name)
		}
		s.expectCount(0, `SELECT count(*) FROM account.notice_address`)
		b.Post("/account/settings/recipients", url.Values{"email": {email}}).Want(http.StatusUnprocessableEntity, "a refusé ces e-mails")
	}
}

func postAs(t *testing.T, address, kind, body string) int {
	t.Helper()
	res := testkit.Must(http.Post(address, kind, strings.NewReader(body)))(t)
	defer res.Body.Close()
	return res.StatusCode
}

// A customer who looks for the recipients of invoices among those of notices is led to the billing e-mail; an
// account that has never paid is not.
func TestRecipientsOfNoticesLeadToThoseOfInvoices(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := s.member("jeanne@exemple.fr")
	if p := b.Get("/account/settings").Want(http.StatusOK, "Autres destinataires des avis"); p.Find(`a[href="/account/plan#billing"]`).Length() != 0 {
		t.Error("an account without invoices is led to their address")
	}
	s.subscribed(b, billing.Snapshot{Plan: billing.Standard})
	b.Get("/account/settings").Want(http.StatusOK, "Les factures ont leur propre adresse").Link("/account/plan#billing")
	if b.Get("/account/plan").Find("#billing").Length() != 1 {
		t.Error("the link leads nowhere")
	}
}

// A billing manager has copies of the mails about payments sent to the accountant, who agrees first and may
// stop them; who looks after keys may not, and another organisation's list does not exist.
func TestBillingRecipients(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	c := s.company("jeanne@exemple.fr", "Cadastre & Fils")
	b := c.join("compta@exemple.fr", member.Billing)
	if p := b.Get("/account/plan"); p.Find("#recipients").Length() != 0 {
		t.Error("an account that never paid has the list")
	}
	const path, email = "/account/plan/recipients", "cabinet@exemple.fr"
	b.Post(path, url.Values{"recipient": {email}})
	s.expectCount(0, `SELECT count(*) FROM account.billing_recipient`)
	testkit.NoError(t, s.billing.SaveCustomer(t.Context(), c.id, "cus_1"))
	add := func(address string) *testkit.Page {
		return b.Submit(b.Get("/account/plan"), path, "recipient", address)
	}
	b.Get("/account/plan").Want(http.StatusOK, "Copies des e-mails", "dix au plus")
	p := add("pas une adresse").Want(http.StatusUnprocessableEntity)
	if p.Error("recipient") == "" || p.Value("recipient") != "pas une adresse" {
		t.Errorf("next to the field: %q, kept: %q", p.Error("recipient"), p.Value("recipient"))
	}
	add(email).Want(http.StatusOK, "Un lien est parti vers "+email, "en attente")
	link := s.link(s.last(email, mail.BillingConfirm))
	reader := s.browser()
	reader.Get(link).Want(http.StatusOK, "Recevoir les e-mails de facturation", "son offre et ses paiements")
	reader.Get(strings.Replace(link, "/billing-mails/", "/notices/", 1)).Want(http.StatusGone)
	reader.Post(link, url.Values{"answer": {"agree"}}).Want(http.StatusOK, "E-mails acceptés")
	b.Get("/account/plan").Want(http.StatusOK, "acceptée")

	admin := c.join("admin@exemple.fr", member.Admin)
	admin.Send(http.MethodPost, path, url.Values{"token": {admin.orgToken()}, "recipient": {"x@exemple.fr"}}, "Sec-Fetch-Site", "same-origin").
		Want(http.StatusForbidden, "Votre rôle ne le permet pas")
	refused := c.join("marc@exemple.fr", member.Billing).Get("/account/keys?lang=en").
		Want(http.StatusForbidden, "Your role does not allow this")
	for selector, n := range map[string]int{`.tabs a[href="/account/plan"]`: 1, `.tabs a[href="/account/keys"]`: 0,
		`a[href="/account?lang=en"]`: 2, ".switcher button": 2} {
		if got := refused.Find(selector).Length(); got != n {
			t.Errorf("the refusal has %d × %s, want %d", got, selector, n)
		}
	}
	unknown := c.owner.Get("/account/keys/999999").Want(http.StatusNotFound)
	testkit.Want(t, unknown.Text(`.tabs a[aria-current="page"]`), "Clés", "an unknown key has the tab")
	other := s.company("paul@exemple.fr", "Beta")
	other.owner.Send(http.MethodPost, path+"/1/remove", url.Values{"token": {other.owner.orgToken()}}, "Sec-Fetch-Site", "same-origin").Want(http.StatusNotFound)
	if status := postAs(t, s.base+link, "application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"); status != http.StatusOK {
		t.Errorf("stopped in one click: %d", status)
	}
	add(email).Want(http.StatusUnprocessableEntity, "a refusé ces e-mails")
	add("autre@exemple.fr").Want(http.StatusOK, "en attente")
	b.Submit(b.Get("/account/plan"), path+"/"+strconv.Itoa(s.count(`SELECT max(id) FROM account.billing_recipient`))+"/remove").Want(http.StatusOK, "L’adresse est retirée")
}
