package api

import (
	"context"
	"net/netip"
)

// Preview runs an operation for a page of this server, for visitors who have no key: no quota counts
// it, and it is no call in the log or in the metrics. The caller bounds how often, with
// AdmitPreview and limits of its own. It returns a
// *fault.Error.
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
