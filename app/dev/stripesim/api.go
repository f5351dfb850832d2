package stripesim

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	bodyLimit = 1 << 20
	upcoming  = "/v1/invoices/upcoming" // the only request that the mock is not asked: its newer API has no such route
)

// Request is one that the API was asked, for a test that looks at what the service sends.
type Request struct {
	Method, Path, IdempotencyKey string
	Form                         url.Values
	Status                       int
}

// answer is what is sent back, kept under its idempotency key.
type answer struct {
	status      int
	body        []byte
	fingerprint [sha256.Size]byte // of the request
}

// apiError is a refusal in Stripe's shape.
type apiError struct {
	status                     int
	kind, code, message, param string
}

func (e *apiError) Error() string { return e.message }

func invalid(param, format string, args ...any) error {
	return &apiError{status: http.StatusBadRequest, kind: "invalid_request_error", param: param, message: fmt.Sprintf(format, args...)}
}

func noSuch(what, id string) error {
	return &apiError{status: http.StatusNotFound, kind: "invalid_request_error", code: "resource_missing", param: "id",
		message: fmt.Sprintf("No such %s: '%s'", what, id)}
}

// noSuchIn is noSuch for an id that stands in a parameter.
func noSuchIn(param, what, id string) error {
	return &apiError{status: http.StatusBadRequest, kind: "invalid_request_error", code: "resource_missing", param: param,
		message: fmt.Sprintf("No such %s: '%s'", what, id)}
}

var errDeclined = &apiError{status: http.StatusPaymentRequired, kind: "card_error", code: "card_declined", message: "Your card was declined."}

func (e *apiError) answer() *answer {
	fields := object{"type": e.kind, "message": e.message}
	if e.code != "" {
		fields["code"] = e.code
	}
	if e.param != "" {
		fields["param"] = e.param
	}
	if e.kind == "card_error" {
		fields["decline_code"] = "generic_decline"
	}
	body, _ := json.Marshal(object{"error": fields}) // strings always encode
	return &answer{status: e.status, body: body}
}

// call is one request of the API, while the simulator is locked.
type call struct {
	form
	id, inner string
}

type operation func(s *Simulator, c call) (object, error)

// api serves one operation.
func (s *Simulator) api(do operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		fault := s.takeFault()
		if fault.now(w, r) {
			s.record(r, nil, 0)
			return
		}
		params, body, err := parameters(w, r)
		var a *answer
		if err == nil {
			a, err = s.serve(r, params, body, do)
		}
		if err != nil {
			a = refused(err)
		}
		s.record(r, params, a.status)
		if fault.after(w, r) {
			return
		}
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Request-Id", fmt.Sprintf("req_sim%d", time.Now().UnixNano()))
		h.Set("Stripe-Version", APIVersion)
		w.WriteHeader(a.status)
		_, _ = w.Write(a.body)
	}
}

func refused(err error) *answer {
	var known *apiError
	if !errors.As(err, &known) {
		known = &apiError{status: http.StatusInternalServerError, kind: "api_error", message: "simulator: " + err.Error()}
	}
	return known.answer()
}

// parameters are those of the address and of the body.
func parameters(w http.ResponseWriter, r *http.Request) (form, []byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	if err != nil {
		return nil, nil, invalid("", "The request cannot be read: %v", err)
	}
	params, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, nil, invalid("", "The body is not form-encoded: %v", err)
	}
	for name, values := range r.URL.Query() {
		params[name] = append(params[name], values...)
	}
	return form(params), body, nil
}

