package guide

import (
	"strconv"
	"strings"
	"time"

	"arpent/auth/webhook"
	"arpent/internal/event"
	"arpent/web"
)

// WebhookPython is the program of the page about events that checks a signature. A test runs it on a request
// that a worker has sent.
var WebhookPython = Sample{File: "webhook.py", Command: "python3 webhook.py"}

// EventExample is the file with an example of a type of event. A test compares it with what is sent.
func EventExample(t event.Type) string { return "event-" + string(t) + ".json" }

var eventsEntry = entry{web.Publication{Path: "/docs/events", Description: [2]string{
	"Recevoir les événements d’un compte par webhook\u00a0: seuils de quota, clés, paiement, sources mises à jour\u00a0; " +
		"exemples, signature, envois répétés.",
	"Receive the events of an account by webhook: quota thresholds, keys, payment, updated sources; examples, " +
		"signature, repeated attempts."}},
	[2]string{"Événements et webhooks", "Events and webhooks"}, eventsPage}

// documentedEvent is a type of event as the page explains it.
type documentedEvent struct {
	event           event.Type
	french, english string // code stands between backquotes
}

var documentedEvents = []documentedEvent{
	{event.QuotaThreshold,
		"Le compte a atteint un seuil de son quota du jour, parmi ceux qui sont choisis aux réglages. Plusieurs seuils " +
			"franchis à la fois font un seul événement, du plus haut. Il est envoyé aussi quand les e-mails de quota sont " +
			"désactivés.",
		"The account has reached a threshold of its daily quota, one of those chosen in the settings. Several " +
			"thresholds passed at once are one event, of the highest. It is sent even if quota emails are turned off."},
	{event.KeyCreated,
		"Une clé a été créée, celle d’un assistant comprise. `replaces` est l’id de la clé qu’elle remplace, nul si " +
			"elle n’en remplace pas.",
		"A key was created, that of an assistant included. `replaces` is the id of the key that it takes the place of, " +
			"null if there is none."},
	{event.KeyExpiring,
		"Une clé expire dans sept jours au plus, et vit plus de huit jours en tout.",
		"A key expires within seven days, and lives for more than eight days in all."},
	{event.KeyRevoked,
		"Une clé a été révoquée\u00a0: à la main, par l’exploitant, parce qu’une autre la remplace aussitôt, parce que la " +
			"personne dont c’était la clé personnelle a quitté l’organisation, ou parce qu’un assistant s’est déconnecté ou " +
			"l’a été par le service. Une clé qui expire, ou que le délai de son remplacement fait expirer, prend fin sans " +
			"événement.",
		"A key was revoked: by hand, by the operator, because another one takes its place at once, because the person " +
			"whose personal key it was left the organisation, or because an assistant disconnected or was disconnected by " +
			"the service. A key that expires, at the end of the overlap with its replacement too, ends without an event."},
	{event.PaymentFailed,
		"Le paiement de l’offre a échoué. `until` dit jusqu’à quand elle reste en place\u00a0; nul, elle a déjà pris fin.",
		"The payment of the plan failed. `until` is the time until which it stays in force; null if it has ended already."},
	{event.SourceUpdated,
		"Le serveur a désormais une autre édition d’une source. `places` liste les codes des lieux dont les données ont changé\u00a0; " +
			"vide, c’est tout le pays. `vintage` est nul si le producteur ne date pas son édition.",
		"The server now has another edition of a source. `places` lists the codes of the places whose data changed; empty, it " +
			"is the whole country. `vintage` is null if the producer does not date the edition."},
}

// retryTimes lists the times between the attempts, in the form of both languages.
func retryTimes() string {
	waits := webhook.Waits()
	list := make([]string, len(waits))
	for i, wait := range waits {
		if wait < time.Hour {
			list[i] = strconv.Itoa(int(wait.Minutes())) + "\u00a0min"
		} else {
			list[i] = strconv.Itoa(int(wait.Hours())) + "\u00a0h"
		}
	}
	return strings.Join(list, ", ")
}
