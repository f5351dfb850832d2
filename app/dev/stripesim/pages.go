package stripesim

import (
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"time"
)

//go:embed pages/*.html
var pageFiles embed.FS

var pages = template.Must(template.New("").Funcs(template.FuncMap{"money": formatEuros,
	"day": formatTime}).ParseFS(pageFiles, "pages/*.html"))

func formatEuros(cents int64) string {
	if cents < 0 {
		return "-" + formatEuros(-cents)
	}
	return fmt.Sprintf("€%d.%02d", cents/100, cents%100)
}

func formatTime(t time.Time) string { return t.UTC().Format("2 Jan 2006 15:04") }

// addPages adds what a browser opens: the pages of payment, of the customer
// and of an invoice, and one with the clock.
func (s *Simulator) addPages(mux *http.ServeMux) {
	type form = func(r *http.Request) (back string, err error)
	for path, p := range map[string]struct {
		name string
		view func(id string) (any, string, bool)
		do   form
	}{
		"/{$}":           {"front.html", s.frontView, s.moveTime},
		"/checkout/{id}": {"checkout.html", s.checkoutView, s.payForm},
		"/portal/{id}":   {"portal.html", s.portalView, s.portalForm},
		"/invoice/{id}":  {"invoice.html", s.invoiceView, s.confirmForm},
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			s.writePage(w, r, p.name, p.view,
				nil)
		})
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, bodyLimit)
			back, err := p.do(r)
			if err != nil {
				s.writePage(w, r, p.name, p.view, err)
				return
			}
			http.Redirect(w, r, back, http.StatusSeeOther)
		})
	}
}

// writePage draws a page. Chromium counts the redirect after a form as its target, so that the
// address to go back to is named in the policy.
func (s *Simulator) writePage(w http.ResponseWriter, r *http.Request, name string, read func(id string) (any,
	string, bool), fault error) {
	s.CatchUp()
	s.mu.Lock()
	defer s.mu.Unlock()
	v, target, ok := read(r.PathValue("id"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	policy := "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
	if u, err := url.Parse(target); err == nil && u.Host != "" {
		policy += " " + u.Scheme + "://" + u.Host
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	h.Set("Cache-Control", "no-store")
	if fault != nil {
		status := http.StatusBadRequest
		if known, ok := errors.AsType[*apiError](fault); ok {
			status = known.status
		}
		w.WriteHeader(status)
	}
	_ = pages.ExecuteTemplate(w, name, object{"View": v, "Fault": fault})
}

func (s *Simulator) checkoutView(id string) (any, string, bool) {
	n, ok := s.byID[id].(*session)
	if !ok {
		return nil, "", false
	}
	return object{"Session": n, "Plan": n.price, "Tax": taxOf(n.price.Cents), "Customer": s.byID[n.Customer]},
		n.SuccessURL, true
}

func (s *Simulator) payForm(r *http.Request) (string, error) {
	return s.Pay(r.PathValue("id"), Buyer{Name: r.PostFormValue("name"), Line1: r.PostFormValue("line1"),
		PostalCode: r.PostFormValue("postal_code"),
		City:       r.PostFormValue("city"), VAT: r.PostFormValue("vat"), Card: Card(r.PostFormValue("card"))})
}

func (s *Simulator) portalView(id string) (any, string, bool) {
	p, ok := s.byID[id].(*portal)
	if !ok {
		return nil, "", false
	}
	return object{"Portal": p, "Customer": s.byID[p.Customer],
		"Subscriptions": listNewest(s, func(b *subscription) bool { return b.Customer == p.Customer }),
		"Invoices": listNewest(s, func(i *invoice) bool {
			return i.Customer == p.Customer && i.Number != ""
		})}, p.ReturnURL, true
}

// portalForm saves another card, and pays what is owed with it.
func (s *Simulator) portalForm(r *http.Request) (string, error) {
	s.mu.Lock()
	p, err := findObject[*portal](s, r.PathValue("id"), "")
	s.mu.Unlock()
	if err == nil {
		err = s.SetCard(p.Customer, Card(r.PostFormValue("card")))
	}
	if err != nil {
		return "", err
	}
	all, err := s.payOpen(p.Customer, true)
	if err == nil && !all {
		err = errDeclined
	}
	return r.URL.Path, err
}

func (s *Simulator) invoiceView(id string) (any, string, bool) {
	i, ok := s.byID[id].(*invoice)
	return i, "", ok
}

// confirmForm is the customer's word to the bank for an invoice whose payment waits for it.
func (s *Simulator) confirmForm(r *http.Request) (string, error) {
	return r.URL.Path, withObject(s, r.PathValue("id"), func(i *invoice) error {
		if i.Status != open || !s.collectInvoice(i, true) {
			return errDeclined
		}
		return nil
	})
}

func (s *Simulator) frontView(string) (any, string, bool) {
	latest := s.events[max(0, len(s.events)-20):]
	return object{"Now": s.simulatedTime(), "Subscriptions": listNewest[*subscription](s, nil),
		"Events": latest}, "", true
}

// moveTime moves the clock on by days, or to two hours after the next end of a period, when it is paid.
func (s *Simulator) moveTime(r *http.Request) (string, error) {
	forward := 24 * time.Hour
	if r.PostFormValue("to") == "period" {
		s.mu.Lock()
		for n, b := range listNewest(s, (*subscription).isLive) {
			if left := b.End.Sub(s.simulatedTime()) + 2*time.Hour; n == 0 || left < forward {
				forward = left
			}
		}
		s.mu.Unlock()
	}
	s.Advance(forward)
	return "/", nil
}
