// Package webhooks holds the pages of webhooks, by which the server of an account's owner receives its
// events.
package webhooks

import (
	"errors"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/auth/webhook"
	"arpent/internal/event"
	"arpent/internal/httpbody"
	"arpent/portal/pages"
	"arpent/web"
)

// Pages serves the pages.
type Pages struct{ *pages.Server }

// Path is the address of the list.
const Path = "/account/webhooks"

// List shows the webhooks of the account.
func (p *Pages) List(c *fiber.Ctx, v *pages.Visitor) error {
	list, err := p.Webhooks.List(v.Ctx, v.Account)
	if err != nil {
		return err
	}
	page := Webhooks{Frame: v.Frame, Done: c.Query("done"), Confirmed: v.Session.Confirmed, Email: v.Session.Email,
		MailDown: p.MailDown, Max: webhook.MaxEndpoints}
	for _, e := range list {
		page.Webhooks = append(page.Webhooks, viewWebhook(e))
	}
	return web.Send(c, ListPage(page))
}

func viewWebhook(e webhook.Endpoint) Webhook {
	shown := Webhook{ID: int64(e.ID), URL: e.URL, Host: e.Host(), CreatedAt: e.CreatedAt, SecretAt: e.SecretAt,
		FailingSince: e.FailingSince, OffAt: e.OffAt}
	for _, t := range e.Events {
		shown.Events = append(shown.Events, string(t))
	}
	if e.Last != nil {
		shown.Last = new(viewAttempt(*e.Last))
	}
	return shown
}

func viewAttempt(a webhook.Attempt) Attempt {
	shown := Attempt{At: a.At, Status: a.Status, Took: a.Took, ByHand: a.ByHand, Succeeded: a.Succeeded()}
	if a.Reason != nil {
		shown.Reason = string(*a.Reason)
	}
	return shown
}

// NewForm shows the form of a new webhook.
func (p *Pages) NewForm(c *fiber.Ctx, v *pages.Visitor) error {
	form := Form{}
	for _, t := range event.Types {
		form.Chosen = append(form.Chosen, string(t))
	}
	return p.sendForm(c, v, form)
}

func (p *Pages) sendForm(c *fiber.Ctx, v *pages.Visitor, f Form) error {
	f.Frame, f.Confirmed, f.Email, f.MailDown = v.Frame, v.Session.Confirmed, v.Session.Email, p.MailDown
	for _, t := range event.Types {
		f.Events = append(f.Events, string(t))
	}
	return web.Send(c, FormPage(f))
}

// readForm reads the address and the events of a form.
func readForm(c *fiber.Ctx) (f Form, events []event.Type) {
	f.URL = strings.ToValidUTF8(pages.Text(c, "url"), "\ufffd")
	for _, t := range event.Types {
		if httpbody.Field(c, fieldOf(string(t))) != "" {
			events = append(events, t)
			f.Chosen = append(f.Chosen, string(t))
		}
	}
	return f, events
}

// fieldOf is the name of the field of an event: a dot has a meaning in selectors of style sheets and tests.
func fieldOf(event string) string { return "event_" + strings.ReplaceAll(event, ".", "_") }

// Create adds a webhook and shows its secret. It does not redirect: the secret could not be shown after
// that. Sent again, the same form is rejected for its address.
func (p *Pages) Create(c *fiber.Ctx, v *pages.Visitor) error {
	form, events := readForm(c)
	e, secret, err := p.Webhooks.Add(v.Ctx, v.Account, form.URL, events)
	if err == nil {
		c.Status(fiber.StatusCreated)
		return web.Send(c, SecretPage(Secret{Frame: v.Frame, Webhook: viewWebhook(e), Secret: secret}))
	}
	return p.sendFormAgain(c, v, form, err)
}

func (p *Pages) sendFormAgain(c *fiber.Ctx, v *pages.Visitor, form Form, err error) error {
	if form.Problems = problemsOf(v.Frame.Lang, err); form.Problems == nil {
		return err
	}
	c.Status(fiber.StatusUnprocessableEntity)
	return p.sendForm(c, v, form)
}

