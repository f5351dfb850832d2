package assistant_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/app/dev/testkit"
	"arpent/auth/assistant"
)

// crossing is where requests come from, as the test says.
type crossing struct {
	mu sync.Mutex
	at netip.Addr
}

func (x *crossing) from(address string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.at = netip.MustParseAddr(address)
}

func (x *crossing) on(o *assistant.Options) {
	o.Client = func(*fiber.Ctx) netip.Addr { x.mu.Lock(); defer x.mu.Unlock(); return x.at }
}

// flood registers n clients, a second apart, and gives how many were taken.
func (w *world) flood(n int) (taken int) {
	w.t.Helper()
	for i := range n {
		w.clock.Advance(time.Second)
		r := w.send(http.MethodPost, "/oauth/register", fmt.Sprintf(`{"client_name":"flood %d","redirect_uris":["%s"],"token_endpoint_auth_method":"none"}`, i, callback))
		switch r.status {
		case http.StatusCreated:
			taken++
		case http.StatusTooManyRequests:
			if r.code() != "temporarily_unavailable" || r.header.Get("Retry-After") == "" || r.header.Get("Retry-After") == "0" || r.member("error_description") == "" {
				w.t.Fatalf("%d %s %v", r.status, r.text, r.header)
			}
		default:
			w.t.Fatalf("%d %s", r.status, r.text)
		}
	}
	return taken
}

// waits reports whether a client is known still.
func (w *world) waits(client string) bool {
	w.t.Helper()
	return w.count(`SELECT count(*) FROM account.assistant_client WHERE id = $1`, client) == 1
}

const countAll = `SELECT count(*) FROM account.assistant_client WHERE granted_at IS NULL`

// A client that fills the table from one network pushes out no client that a person signs up with,
// be it of another network or of the same one.
func TestFloodOfOneNetwork(t *testing.T) {
	t.Parallel()
	x := &crossing{}
	w := openWorld(t, x.on)
	w.KeepWaiting(100, 5, 20)
	x.from("160.79.104.9")
	elsewhere := w.public("elsewhere")
	x.from("2001:db8:0:1::7")
	neighbour := w.public("neighbour")
	if taken := w.flood(200); taken != 78 { // until the table is nearly full
		t.Errorf("%d were taken", taken)
	}
	x.from("2001:db8:0:1:ffff::9") // of the same network
	if w.flood(1) != 0 {
		t.Error("another address of the network is another network")
	}
	x.from("2001:db8:1:2::7") // of another /48
	if w.flood(1) != 1 {
		t.Error("another network has to wait")
	}
	for _, client := range []string{elsewhere, neighbour} {
		if !w.waits(client) {
			t.Error("a client was pushed out")
		}
	}
	x.from("2001:db8:0:1::7")
	w.clock.Advance(time.Hour) // what it has is older than an hour: it may go on, and pays with its own
	if taken := w.flood(30); taken != 20 {
		t.Errorf("%d were taken an hour later", taken)
	}
	if n := w.count(countAll); n > 101 || !w.waits(elsewhere) {
		t.Errorf("%d wait", n)
	}
}

// While the table is far from full no network is refused, whatever it registers: hosted assistants have few.
func TestHostedAssistantsAreNotRefused(t *testing.T) {
	t.Parallel()
	x := &crossing{}
	w := openWorld(t, x.on)
	w.KeepWaiting(1000, 2, 10)
	x.from("160.79.104.9")
	if taken := w.flood(150); taken != 150 {
		t.Errorf("%d were taken", taken)
	}
}

// Beyond the bound the network that holds most pays, with its oldest, and never with the first of
// the last hour; a client that somebody agreed to or let in stays, and its network is forgotten.
// However many networks there are, there is an end.
func TestWaitingClientsAreBounded(t *testing.T) {
	t.Parallel()
	x := &crossing{}
	w := openWorld(t, x.on)
	w.KeepWaiting(20, 3, 1000)
	x.from("192.0.2.1")
	a := w.account("a")
	connected := w.public("connected")
	_, token := w.connect(a, connected)
	testkit.WantCount(t, w.pool, 0, "networks of clients that are let in",
		`SELECT count(*) FROM account.assistant_client WHERE network IS NOT NULL`)
	asked := w.public("asked") // its owner agreed a moment ago
	code := w.agree(a, authorizeQuery(asked))
	x.from("198.51.100.9")
	alone := w.public("alone")
	x.from("203.0.113.1")
	old := w.public("old")
	w.clock.Advance(2 * time.Hour) // alone is older than an hour too, and of a small network
	first := w.public("first")
	w.flood(40)
	if n := w.count(countAll); n != 20 || !w.waits(alone) || !w.waits(first) || w.waits(old) {
		t.Errorf("%d wait, alone %v, first %v, old %v", n, w.waits(alone), w.waits(first), w.waits(old))
	}
	w.want(w.refresh(connected, token), http.StatusOK, "")
	w.want(w.refresh(old, token), http.StatusUnauthorized, "invalid_client")
	for i := range 100 {
		x.from(fmt.Sprintf("203.0.%d.1", i))
		w.flood(1)
	}
	testkit.WantCount(t, w.pool, 60, "wait", countAll)
	if n := w.count(`SELECT count(*) FROM account.assistant_code WHERE client_id = $1`, asked); n != 1 || !w.waits(asked) || code == "" {
		t.Error("one that somebody agreed to was forgotten")
	}
	var network string
	if err := w.pool.QueryRow(t.Context(), `SELECT network::text FROM account.assistant_client WHERE name = 'flood 0' ORDER BY created_at DESC LIMIT 1`).Scan(&network); err != nil || !strings.HasSuffix(network, ".0/24") {
		t.Errorf("network %q, %v", network, err)
	}
}

// The flood that was seen: 11 500 registrations from one address, with the bounds as they are.
func TestSoakFloodOfElevenThousand(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	w := newWorld(t)
	person := w.public("person")
	testkit.Exec(t, w.pool, `
		INSERT INTO account.assistant_client (id, name, auth_method, redirect_uris, created_at, network)
		SELECT 'x' || n, 'flood', 'none', ARRAY['https://x.example/'], $1::timestamptz + n * interval '1 millisecond', (SELECT network FROM account.assistant_client WHERE id = $2)
		FROM generate_series(1, 7990) n`, noon, person)
	if taken := w.flood(100); taken != 9 {
		t.Errorf("%d were taken", taken)
	}
	if !w.waits(person) {
		t.Error("the person's client was pushed out")
	}
	testkit.Exec(t, w.pool, `UPDATE account.assistant_client SET network = '203.0.113.0/24'`)
	testkit.Exec(t, w.pool, `
		INSERT INTO account.assistant_client (id, name, auth_method, redirect_uris, created_at, network)
		SELECT 'y' || n, 'flood', 'none', ARRAY['https://x.example/'], $1::timestamptz + n * interval '1 millisecond', '203.0.113.0/24'
		FROM generate_series(1, 3500) n`, noon)
	late := w.public("late")
	if n := w.count(countAll); n != 9900 || !w.waits(late) || !w.waits(person) {
		t.Errorf("%d wait, late %v, person %v", n, w.waits(late), w.waits(person))
	}
}
