package stripesim

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// object is one of Stripe's as JSON has it.
type object = map[string]any

// Event is what a webhook carries.
type Event struct {
	ID, Type string
	Body     []byte // as it is sent
}

// emitEvent records an event about an object and queues it for delivery.
func (s *Simulator) emitEvent(kind string, about any) {
	e := Event{ID: s.newID("evt"), Type: kind}
	e.Body = encodeJSON(object{"id": e.ID, "object": "event", "type": kind, "created": s.at.Unix(),
		"livemode":    false,
		"api_version": APIVersion, "pending_webhooks": 1, "data": object{"object": about}})
	s.events = append(s.events, e)
	p := s.webhooks
	p.updateState(func() { p.waiting = append(p.waiting, &delivery{event: e, due: s.at}) })
}

// encodeJSON writes what is made of maps, strings and numbers, which never fails.
func encodeJSON(v any) []byte {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return body
}

// decodeObject reads what encode wrote.
func decodeObject(body []byte) (o object) {
	if err := json.Unmarshal(body, &o); err != nil {
		panic(err)
	}
	return o
}

// Events are all so far, in the order in which they happened, whatever was delivered.
func (s *Simulator) Events() []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.events)
}

// With returns the body of the event with some fields changed, such as api_version, livemode or account.
func (e Event) With(fields map[string]any) []byte {
	o := decodeObject(e.Body)
	maps.Copy(o, fields)
	return encodeJSON(o)
}

// Object finds a field of the object that an event is about, such as status or metadata.arpent_account.
func (e Event) Object(path string) any {
	value := decodeObject(e.Body)["data"].(object)["object"]
	for name := range strings.SplitSeq(path, ".") {
		inner, ok := value.(object)
		if !ok {
			return nil
		}
		value = inner[name]
	}
	return value
}

// Sign makes the header Stripe-Signature of a body sent at an instant.
func Sign(body []byte, secret string, at time.Time) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.", at.Unix())
	mac.Write(body)
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
}