// problemTexts are the texts of the errors of the forms, with the field next to which each is shown.
var problemTexts = []struct {
	err                    error
	field, french, english string
}{
	{webhook.ErrUnconfirmed, "", "Confirmez d’abord votre adresse\u00a0: le lien est dans le message que nous vous " +
		"avons envoyé.", "Confirm your address first: the link is in the message that we sent you."},
	{webhook.ErrURL, "url", "Donnez une adresse qui commence par https://, sans identifiant, sans # et sans autre " +
		"port que 443, de 500\u00a0caractères au plus.",
		"Give an address that begins with https://, without a user, a # or another port than 443, of at most " +
			"500 characters."},
	{webhook.ErrHost, "url", "Cette adresse n’est pas celle d’un serveur public d’Internet\u00a0: rien ne peut y " +
		"être envoyé.", "This is not the address of a server of the public Internet: nothing can be sent to it."},
	{webhook.ErrEvents, "events", "Cochez au moins un événement.", "Tick at least one event."},
	{webhook.ErrTaken, "url", "Un webhook a déjà cette adresse. Si vous venez d’envoyer ce formulaire deux fois, le " +
		"premier a été ajouté\u00a0: remplacez son secret si vous ne l’avez pas copié.",
		"A webhook has this address already. If you have just sent this form twice, the first one was added: " +
			"replace its secret if you have not copied it."},
	{webhook.ErrTooMany, "", "Il y a déjà 5 webhooks. Supprimez d’abord celui qui ne sert plus.",
		"There are 5 webhooks already. Delete one that is no longer used first."},
	{webhook.ErrOn, "", "Ce webhook est déjà actif.", "This webhook is on already."},
	{webhook.ErrBusy, "", "Dix envois à la main par minute au plus. Réessayez dans une minute.",
		"At most ten events a minute are sent by hand. Try again in a minute."},
}

// problemsOf returns the texts for an error by field; nil if it is not one of the forms.
func problemsOf(l web.Lang, err error) (texts map[string]string) {
	for _, t := range problemTexts {
		if errors.Is(err, t.err) {
			if texts == nil {
				texts = map[string]string{}
			}
			texts[t.field] = l.Pick(t.french, t.english)
		}
	}
	return texts
}

// Detail shows a webhook with what was sent to it.
func (p *Pages) Detail(c *fiber.Ctx, v *pages.Visitor, id webhook.ID) error {
	return p.sendDetail(c, v, id, "")
}

func (p *Pages) sendDetail(c *fiber.Ctx, v *pages.Visitor, id webhook.ID, problem string) error {
	e, err := p.Webhooks.Find(v.Ctx, v.Account, id)
	if err != nil {
		return err
	}
	before, err := pages.Before(c)
	if err != nil {
		return err
	}
	list, err := p.Webhooks.Deliveries(v.Ctx, v.Account, id, webhook.DeliveryID(before), pages.MaxRows+1)
	if err != nil {
		return err
	}
	page := Detail{Frame: v.Frame, Webhook: viewWebhook(e), Done: c.Query("done"), Problem: problem, Before: before}
	list, page.Next = pages.Page(list, func(d webhook.Sent) int64 { return int64(d.ID) })
	for _, d := range list {
		page.Deliveries = append(page.Deliveries, viewDelivery(d))
	}
	return web.Send(c, DetailPage(page))
}

func viewDelivery(d webhook.Sent) Delivery {
	shown := Delivery{ID: int64(d.ID), EventID: d.EventID, Type: string(d.Type), Body: d.Body, CreatedAt: d.CreatedAt,
		State: string(d.State)}
	for _, a := range d.Attempts {
		shown.Attempts = append(shown.Attempts, viewAttempt(a))
	}
	return shown
}

// EditForm shows the address and the events of a webhook, to change them.
func (p *Pages) EditForm(c *fiber.Ctx, v *pages.Visitor, id webhook.ID) error {
	e, err := p.Webhooks.Find(v.Ctx, v.Account, id)
	if err != nil {
		return err
	}
	w := viewWebhook(e)
	return p.sendForm(c, v, Form{Webhook: &w, URL: w.URL, Chosen: w.Events})
}

// Edit changes the address and the events of a webhook.
func (p *Pages) Edit(c *fiber.Ctx, v *pages.Visitor, id webhook.ID) error {
	form, events := readForm(c)
	err := p.Webhooks.Change(v.Ctx, v.Account, id, form.URL, events)
	if err == nil {
		return pages.Redirect(c, pathOf(int64(id), "?done=changed"))
	}
	e, missing := p.Webhooks.Find(v.Ctx, v.Account, id)
	if missing != nil {
		return missing
	}
	form.Webhook = new(viewWebhook(e))
	return p.sendFormAgain(c, v, form, err)
}

