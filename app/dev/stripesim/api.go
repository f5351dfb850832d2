package stripesim

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	bodyLimit = 1 << 20
	// the only request that the mock is not asked: its newer API has no such route
	upcoming = "/v1/invoices/upcoming"
)

// operation is one route of the API. It runs while the simulator is locked.
type operation func(s *Simulator, c call) (any, error)

// call is one request of the API.
type call struct {
	form
	path, id, inner string
}

func (s *Simulator) apiRoutes() http.Handler {
	mux := http.NewServeMux()
	for pattern, do := range map[string]operation{
		"POST /v1/customers":                           (*Simulator).createCustomer,
		"GET /v1/customers/{id}":                       (*Simulator).getCustomer,
		"POST /v1/customers/{id}":                      found((*Simulator).updateCustomer),
		"GET /v1/customers/{id}/tax_ids":               found((*Simulator).listTaxIDs),
		"POST /v1/customers/{id}/tax_ids":              found((*Simulator).createTaxID),
		"DELETE /v1/customers/{id}/tax_ids/{inner}":    (*Simulator).deleteTaxID,
		"GET /v1/prices/{id}":                          (*Simulator).getObject,
		"POST /v1/checkout/sessions":                   (*Simulator).createSession,
		"GET /v1/checkout/sessions":                    listed[*session],
		"GET /v1/checkout/sessions/{id}":               (*Simulator).getObject,
		"POST /v1/checkout/sessions/{id}/expire":       found((*Simulator).expireSession),
		"POST /v1/billing_portal/sessions":             (*Simulator).createPortal,
		"GET /v1/subscriptions":                        (*Simulator).listSubscriptions,
		"GET /v1/subscriptions/{id}":                   (*Simulator).getObject,
		"POST /v1/subscriptions/{id}":                  found((*Simulator).updateSubscription),
		"DELETE /v1/subscriptions/{id}":                found((*Simulator).cancelSubscription),
		"POST /v1/subscription_schedules":              (*Simulator).createSchedule,
		"POST /v1/subscription_schedules/{id}":         found((*Simulator).updateSchedule),
		"POST /v1/subscription_schedules/{id}/release": found((*Simulator).endSchedule),
		"GET /v1/invoices":                             listed[*invoice],
		"GET " + upcoming:                              (*Simulator).upcomingInvoice,
		"POST /v1/invoices":                            (*Simulator).createInvoice,
		"GET /v1/invoices/{id}":                        (*Simulator).getObject,
		"POST /v1/invoiceitems":                        (*Simulator).createItem,
		"POST /v1/invoices/{id}/void":                  found((*Simulator).voidInvoice),
		"POST /v1/invoices/{id}/finalize":              found((*Simulator).finalizeInvoice),
		"GET /v1/charges":                              listed[*charge],
		"GET /v1/charges/{id}":                         (*Simulator).getObject,
		"GET /v1/payment_methods":                      listed[*card],
		"POST /v1/payment_methods/{id}/detach":         found((*Simulator).detachMethod),
		"POST /v1/refunds":                             (*Simulator).createRefund,
		"GET /v1/disputes":                             listed[*dispute],
		"GET /v1/webhook_endpoints":                    (*Simulator).listEndpoints,
		"GET /v1/tax/settings":                         (*Simulator).getTaxSettings,
		"/v1/": func(*Simulator, call) (any, error) {
			return nil, &apiError{status: http.StatusNotFound,
				message: "The simulator of Stripe does not know this route."}
		},
	} {
		mux.HandleFunc(pattern, s.handleOperation(do))
	}
	s.addPages(mux)
	// foreign pages do not move the simulation: its forms have no CSRF token
	return http.NewCrossOriginProtection().Handler(mux)
}

// getObject reads one object of any kind.
func (s *Simulator) getObject(c call) (any, error) { return findObject[any](s, c.id, "") }

// getCustomer reads a customer, also one that was deleted.
func (s *Simulator) getCustomer(c call) (any, error) {
	if found, ok := s.byID[c.id].(*customer); ok && found.deleted {
		return object{"id": c.id, "object": "customer", "deleted": true}, nil
	}
	return s.getObject(c)
}

