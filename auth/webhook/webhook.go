// Package webhook keeps the endpoints of an account and sends them its events. It promises that an event is
// sent at least once to every endpoint that chose it, again over a day until the endpoint answers 2xx, that
// each request is signed with a secret that the owner alone was shown, and that no request goes to an address
// that is not one of the public Internet.
package webhook

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/net/idna"

	"arpent/internal/clientip"
	"arpent/internal/event"
	"arpent/internal/fault"
)

// Mark begins every secret.
const Mark = "whsec_"

const (
	// MaxEndpoints is how many endpoints an account may have.
	MaxEndpoints = 5
	// MaxURL is how many characters the address of an endpoint may have.
	MaxURL = 500
	// Timeout is how long a request may take, from the look-up of the name to the answer.
	Timeout = 10 * time.Second
	// KeepDeliveries is how long what was sent is kept.
	KeepDeliveries = 30 * 24 * time.Hour
	// OffAfter is how long an endpoint may fail before it is switched off.
	OffAfter = 3 * 24 * time.Hour
)

// waits are the times between the attempts of a delivery: 8 attempts in a day.
var waits = []time.Duration{time.Minute, 5 * time.Minute, 20 * time.Minute, time.Hour, 3 * time.Hour, 7 * time.Hour,
	12 * time.Hour}

// Attempts is how often an event is sent before it is given up.
var Attempts = len(waits) + 1

// Waits returns the times between the attempts of a delivery.
func Waits() []time.Duration { return slices.Clone(waits) }

// ID names a row of account.webhook.
type ID int64

// Endpoint is what may be shown of an endpoint: never the secret.
type Endpoint struct {
	ID           ID
	URL          string
	Events       []event.Type
	CreatedAt    time.Time
	SecretAt     time.Time  // when the secret was made
	FailingSince *time.Time // nil: the last attempt succeeded, or there was none
	OffAt        *time.Time // nil: it is on
	Last         *Attempt   // nil: there was none in the last 30 days
}

// Host is the name of the server of the endpoint.
func (e Endpoint) Host() string {
	u, err := url.Parse(e.URL)
	if err != nil {
		return e.URL
	}
	return u.Hostname()
}

// State is what became of a delivery.
type State string

// The states.
const (
	Waiting   State = "waiting"
	Delivered State = "delivered"
	Failed    State = "failed" // given up
)

// Reason is why an attempt had no answer.
type Reason string

// The reasons.
const (
	Late     Reason = "timeout"    // beyond Timeout
	NoName   Reason = "dns"        // the name has no address
	Private  Reason = "private"    // the address of the name is not one of the public Internet
	Refused  Reason = "refused"    // nothing listens there
	Insecure Reason = "tls"        // the certificate is not valid, or TLS failed
	Unsigned Reason = "secret"     // the secret of the server with which that of the endpoint was sealed is lost
	Broken   Reason = "connection" // anything else
)

// Attempt is one request, with the answer or the reason why there was none.
type Attempt struct {
	At     time.Time
	Status *int
	Reason *Reason
	Took   time.Duration
	ByHand bool
}

// Succeeded reports whether the endpoint answered 2xx.
func (a Attempt) Succeeded() bool { return a.Status != nil && *a.Status >= 200 && *a.Status < 300 }

// DeliveryID names a row of account.webhook_delivery.
type DeliveryID int64

// Sent is a delivery with its attempts, the oldest first.
type Sent struct {
	ID        DeliveryID
	EventID   string
	Type      event.Type
	Body      string
	CreatedAt time.Time
	State     State
	Attempts  []Attempt
}

// Why an endpoint is not accepted. Callers distinguish them, to say what to do.
var (
	ErrUnconfirmed = fault.New(fault.InvalidParameter,
		"The account's e-mail address must be confirmed before an endpoint is added.", nil)
	ErrURL = fault.New(fault.InvalidParameter,
		"An endpoint has an address that begins with https://, without a user, a fragment or another port "+
			"than 443, of at most 500 characters.", nil)
	ErrHost = fault.New(fault.InvalidParameter,
		"The server of an endpoint is one of the public Internet.", nil)
	ErrEvents  = fault.New(fault.InvalidParameter, "An endpoint has one or more of the known events.", nil)
	ErrTaken   = fault.New(fault.InvalidParameter, "The account has an endpoint with that address already.", nil)
	ErrTooMany = fault.New(fault.InvalidParameter,
		"The account has 5 endpoints already: delete one first.", nil)
	ErrOn = fault.New(fault.InvalidParameter, "The endpoint is on already.", nil)
)

// checkURL brings the address of an endpoint to the form in which it is stored: ErrURL, ErrHost. The name may
// get another address later: its address is checked whenever something is sent.
func checkURL(text string) (string, error) {
	text = strings.TrimSpace(text)
	u, err := url.Parse(text)
	if err != nil || !strings.EqualFold(u.Scheme, "https") || u.User != nil || u.Fragment != "" || u.Opaque != "" ||
		u.Hostname() == "" || u.Port() != "" && u.Port() != "443" || strings.ContainsFunc(text, isUnprintable) {
		return "", ErrURL
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) {
		if host, err = idna.Lookup.ToASCII(host); err != nil {
			return "", ErrHost
		}
	}
	address, notAddress := netip.ParseAddr(host)
	switch {
	case notAddress == nil && !clientip.IsPublic(address):
		return "", ErrHost
	case notAddress == nil && address.Is6():
		host = "[" + host + "]"
	case notAddress != nil && !isPublicName(host):
		return "", ErrHost
	}
	u.Scheme, u.Host = "https", host
	if out := u.String(); len(out) <= MaxURL {
		return out, nil
	}
	return "", ErrURL
}

func isUnprintable(r rune) bool { return !unicode.IsPrint(r) || r == ' ' }

// isPublicName reports whether a name may be one of the public Internet: it has a dot, its last part is no
// number, as addresses written in unusual ways have, and is not reserved for private networks and tests.
func isPublicName(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	reserved := []string{"localhost", "local", "internal", "localdomain", "lan", "home", "corp", "test", "invalid",
		"onion"}
	return len(last) > 1 && len(last) < len(host) && !slices.Contains(reserved, last) && (last[0] < '0' || last[0] > '9') &&
		!strings.ContainsFunc(host, func(r rune) bool {
			return r != '.' && r != '-' && r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
		})
}

// checkEvents returns the types in their order: ErrEvents.
func checkEvents(chosen []event.Type) ([]event.Type, error) {
	known := slices.DeleteFunc(slices.Clone(event.Types), func(t event.Type) bool { return !slices.Contains(chosen, t) })
	if len(known) == 0 || slices.ContainsFunc(chosen, func(t event.Type) bool { return !slices.Contains(event.Types, t) }) {
		return nil, ErrEvents
	}
	return known, nil
}
