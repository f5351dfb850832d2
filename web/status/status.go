// Package status serves the page on whether the service answers, the same as JSON and as an Atom feed, and
// the page on which parts of France it holds. It asks no database: it answers while that is away, and reports
// it.
package status

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/internal/clock"
	"arpent/web"
)

// Path is that of the page.
const Path = "/status"

// Options are the parameters of New.
type Options struct {
	Site       *web.Site
	Clock      clock.Clock
	Report     func() Report
	DatabaseUp func() bool
	Operations []OperationName
}

// OperationName is an operation as the page names it.
type OperationName struct{ Name, French, English string }

// Pages are the pages on the state of the service.
type Pages struct{ o Options }

// New returns the pages.
func New(o Options) *Pages { return &Pages{o} }

// Register adds the pages to the server.
func (p *Pages) Register(app *fiber.App) {
	p.o.Site.Publish(publication)
	app.Get(Path, func(c *fiber.Ctx) error { return web.Send(c, page(p.newView(c))) })
	app.Get(Path+".json", p.serveDocument)
	app.Get(Path+web.FeedSuffix, p.serveFeed)
}

var publication = web.Publication{Path: Path, Description: [2]string{
	"L’état du service, mesuré par de vrais appels : chaque opération sur 90\u00a0jours, les incidents, et l’âge de chaque source de données.",
	"The state of the service, measured by real calls: each operation over 90 days, the incidents, and the age of each source of data."}}

// view is the data of a page.
type view struct {
	web.Frame
	now        time.Time
	report     Report
	sources    []web.Source
	databaseUp bool
	names      []OperationName
}

func (p *Pages) newView(c *fiber.Ctx) view {
	v := view{Frame: p.o.Site.Frame(c), now: p.o.Clock.Now(), report: p.o.Report(), databaseUp: p.o.DatabaseUp(),
		names:   p.o.Operations,
		sources: slices.Clone(p.o.Site.Status().Sources)}
	v.Feed = Path + web.FeedSuffix
	slices.SortStableFunc(v.sources, func(a, b web.Source) int { // what is late first
		return lateCount(b, v.now) - lateCount(a, v.now)
	})
	return v
}

func lateCount(s web.Source, now time.Time) int {
	if s.Late(now) {
		return 1
	}
	return 0
}

// lateSources counts those that may not be the newest edition.
func (v view) lateSources() (n int) {
	for _, s := range v.sources {
		n += lateCount(s, v.now)
	}
	return n
}

// lateText says how many sources may have a newer edition.
func (v view) lateText() string {
	n, of := v.lateSources(), v.Lang.Number(len(v.sources))
	has := "a"
	if n > 1 {
		has = "ont"
	}
	return v.Lang.Pick(v.Lang.Count(n, "jeu", "")+" sur "+of+" "+has+" peut-être une édition plus récente.",
		v.Lang.Number(n)+" of "+of+" data sets may have a newer edition.")
}

// unknownSources counts those of which nothing says whether they are the newest edition.
func (v view) unknownSources() (n int) {
	for _, s := range v.sources {
		if s.DueAt.IsZero() && s.CheckedAt.IsZero() && !s.Problem {
			n++
		}
	}
	return n
}

// freshnessText says how often a source is renewed, of which edition it is, when it was
// loaded, and whether that is the newest edition.
func (v view) freshnessText(s web.Source) string {
	text := cmp.Or(s.FreshnessIn(v.Lang, v.now), v.Lang.Pick("producteur pas encore interrogé",
		"producer not asked yet"))
	edition := ""
	if s.Vintage != "" {
		edition = v.Lang.Pick("\u00a0; édition ", "; edition ") + v.Lang.Vintage(s.Vintage)
	}
	return s.RhythmIn(v.Lang) + edition + v.Lang.Pick("\u00a0; chargée le ", "; loaded on ") +
		v.Lang.Day(s.LoadedAt) + v.Lang.Pick("\u00a0; ", "; ") + text
}

// operationName is an operation in words.
func (v view) operationName(operation string) string {
	for _, o := range v.names {
		if o.Name == operation {
			return v.Lang.Pick(o.French, o.English)
		}
	}
	return operation
}

// hasMeasurements reports whether anything was measured at all.
func (v view) hasMeasurements() bool {
	return slices.ContainsFunc(v.report.Operations, func(o Operation) bool { return len(o.Days) > 0 })
}