// handleOperation serves one operation. Stripe stores an error 500 under the idempotency
// key, and answers the key with it from then on.
func (s *Simulator) handleOperation(do operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		mode, do := s.takeFault(), do
		if mode == Error500 {
			do = func(*Simulator, call) (any, error) { return nil, errUnknown }
		}
		if mode.failBefore(w) {
			s.recordRequest(r, nil, 0)
			return
		}
		params, a, err := s.serveRequest(w, r, do)
		if err != nil {
			a = errorAnswer(err)
		}
		s.recordRequest(r, params, a.status)
		if !mode.failAfter(w, r) && s.awaitBank(r, params) {
			a.writeTo(w)
		}
	}
}

// serveRequest checks a request as Stripe does, asks the mock, and does
// what is asked once for each idempotency key.
func (s *Simulator) serveRequest(
	w http.ResponseWriter, r *http.Request, do operation) (form, *answer, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	if err != nil {
		return nil, nil, invalidRequest("", "The request cannot be read: %v", err)
	}
	params, err := url.ParseQuery(strings.Trim(string(body)+"&"+r.URL.RawQuery, "&"))
	if err != nil {
		return nil, nil, invalidRequest("", "The parameters are not form-encoded: %v", err)
	}
	if err := s.checkKey(r); err != nil {
		return form(params), nil, err
	}
	if err := s.checkPermission(r); err != nil {
		return form(params), nil, err
	}
	if s.mock != nil && r.URL.Path != upcoming {
		if rejected, err := s.mock.rejectRequest(r, body); err != nil || rejected != nil {
			return form(params), rejected, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := r.Header.Get("Idempotency-Key")
	if key == "" || r.Method != http.MethodPost {
		return form(params), s.runOperation(form(params), r, do), nil
	}
	fingerprint := sha256.Sum256(fmt.Appendf(nil, "%s\n%s", r.URL.Path, params.Encode()))
	if earlier, ok := s.answers[key]; ok && s.simulatedTime().Sub(earlier.at) < keyLifetime {
		if earlier.fingerprint != fingerprint {
			return form(params), nil, &apiError{status: http.StatusBadRequest, kind: "idempotency_error",
				message: "Keys for idempotent requests can only be used with the same parameters they were first used with."}
		}
		return form(params), earlier, nil
	}
	a := s.runOperation(form(params), r, do)
	if a.status != http.StatusBadRequest && a.status != http.StatusNotFound { // Stripe forgets those
		a.fingerprint, a.at, s.answers[key] = fingerprint, s.at, a
	}
	return form(params), a, nil
}

func (s *Simulator) runOperation(params form, r *http.Request, do operation) *answer {
	s.catchUp()
	o, err := do(s, call{form: params, path: r.URL.Path, id: r.PathValue("id"), inner: r.PathValue("inner")})
	s.webhooks.wake.Notify()
	if err != nil {
		return errorAnswer(err)
	}
	body := encodeJSON(o)
	if paths := params.listParam("expand"); len(paths) > 0 {
		plain := decodeObject(body)
		for _, path := range paths {
			names := strings.Split(path, ".")
			if slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(expandable, n) }) {
				return errorAnswer(invalidRequest("expand", "This property cannot be expanded (%s).", path))
			}
			s.expandObject(plain, names)
		}
		body = encodeJSON(plain)
	}
	return &answer{status: http.StatusOK, body: body}
}

// expandable are the properties that hold an id, or a list.
var expandable = []string{"data", "latest_invoice", "charge", "payment_intent", "schedule", "customer",
	"subscription",
	"invoice", "default_payment_method", "invoice_settings"}

// expandObject puts the object in the place of its id. What is absent stays so.
func (s *Simulator) expandObject(o object, path []string) {
	if id, ok := o[path[0]].(string); ok && s.byID[id] != nil {
		o[path[0]] = decodeObject(encodeJSON(s.byID[id]))
	}
	if len(path) == 1 {
		return
	}
	switch inner := o[path[0]].(type) {
	case object:
		s.expandObject(inner, path[1:])
	case []any:
		for _, each := range inner {
			s.expandObject(each.(object), path[1:])
		}
	}
}

func (s *Simulator) checkKey(r *http.Request) error {
	s.mu.Lock()
	revoked := s.revoked
	s.mu.Unlock()
	key, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !bearer {
		key, _, _ = r.BasicAuth()
	}
	if key != DefaultKey || revoked {
		return &apiError{status: http.StatusUnauthorized, message: "Invalid API Key provided"}
	}
	if v := r.Header.Get("Stripe-Version"); v != "" && v != APIVersion {
		return invalidRequest("", "Invalid Stripe API version: %s (the simulator speaks %s)", v, APIVersion)
	}
	return nil
}

