package portal_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"arpent/app/dev/stripesim"
	"arpent/auth"
	"arpent/auth/social"
	"arpent/billing"
	"arpent/internal/clock"
	"arpent/portal"
	"arpent/portal/admin"
)

// withOperator has the pages of operation, for operator.
func withOperator(o *portal.Options, _ *social.Options) {
	o.Operators = []string{"exploitante@exemple.fr"}
	o.Operation = &admin.Pages{Accounts: auth.NewAccounts(o.DB, o.Clock)}
}

// operator is an operator who has just signed in with a second factor.
func (s *site) operator() *browser {
	s.t.Helper()
	b := s.member("exploitante@exemple.fr")
	s.exec(`UPDATE account.account SET totp_sealed = 'x', totp_enabled_at = $2 WHERE id = $1`, b.account.ID,
		s.clock.Now().Add(-time.Minute))
	s.exec(`UPDATE account.session SET authenticated_at = $1`, s.clock.Now())
	return b
}

// An operator deletes no customer of Stripe while the server has no key of it: the subscription would go on.
func TestDeleteWithoutStripe(t *testing.T) {
	t.Parallel()
	s := newSite(t, withOperator)
	customer, operator := s.member("jeanne@exemple.fr"), s.operator()
	s.exec(`INSERT INTO account.subscription (account_id, customer_id, updated_at) VALUES ($1, 'cus_1', $2)`,
		customer.account.ID, s.clock.Now())
	operator.Post(fmt.Sprintf("/admin/accounts/%d/delete", customer.account.ID), url.Values{"confirm": {"1"},
		"reason": {"ticket 1"}, "email": {"jeanne@exemple.fr"}}).
		Want(http.StatusUnprocessableEntity, "client de Stripe, ce serveur n’en a pas de clé")
}

// An operator answers a customer who was charged from one page: how the customer signs in, what Stripe says
// of the subscription and its invoices, and which limits were met on a day. Stripe does not keep the page
// from being shown.
func TestSupportPage(t *testing.T) {
	t.Parallel()
	m := newMarket(t, withOperator)
	customer := m.member("jeanne@exemple.fr")
	operator := m.operator()
	of := fmt.Sprintf("/admin/accounts/%d", customer.account.ID)
	operator.Get(of).Want(http.StatusOK, "ce compte n’a jamais commencé à payer", "celui de l’inscription")
	m.pay(customer, billing.Standard, stripesim.CardOK)
	m.quiet()
	customer.addTOTP()
	m.exec(`INSERT INTO account.passkey (account_id, credential_id, user_handle, public_key, sign_count, transports, backup_eligible, backed_up, name, created_at)
		VALUES ($1, sha256('id'), sha256('handle'), 'x', 0, '{}', true, true, 'iPhone de Jeanne', $2)`, customer.account.ID, m.clock.Now())
	operator.Get(of).Want(http.StatusOK, "cus_", "sub_", "Standard", "active", "22,80\u00a0€", "payée", "depuis le 21\u00a0novembre\u00a02026",
		"iPhone de Jeanne")
	customer.Get("/account/security/access").Want(http.StatusOK, "iPhone de Jeanne") // it signs in after a new password too

	m.stripe.Fail(stripesim.Down, 0)
	operator.Get(of).Want(http.StatusOK, "Stripe ne répond pas en ce moment", "cus_")
	m.stripe.Fail(stripesim.Works, 0)

	m.exec(`INSERT INTO account.api_key (account_id, name, secret_hash, prefix, last4, created_at)
		VALUES ($1, 'carte', sha256('x'), 'arp_AbCd', 'wXyZ', $2)`, customer.account.ID, m.clock.Now())
	yesterday := clock.Day(m.clock.Now()) - 1
	m.exec(`INSERT INTO account.refusal (account_id, key_id, met, "limit", minute, first_at, last_at, requests)
		SELECT account_id, id, 'minute', 60, $1, $1, $1, 7 FROM account.api_key`, yesterday.Start().Add(9*time.Hour))
	operator.Get(of+"/rejections?day="+yesterday.String()).Want(http.StatusOK, "09:00:00", "carte", "par minute")
	operator.Get(of+"/rejections").Want(http.StatusOK, "Aucune limite atteinte")
	operator.Get(of + "/rejections?day=hier").Want(http.StatusNotFound)
}
