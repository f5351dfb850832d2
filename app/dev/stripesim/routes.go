package stripesim

import "net/http"

// routes are the API, the pages of checkout and portal, and the controls.
func (s *Simulator) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, do := range map[string]operation{
		"POST /v1/customers":                           (*Simulator).createCustomer,
		"GET /v1/customers":                            (*Simulator).listCustomers,
		"GET /v1/customers/{id}":                       (*Simulator).get,
		"POST /v1/customers/{id}":                      (*Simulator).updateCustomer,
		"DELETE /v1/customers/{id}":                    (*Simulator).deleteCustomer,
		"GET /v1/customers/{id}/tax_ids":               (*Simulator).listTaxIDs,
		"POST /v1/customers/{id}/tax_ids":              (*Simulator).createTaxID,
		"DELETE /v1/customers/{id}/tax_ids/{inner}":    (*Simulator).deleteTaxID,
		"GET /v1/prices/{id}":                          (*Simulator).get,
		"POST /v1/checkout/sessions":                   (*Simulator).createSession,
		"GET /v1/checkout/sessions":                    (*Simulator).listSessions,
		"GET /v1/checkout/sessions/{id}":               (*Simulator).get,
		"POST /v1/checkout/sessions/{id}/expire":       (*Simulator).expireSession,
		"POST /v1/billing_portal/sessions":             (*Simulator).createPortal,
		"GET /v1/subscriptions":                        (*Simulator).listSubscriptions,
		"GET /v1/subscriptions/{id}":                   (*Simulator).get,
		"POST /v1/subscriptions/{id}":                  (*Simulator).updateSubscription,
		"DELETE /v1/subscriptions/{id}":                (*Simulator).cancelSubscription,
		"POST /v1/subscription_schedules":              (*Simulator).createSchedule,
		"POST /v1/subscription_schedules/{id}":         (*Simulator).updateSchedule,
		"POST /v1/subscription_schedules/{id}/{inner}": (*Simulator).endSchedule,
		"GET /v1/invoices":                             (*Simulator).listInvoices,
		"GET /v1/invoices/upcoming":                    (*Simulator).upcomingInvoice,
		"GET /v1/invoices/{id}":                        (*Simulator).get,
		"POST /v1/invoices/{id}/void":                  (*Simulator).voidInvoice,
		"GET /v1/charges/{id}":                         (*Simulator).get,
		"POST /v1/refunds":                             (*Simulator).createRefund,
		"GET /v1/disputes":                             (*Simulator).listDisputes,
		"/v1/":                                         (*Simulator).unknown,
	} {
		mux.HandleFunc(pattern, s.api(do))
	}
	s.addPages(mux)
	s.addControls(mux)
	return sameOrigin(mux)
}

// sameOrigin keeps foreign pages from moving the simulation: the forms and controls have no forgery token.
func sameOrigin(next http.Handler) http.Handler {
	return http.NewCrossOriginProtection().Handler(next)
}

// get reads one object of any kind.
func (s *Simulator) get(c call) (object, error) {
	if o, ok := s.find(c.id); ok {
		return o, nil
	}
	return nil, noSuch("object", c.id)
}

func (s *Simulator) unknown(call) (object, error) {
	return nil, &apiError{status: http.StatusNotFound, kind: "invalid_request_error", message: "The simulator of Stripe does not know this route."}
}
