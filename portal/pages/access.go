package pages

import (
	"arpent/auth/apikey"
	"arpent/portal/view"
)

// CountAccess counts what works now of the account of a page: keys, which are those of the account,
// assistants, management tokens and webhooks.
func (s *Server) CountAccess(v *Visitor, keys []apikey.Key) (view.Access, error) {
	var n view.Access
	for _, k := range keys {
		switch {
		case !k.Live(s.Now()):
		case k.Kind == apikey.Assistant:
			n.Assistants++
		default:
			n.Keys++
		}
	}
	tokens, err := s.Tokens.List(v.Ctx, v.Account)
	if err != nil {
		return n, err
	}
	for _, t := range tokens {
		if !t.Void && t.ExpiresAt.After(s.Now()) {
			n.Tokens++
		}
	}
	endpoints, err := s.Webhooks.List(v.Ctx, v.Account)
	if err != nil {
		return n, err
	}
	for _, e := range endpoints {
		if e.OffAt == nil {
			n.Webhooks++
		}
	}
	return n, nil
}
