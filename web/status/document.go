package status

import (
	"encoding/json"
	"reflect"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/web"
)

// document is the machine form. Members are added over time and none
// is taken away; what is not known is null.
type document struct {
	State      State       `json:"state" doc:"ok, failing while an operation is, unknown where none was called for a while."`
	Every      int         `json:"everySeconds" doc:"Between two calls of an operation; 0: nothing is measured on this server."`
	Database   string      `json:"database" doc:"up, or down: then only what needs none is answered."`
	Complete   bool        `json:"complete" doc:"False while the days before the last start could not be read."`
	Operations []operation `json:"operations" doc:"Every operation, and a call of a tool at /mcp."`
	Incidents  []incident  `json:"incidents" doc:"Calls of an operation that failed in a row, newest first."`
	Sources    []freshness `json:"sources" doc:"The loaded data sets, and whether their newest edition is served."`
}

// members are those of the document, as the page documents it.
var members = web.Members(reflect.TypeFor[document]())

type operation struct {
	Name     string     `json:"name" doc:"As in the description of the API; mcp is the call of a tool."`
	State    State      `json:"state" doc:"ok, failing, or unknown: not called for a while."`
	LastAt   *time.Time `json:"lastAt" doc:"When it was called last; null: not since the start."`
	Answered *float64   `json:"answered" doc:"Share of the calls of 90 days that were answered, from 0 to 1; null: none was made."`
	Days     []day      `json:"days" doc:"The days that were measured, oldest first. A day that is absent was not."`
}

type day struct {
	Day    string   `json:"day" doc:"In Paris."`
	OK     int      `json:"ok" doc:"Calls that were answered."`
	Failed int      `json:"failed" doc:"Calls that were not."`
	Median *float64 `json:"medianMs" doc:"Milliseconds within which half of the answers came, to a tenth of a power of ten; null: none did."`
	P95    *float64 `json:"p95Ms" doc:"The same for 95 %."`
}

type incident struct {
	Operation string     `json:"operation" doc:"Name of the operation."`
	BeganAt   time.Time  `json:"beganAt" doc:"The first failure."`
	FailedAt  time.Time  `json:"failedAt" doc:"The last failure."`
	EndedAt   *time.Time `json:"endedAt" doc:"The last failure again once it is over; null: it goes on."`
	Failures  int        `json:"failures" doc:"How many calls failed."`
	Reason    string     `json:"reason" doc:"Of the last one: status and its number, timeout, unreachable, malformed."`
}

type freshness struct {
	Name      string     `json:"name" doc:"As on the page of sources."`
	Title     string     `json:"title" doc:"What the producer calls it."`
	Rhythm    *string    `json:"rhythm" doc:"How often it is renewed: daily, weekly, monthly, quarterly, half-yearly, yearly, irregularly, once; null: not known."`
	Vintage   *string    `json:"vintage" doc:"Edition as the producer dates it; null: it does not say."`
	LoadedAt  time.Time  `json:"loadedAt" doc:"When it was loaded."`
	CheckedAt *time.Time `json:"checkedAt" doc:"When its producer was last asked; null: not by this server."`
	DueAt     *time.Time `json:"dueAt" doc:"When its producer should be asked again: after its rhythm, counted from the last time it was asked, else from the edition, else from the load; null: nothing says."`
	Late      *bool      `json:"late" doc:"Whether what is served may not be the newest edition; null: the producer was not asked, and no rhythm says."`
}

// serveDocument serves the machine form. Any page may read it: it is public.
func (p *Pages) serveDocument(c *fiber.Ctx) error {
	web.Guard(c)
	v := p.newView(c)
	d := document{State: v.report.State(), Every: int(v.report.Every / time.Second), Database: "down",
		Complete:   v.report.Read,
		Operations: []operation{}, Incidents: []incident{}, Sources: []freshness{}}
	if v.databaseUp {
		d.Database = "up"
	}
	for _, o := range v.report.Operations {
		d.Operations = append(d.Operations, operationOf(o))
	}
	for _, i := range v.report.Incidents {
		one := incident{Operation: i.Operation, BeganAt: truncateSeconds(i.BeganAt),
			FailedAt: truncateSeconds(i.FailedAt), Failures: i.Failures, Reason: i.Reason}
		if i.Over {
			one.EndedAt = &one.FailedAt
		}
		d.Incidents = append(d.Incidents, one)
	}
	for _, s := range v.sources {
		d.Sources = append(d.Sources, freshnessOf(s, v.now))
	}
	body, err := json.Marshal(d)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "public, max-age=30")
	c.Set(fiber.HeaderAccessControlAllowOrigin, "*")
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSONCharsetUTF8)
	return c.Send(append(body, '\n'))
}

func operationOf(o Operation) operation {
	out := operation{Name: o.Name, State: o.State, LastAt: orNull(o.Last), Days: []day{}}
	if ratio, known := o.Answered(); known {
		out.Answered = &ratio
	}
	for _, d := range o.Days {
		out.Days = append(out.Days, day{d.Date.String(), d.OK, d.Failed, msOrNull(d.Percentile(0.5)),
			msOrNull(d.Percentile(0.95))})
	}
	return out
}

func freshnessOf(s web.Source, now time.Time) freshness {
	out := freshness{Name: s.Name, Title: s.Title, LoadedAt: truncateSeconds(s.LoadedAt),
		CheckedAt: orNull(s.CheckedAt), DueAt: orNull(s.DueAt)}
	if s.Vintage != "" {
		out.Vintage = &s.Vintage
	}
	if s.Rhythm != "" {
		out.Rhythm = &s.Rhythm
	}
	if late := s.Late(now); late || !s.CheckedAt.IsZero() || !s.DueAt.IsZero() {
		out.Late = &late
	}
	return out
}

func truncateSeconds(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = truncateSeconds(t)
	return &t
}

func msOrNull(d time.Duration) *float64 {
	if d == 0 {
		return nil
	}
	return new(float64(d.Round(100*time.Microsecond)) / float64(time.Millisecond))
}