// keyLifetime is how long an answer is repeated for its idempotency key.
const keyLifetime = 24 * time.Hour

// found is an operation on the object that the address names.
func found[T any](do func(*Simulator, call, T) (any, error)) operation {
	return func(s *Simulator, c call) (any, error) {
		v, err := findObject[T](s, c.id, "")
		if err != nil {
			return nil, err
		}
		return do(s, c, v)
	}
}

// listed is an operation that lists the objects of a kind. The names of filters are those of properties.
func listed[T interface{ ident() string }](s *Simulator, c call) (any, error) {
	return listPage(s, c, func(v T) bool {
		o := decodeObject(encodeJSON(v))
		return !slices.ContainsFunc([]string{"customer", "subscription", "status", "charge"},
			func(name string) bool { return c.has(name) && c.get(name) != o[name] })
	})
}

// listPage is a list of the API: those that fit, newest first, after starting_after, at most limit.
func listPage[T interface{ ident() string }](s *Simulator, c call, fits func(T) bool) (any, error) {
	if c.has("customer") {
		if _, err := findObject[*customer](s, c.get("customer"), "customer"); err != nil {
			return nil, err
		}
	}
	limit := 10
	if c.has("limit") {
		limit, _ = strconv.Atoi(c.get("limit"))
	}
	if limit < 1 || limit > 100 {
		return nil, invalidRequest("limit", "Limit must be between 1 and 100")
	}
	all := listNewest(s, fits)
	if after := c.get("starting_after"); after != "" {
		at := slices.IndexFunc(all, func(v T) bool { return v.ident() == after })
		if at < 0 {
			return nil, resourceMissing("starting_after", after)
		}
		all = all[at+1:]
	}
	l := listOf(c.path, all[:min(limit, len(all))]...)
	if l.HasMore = len(all) > limit; l.Data == nil {
		l.Data = []T{}
	}
	return l, nil
}

// answer is what is sent back, kept under its idempotency key.
type answer struct {
	status      int
	body        []byte
	fingerprint [sha256.Size]byte // of the request
	at          time.Time
}

func (a *answer) writeTo(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Request-Id", fmt.Sprintf("req_sim%d", time.Now().UnixNano()))
	h.Set("Stripe-Version", APIVersion)
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
}

// apiError is a rejection in Stripe's shape.
type apiError struct {
	status                     int
	kind, code, message, param string // kind: empty for invalid_request_error
}

func (e *apiError) Error() string { return e.message }

// MarshalJSON implements json.Marshaler.
func (e *apiError) MarshalJSON() ([]byte, error) {
	fields := map[string]string{"type": cmp.Or(e.kind, "invalid_request_error"), "message": e.message, "code": e.code,
		"param": e.param}
	maps.DeleteFunc(fields, func(_, value string) bool { return value == "" })
	return json.Marshal(fields)
}

func invalidRequest(param, format string, args ...any) error {
	return &apiError{status: http.StatusBadRequest, param: param, message: fmt.Sprintf(format, args...)}
}

// resourceMissing is the answer for an unknown id in a parameter, or in the address when param is empty.
func resourceMissing(param, id string) error {
	e := &apiError{status: http.StatusBadRequest, code: "resource_missing", param: param,
		message: fmt.Sprintf("No such object: '%s'", id)}
	if param == "" {
		e.status, e.param = http.StatusNotFound, "id"
	}
	return e
}

var errUnknown = &apiError{status: http.StatusInternalServerError, kind: "api_error",
	message: "An unknown error occurred (simulated)."}

var errDeclined = &apiError{status: http.StatusPaymentRequired, kind: "card_error", code: "card_declined",
	message: "Your card was declined."}

func errorAnswer(err error) *answer {
	var e *apiError
	if !errors.As(err, &e) {
		e = &apiError{status: http.StatusInternalServerError, kind: "api_error", message: "simulator: " +
			err.Error()}
	}
	return &answer{status: e.status, body: encodeJSON(object{"error": e})}
}

// Request is one that the API was asked, for a test that looks at what the service sends.
type Request struct {
	Method, Path string
	Form         url.Values
	Status       int // 0: Fail made it fail
}

func (s *Simulator) recordRequest(r *http.Request, params form, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, Request{Method: r.Method, Path: r.URL.Path, Form: url.Values(params),
		Status: status})
}

// Requests are those that the API was asked so far.
func (s *Simulator) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}
