package stripesim

import (
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"
)

//go:embed pages/*.html
var pageFiles embed.FS

var pages = template.Must(template.New("").Funcs(template.FuncMap{"money": money, "day": day}).ParseFS(pageFiles, "pages/*.html"))

func money(french bool, cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	if french {
		return fmt.Sprintf("%s%d,%02d\u00a0€", sign, cents/100, cents%100)
	}
	return fmt.Sprintf("%s€%d.%02d", sign, cents/100, cents%100)
}

func day(french bool, t time.Time) string {
	if french {
		return t.UTC().Format("02/01/2006 15:04")
	}
	return t.UTC().Format("2 Jan 2006 15:04")
}

func (s *Simulator) addPages(mux *http.ServeMux) {
	mux.HandleFunc("GET /{$}", s.frontPage)
	mux.HandleFunc("GET /checkout/{id}", func(w http.ResponseWriter, r *http.Request) { s.checkoutPage(w, r, http.StatusOK, "") })
	mux.HandleFunc("POST /checkout/{id}", s.checkoutForm)
	mux.HandleFunc("GET /portal/{id}", func(w http.ResponseWriter, r *http.Request) { s.portalPage(w, r, http.StatusOK, "") })
	mux.HandleFunc("POST /portal/{id}", s.portalForm)
	mux.HandleFunc("GET /invoice/{id}", func(w http.ResponseWriter, r *http.Request) { s.invoicePage(w, r, http.StatusOK, "") })
	mux.HandleFunc("POST /invoice/{id}", s.invoiceForm)
	mux.HandleFunc("GET /invoice/{id}/pdf", s.invoicePDF)
}

// write draws a page. Chromium counts the redirect after a form as its target, so that the addresses to go back to are
// named in the policy.
func (s *Simulator) write(w http.ResponseWriter, status int, name string, view any, targets ...string) {
	policy := "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
	for _, t := range targets {
		if origin := webOrigin(t); origin != "" {
			policy += " " + origin
		}
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex")
	w.WriteHeader(status)
	_ = pages.ExecuteTemplate(w, name, view)
}

// french tells the language of a page: that of the session, else the browser's.
func french(locale string, r *http.Request) bool {
	if locale == "" || locale == "auto" {
		locale = r.Header.Get("Accept-Language")
	}
	return strings.HasPrefix(strings.ToLower(locale), "fr")
}

type checkoutView struct {
	FR                        bool
	ID, Plan, Email, Name     string
	Cents, Tax                int64
	Cancel, Status, Fault     string
	Taxed, AskVAT, AskAddress bool
	Limited                   bool
	Typed                     Buyer
	Countries                 []string
	Cards                     cardsView
}

type cardsView struct {
	FR     bool
	Chosen Card
}

func (s *Simulator) checkoutPage(w http.ResponseWriter, r *http.Request, status int, fault string) {
	s.mu.Lock()
	s.settle()
	n, ok := s.sessions.get(r.PathValue("id"))
	if !ok {
		s.mu.Unlock()
		http.NotFound(w, r)
		return
	}
	price, _ := s.prices.get(n.price)
	v := checkoutView{FR: french(n.locale, r), ID: n.id, Plan: price.Name, Cents: price.Cents, Tax: (price.Cents*20 + 50) / 100,
		Cancel: n.cancelURL, Status: n.status, Fault: fault, Taxed: n.tax, AskVAT: n.taxIDs, AskAddress: n.address, Typed: typed(r),
		Limited: s.options.LimitOne && s.hasLive(n.customer)}
	v.Countries, v.Cards = append([]string{"CH", "US"}, european...), cardsView{v.FR, v.Typed.Card}
	if c, ok := s.customers.get(n.customer); ok {
		v.Email, v.Name = c.email, c.name
	}
	success := n.successURL
	s.mu.Unlock()
	s.posts.poke()
	s.write(w, status, "checkout.html", v, success, v.Cancel)
}

func typed(r *http.Request) Buyer {
	f := r.PostForm // nil for a page that is only looked at
	b := Buyer{Email: f.Get("email"), Name: f.Get("name"), Line1: f.Get("line1"), PostalCode: f.Get("postal_code"), City: f.Get("city"),
		Country: f.Get("country"), VAT: f.Get("vat"), Card: Card(f.Get("card"))}
	if b.Country == "" {
		b.Country = "FR"
	}
	if b.Card == "" {
		b.Card = CardOK
	}
	return b
}

func (s *Simulator) checkoutForm(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, bodyLimit)
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	back, err := s.Pay(r.PathValue("id"), typed(r))
	if err != nil {
		s.checkoutPage(w, r, statusOf(err), err.Error())
		return
	}
	http.Redirect(w, r, back, http.StatusSeeOther)
}

