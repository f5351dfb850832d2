package stripesim

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
)

// Endpoint is a webhook endpoint, as it is set up in the dashboard or through the API.
type Endpoint struct {
	URL        string
	APIVersion string // default APIVersion
	Events     []string
	Disabled   bool
}

// SetEndpoints replaces the webhook endpoints that the API shows. Before the first call it shows one for the
// address of SetWebhook, with all events. Where events go is the matter of SetWebhook alone.
func (s *Simulator) SetEndpoints(all ...Endpoint) {
	s.setLocked(func() { s.endpoints, s.endpointsSet = all, true })
}

// SetTaxMissing makes Stripe Tax pending for want of these settings; none: it is active.
func (s *Simulator) SetTaxMissing(fields ...string) { s.setLocked(func() { s.taxMissing = fields }) }

// Forbid makes a restricted key of the key: requests of paths with that beginning are answered with 403.
// Empty: none is.
func (s *Simulator) Forbid(beginning string) { s.setLocked(func() { s.forbidden = beginning }) }

// checkPermission returns the rejection of a request that the key has no permission for; nil: it has.
func (s *Simulator) checkPermission(r *http.Request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.forbidden == "" || !strings.HasPrefix(r.URL.Path, s.forbidden) {
		return nil
	}
	return &apiError{status: http.StatusForbidden,
		message: "The provided key does not have the required permissions for this endpoint."}
}

// listEndpoints answers the list of webhook endpoints, without their secrets, which Stripe shows at creation
// alone.
func (s *Simulator) listEndpoints(c call) (any, error) {
	all := s.endpoints
	if url := s.webhooks.currentAddress(); !s.endpointsSet && url != "" {
		all = []Endpoint{{URL: url, Events: []string{"*"}}}
	}
	shown := []object{}
	for i, e := range slices.Backward(all) {
		status := "enabled"
		if e.Disabled {
			status = "disabled"
		}
		shown = append(shown, object{"id": "we_sim" + s.run + string(rune('a'+i)), "object": "webhook_endpoint",
			"api_version": cmp.Or(e.APIVersion, APIVersion), "enabled_events": e.Events, "status": status, "url": e.URL})
	}
	return listOf(c.path, shown...), nil
}

// getTaxSettings answers the settings of Stripe Tax.
func (s *Simulator) getTaxSettings(call) (any, error) {
	settings := object{"object": "tax.settings", "status": "active",
		"status_details": object{"active": object{}}}
	if len(s.taxMissing) > 0 {
		settings["status"] = "pending"
		settings["status_details"] = object{"pending": object{"missing_fields": s.taxMissing}}
	}
	return settings, nil
}
