//go:build soak

package fault_test

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"arpent/app/dev/harness"
	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/billing/stripegate"
	"arpent/internal/clock"
	"arpent/internal/ident"
)

// clientsOfEach send requests to each instance, one after the other.
const clientsOfEach = 2

// An account with a reserve is answered as many requests as its quota and its reserve together, by three
// instances at once, and pays for as many of the reserve as are stored. An instance that is killed while the
// reserve is used changes nothing of the first, and forgets what it had answered in its last second at most.
func TestSoakFaultReserve(t *testing.T) {
	for name, kill := range map[string]bool{"three instances": false, "one of them killed": true} {
		t.Run(name, func(t *testing.T) {
			sim := stripesim.ForTest(t, stripesim.Options{NoMock: true})
			w := newWorld(t, append(selling(t, sim), "ARPENT_REDIS_URL="+testkit.Redis(t), "ARPENT_STRIPE_PRICE_RESERVE="+stripesim.ReservePrice)...)
			const quota, reserve, email = 6_000, 4_000, "reserve@example.org" // some seconds of requests
			key, err := w.program.Account(t.Context(), email, harness.Limits{PerMinute: 10_000_000, EnrichmentsPerMinute: 1, PerDay: quota})
			testkit.NoError(t, err)
			var servers []*harness.Server
			for range 3 {
				servers = append(servers, w.start())
			}
			account, customer := w.chooseReserve(sim, email, reserve)
			answered := 0
			for _, s := range servers {
				answered += w.untilReserveIsKnown(s, key, reserve)
			}

			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			admitted, others := make([][]harness.Answer, len(servers)), make([]map[int]int, len(servers))
			var clients sync.WaitGroup
			for i, s := range servers {
				clients.Go(func() {
					admitted[i], others[i] = harness.Hammer(ctx, []string{s.Base}, clientsOfEach, "/api/v1/communes/93010", key)
				})
			}
			var killed time.Time
			if kill {
				testkit.Eventually(t, 3*time.Minute, "the reserve is being used", func() bool { return w.used(email) > quota+reserve/10 })
				killed = time.Now()
				servers[1].Kill()
			}
			last := -1
			testkit.Eventually(t, 4*time.Minute, "nothing more is counted", func() bool {
				time.Sleep(3 * time.Second) // a write comes within a second
				before := last
				last = w.used(email)
				return last == before && last > quota
			})
			cancel()
			clients.Wait()

			stored, forgettable, broken := w.used(email), 0, 0
			for i := range servers {
				answered += len(admitted[i])
				if kill && i == 1 {
					broken = min(others[i][0], clientsOfEach) // requests that the kill left without an answer; later ones met no server
					for _, a := range admitted[i] {
						if !a.Received.Before(killed.Add(-time.Second)) {
							forgettable++
						}
					}
				} else if others[i][0] > 0 || others[i][http.StatusTooManyRequests] == 0 {
					t.Errorf("instance %d answered otherwise: %v", i, others[i])
				}
			}
			t.Logf("%d answered of %d, %d stored; the killed instance answered %d in its last second and left %d without an answer",
				answered, quota+reserve, stored, forgettable, broken)
			if answered > quota+reserve || answered < quota+reserve-broken {
				t.Errorf("%d were answered, want %d, less %d at most whose answer was lost", answered, quota+reserve, broken)
			}
			if stored > answered+broken || stored < answered-forgettable {
				t.Errorf("%d are stored of %d that were answered; %d at most may be forgotten", stored, answered, forgettable)
			}

			w.checkReserveInvoice(sim, account, customer, stored-quota)
		})
	}
}

// reserveStore is what the service does about subscriptions, at another time.
func (w *world) reserveStore(sim *stripesim.Simulator, c clock.Clock) (*billing.Service, *stripegate.Gate) {
	gate := stripegate.New(stripegate.Options{Key: stripesim.DefaultKey, Prices: stripesim.PriceLists(), ReservePrice: stripesim.ReservePrice,
		Backend: sim.URL(), Clock: sim})
	return billing.New(billing.Options{DB: w.Pool, Clock: c, Gateway: gate}), gate
}

// chooseReserve has an account subscribe to a plan and choose a reserve, as its owner does on the pages.
func (w *world) chooseReserve(sim *stripesim.Simulator, email string, perMonth int) (ident.AccountID, string) {
	w.T.Helper()
	store, _ := w.reserveStore(sim, clock.Real{})
	account := ident.AccountID(testkit.Count(w.T, w.Pool, `SELECT id FROM account.account WHERE email = '`+email+`'`))
	row, err := store.Customer(w.T.Context(), account)
	testkit.NoError(w.T, err)
	customer, err := store.EnsureCustomer(w.T.Context(), row, "en")
	testkit.NoError(w.T, err)
	_, err = sim.Subscribe(customer, stripesim.StandardPrice, stripesim.CardOK)
	testkit.NoError(w.T, err)
	_, err = store.Refresh(w.T.Context(), account)
	testkit.NoError(w.T, err)
	testkit.NoError(w.T, store.ChooseReserve(w.T.Context(), account, perMonth))
	return account, customer
}

// untilReserveIsKnown asks an instance until it admits the key with its reserve, and gives how many requests
// it has answered.
func (w *world) untilReserveIsKnown(s *harness.Server, key string, reserve int) (answered int) {
	w.T.Helper()
	c := harness.NewClient(s.Base, "")
	defer c.Close()
	testkit.Eventually(w.T, testkit.Timeout, s.Base+" knows the reserve", func() bool {
		a, err := c.Get("/api/v1/communes/93010", key)
		if err == nil && a.Status == http.StatusOK {
			answered++
		}
		return err == nil && a.Header.Get("X-Quota-Reserve-Remaining") == strconv.Itoa(reserve)
	})
	return answered
}

// checkReserveInvoice has the month invoiced once it is over, and compares the invoice with what is stored.
func (w *world) checkReserveInvoice(sim *stripesim.Simulator, account ident.AccountID, customer string, requests int) {
	w.T.Helper()
	today := clock.Day(time.Now()).Time()
	after := time.Date(today.Year(), today.Month()+1, 1, 12, 0, 0, 0, time.UTC)
	store, gate := w.reserveStore(sim, clock.At(after))
	for range 2 { // a second time finds it done
		testkit.NoError(w.T, store.InvoiceReserves(w.T.Context()))
	}
	var noted int
	err := w.Pool.QueryRow(w.T.Context(), `SELECT requests FROM account.reserve_month WHERE account_id = $1`, account).Scan(&noted)
	if err != nil || noted != requests {
		w.T.Errorf("%d requests are noted as invoiced (%v), %d are stored beyond the quota", noted, err, requests)
	}
	net := int64(math.Round(float64(requests) * 0.8))
	want := net + (net*20+50)/100
	bills, err := gate.Invoices(w.T.Context(), customer, 10)
	if err != nil || len(bills) != 2 || bills[0].OfPlan || bills[0].TotalCents != want || bills[0].Status != "paid" {
		w.T.Errorf("bills %+v, %v; want one of the plan and one of %d cents", bills, err, want)
	}
	w.T.Logf("%d requests of the reserve are invoiced, %d cents with tax", noted, want)
}
