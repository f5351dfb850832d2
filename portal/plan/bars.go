package plan

import (
	"fmt"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/auth/member"
	"arpent/billing/meter"
	"arpent/portal/pages"
	"arpent/portal/view"
	"arpent/web"
)

// Gauges answers the part of a page that refreshes itself. A visitor who was signed out meanwhile is sent to
// sign in by htmx, which cannot follow a redirect to a whole page.
func (p *UsagePages) Gauges(c *fiber.Ctx, v *pages.Visitor) error {
	if !v.SignedIn() {
		c.Set("HX-Redirect", "/signin?next=/account/usage")
		web.Guard(c)
		return c.SendStatus(fiber.StatusNoContent)
	}
	if !v.Session.Role.May(member.ViewUsage) {
		return member.ErrRole
	}
	return web.Send(c, view.Gauges(p.Bars(v, p.Current(v))))
}

// Current reads the present usage of an account, with its limits.
func (p *UsagePages) Current(v *pages.Visitor) meter.Usage {
	return p.Meter.Usage(v.Ctx, v.Account, v.Entitlement(v.Session.Plan))
}

// Bars describes how much of each limit is used.
func (p *UsagePages) Bars(v *pages.Visitor, s meter.Usage) view.Bars {
	l := v.Frame.Lang
	of := l.Pick(" sur ", " of ")
	day := view.Bar{Label: l.Pick("Aujourd’hui", "Today"), Used: s.DayUsed, Limit: s.DayLimit,
		Text: formatShare(l, s.DayUsed, s.DayLimit),
		Note: l.Pick("Repart de zéro à minuit, heure de Paris, dans ",
			"Resets at midnight, Paris time, in ") + formatSpan(l, s.DayReset.Sub(p.Now())) + "."}
	if !s.DayKnown {
		day.Note = l.Pick("Les requêtes des heures passées ne peuvent pas être lues pour l’instant\u00a0: le vrai nombre est plus grand.",
			"The requests of earlier hours cannot be read at this moment: the true number is larger.")
	}
	minute := view.Bar{Label: l.Pick("60 dernières secondes", "Last 60 seconds"), Used: s.MinuteUsed,
		Limit: s.MinuteLimit,
		Text:  formatShare(l, s.MinuteUsed, s.MinuteLimit),
		Note: l.Pick("Dont rapports de parcelle\u00a0: ", "Of these, parcel reports: ") +
			l.Number(s.EnrichmentsUsed) + of + l.Number(s.EnrichmentsLimit) + "."}
	rows := []view.Bar{day, minute}
	if r, err := p.Billing.Reserve(v.Ctx, v.Account); err == nil && r.PerMonth > 0 {
		rows = append(rows, view.Bar{Label: l.Pick("Réserve du mois", "Monthly reserve"), Used: r.Used, Limit: r.PerMonth,
			Text: formatShare(l, r.Used, r.PerMonth), Note: l.Pick("Utilisée une fois le quota du jour épuisé, et facturée.",
				"Used once the quota of the day is used up, and invoiced.")})
	}
	return view.Bars{Lang: l, Rows: rows, Live: true}
}

// formatShare formats requests of a limit.
func formatShare(l web.Lang, used, limit int) string {
	return l.Pick(l.Count(used, "requête", "request")+" sur "+l.Number(limit), l.Number(used)+" of "+
		l.Count(limit, "requête", "request"))
}

// formatSpan formats hours and minutes; less than a minute counts as one.
func formatSpan(l web.Lang, d time.Duration) string {
	minutes := max(1, int(d.Round(time.Minute)/time.Minute))
	if minutes < 60 {
		return strconv.Itoa(minutes) + l.Pick("\u00a0min", " min")
	}
	text := strconv.Itoa(minutes/60) + l.Pick("\u00a0h", " h")
	if minutes%60 > 0 {
		text += l.Pick(fmt.Sprintf("\u00a0%02d", minutes%60), fmt.Sprintf(" %d min", minutes%60))
	}
	return text
}
