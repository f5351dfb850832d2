package stripesim

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const settleWait = 10 * time.Second // how long a control waits for the events that it caused

// addControls are the switches for hands and scripts: POST /_sim/name?parameters. Each answers with the state. A form
// of the front page names where it goes back to.
func (s *Simulator) addControls(mux *http.ServeMux) {
	for name, do := range map[string]func(form) error{
		"advance":       s.controlAdvance,
		"hold":          func(form) error { s.Hold(); return nil },
		"release":       func(f form) error { s.Release(Order(f.get("order")), uint64(f.number("seed"))); return nil },
		"repeat":        func(f form) error { s.Repeat(f["id"]...); return nil },
		"times":         func(f form) error { s.Times(int(f.number("n"))); return nil },
		"drop":          func(f form) error { s.Drop(int(f.number("n"))); return nil },
		"delay":         func(f form) error { s.Delay(seconds(f)); return nil },
		"fail":          s.controlFail,
		"webhook":       func(f form) error { s.SetWebhook(f.get("url"), f.get("secret")); return nil },
		"card":          func(f form) error { return s.SetCard(f.get("customer"), Card(f.get("card"))) },
		"pay":           func(f form) error { _, err := s.PayOpen(f.get("customer")); return err },
		"refund":        func(f form) error { return s.Refund(f.get("customer")) },
		"dispute":       func(f form) error { return s.Dispute(f.get("customer")) },
		"clear":         func(f form) error { return s.ClearDebit(f.get("customer"), f.yes("works")) },
		"confirm":       func(f form) error { return s.Confirm(f.get("invoice")) },
		"close_dispute": func(f form) error { return s.CloseDispute(f.get("customer"), f.yes("won")) },
		"cancel":        func(f form) error { return s.CancelNow(f.get("subscription")) },
		"change":        func(f form) error { return s.Change(f.get("subscription"), f.get("price")) },
		"subscribe": func(f form) error {
			_, err := s.Subscribe(f.get("customer"), f.get("price"), Card(f.get("card")))
			return err
		},
	} {
		mux.HandleFunc("POST /_sim/"+name, func(w http.ResponseWriter, r *http.Request) { s.control(w, r, do) })
	}
	mux.HandleFunc("GET /_sim/state", func(w http.ResponseWriter, _ *http.Request) { s.writeState(w) })
	mux.HandleFunc("GET /_sim/events", func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		all := shown(s.events.all(), func(e *Event) object { return e.object(s.options.Live) })
		s.mu.Unlock()
		writeJSON(w, all)
	})
}

func seconds(f form) time.Duration {
	n, _ := strconv.ParseFloat(f.get("seconds"), 64)
	return time.Duration(n * float64(time.Second))
}

func (s *Simulator) control(w http.ResponseWriter, r *http.Request, do func(form) error) {
	r.Body = http.MaxBytesReader(w, r.Body, bodyLimit)
	err := r.ParseForm()
	if err == nil {
		err = do(form(r.Form))
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), settleWait)
	defer cancel()
	_ = s.Quiet(ctx) // what did not go is in the state
	if back := r.Form.Get("back"); strings.HasPrefix(back, "/") && !strings.HasPrefix(back, "//") {
		http.Redirect(w, r, back, http.StatusSeeOther)
		return
	}
	s.writeState(w)
}

// controlAdvance takes seconds, or days, or to=period: two hours after the next end of a period, when it is paid.
func (s *Simulator) controlAdvance(f form) error {
	d := seconds(f) + time.Duration(f.number("days"))*24*time.Hour
	if f.get("to") == "period" {
		s.mu.Lock()
		for _, b := range s.subscriptions.all() {
			if left := b.end.Sub(s.target()) + 2*time.Hour; b.live() && (d == 0 || left < d) {
				d = left
			}
		}
		s.mu.Unlock()
	}
	if d < 0 || d > 10*366*24*time.Hour {
		return fmt.Errorf("advance by %s: 0 to ten years", d)
	}
	s.Advance(d)
	return nil
}

func (s *Simulator) controlFail(f form) error {
	mode := Failure(f.get("mode"))
	switch mode {
	case "works", "none":
		mode = Works
	case Works, Down, Slow, Error500, TooMany, LostReply:
	default:
		return fmt.Errorf("fail with %q: down, slow, 500, 429, lost or none", mode)
	}
	after := slowness
	if f.has("seconds") {
		after = seconds(f)
	}
	s.fail(faults{mode: mode, times: int(f.number("times")), late: after})
	return nil
}

func (s *Simulator) writeState(w http.ResponseWriter) {
	s.mu.Lock()
	state := object{"now": s.target().UTC().Format(time.RFC3339), "failure": s.faults.mode,
		"customers":     shown(s.customers.newest(nil), s.showCustomer),
		"subscriptions": shown(s.subscriptions.newest(nil), s.showSubscription),
		"invoices":      shown(s.invoices.newest(nil), s.showInvoice)}
	s.mu.Unlock()
	p := s.posts
	p.mu.Lock()
	state["held"], state["waiting"], state["deliveries"] = p.held, len(p.waiting), append([]Delivery{}, p.deliveries...)
	p.mu.Unlock()
	writeJSON(w, state)
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}
