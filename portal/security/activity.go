package security

import (
	"bytes"
	"encoding/csv"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/billing/meter/usage"
	"arpent/internal/audit"
	"arpent/internal/clock"
	"arpent/portal/pages"
	"arpent/web"
)

// choice is what the page of the activity shows: the query of its address.
type choice struct {
	By       string // address of a member, or audit.ActorOperator or audit.ActorSystem; empty: all
	Kind     string // one of activityKinds; empty: all
	From, To string // days; empty: no limit
}

// maxAddress is the length of the longest address of a member.
const maxAddress = 254

// readChoice reads the query, whose texts live as long as the request. A kind that the page does not offer
// counts as none.
func readChoice(c *fiber.Ctx, ofOrganisation bool) choice {
	out := choice{By: strings.ToValidUTF8(c.Query("by"), ""), From: c.Query("from"), To: c.Query("to")}
	if len(out.By) > maxAddress || strings.ContainsRune(out.By, 0) {
		out.By = ""
	}
	if kind := c.Query("kind"); actionsOf(kind) != nil && (kind != signInKind || !ofOrganisation) {
		out.Kind = kind
	}
	return out
}

var errPeriod = errors.New("the period cannot be read")

// buildFilter returns what the choice selects of the activity of an account, or of an organisation: errPeriod
// where its days are none, or in the wrong order.
func (c choice) buildFilter(ofOrganisation bool) (f audit.Filter, err error) {
	from, fromOK := clock.ParseDay(c.From, 0)
	to, toOK := clock.ParseDay(c.To, 0)
	if !fromOK || !toOK || c.From != "" && c.To != "" && to < from {
		return f, errPeriod
	}
	if c.From != "" {
		f.From = from.Start()
	}
	if c.To != "" {
		f.Before = to.End()
	}
	if f.Actions = actionsOf(c.Kind); f.Actions == nil && ofOrganisation {
		// An organisation that was the account of a person has acts of sign-in in its record, without what
		// identified the person.
		for _, k := range activityKinds {
			if k.name != signInKind {
				f.Actions = append(f.Actions, k.actions...)
			}
		}
	}
	if c.By == audit.ActorOperator || c.By == audit.ActorSystem {
		f.Actor = c.By
	} else {
		f.By = c.By
	}
	return f, nil
}

