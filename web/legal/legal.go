// Package legal serves what a public server owes its visitors: who publishes it, on what terms, what
// it keeps of them and how long, and how to write to its operator. Names come from the
// configuration; what is missing there is left out, never replaced by something, and arpent doctor
// and the log at the start name it. How long things are kept comes from the code that removes them.
package legal

import (
	"cmp"
	"net/url"
	"time"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"arpent/billing"
	"arpent/internal/clock"
	"arpent/web"
)

// Options are the parameters of New.
type Options struct {
	Site         *web.Site
	Clock        clock.Clock
	Publisher    Publisher
	Retention    Retention
	Plans        []billing.Plan
	PaidPlans    bool                // people can subscribe to a plan here
	YearlyPrices map[string][]string // at Stripe, of the plans that are also sold for a year
	SellsReserve bool                // requests beyond the quota can be paid for
	Providers    []string            // third parties that people can sign in with
}

// Publisher is who answers for the server. What is empty is not known.
type Publisher struct {
	Name, Address, Phone, Director, Host string
	Registration, VAT                    string // shown where they are known
	LogDays                              int    // after which logs and backups are deleted
}

// Retention is how long things are kept.
type Retention struct {
	Session, SessionMax, ConnectionMax, Device, Language, Unconfirmed, Links, Tries, Rejections, Hours, Requests,
	Personal time.Duration
	Tokens, Deliveries, Joining, MailDone, MailFailed, Connection, PaymentEvents,
	Grace time.Duration
}

// Pages are the pages.
type Pages struct{ o Options }

// New makes the pages.
func New(o Options) *Pages { return &Pages{o} }

var publications = []web.Publication{
	{Path: "/terms", Description: [2]string{
		"Les conditions d’utilisation de l’API et du compte\u00a0: offres, prix, limites, usage permis, licence des données, résiliation, responsabilité.",
		"The terms of use of the API and the account: plans, prices, limits, permitted use, licence of the data, cancellation, liability."}},
	{Path: "/privacy", Description: [2]string{
		"Ce que ce service garde de vous, pourquoi et combien de temps\u00a0: compte, sessions, compteurs, journaux, e-mails, cookies, paiements.",
		"What this service keeps about you, why and for how long: account, sessions, counts, logs, emails, cookies, payments."}},
	{Path: "/legal", Description: [2]string{
		"Qui publie ce service, qui en dirige la publication, qui l’héberge, et sous quelle licence les données sont diffusées.",
		"Who publishes this service, who is responsible for its publication, who hosts it, and under which licence the data are distributed."}},
	{Path: "/contact", Description: [2]string{
		"Écrire à l’exploitant\u00a0: une question sur l’API, une erreur dans les données, des limites plus hautes, une facture, vos données personnelles.",
		"Write to the operator: a question about the API, an error in the data, higher limits, an invoice, your personal data."}},
}

// Register adds the pages to the server.
func (p *Pages) Register(app *fiber.App) {
	p.o.Site.Publish(publications...)
	app.Get("/terms", p.page(terms))
	app.Get("/privacy", p.page(privacy))
	app.Get("/legal", p.page(notice))
	app.Get("/contact", p.page(contact))
	app.Get(securityPath, p.serveSecurity)
}

func (p *Pages) page(body func(view) templ.Component) fiber.Handler {
	return func(c *fiber.Ctx) error { return web.Send(c, body(view{p.o.Site.Frame(c), p.o})) }
}

// view is the data of a page.
type view struct {
	web.Frame
	o Options
}

// pick returns the text in the language of the page.
func (v view) pick(french, english string) string { return v.Lang.Pick(french, english) }

// isNamed reports whether the operator has said who publishes the service.
func (v view) isNamed() bool { return v.o.Publisher.Name != "" }

// publisherText is the name of the publisher, or the operator where none is set.
func (v view) publisherText() string { return cmp.Or(v.o.Publisher.Name, v.operatorText()) }

func (v view) operatorText() string {
	return v.pick("l’exploitant de ce serveur", "the operator of this server")
}

// formatDays formats a duration in whole days, a day in hours.
func (v view) formatDays(d time.Duration) string {
	if days := int(d / (24 * time.Hour)); days > 1 {
		return v.Lang.Count(days, "jour", "day")
	}
	return v.Lang.Count(int(d/time.Hour), "heure", "hour")
}

// mailtoURL is a message to the operator with its subject.
func (v view) mailtoURL(subject string) templ.SafeURL {
	return templ.SafeURL("mailto:" + v.Contact() + "?subject=" + url.PathEscape(v.Name()+": "+subject))
}
