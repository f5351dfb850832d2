package keys

import (
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/auth/webhook"
	"arpent/internal/event"
	"arpent/internal/httpbody"
	"arpent/portal/pages"
	"arpent/web"
)

// WebhookPages serves the pages of webhooks, by which the server of an account's owner receives its events.
type WebhookPages struct{ *pages.Server }

// WebhooksPath is the address of the list.
const WebhooksPath = "/account/webhooks"

func webhookPath(id webhook.ID, then string) string {
	return WebhooksPath + "/" + strconv.FormatInt(int64(id), 10) + then
}

// Webhook is a line of the list, and the subject of a page.
type Webhook struct{ webhook.Endpoint }

func (w Webhook) pagePath(then string) string { return webhookPath(w.ID, then) }

func (w Webhook) eventNames() string {
	var names []string
	for _, t := range w.Events {
		names = append(names, string(t))
	}
	return strings.Join(names, ", ")
}

// Delivery is an event with the attempts to send it.
type Delivery struct{ webhook.Sent }

// outcomeText is what an attempt came to, with how long it took; empty: that is not said.
func outcomeText(l web.Lang, a webhook.Attempt, took string) string {
	if a.Status == nil {
		return reasonTexts.Of(l, string(*a.Reason)) + took
	}
	text := l.Pick("réponse ", "answer ") + strconv.Itoa(*a.Status) + took
	if *a.Status >= 300 && *a.Status < 400 {
		text += l.Pick(", redirection non suivie", ", redirect not followed")
	}
	return text
}

// attemptText describes an attempt: its outcome, how long it took, who asked for it.
func attemptText(l web.Lang, a webhook.Attempt) string {
	var took string
	if a.Reason == nil || *a.Reason != webhook.Late && *a.Reason != webhook.NoName {
		took = l.Pick(" en ", " in ") + l.FormatMilliseconds(a.Took)
	}
	text := outcomeText(l, a, took)
	if a.ByHand {
		text += l.Pick(", envoi manuel", ", sent manually")
	}
	return text
}

// WebhookForm is the data of the form of a webhook.
type WebhookForm struct {
	Frame          web.Frame
	Webhook        *Webhook // nil: a new one
	Confirmed      bool
	Email          string
	MailDown       bool
	URL            string
	Chosen, Events []event.Type
	Problems       map[string]string
}

// List shows the webhooks of the account.
func (p *WebhookPages) List(c *fiber.Ctx, v *pages.Visitor) error {
	list, err := p.Webhooks.List(v.Ctx, v.Account)
	if err != nil {
		return err
	}
	page := Webhooks{Frame: v.Frame, Done: c.Query("done"), Confirmed: v.Session.Confirmed,
		Email: v.Session.Email, MailDown: p.MailDown, Max: webhook.MaxEndpoints}
	for _, e := range list {
		page.Webhooks = append(page.Webhooks, Webhook{e})
	}
	return web.Send(c, WebhooksPage(page))
}

// NewForm shows the form of a new webhook.
func (p *WebhookPages) NewForm(c *fiber.Ctx, v *pages.Visitor) error {
	return p.sendForm(c, v, WebhookForm{Chosen: event.Types})
}

func (p *WebhookPages) sendForm(c *fiber.Ctx, v *pages.Visitor, f WebhookForm) error {
	f.Frame, f.Confirmed, f.Email, f.MailDown = v.Frame, v.Session.Confirmed, v.Session.Email, p.MailDown
	f.Events = event.Types
	return web.Send(c, WebhookFormPage(f))
}

// readWebhookForm reads the address and the events of a form.
func readWebhookForm(c *fiber.Ctx) (f WebhookForm) {
	f.URL = strings.ToValidUTF8(pages.Text(c, "url"), "\ufffd")
	for _, t := range event.Types {
		if httpbody.Field(c, eventField(t)) != "" {
			f.Chosen = append(f.Chosen, t)
		}
	}
	return f
}

// eventField is the name of the field of an event: a dot has a meaning in selectors of style sheets and
// tests.
func eventField(t event.Type) string { return "event_" + strings.ReplaceAll(string(t), ".", "_") }

// Create adds a webhook and shows its secret. It does not redirect: the secret could not be shown after
// that. Sent again, the same form is rejected for its address.
func (p *WebhookPages) Create(c *fiber.Ctx, v *pages.Visitor) error {
	form := readWebhookForm(c)
	e, secret, err := p.Webhooks.Add(v.Ctx, v.Account, form.URL, form.Chosen)
	if err == nil {
		c.Status(fiber.StatusCreated)
		return web.Send(c, WebhookSecretPage(WebhookSecret{Frame: v.Frame, Webhook: Webhook{e}, Secret: secret}))
	}
	return p.sendFormAgain(c, v, form, err)
}

func (p *WebhookPages) sendFormAgain(c *fiber.Ctx, v *pages.Visitor, form WebhookForm, err error) error {
	if form.Problems = problemsOf(v.Frame.Lang, err); form.Problems == nil {
		return err
	}
	c.Status(fiber.StatusUnprocessableEntity)
	return p.sendForm(c, v, form)
}

// Detail shows a webhook with what was sent to it.
func (p *WebhookPages) Detail(c *fiber.Ctx, v *pages.Visitor, id webhook.ID) error {
	return p.sendDetail(c, v, id, "")
}

