package stripesim_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/internal/clock"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// fixture is a simulator at a fixed hour and the receiver of its events.
type fixture struct {
	*testing.T
	*stripesim.Simulator
	clock *clock.Fixed
	inbox *inbox
}

func newFixture(t *testing.T, o stripesim.Options) *fixture {
	t.Helper()
	f := &fixture{T: t, clock: clock.At(noon), inbox: newInbox(t)}
	o.Clock, o.WebhookURL = f.clock, f.inbox.server.URL
	f.Simulator = stripesim.ForTest(t, o)
	return f
}

// inbox takes webhooks.
type inbox struct {
	server *httptest.Server
	mu     sync.Mutex
	status int // answered
	calls  []call
}

type call struct {
	ID, Type  string
	Signature string
	Body      []byte
}

func newInbox(t *testing.T) *inbox {
	b := &inbox{status: http.StatusOK}
	b.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		c := call{Signature: r.Header.Get("Stripe-Signature"), Body: body}
		if err != nil || json.Unmarshal(body, &c) != nil {
			t.Errorf("an event that cannot be read: %v %s", err, body)
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.calls = append(b.calls, c)
		w.WriteHeader(b.status)
	}))
	t.Cleanup(b.server.Close)
	return b
}

func (b *inbox) answer(status int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status = status
}

// ids of what came, and empties the box.
func (b *inbox) ids() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var ids []string
	for _, c := range b.calls {
		ids = append(ids, c.ID)
	}
	b.calls = nil
	return ids
}

// quiet waits until everything is delivered.
func (f *fixture) quiet() {
	f.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	testkit.NoError(f.T, f.Quiet(ctx))
}

// ask sends one request as the service does. values are pairs of name and value.
func (f *fixture) ask(method, path string, values ...string) (int, map[string]any) {
	f.Helper()
	return f.askAs(map[string]string{"Authorization": "Bearer " + stripesim.DefaultKey}, method, path, values...)
}

func (f *fixture) askAs(header map[string]string, method, path string, values ...string) (int, map[string]any) {
	f.Helper()
	res, body := f.send(header, method, f.URL()+path, values...)
	if res == nil {
		return 0, nil
	}
	var o map[string]any
	if err := json.Unmarshal(body, &o); err != nil {
		f.Fatalf("%s %s: %v", method, path, err)
	}
	return res.StatusCode, o
}

// send sends a request, without following what it is led to, and reads the answer; nil: the connection broke.
func (f *fixture) send(header map[string]string, method, address string, values ...string) (*http.Response, []byte) {
	f.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(values); i += 2 {
		form.Add(values[i], values[i+1])
	}
	body := ""
	if method == http.MethodPost {
		body = form.Encode()
	} else if len(form) > 0 {
		address += "?" + form.Encode()
	}
	req, err := http.NewRequest(method, address, strings.NewReader(body))
	testkit.NoError(f.T, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for k, v := range header {
		req.Header.Set(k, v)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return nil, nil
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	testkit.NoError(f.T, err)
	return res, text
}

// must is ask with a 200.
func (f *fixture) must(method, path string, values ...string) map[string]any {
	f.Helper()
	status, o := f.ask(method, path, values...)
	if status != http.StatusOK {
		f.Fatalf("%s %s %v: %d %v", method, path, values, status, o)
	}
	return o
}

// fieldAt reads a field such as items.data.0.price.id.
func fieldAt(o any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch inner := o.(type) {
		case map[string]any:
			o = inner[name]
		case []any:
			i := int(name[0] - '0')
			if i >= len(inner) {
				return nil
			}
			o = inner[i]
		default:
			return nil
		}
	}
	return o
}

// is compares fields of an object with what they should be.
func (f *fixture) is(o map[string]any, want map[string]any) {
	f.Helper()
	for path, value := range want {
		if n, ok := value.(int); ok {
			value = float64(n)
		}
		if got := fieldAt(o, path); got != value {
			f.Errorf("%s is %v, want %v", path, got, value)
		}
	}
}

func (f *fixture) customer() string {
	f.Helper()
	return f.must("POST", "/v1/customers", "email", "a@example.org", "metadata[arpent_account]", "7")["id"].(string)
}

// subscribed is a customer with the Standard plan.
func (f *fixture) subscribed(card stripesim.Card) (customer, subscription string) {
	f.Helper()
	customer = f.customer()
	subscription, err := f.Subscribe(customer, stripesim.StandardPrice, card)
	testkit.NoError(f.T, err)
	return customer, subscription
}

func (f *fixture) subscription(id string) map[string]any {
	f.Helper()
	return f.must("GET", "/v1/subscriptions/"+id, "expand[]", "latest_invoice.charge")
}

// types of the events of a kind, in order.
func (f *fixture) types(prefix string) []string {
	var types []string
	for _, e := range f.Events() {
		if strings.HasPrefix(e.Type, prefix) {
			types = append(types, e.Type)
		}
	}
	return types
}

const day = 24 * time.Hour
