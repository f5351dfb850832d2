package portal_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"

	"arpent/app/dev/fixture"
	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
)

// connects has an assistant register, be authorized, get its key and lose it.
func (r *refuser) connects(b *testkit.Browser) {
	r.t.Helper()
	const register = `{"client_name":"Refused","redirect_uris":["http://127.0.0.1/callback"],"token_endpoint_auth_method":"none","grant_types":["authorization_code","refresh_token"]}`
	r.act("/oauth/register", func() *testkit.Page { return r.ask("/oauth/register", "application/json", register) })
	a := newAssistant(r.Site, "Assistant", "127.0.0.1")
	authorize := func() *testkit.Page { return fixture.Authorize(r.t, b, b.Get(a.request())) }
	code := codeOf(r, r.act("/oauth/authorize", authorize))
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "client_id": {a.id}, "redirect_uri": {a.redirect}, "code_verifier": {a.verifier}}
	tokens := r.act("/oauth/token", func() *testkit.Page { return r.ask("/oauth/token", formType, form.Encode()) })
	var got struct {
		Refresh string `json:"refresh_token"`
	}
	if err := json.Unmarshal([]byte(tokens.Body), &got); err != nil || got.Refresh == "" {
		r.t.Fatalf("tokens %s: %v", tokens.Body, err)
	}
	form = url.Values{"grant_type": {"refresh_token"}, "refresh_token": {got.Refresh}, "client_id": {a.id}}
	r.act("/oauth/token", func() *testkit.Page { return r.ask("/oauth/token", formType, form.Encode()) })
	form = url.Values{"token": {got.Refresh}, "client_id": {a.id}}
	r.act("/oauth/revoke", func() *testkit.Page { return r.ask("/oauth/revoke", formType, form.Encode()) })
	again := url.Values{"grant_type": {"authorization_code"}, "code": {codeOf(r, authorize())}, "client_id": {a.id}, "redirect_uri": {a.redirect}, "code_verifier": {a.verifier}}
	if p := r.ask("/oauth/token", formType, again.Encode()); p.Status != http.StatusOK {
		r.t.Fatalf("tokens: %d %s", p.Status, p.Body)
	}
	r.form("/account/security/access", b)
}

const formType = "application/x-www-form-urlencoded"

func codeOf(r *refuser, p *testkit.Page) string {
	r.t.Helper()
	to, err := url.Parse(p.Location())
	if err != nil || to.Query().Get("code") == "" {
		r.t.Fatalf("the consent leads to %q: %v", p.Location(), err)
	}
	return to.Query().Get("code")
}

// event is a message of Stripe, signed, that can be delivered again and again.
type event struct{ signature, body string }

// subscribes takes a plan, whose event the test delivers itself.
func (r *refuser) subscribes(b *testkit.Browser, sim *stripesim.Simulator) {
	r.t.Helper()
	events := make(chan event, 100)
	catch := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		events <- event{req.Header.Get("Stripe-Signature"), string(body)}
	}))
	r.t.Cleanup(catch.Close)
	sim.SetWebhook(catch.URL, stripesim.DefaultWebhookSecret)
	r.post("/account/plan/wish", b, "/account/plan/wish", url.Values{"plan": {"pro"}})
	r.post("/account/plan/wish/remove", b, "/account/plan/wish/remove", nil)
	r.post("/account/plan/subscribe", b, "/account/plan/subscribe", url.Values{"plan": {"standard"}})
	var customer string
	testkit.NoError(r.t, r.Pool.QueryRow(r.t.Context(), `SELECT customer_id FROM account.subscription`).Scan(&customer))
	_, err := sim.Subscribe(customer, stripesim.Prices()["standard"], stripesim.CardOK)
	testkit.NoError(r.t, err)
	for {
		select {
		case e := <-events:
			if strings.Contains(e.body, `"customer.subscription.created"`) {
				r.act("/webhooks/stripe", func() *testkit.Page {
					a := r.Do(http.MethodPost, "/webhooks/stripe", e.body, "Content-Type", "application/json", "Stripe-Signature", e.signature)
					return &testkit.Page{Status: a.Status, Header: a.Header, Body: string(a.Body)}
				})
				return
			}
		case <-time.After(testkit.Timeout):
			r.t.Fatal("no event of a subscription came")
		}
	}
}