func (p *WebhookPages) sendDetail(c *fiber.Ctx, v *pages.Visitor, id webhook.ID, problem string) error {
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
	page := WebhookDetail{Frame: v.Frame, Webhook: Webhook{e}, Done: c.Query("done"), Problem: problem,
		Before: before}
	list, page.Next = pages.Page(list, func(d webhook.Sent) int64 { return int64(d.ID) })
	for _, d := range list {
		page.Deliveries = append(page.Deliveries, Delivery{d})
	}
	return web.Send(c, WebhookPage(page))
}

// EditForm shows the address and the events of a webhook, to change them.
func (p *WebhookPages) EditForm(c *fiber.Ctx, v *pages.Visitor, id webhook.ID) error {
	e, err := p.Webhooks.Find(v.Ctx, v.Account, id)
	if err != nil {
		return err
	}
	return p.sendForm(c, v, WebhookForm{Webhook: &Webhook{e}, URL: e.URL, Chosen: e.Events})
}

// Edit changes the address and the events of a webhook.
func (p *WebhookPages) Edit(c *fiber.Ctx, v *pages.Visitor, id webhook.ID) error {
	form := readWebhookForm(c)
	err := p.Webhooks.Change(v.Ctx, v.Account, id, form.URL, form.Chosen)
	if err == nil {
		return pages.Redirect(c, webhookPath(id, "?done=changed"))
	}
	e, missing := p.Webhooks.Find(v.Ctx, v.Account, id)
	if missing != nil {
		return missing
	}
	form.Webhook = &Webhook{e}
	return p.sendFormAgain(c, v, form, err)
}

// answerAct runs an act on a webhook and leads back to its page, which says that it was done, or why not.
func (p *WebhookPages) answerAct(c *fiber.Ctx, v *pages.Visitor, id webhook.ID, done string,
	err error) error {
	if err == nil {
		return pages.Redirect(c, webhookPath(id, "?done="+done))
	}
	if texts := problemsOf(v.Frame.Lang, err); texts != nil {
		c.Status(fiber.StatusUnprocessableEntity)
		return p.sendDetail(c, v, id, texts[""])
	}
	return err
}

// SendTest sends a test event.
func (p *WebhookPages) SendTest(c *fiber.Ctx, v *pages.Visitor, id webhook.ID) error {
	return p.answerAct(c, v, id, "sent", p.Webhooks.SendTest(v.Ctx, v.Account, id))
}

// SendAgain sends an event again.
func (p *WebhookPages) SendAgain(c *fiber.Ctx, v *pages.Visitor, delivery webhook.DeliveryID) error {
	id, err := p.Webhooks.OfDelivery(v.Ctx, v.Account, delivery)
	if err != nil {
		return err
	}
	return p.answerAct(c, v, id, "sent", p.Webhooks.SendAgain(v.Ctx, v.Account, id, delivery))
}

// PageOf leads to the page of a webhook, from the address of a form that came back with an error.
func (p *WebhookPages) PageOf(c *fiber.Ctx, v *pages.Visitor, id webhook.ID) error {
	return p.withWebhook(v, id, func(w Webhook) error { return v.Redirect(c, w.pagePath("")) })
}

// PageOfDelivery is PageOf for a delivery.
func (p *WebhookPages) PageOfDelivery(c *fiber.Ctx, v *pages.Visitor, delivery webhook.DeliveryID) error {
	id, err := p.Webhooks.OfDelivery(v.Ctx, v.Account, delivery)
	if err != nil {
		return err
	}
	return v.Redirect(c, webhookPath(id, ""))
}

// SwitchOn has a webhook receive events again.
func (p *WebhookPages) SwitchOn(c *fiber.Ctx, v *pages.Visitor, id webhook.ID) error {
	return p.answerAct(c, v, id, "on", p.Webhooks.SwitchOn(v.Ctx, v.Account, id))
}

// withWebhook passes on the webhook that the address names.
func (p *WebhookPages) withWebhook(v *pages.Visitor, id webhook.ID, show func(Webhook) error) error {
	e, err := p.Webhooks.Find(v.Ctx, v.Account, id)
	if err != nil {
		return err
	}
	return show(Webhook{e})
}

// SecretForm asks for confirmation before a secret is replaced.
func (p *WebhookPages) SecretForm(c *fiber.Ctx, v *pages.Visitor, id webhook.ID) error {
	return p.withWebhook(v, id,
		func(w Webhook) error { return web.Send(c, ReplaceSecretPage(WebhookAct{v.Frame, w})) })
}

// ReplaceSecret makes another secret and shows it.
func (p *WebhookPages) ReplaceSecret(c *fiber.Ctx, v *pages.Visitor, id webhook.ID) error {
	secret, err := p.Webhooks.ReplaceSecret(v.Ctx, v.Account, id)
	if err != nil {
		return err
	}
	return p.withWebhook(v, id, func(w Webhook) error {
		return web.Send(c, WebhookSecretPage(WebhookSecret{Frame: v.Frame, Webhook: w, Secret: secret,
			Replaced: true}))
	})
}

// DeleteForm asks for confirmation before a webhook is deleted.
func (p *WebhookPages) DeleteForm(c *fiber.Ctx, v *pages.Visitor, id webhook.ID) error {
	return p.withWebhook(v, id,
		func(w Webhook) error { return web.Send(c, DeleteWebhookPage(WebhookAct{v.Frame, w})) })
}

// Delete removes a webhook.
func (p *WebhookPages) Delete(c *fiber.Ctx, v *pages.Visitor, id webhook.ID) error {
	return pages.RedirectAfter(c, p.Webhooks.Delete(v.Ctx, v.Account, id), WebhooksPath+"?done=deleted")
}
