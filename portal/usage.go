package portal

import (
	"bytes"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/app/base/clock"
	"arpent/billing/meter/usage"
	"arpent/portal/view"
	"arpent/web"
)

// recentRefusals is how many lines the page shows of them.
const recentRefusals = 50

// usage shows what the account asked for in 30 days, and what was refused.
func (p *Portal) usage(c *fiber.Ctx, v *visitor) error { return p.usagePage(c, v, "") }

func (p *Portal) usagePage(c *fiber.Ctx, v *visitor, problem string) error {
	to := clock.Day(p.now())
	history, err := usage.ReadHistory(v.ctx, p.o.DB, v.session.Account, to-chartDays+1, to)
	if err != nil {
		return err
	}
	refusals, err := usage.ReadRejections(v.ctx, p.o.DB, v.session.Account, recentRefusals)
	if err != nil {
		return err
	}
	keys, err := p.o.Keys.List(v.ctx, v.session.Account)
	if err != nil {
		return err
	}
	page := view.Usage{Frame: v.frame, Bars: bars(v, p.standing(v), p.now()), ByOperation: c.Query("by") == "operation",
		Problem: problem, HasKeys: len(keys) > 0, From: (to - chartDays + 1).Time(), To: to.Time()}
	page.Chart = view.Chart{Lang: v.frame.Lang, Days: midnights(history), Series: view.Gather(series(history, page.ByOperation),
		v.frame.Lang.Pick("les autres", "the others"))}
	for i := len(history.Days) - 1; i >= 0; i-- {
		d := history.Days[i]
		page.Days = append(page.Days, view.UsageDay{Day: d.Day.Time(), Requests: d.Requests, Counted: d.Counted, Refused: d.Refused})
	}
	for _, r := range refusals {
		page.Rejections = append(page.Rejections, view.Rejection{KeyID: int64(r.KeyID), KeyName: r.KeyName, Kind: r.Met, Limit: r.Limit,
			FirstAt: r.FirstAt, LastAt: r.LastAt, Requests: r.Requests})
	}
	return web.Send(c, view.UsagePage(page))
}

func midnights(h usage.History) []time.Time {
	days := make([]time.Time, len(h.Days))
	for i, d := range h.Days {
		days[i] = d.Day.Time()
	}
	return days
}

// series are the lines of the chart: keys, or operations.
func series(h usage.History, byOperation bool) []view.Series {
	var list []view.Series
	if byOperation {
		for _, o := range h.ByOperation {
			list = append(list, view.Series{Name: o.Name, Code: true, Days: o.Requests})
		}
		return list
	}
	for _, k := range h.ByKey {
		list = append(list, view.Series{Name: k.Name, Link: keyPath(k.ID, ""), Days: k.Requests})
	}
	return list
}

// usageCSV gives the same as a file.
func (p *Portal) usageCSV(c *fiber.Ctx, v *visitor) error {
	last := clock.Day(p.now())
	from, fromOK := dayAsked(c.Query("from"), last-chartDays+1)
	to, toOK := dayAsked(c.Query("to"), last)
	if !fromOK || !toOK || to < from || to-from >= view.MaxCSVDays {
		c.Status(fiber.StatusBadRequest)
		most := strconv.Itoa(view.MaxCSVDays)
		return p.usagePage(c, v, v.frame.Lang.Pick("Le fichier n’a pas pu être produit\u00a0: choisissez un premier jour avant le dernier, et "+most+" jours au plus.",
			"No file was made: choose a first day before the last one, and "+most+" days at most."))
	}
	var file bytes.Buffer
	if err := usage.WriteCSV(&file, v.ctx, p.o.DB, v.session.Account, from, to); err != nil {
		return err
	}
	web.Guard(c)
	c.Set(fiber.HeaderContentType, "text/csv; charset=utf-8")
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="usage-`+from.String()+`-`+to.String()+`.csv"`)
	return c.Send(file.Bytes())
}

func dayAsked(text string, otherwise clock.Date) (clock.Date, bool) {
	if text == "" {
		return otherwise, true
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil || day.Year() < 1970 {
		return 0, false
	}
	return dateOf(day), true
}
