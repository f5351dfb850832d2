package plan

import (
	"bytes"
	"slices"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/auth/apikey"
	"arpent/billing/meter"
	"arpent/billing/meter/usage"
	"arpent/internal/clock"
	"arpent/portal/keys"
	"arpent/portal/pages"
	"arpent/portal/view"
	"arpent/web"
)

// UsagePages serves the pages of the requests of an account: now, by hour and by day, the last ones, and as a
// file.
type UsagePages struct {
	*pages.Server
	Meter *meter.Meter
}

const (
	maxRejections      = 50  // on the page
	maxRejectionsOfDay = 500 // where one day is asked for
	maxRequests        = 100 // on the page
)

// MaxCSVDays is the maximum number of days in one file.
const MaxCSVDays = usage.MaxDays

// requestsKept is how long the last requests are shown. They are removed within an hour after it.
const requestsKept = 24 * time.Hour

// Show shows the requests of an account in one period, the last ones, and what was rejected.
func (p *UsagePages) Show(c *fiber.Ctx, v *pages.Visitor) error { return p.showUsage(c, v, "") }

func (p *UsagePages) showUsage(c *fiber.Ctx, v *pages.Visitor, problem string) error {
	all, err := p.ListKeys(v)
	if err != nil {
		return err
	}
	unnamed := period30Days
	if clock.Day(v.Session.CreatedAccount) == clock.Day(p.Now()) {
		unnamed = periodToday // the account has no other days
	}
	chosen := readChoice(c, unnamed)
	filter, err := chosen.buildFilter(v, all)
	if err != nil {
		return err
	}
	to := clock.Day(p.Now())
	page := Usage{Frame: v.Frame, Bars: p.Bars(v, p.Current(v)), Choice: chosen, Now: p.Now(), Problem: problem,
		HasKeys: keys.AnyLive(all, p.Now()), Sample: view.FirstCallOf(p.Site.Status()).Path,
		From: (to - view.ChartDays + 1).Time(), To: to.Time()}
	if err := p.addChart(v, &page, filter); err != nil {
		return err
	}
	page.Keys = chosen.keyOptions(v.Frame.Lang, all)
	requests, latency, err := usage.ReadRequests(v.Ctx, p.DB, v.Account, p.Now().Add(-requestsKept),
		filter, maxRequests)
	if err != nil {
		return err
	}
	page.Requests = viewRequests(v.Frame.Lang, requests)
	page.Latency, page.LatencyNote = latencyText(v.Frame.Lang, latency)
	first, last, limit := to-view.ChartDays+1, to, maxRejections
	if day, ok := clock.ParseDay(chosen.Day, last); ok && chosen.Day != "" {
		first, last, limit = day, day, maxRejectionsOfDay
		page.RejectionsOf = day.Time()
	}
	rejected, err := usage.ReadRejections(v.Ctx, p.DB, v.Account, first, last, filter, limit)
	if err != nil {
		return err
	}
	for _, r := range rejected {
		page.Rejections = append(page.Rejections, Rejection{KeyID: r.KeyID, KeyName: r.KeyName, Kind: r.Met,
			Limit:   r.Limit,
			FirstAt: r.FirstAt, LastAt: r.LastAt, Requests: r.Requests})
	}
	return web.Send(c, UsagePage(page))
}

// addChart adds the chart of the chosen period and the table of its numbers.
func (p *UsagePages) addChart(v *pages.Visitor, page *Usage, filter usage.Filter) error {
	l := v.Frame.Lang
	var parts *usage.Breakdown
	page.Chart = view.Chart{Lang: l}
	if page.Choice.Period == period30Days {
		to := clock.Day(p.Now())
		h, err := usage.ReadHistory(v.Ctx, p.DB, v.Account, to-view.ChartDays+1, to, filter)
		if err != nil {
			return err
		}
		parts = &h.Breakdown
		page.Chart.Days = view.LastDays(to)
		for i, d := range h.Days {
			page.Slots = append(page.Slots, Slot{Start: d.Day.Time(), Requests: d.Requests, Outcomes: outcomesAt(parts,
				i), Counted: d.Counted, Refused: d.Refused})
		}
	} else {
		to := p.Now().Truncate(time.Hour).Add(time.Hour) // the present hour is included
		from := to.Add(-24 * time.Hour)
		if today := clock.Day(p.Now()); page.Choice.Period == periodToday {
			from, to = today.Start(), today.End()
		}
		h, err := usage.ReadHours(v.Ctx, p.DB, v.Account, from, to, filter)
		if err != nil {
			return err
		}
		parts = &h.Breakdown
		page.Chart.Days, page.Chart.Hours = h.Starts, true
		for i, start := range h.Starts {
			s := Slot{Start: start, Outcomes: outcomesAt(parts, i)}
			s.Requests = s.Outcomes[usage.Succeeded] + s.Outcomes[usage.ClientError] + s.Outcomes[usage.ServerError]
			page.Slots = append(page.Slots, s)
		}
	}
	slices.Reverse(page.Slots)
	page.Operations = page.Choice.operationOptions(l, parts.Operations)
	for o := range page.Outcomes {
		page.Outcomes[o] = parts.Count(usage.Outcome(o))
	}
	if page.Choice.By == byOutcome {
		page.Chart.Series = outcomeSeries(l, parts, len(page.Chart.Days))
	} else {
		page.Chart.Series = view.Gather(chartSeries(parts, page.Choice.By), l.Pick("les autres", "the others"))
	}
	return nil
}

