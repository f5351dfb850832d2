package stripesim

import (
	"net/http"
	"time"
)

func (s *Simulator) invoiceForm(w http.ResponseWriter, r *http.Request) {
	if err := s.Confirm(r.PathValue("id")); err != nil {
		s.invoicePage(w, r, statusOf(err), err.Error())
		return
	}
	http.Redirect(w, r, r.URL.Path, http.StatusSeeOther)
}

func (s *Simulator) invoicePage(w http.ResponseWriter, r *http.Request, status int, fault string) {
	s.mu.Lock()
	i, ok := s.invoices.get(r.PathValue("id"))
	var v invoiceView
	if ok {
		v = viewInvoice(i, french("", r))
	}
	s.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	v.Fault = fault
	s.write(w, status, "invoice.html", v)
}

type frontView struct {
	Now                   time.Time
	Webhook               string
	Held                  bool
	Waiting               int
	Failure               Failure
	Subscriptions, Events []object
	Deliveries            []Delivery
	Buttons               map[string]string
}

// buttons are the controls of the front page: what they say, and what they ask for.
var buttons = map[string]string{
	"One day on": "advance?days=1&back=/", "To the next period": "advance?to=period&back=/", "Hold events": "hold?back=/",
	"Release": "release?back=/", "Release reversed": "release?order=reverse&back=/", "Send all again": "repeat?back=/",
	"API down": "fail?mode=down&back=/", "API slow": "fail?mode=slow&back=/", "API works": "fail?mode=none&back=/",
}

func (s *Simulator) frontPage(w http.ResponseWriter, _ *http.Request) {
	s.Settle()
	s.mu.Lock()
	v := frontView{Buttons: buttons, Now: s.target(), Failure: s.faults.mode, Subscriptions: shown(s.subscriptions.newest(nil), s.showSubscription)}
	for _, e := range s.events.newest(nil) {
		if v.Events = append(v.Events, e.object(s.options.Live)); len(v.Events) == 20 {
			break
		}
	}
	s.mu.Unlock()
	s.posts.mu.Lock()
	v.Webhook, v.Held, v.Waiting = s.posts.url, s.posts.held, len(s.posts.waiting)
	v.Deliveries = append(v.Deliveries, s.posts.deliveries[max(0, len(s.posts.deliveries)-20):]...)
	s.posts.mu.Unlock()
	s.write(w, http.StatusOK, "front.html", v)
}
