package stripesim

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"
)

// Event is what a webhook carries.
type Event struct {
	ID, Type string
	Created  time.Time
	Body     []byte // as it is sent
	data     object
}

// emit writes an event down and hands it to the post. before is what the object was; nil: it is new.
func (s *Simulator) emit(kind string, now, before object) {
	data := object{"object": now}
	if before != nil {
		changed := object{}
		for k, v := range before {
			if !reflect.DeepEqual(v, now[k]) {
				changed[k] = v
			}
		}
		data["previous_attributes"] = changed
	}
	plain, err := copied(data)
	if err != nil {
		panic(err) // objects are maps, strings and numbers
	}
	e := &Event{ID: s.id("evt"), Type: kind, Created: s.at, data: plain}
	e.Body, err = json.Marshal(e.object(s.options.Live))
	if err != nil {
		panic(err)
	}
	s.events.add(e.ID, e)
	s.posts.take(*e, s.at)
}

func (e *Event) object(live bool) object {
	return object{"id": e.ID, "object": "event", "type": e.Type, "created": e.Created.Unix(), "livemode": live,
		"api_version": APIVersion, "pending_webhooks": 1, "request": object{"id": nil, "idempotency_key": nil}, "data": e.data}
}

// Events are all so far, in the order in which they happened, whatever was delivered.
func (s *Simulator) Events() []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	var events []Event
	for _, e := range s.events.all() {
		events = append(events, *e)
	}
	return events
}

// With is the event's body with fields set to other values, such as api_version, livemode or account.
func (e Event) With(fields map[string]any) []byte {
	var o object
	if err := json.Unmarshal(e.Body, &o); err != nil {
		panic(err) // we wrote it
	}
	maps.Copy(o, fields)
	body, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return body
}

// Sign makes the header Stripe-Signature of a body sent at an instant.
func Sign(body []byte, secret string, at time.Time) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.", at.Unix())
	mac.Write(body)
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
}

// Object finds a field of the object that an event tells of, such as status or metadata.arpent_account.
func (e Event) Object(path string) any {
	var value any = e.data["object"]
	for _, name := range strings.Split(path, ".") {
		inner, ok := value.(object)
		if !ok {
			return nil
		}
		value = inner[name]
	}
	return value
}