// outcomesAt gives the requests of one day or hour by outcome.
func outcomesAt(b *usage.Breakdown, nth int) (of [len(outcomeLooks)]int64) {
	for o, requests := range b.ByOutcome {
		if requests != nil {
			of[o] = requests[nth]
		}
	}
	return of
}

// chartSeries are the series of the chart: keys, or operations.
func chartSeries(b *usage.Breakdown, by string) []view.Series {
	var list []view.Series
	if by == byOperation {
		for _, o := range b.ByOperation {
			list = append(list, view.Series{Name: o.Name, Code: true, Days: o.Requests})
		}
		return list
	}
	for _, k := range b.ByKey {
		s := view.Series{Name: k.Name, Days: k.Requests}
		if k.ID != 0 { // the console has no page
			s.Link = string(keys.Path(k.ID, ""))
		}
		list = append(list, s)
	}
	return list
}

// keyOptions are the keys of the account, the newest first, and the console.
func (c choice) keyOptions(l web.Lang, all []apikey.Key) []option {
	list := []option{{Text: l.Pick("Toutes", "All")}}
	for _, k := range slices.Backward(all) {
		list = append(list, option{Value: strconv.FormatInt(int64(k.ID), 10), Text: k.Name + " (" + k.Prefix + "…" +
			k.Last4 + ")"})
	}
	list = append(list, option{Value: consoleKey, Text: "Console"})
	for i := range list {
		list[i].Chosen = list[i].Value == c.Key
	}
	return list
}

// operationOptions are the operations of the period, and the one that is chosen.
func (c choice) operationOptions(l web.Lang, names []string) []option {
	if c.Operation != "" && !slices.Contains(names, c.Operation) {
		names = append(names, c.Operation)
	}
	slices.Sort(names)
	list := []option{{Text: l.Pick("Toutes", "All"), Chosen: c.Operation == ""}}
	for _, name := range names {
		list = append(list, option{Value: name, Text: name, Chosen: name == c.Operation})
	}
	return list
}

// outcomeOptions are the outcomes.
func (c choice) outcomeOptions(l web.Lang) []option {
	list := []option{{Text: l.Pick("Tous", "All"), Chosen: c.Outcome == ""}}
	for o, look := range outcomeLooks {
		list = append(list, option{Value: look, Text: outcomeWord(l, o), Chosen: look == c.Outcome})
	}
	return list
}

// CSV sends the days as a file, of the requests that the page is filtered by.
func (p *UsagePages) CSV(c *fiber.Ctx, v *pages.Visitor) error {
	last := clock.Day(p.Now())
	from, fromOK := clock.ParseDay(c.Query("from"), last-view.ChartDays+1)
	to, toOK := clock.ParseDay(c.Query("to"), last)
	if !fromOK || !toOK || to < from || to-from >= MaxCSVDays {
		c.Status(fiber.StatusBadRequest)
		days := strconv.Itoa(MaxCSVDays)
		return p.showUsage(c, v, v.Frame.Lang.Pick(
			"Le fichier n’a pas pu être produit\u00a0: choisissez un premier jour avant le dernier, et "+days+
				"\u00a0jours au plus.",
			"No file was made: choose a first day before the last one, and "+days+" days at most."))
	}
	all, err := p.ListKeys(v)
	if err != nil {
		return err
	}
	filter, err := readChoice(c, period30Days).buildFilter(v, all)
	if err != nil {
		return err
	}
	var file bytes.Buffer
	word := func(o usage.Outcome) string { return outcomeWord(v.Frame.Lang, int(o)) }
	if err := usage.WriteCSV(&file, v.Ctx, p.DB, v.Account, from, to, filter, word); err != nil {
		return err
	}
	web.Guard(c)
	c.Set(fiber.HeaderContentType, "text/csv; charset=utf-8")
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="usage-`+from.String()+`-`+to.String()+`.csv"`)
	return c.Send(file.Bytes())
}
