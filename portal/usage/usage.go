// Package usage holds the pages of the requests of an account: now, in the last 30 days, and as a file.
package usage

import (
	"bytes"
	"slices"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/billing/meter"
	"arpent/billing/meter/usage"
	"arpent/internal/clock"
	"arpent/portal/keys"
	"arpent/portal/pages"
	"arpent/portal/view"
	"arpent/web"
)

// Pages serves the pages.
type Pages struct {
	*pages.Server
	Meter *meter.Meter
}

// maxRejections is the maximum number of rejections on the page.
const maxRejections = 50

// Month shows the requests of the last 30 days, and what was rejected.
func (p *Pages) Month(c *fiber.Ctx, v *pages.Visitor) error { return p.showMonth(c, v, "") }

func (p *Pages) showMonth(c *fiber.Ctx, v *pages.Visitor, problem string) error {
	to := clock.Day(p.Now())
	from := to - view.ChartDays + 1
	history, err := usage.ReadHistory(v.Ctx, p.DB, v.Session.Account, from, to)
	if err != nil {
		return err
	}
	rejected, err := usage.ReadRejections(v.Ctx, p.DB, v.Session.Account, maxRejections)
	if err != nil {
		return err
	}
	all, err := p.Keys.List(v.Ctx, v.Session.Account)
	if err != nil {
		return err
	}
	page := Usage{Frame: v.Frame, Bars: p.Bars(v, p.Current(v)), ByOperation: c.Query("by") == "operation",
		Problem: problem, HasKeys: keys.AnyLive(all, p.Now()), Sample: view.FirstCallOf(p.Site.Status()).Path, From: from.Time(), To: to.Time()}
	page.Chart = view.Chart{Lang: v.Frame.Lang, Days: view.LastDays(to), Series: view.Gather(chartSeries(history, page.ByOperation),
		v.Frame.Lang.Pick("les autres", "the others"))}
	for _, d := range slices.Backward(history.Days) {
		page.Days = append(page.Days, UsageDay{Day: d.Day.Time(), Requests: d.Requests, Counted: d.Counted, Refused: d.Refused})
	}
	for _, r := range rejected {
		page.Rejections = append(page.Rejections, Rejection{KeyID: r.KeyID, KeyName: r.KeyName, Kind: r.Met, Limit: r.Limit,
			FirstAt: r.FirstAt, LastAt: r.LastAt, Requests: r.Requests})
	}
	return web.Send(c, UsagePage(page))
}

// chartSeries are the series of the chart: keys, or operations.
func chartSeries(h usage.History, byOperation bool) []view.Series {
	var list []view.Series
	if byOperation {
		for _, o := range h.ByOperation {
			list = append(list, view.Series{Name: o.Name, Code: true, Days: o.Requests})
		}
		return list
	}
	for _, k := range h.ByKey {
		s := view.Series{Name: k.Name, Days: k.Requests}
		if k.ID != 0 { // the console has no page
			s.Link = string(keys.Path(k.ID, ""))
		}
		list = append(list, s)
	}
	return list
}

// CSV sends the same as a file.
func (p *Pages) CSV(c *fiber.Ctx, v *pages.Visitor) error {
	last := clock.Day(p.Now())
	from, fromOK := parseDay(c.Query("from"), last-view.ChartDays+1)
	to, toOK := parseDay(c.Query("to"), last)
	if !fromOK || !toOK || to < from || to-from >= MaxCSVDays {
		c.Status(fiber.StatusBadRequest)
		days := strconv.Itoa(MaxCSVDays)
		return p.showMonth(c, v, v.Frame.Lang.Pick("Le fichier n’a pas pu être produit\u00a0: choisissez un premier jour avant le dernier, et "+days+" jours au plus.",
			"No file was made: choose a first day before the last one, and "+days+" days at most."))
	}
	var file bytes.Buffer
	if err := usage.WriteCSV(&file, v.Ctx, p.DB, v.Session.Account, from, to); err != nil {
		return err
	}
	web.Guard(c)
	c.Set(fiber.HeaderContentType, "text/csv; charset=utf-8")
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="usage-`+from.String()+`-`+to.String()+`.csv"`)
	return c.Send(file.Bytes())
}

// parseDay parses a day; an empty text is the default.
func parseDay(text string, otherwise clock.Date) (clock.Date, bool) {
	if text == "" {
		return otherwise, true
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil || day.Year() < 1970 {
		return 0, false
	}
	return clock.Day(day), true
}
