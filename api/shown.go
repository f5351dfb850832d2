package api

import (
	"context"
	"net/netip"
	"net/url"
	"strings"

	"github.com/valyala/fasthttp"

	"arpent/internal/httpbody"
)

// Header is a header of an answer.
type Header struct{ Name, Value string }

// Shown is the answer that REST would give to a call, for pages that show it.
type Shown struct {
	Status  int
	Headers []Header // those about limits, and the number of the request
	Body    []byte   // shared: must not be modified
}

// Show returns the answer to a call as REST would give it, an error in its one form.
func (s *Server) Show(r *Result) Shown {
	out := Shown{Status: r.Status, Body: r.Body}
	r.admission.eachLimitHeader(nil, s.clock.Now(), func(name, value []byte) {
		out.Headers = append(out.Headers, Header{string(name), string(value)})
	})
	if r.Fault != nil {
		var res fasthttp.Response
		out.Status = s.writeFault(&res, r.Fault)
		out.Body = s.faultBody(r.Fault)
		if after := res.Header.Peek(fasthttp.HeaderRetryAfter); len(after) > 0 {
			out.Headers = append(out.Headers, Header{fasthttp.HeaderRetryAfter, string(after)})
		}
	}
	out.Headers = append(out.Headers, Header{string(headerRequestID), r.RequestID()})
	return out
}

// maxAddress is how many bytes the address of a request may have, whose headers and address have 8 KiB.
const maxAddress = 8 << 10

// Read turns values by the name of their parameter into arguments. Those that are empty count as not given,
// as a form sends every field; what no address could hold is rejected as REST does.
func (o *Operation) Read(values url.Values) (a Arguments) {
	length := 0
	for name, list := range values {
		for _, value := range list {
			length += len(value)
			if value != "" || o.isPathParam(name) {
				a.Set(o, name, value)
			}
		}
	}
	if length > maxAddress {
		a.Reject(faultFromRejection(&httpbody.Rejection{Status: fasthttp.StatusRequestEntityTooLarge,
			Message: "The address and the headers of the request are longer than the 8 KiB that are accepted."}))
	}
	return a
}

func (o *Operation) isPathParam(name string) bool {
	for i := range o.Params {
		if o.Params[i].Name == name {
			return o.Params[i].In == "path"
		}
	}
	return false
}

// Values are the values of a call of the operation, which is written as its Example.
func (o *Operation) Values(call string) url.Values {
	path, query, _ := strings.Cut(call, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		panic(err) // calls of the table alone are read, each of them by a test
	}
	given := strings.Split(path, "/")
	for i, part := range strings.Split(o.Path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			values.Set(strings.TrimSuffix(name, "}"), given[i])
		}
	}
	return values
}

// Preview runs an operation for a page of this server, for visitors who have no key: no quota counts
// it, and it is no call in the log or in the metrics. The caller bounds how often, with AdmitPreview and
// limits of its own. It returns a *fault.Error.
func (s *Server) Preview(ctx context.Context, operation string, arguments map[string]string) ([]byte, error) {
	r := &Request{ctx: ctx, op: s.Operation(operation)}
	for name, text := range arguments {
		r.arguments.Set(r.op, name, text)
	}
	answer, err := s.runOperation(r)
	if err != nil {
		var id [16]byte
		newRequestID(&id)
		return nil, toClientFault(err, &id)
	}
	return answer.Body, nil
}

// AdmitPreview counts a preview against the address it is for, together with the
// requests that come from there without a key.
func (s *Server) AdmitPreview(address netip.Addr) error {
	return s.admitAnonymous(address, &admission{})
}