// answerAct runs an act on a webhook and leads back to its page, which says that it was done, or why not.
func (p *Pages) answerAct(c *fiber.Ctx, v *pages.Visitor, id webhook.ID, done string, err error) error {
	if err == nil {
		return pages.Redirect(c, pathOf(int64(id), "?done="+done))
	}
	if texts := problemsOf(v.Frame.Lang, err); texts != nil {
		c.Status(fiber.StatusUnprocessableEntity)
		return p.sendDetail(c, v, id, texts[""])
	}
	return err
}

// SendTest sends a test event.
func (p *Pages) SendTest(c *fiber.Ctx, v *pages.Visitor, id webhook.ID) error {
	return p.answerAct(c, v, id, "sent", p.Webhooks.SendTest(v.Ctx, v.Account, id))
}

// SendAgain sends an event again.
func (p *Pages) SendAgain(c *fiber.Ctx, v *pages.Visitor, delivery webhook.DeliveryID) error {
	id, err := p.Webhooks.OfDelivery(v.Ctx, v.Account, delivery)
	if err != nil {
		return err
	}
	return p.answerAct(c, v, id, "sent", p.Webhooks.SendAgain(v.Ctx, v.Account, id, delivery))
}

// PageOf leads to the page of a webhook, from the address of a form that came back with an error.
func (p *Pages) PageOf(c *fiber.Ctx, v *pages.Visitor, id webhook.ID) error {
	return p.withWebhook(v, id, func(w Webhook) error { return v.Redirect(c, w.path("")) })
}

// PageOfDelivery is PageOf for a delivery.
func (p *Pages) PageOfDelivery(c *fiber.Ctx, v *pages.Visitor, delivery webhook.DeliveryID) error {
	id, err := p.Webhooks.OfDelivery(v.Ctx, v.Account, delivery)
	if err != nil {
		return err
	}
	return v.Redirect(c, pathOf(int64(id), ""))
}

// SwitchOn has a webhook receive events again.
func (p *Pages) SwitchOn(c *fiber.Ctx, v *pages.Visitor, id webhook.ID) error {
	return p.answerAct(c, v, id, "on", p.Webhooks.SwitchOn(v.Ctx, v.Account, id))
}

// withWebhook passes on the webhook that the address names.
func (p *Pages) withWebhook(v *pages.Visitor, id webhook.ID, show func(Webhook) error) error {
	e, err := p.Webhooks.Find(v.Ctx, v.Account, id)
	if err != nil {
		return err
	}
	return show(viewWebhook(e))
}

// SecretForm asks for confirmation before a secret is replaced.
func (p *Pages) SecretForm(c *fiber.Ctx, v *pages.Visitor, id webhook.ID) error {
	return p.withWebhook(v, id, func(w Webhook) error { return web.Send(c, ReplacePage(Act{v.Frame, w})) })
}

// ReplaceSecret makes another secret and shows it.
func (p *Pages) ReplaceSecret(c *fiber.Ctx, v *pages.Visitor, id webhook.ID) error {
	secret, err := p.Webhooks.ReplaceSecret(v.Ctx, v.Account, id)
	if err != nil {
		return err
	}
	return p.withWebhook(v, id, func(w Webhook) error {
		return web.Send(c, SecretPage(Secret{Frame: v.Frame, Webhook: w, Secret: secret, Replaced: true}))
	})
}

// DeleteForm asks for confirmation before a webhook is deleted.
func (p *Pages) DeleteForm(c *fiber.Ctx, v *pages.Visitor, id webhook.ID) error {
	return p.withWebhook(v, id, func(w Webhook) error { return web.Send(c, DeletePage(Act{v.Frame, w})) })
}

// Delete removes a webhook.
func (p *Pages) Delete(c *fiber.Ctx, v *pages.Visitor, id webhook.ID) error {
	return pages.RedirectAfter(c, p.Webhooks.Delete(v.Ctx, v.Account, id), Path+"?done=deleted")
}

// isChosen reports whether a form has the event.
func (f Form) isChosen(event string) bool { return slices.Contains(f.Chosen, event) }