// headlineText is the state of the service in one sentence, which says no more than what was measured.
func (v view) headlineText() string {
	called, all := 0, len(v.report.Operations)
	for _, o := range v.report.Operations {
		if o.State != Unknown { // it was called since the start
			called++
		}
	}
	switch v.report.State() {
	case OK:
		if called < all {
			return v.Lang.Pick("Mesure en cours\u00a0: "+v.Lang.Number(called)+" sur "+v.Lang.Number(all)+
				" opérations ont répondu\u00a0; les autres attendent leur prochain appel.",
				"Still measuring: "+v.Lang.Number(called)+" of "+v.Lang.Number(all)+
					" operations answered; the others await their next call.")
		}
		return v.Lang.Pick("Le service répond.", "The service answers.")
	case Failing:
		return v.Lang.Pick("Des opérations ne répondent pas.", "Some operations do not answer.")
	}
	if v.report.Every == 0 {
		return v.Lang.Pick("Rien n’est mesuré sur ce serveur.", "Nothing is measured on this server.")
	}
	return v.Lang.Pick("Pas encore mesuré.", "Not measured yet.")
}

// stateClass is how a state is drawn.
func stateClass(s State) string {
	return map[State]string{OK: "chip good", Failing: "chip bad", Unknown: "chip"}[s]
}

func stateName(l web.Lang, o Operation) string {
	switch o.State {
	case OK:
		return l.Pick("répond", "answers")
	case Failing:
		return l.Pick("ne répond pas", "does not answer")
	}
	if len(o.Days) > 0 { // before the last start, or by another instance
		return l.Pick("à remesurer", "pending")
	}
	return l.Pick("non mesuré", "not measured")
}

// answeredShare formats the share of calls that were answered; what is not quite all is never called 100 %.
func answeredShare(l web.Lang, o Operation) string {
	ratio, known := o.Answered()
	if !known {
		return l.Pick("non mesuré", "not measured")
	}
	text := "100"
	if ratio < 1 {
		text = strconv.FormatFloat(float64(int(ratio*10_000))/100, 'f', 2, 64)
	}
	if l != web.English {
		return strings.Replace(text, ".", ",", 1) + "\u00a0%"
	}
	return text + "%"
}

// barStep is the width of a day, in the units of the drawing.
const barStep = 4

// drawBars draws the days of an operation: full where all calls were answered, cut in two where
// some failed, a dot where nothing was measured.
func (v view) drawBars(o Operation) (good, bad, none string) {
	var g, b, n strings.Builder
	at := 0
	for date := v.report.Since; date <= v.report.Today; date++ {
		x := strconv.Itoa(barStep * int(date-v.report.Since))
		for at < len(o.Days) && o.Days[at].Date < date {
			at++
		}
		switch {
		case at == len(o.Days) || o.Days[at].Date != date:
			n.WriteString("M" + x + " 23h3v1h-3z")
		case o.Days[at].Failed == 0:
			g.WriteString("M" + x + " 0h3v24h-3z")
		default:
			b.WriteString("M" + x + " 0h3v9h-3zm0 13h3v11h-3z")
		}
	}
	return g.String(), b.String(), n.String()
}

// barsSummary describes the bars in words.
func (v view) barsSummary(o Operation) string {
	with := v.Lang.Pick("sans échec", "none with failures")
	if n := len(v.failedDays(o)); n > 0 {
		with = v.Lang.Number(n) + v.Lang.Pick(" avec des échecs", " with failures")
	}
	return v.Lang.Pick("mesuré "+v.Lang.Count(len(o.Days), "jour", "day")+" sur 90, ", "measured on "+
		v.Lang.Number(len(o.Days))+" of 90 days, ") + with
}

// failedDays are those on which a call failed, newest first.
func (v view) failedDays(o Operation) (out []Day) {
	for _, d := range slices.Backward(o.Days) {
		if d.Failed > 0 {
			out = append(out, d)
		}
	}
	return out
}

// reasonText says why calls failed.
func reasonText(l web.Lang, code string) string {
	switch status, isStatus := strings.CutPrefix(code, "status "); {
	case isStatus:
		n, _ := strconv.Atoi(status)
		return strings.TrimSpace(status + " " + http.StatusText(n))
	case code == "timeout":
		return l.Pick("pas de réponse en 15\u00a0secondes", "no answer within 15 seconds")
	case code == "unreachable":
		return l.Pick("pas de connexion", "no connection")
	default:
		return l.Pick("réponse illisible", "an answer that could not be read")
	}
}

// incidentSpan says when an incident was.
func incidentSpan(l web.Lang, i Incident) string {
	if !i.Over {
		return l.Pick("depuis le ", "since ") + l.DateTime(i.BeganAt)
	}
	if clock.Day(i.BeganAt) == clock.Day(i.FailedAt) {
		return l.DateTime(i.BeganAt) + " – " + l.Time(i.FailedAt)[:5]
	}
	return l.DateTime(i.BeganAt) + " – " + l.DateTime(i.FailedAt)
}