// serve checks a request as Stripe does, asks the mock, and does what is asked once for each idempotency key.
func (s *Simulator) serve(r *http.Request, params form, body []byte, do operation) (*answer, error) {
	if err := s.authorize(r); err != nil {
		return nil, err
	}
	if s.mock != nil && r.URL.Path != upcoming {
		if refusal, err := s.mock.refusal(r, body); err != nil || refusal != nil {
			return refusal, err
		}
	}
	key := r.Header.Get("Idempotency-Key")
	if r.Method != http.MethodPost {
		key = ""
	}
	fingerprint := sha256.Sum256(fmt.Appendf(nil, "%s %s\n%s", r.Method, r.URL.Path, url.Values(params).Encode()))
	s.mu.Lock()
	defer s.mu.Unlock()
	if earlier, ok := s.answers[key]; ok && key != "" {
		if earlier.fingerprint != fingerprint {
			return nil, &apiError{status: http.StatusBadRequest, kind: "idempotency_error",
				message: "Keys for idempotent requests can only be used with the same parameters they were first used with."}
		}
		return earlier, nil
	}
	a, err := s.perform(params, r, do)
	if err != nil {
		a = refused(err)
	}
	wrong := a.status == http.StatusBadRequest || a.status == http.StatusNotFound // Stripe forgets those
	if a.fingerprint = fingerprint; key != "" && !wrong {
		s.answers[key] = a
	}
	return a, nil
}

func (s *Simulator) perform(params form, r *http.Request, do operation) (*answer, error) {
	s.settle()
	o, err := do(s, call{form: params, id: r.PathValue("id"), inner: r.PathValue("inner")})
	s.posts.poke()
	if err != nil {
		return nil, err
	}
	plain, err := copied(o)
	if err != nil {
		return nil, err
	}
	for _, path := range params.list("expand") {
		if err := s.expand(plain, strings.Split(path, ".")); err != nil {
			return nil, err
		}
	}
	body, err := json.Marshal(plain)
	return &answer{status: http.StatusOK, body: body}, err
}

func (s *Simulator) authorize(r *http.Request) error {
	key, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !bearer {
		key, _, _ = r.BasicAuth()
	}
	if key != s.options.Key {
		return &apiError{status: http.StatusUnauthorized, kind: "invalid_request_error", message: "Invalid API Key provided"}
	}
	if v := r.Header.Get("Stripe-Version"); v != "" && v != APIVersion {
		return invalid("", "Invalid Stripe API version: %s (the simulator speaks %s)", v, APIVersion)
	}
	return nil
}

// copied is an object as JSON has it: nothing of it changes with the book afterwards.
func copied(o object) (object, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var plain object
	return plain, decoder.Decode(&plain)
}

// expand puts the object in the place of its id.
func (s *Simulator) expand(o object, path []string) error {
	value, known := o[path[0]]
	if !known {
		return invalid("expand", "This property cannot be expanded (%s).", strings.Join(path, "."))
	}
	if id, ok := value.(string); ok {
		found, there := s.find(id)
		if !there {
			return invalid("expand", "This property cannot be expanded (%s).", strings.Join(path, "."))
		}
		inside, err := copied(found)
		if err != nil {
			return err
		}
		value, o[path[0]] = inside, inside
	}
	if len(path) == 1 {
		return nil
	}
	switch inner := value.(type) {
	case object:
		return s.expand(inner, path[1:])
	case []any:
		for _, each := range inner {
			if err := s.expand(each.(object), path[1:]); err != nil {
				return err
			}
		}
	}
	return nil
}

// page is a list of the API: newest first, after starting_after, at most limit.
func page(c call, url string, all []object) (object, error) {
	limit := 10
	if c.has("limit") {
		limit, _ = strconv.Atoi(c.get("limit"))
	}
	if limit < 1 || limit > 100 {
		return nil, invalid("limit", "Limit must be between 1 and 100")
	}
	if after := c.get("starting_after"); after != "" {
		from := len(all)
		for i, o := range all {
			if o["id"] == after {
				from = i + 1
			}
		}
		all = all[from:]
	}
	data := []any{}
	for _, o := range all[:min(limit, len(all))] {
		data = append(data, o)
	}
	return object{"object": "list", "url": url, "data": data, "has_more": len(all) > limit}, nil
}

func shown[T any](all []T, show func(T) object) []object {
	objects := make([]object, 0, len(all))
	for _, v := range all {
		objects = append(objects, show(v))
	}
	return objects
}

func (s *Simulator) record(r *http.Request, params form, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, Request{Method: r.Method, Path: r.URL.Path, Form: url.Values(params), Status: status,
		IdempotencyKey: r.Header.Get("Idempotency-Key")})
}

// Requests are those that the API was asked so far. Status 0: it failed as it was told to.
func (s *Simulator) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}