// buildQuery is the query of an address with the choice; before is the last entry of the page before, or 0.
func (c choice) buildQuery(before int64) string {
	values := url.Values{}
	for name, value := range map[string]string{"by": c.By, "kind": c.Kind, "from": c.From, "to": c.To} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if before > 0 {
		values.Set("before", strconv.FormatInt(before, 10))
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

// Activity shows the audit log of the account, or of the organisation, the newest first;
// ?before= is the last entry of the previous page.
func (p *Pages) Activity(c *fiber.Ctx, v *pages.Visitor) error {
	last, err := pages.Before(c)
	if err != nil {
		return err
	}
	shared := v.Account != v.Session.Account
	chosen := readChoice(c, shared)
	filter, err := chosen.buildFilter(shared)
	if err != nil {
		return p.showActivity(c, v, Activity{Choice: chosen, First: true, Problem: v.Frame.Lang.Pick(
			"Choisissez un premier jour avant le dernier.", "Choose a first day before the last one.")})
	}
	events, err := audit.Search(v.Ctx, p.DB, v.Account, filter, last, pages.MaxRows+1)
	if err != nil {
		return err
	}
	page := Activity{Choice: chosen, First: last == 0}
	events, page.Before = pages.Page(events, func(e audit.Entry) int64 { return e.ID })
	page.Events = p.viewEvents(v, events)
	return p.showActivity(c, v, page)
}

// showActivity adds to a page what every one has, and sends it.
func (p *Pages) showActivity(c *fiber.Ctx, v *pages.Visitor, page Activity) error {
	page.Frame, page.Shared, page.Today = v.Frame, v.Account != v.Session.Account, clock.Day(p.Now()).Time()
	if page.Shared {
		var err error
		if page.People, err = audit.People(v.Ctx, p.DB, v.Account); err != nil {
			return err
		}
		if by := page.Choice.By; strings.Contains(by, "@") && !slices.Contains(page.People, by) {
			page.People = append(page.People, by)
		}
	}
	if page.Problem != "" {
		c.Status(fiber.StatusBadRequest)
	}
	return web.Send(c, ActivityPage(page))
}

func (p *Pages) viewEvents(v *pages.Visitor, events []audit.Entry) []Event {
	rows := make([]Event, 0, len(events))
	for _, e := range events {
		row := Event{At: e.At, What: auditTexts.NameOf(v.Frame.Lang, e.Action),
			Detail: auditDetail(v.Frame.Lang, e, p.SignIn.ProviderLabel), Who: auditActor(v.Frame.Lang, e),
			Device: audit.Device(e.Agent)}
		if e.Address.IsValid() {
			row.Address = e.Address.String()
		}
		rows = append(rows, row)
	}
	return rows
}

const (
	maxFileEvents = 20_000 // in one file
	filePart      = 1000   // read at once
)

// readFileEvents reads the events of a file, the newest first; nil after a page that says why there is none.
func (p *Pages) readFileEvents(c *fiber.Ctx, v *pages.Visitor) (events []audit.Entry, done bool, err error) {
	shared := v.Account != v.Session.Account
	chosen := readChoice(c, shared)
	filter, err := chosen.buildFilter(shared)
	if err != nil {
		return nil, true, p.Activity(c, v)
	}
	for last := int64(0); ; last = events[len(events)-1].ID {
		part, err := audit.Search(v.Ctx, p.DB, v.Account, filter, last, filePart)
		if err != nil {
			return nil, true, err
		}
		if events = append(events, part...); len(events) > maxFileEvents {
			return nil, true, p.showActivity(c, v, Activity{Choice: chosen, First: true,
				Problem: v.Frame.Lang.Pick(
					"Le fichier aurait plus de 20\u202f000\u00a0lignes. Choisissez une période plus courte.",
					"The file would have more than 20,000 lines. Choose a shorter period.")})
		}
		if len(part) < filePart {
			return events, false, nil
		}
	}
}

// sendFile sends a file of the activity under a name that says of which day it is.
func (p *Pages) sendFile(c *fiber.Ctx, kind, extension string, content []byte) error {
	web.Guard(c)
	c.Set(fiber.HeaderContentType, kind)
	c.Set(fiber.HeaderContentDisposition,
		`attachment; filename="activity-`+clock.Day(p.Now()).String()+`.`+extension+`"`)
	return c.Send(content)
}

// nameActor is the member who acted, by address, or operator or system; empty: the owner of the account of a
// person.
func nameActor(e audit.Entry) string {
	if by, _ := e.Detail[audit.DetailBy].(string); by != "" {
		return by
	}
	if e.Actor != audit.ActorAccount {
		return e.Actor
	}
	return ""
}

// ActivityCSV sends the activity that the page is filtered by as a file. A text that a spreadsheet would
// take for a formula is preceded by an apostrophe.
func (p *Pages) ActivityCSV(c *fiber.Ctx, v *pages.Visitor) error {
	events, done, err := p.readFileEvents(c, v)
	if done {
		return err
	}
	var file bytes.Buffer
	out := csv.NewWriter(&file) // keeps its first error for the end
	_ = out.Write([]string{"at", "action", "what", "detail", "by", "device", "address"})
	for i, row := range p.viewEvents(v, events) {
		_ = out.Write([]string{row.At.UTC().Format(time.RFC3339), usage.EscapeCell(events[i].Action),
			usage.EscapeCell(row.What), usage.EscapeCell(row.Detail), usage.EscapeCell(nameActor(events[i])),
			row.Device,
			row.Address})
	}
	if out.Flush(); out.Error() != nil {
		return out.Error()
	}
	return p.sendFile(c, "text/csv; charset=utf-8", "csv", file.Bytes())
}

// fileEvent is an event in the JSON file.
type fileEvent struct {
	At      time.Time      `json:"at"`
	Action  string         `json:"action"`
	By      *string        `json:"by"` // null: the owner of the account of a person
	Detail  map[string]any `json:"detail"`
	Device  *string        `json:"device"`
	Address *string        `json:"address"`
}

// ActivityJSON sends the activity that the page is filtered by as a file.
func (p *Pages) ActivityJSON(c *fiber.Ctx, v *pages.Visitor) error {
	events, done, err := p.readFileEvents(c, v)
	if done {
		return err
	}
	textOrNull := func(text string) *string {
		if text == "" {
			return nil
		}
		return &text
	}
	out := make([]fileEvent, 0, len(events))
	for i, row := range p.viewEvents(v, events) {
		e := events[i]
		by := textOrNull(nameActor(e))
		delete(e.Detail, audit.DetailBy)
		delete(e.Detail, audit.DetailOperator)
		out = append(out, fileEvent{row.At.UTC(), e.Action, by, e.Detail, textOrNull(row.Device),
			textOrNull(row.Address)})
	}
	body, err := c.App().Config().JSONEncoder(fiber.Map{"events": out})
	if err != nil {
		return err
	}
	return p.sendFile(c, fiber.MIMEApplicationJSONCharsetUTF8, "json", body)
}