func statusOf(err error) int {
	var known *apiError
	if errors.As(err, &known) {
		return known.status
	}
	return http.StatusBadRequest
}

type portalView struct {
	FR                bool
	ID, Return, Fault string
	Customer          object
	Subscriptions     []portalSubscription
	Invoices          []invoiceView
	Owing             bool
	Standard, Pro     string
	Cards             cardsView
}

type portalSubscription struct {
	ID, Plan, Price, Status string
	End                     time.Time
	CancelAtEnd, Live       bool
}

type invoiceView struct {
	FR                 bool
	ID, Number, Status string
	At                 time.Time
	Tax, Total         int64
	Lines              []lineView
	Open               bool
	Fault              string
}

type lineView struct {
	Description string
	Cents       int64
}

func (s *Simulator) portalPage(w http.ResponseWriter, r *http.Request, status int, fault string) {
	s.mu.Lock()
	s.settle()
	p, ok := s.portals.get(r.PathValue("id"))
	if !ok {
		s.mu.Unlock()
		http.NotFound(w, r)
		return
	}
	c, _ := s.customers.get(p.customer)
	v := portalView{FR: french(p.locale, r), ID: p.id, Return: p.returnURL, Fault: fault, Customer: s.showCustomer(c),
		Standard: StandardPrice, Pro: ProPrice, Cards: cardsView{french(p.locale, r), CardOK}}
	for _, b := range s.subscriptions.newest(func(b *subscription) bool { return b.customer == p.customer }) {
		price, _ := s.prices.get(b.price)
		v.Subscriptions = append(v.Subscriptions, portalSubscription{ID: b.id, Plan: price.Name, Price: b.price, Status: b.status, End: b.end,
			CancelAtEnd: b.cancelAtEnd, Live: b.live()})
	}
	for _, i := range s.invoices.newest(func(i *invoice) bool { return i.customer == p.customer && i.number != "" }) {
		v.Invoices = append(v.Invoices, viewInvoice(i, v.FR))
		v.Owing = v.Owing || i.status == open
	}
	s.mu.Unlock()
	s.posts.poke()
	s.write(w, status, "portal.html", v, v.Return)
}

func viewInvoice(i *invoice, fr bool) invoiceView {
	var lines []lineView
	for _, l := range i.lines {
		lines = append(lines, lineView{Description: l.text, Cents: l.cents})
	}
	return invoiceView{FR: fr, ID: i.id, Number: i.number, Status: i.status, At: i.created, Tax: i.taxCents,
		Total: i.total(), Lines: lines, Open: i.status == open}
}

// portalForm does what a button of the customer portal says, for the customer of the session alone.
func (s *Simulator) portalForm(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, bodyLimit)
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	p, ok := s.portals.get(r.PathValue("id"))
	var owner string
	if b, known := s.subscriptions.get(r.PostForm.Get("subscription")); known {
		owner = b.customer
	}
	s.mu.Unlock()
	if !ok || (owner != "" && owner != p.customer) {
		http.NotFound(w, r)
		return
	}
	if err := s.portalDo(p.customer, form(r.PostForm)); err != nil {
		s.portalPage(w, r, statusOf(err), err.Error())
		return
	}
	http.Redirect(w, r, r.URL.Path, http.StatusSeeOther)
}

func (s *Simulator) portalDo(customer string, f form) error {
	switch f.get("do") {
	case "change":
		return s.Change(f.get("subscription"), f.get("price"))
	case "cancel":
		return s.CancelAtPeriodEnd(f.get("subscription"), true)
	case "resume":
		return s.CancelAtPeriodEnd(f.get("subscription"), false)
	case "card":
		return s.SetCard(customer, Card(f.get("card")))
	case "pay":
		if ok, err := s.PayOpen(customer); err != nil || !ok {
			return errors.Join(err, errDeclined)
		}
		return nil
	}
	return invalid("do", "This button is not known.")
}
