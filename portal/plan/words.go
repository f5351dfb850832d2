package plan

import (
	"net/http"
	"strconv"

	"arpent/billing/meter/usage"
	"arpent/portal/view"
	"arpent/web"
)

// outcomeWord names the nth outcome, on the page and in the file.
func outcomeWord(l web.Lang, nth int) string {
	switch usage.Outcome(nth) {
	case usage.ClientError:
		return l.Pick("Erreurs client (4xx)", "Client errors (4xx)")
	case usage.ServerError:
		return l.Pick("Erreurs serveur (5xx)", "Server errors (5xx)")
	}
	return l.Pick("Réussies (2xx, 304)", "Succeeded (2xx, 304)")
}

// outcomeLooks are the looks of the outcomes in a chart.
var outcomeLooks = [...]string{usage.Succeeded: "ok", usage.ClientError: "client-error",
	usage.ServerError: "server-error"}

// outcomeSeries are the series of a chart by outcome, all three in the same order.
func outcomeSeries(l web.Lang, b *usage.Breakdown, length int) []view.Series {
	list := make([]view.Series, 0, len(outcomeLooks))
	for o, look := range outcomeLooks {
		requests := b.ByOutcome[o]
		if requests == nil {
			requests = make([]int64, length)
		}
		list = append(list, view.Series{Name: outcomeWord(l, o), Look: look, Days: requests})
	}
	return list
}

// reasonWords say why a request was refused or failed, by the limit that was met or the code of the error.
var reasonWords = web.Texts{
	"minute": {"Limite par minute du compte atteinte", "Limit per minute of the account reached"},
	"enrichments": {"Limite de rapports de parcelle par minute atteinte",
		"Limit of parcel reports per minute reached"},
	"day": {"Quota du jour du compte épuisé", "Daily quota of the account used up"},
	"key": {"Plafond par jour de cette clé atteint", "Daily cap of this key met"},

	"invalid_parameter": {"Paramètre manquant ou invalide", "Parameter missing or invalid"},
	"not_found": {"Introuvable\u00a0: ce code, ce lieu ou ce chemin n’existe pas ici",
		"Not found: no such code, place or path here"},
	"method_not_allowed": {"Méthode refusée\u00a0: seuls GET et HEAD sont admis",
		"Method refused: only GET and HEAD are allowed"},
	"request_too_large": {"Requête trop longue", "Request too long"},
	"unavailable": {"Service momentanément indisponible\u00a0; non décomptée",
		"Service unavailable for a moment; not counted"},
	"internal_error": {"Erreur de notre côté\u00a0; non décomptée", "Error on our side; not counted"},
}

// describeReason says why a request was refused or failed; empty: it was not.
func describeReason(l web.Lang, r usage.Request) string {
	if r.Reason == "" {
		return ""
	}
	text := reasonWords.NameOf(l, r.Reason)
	if r.Parameter != "" {
		text = l.Pick("Paramètre ", "Parameter ") + r.Parameter + l.Pick(" manquant ou invalide",
			" missing or invalid")
	}
	if more := r.Requests - 1; more > 0 {
		text += l.Pick(", puis ", ", then ") + l.Pick(l.Count(int(more), "autre", ""), view.Number(l, more)+" more")
	}
	return text
}

// statusChip is the class of the chip of a status.
func statusChip(status int) string {
	switch usage.OutcomeOf(int16(status / 100)) {
	case usage.ClientError:
		return "chip wait"
	case usage.ServerError:
		return "chip bad"
	}
	return "chip good"
}

// viewRequests are the rows of the last requests.
func viewRequests(l web.Lang, list []usage.Request) []Request {
	rows := make([]Request, 0, len(list))
	for _, r := range list {
		rows = append(rows, Request{At: r.At, KeyID: r.KeyID, KeyName: r.KeyName, KeyPrefix: r.KeyPrefix,
			Operation: r.Operation,
			Status:    strconv.Itoa(r.Status) + " " + http.StatusText(r.Status), Chip: statusChip(r.Status),
			Reason: describeReason(l, r), Took: r.Took, ID: r.RequestID})
	}
	return rows
}

// latencyText says how long the account's requests took, and how that was measured; empty: fewer than two are
// listed.
func latencyText(l web.Lang, t usage.Latency) (text, note string) {
	if t.Requests < 2 {
		return "", ""
	}
	hours := strconv.Itoa(int(requestsKept.Hours()))
	return l.Pick(
			"La moitié de vos requêtes ont pris "+l.FormatMilliseconds(t.P50)+" au plus (p50), 95\u00a0% ont pris "+
				l.FormatMilliseconds(t.P95)+" au plus (p95).",
			"Half of your requests took "+l.FormatMilliseconds(t.P50)+" or less (p50), 95% took "+
				l.FormatMilliseconds(t.P95)+" or less (p95)."),
		l.Pick(
			"Les durées sont mesurées sur le serveur, sur les "+l.Count(t.Requests, "dernière", "")+" requêtes des "+
				hours+"\u00a0heures passées, hors refus pour une limite. ",
			"Durations are measured on the server, over the last "+l.Count(t.Requests, "", "request")+
				" of the past "+hours+" hours, without those refused for a limit. ")
}
