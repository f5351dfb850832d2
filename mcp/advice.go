package mcp

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"arpent/api"
	"arpent/app/base/clock"
	"arpent/app/base/fault"
)

// advise writes what went wrong for a model: code and message of the operation, and what to do next.
func (s *Server) advise(t *tool, k *call, ask *api.Ask, r *fasthttp.Response) string {
	var e api.Error
	if err := json.Unmarshal(r.Body(), &e); err != nil || e.Error.Code == "" {
		e.Error.Code, e.Error.Message = string(fault.Internal), "Something went wrong on our side."
	}
	text := e.Error.Code + ": " + e.Error.Message
	if next := s.next(t, k, ask, fault.Code(e.Error.Code), &r.Header); next != "" {
		text += "\n" + next
	}
	return text
}

func (s *Server) next(t *tool, k *call, ask *api.Ask, code fault.Code, h *fasthttp.ResponseHeader) string {
	wait, _ := strconv.Atoi(string(h.Peek(fiber.HeaderRetryAfter)))
	switch code {
	case fault.InvalidParameter:
		return t.correct(ask)
	case fault.NotFound:
		return t.Missing
	case fault.QuotaExceeded:
		return "Do not call again before: the count starts anew " + resets(h, wait) + ". " + s.moreADay(k, h)
	case fault.RateLimited:
		return "Call again in " + strconv.Itoa(wait) + " seconds, at " + clockTime(time.Now().Add(time.Duration(wait)*time.Second)) +
			". A plan with more requests a minute is taken at " + s.planPage()
	case fault.Unavailable:
		return "Call again in " + strconv.Itoa(max(1, wait)) + " seconds. This call does not count against the day."
	case fault.InvalidAPIKey:
		if k.key.Paused {
			return "No tool can be called until then. The owner of the account resumes it at " + s.baseURL + k.page
		}
		return "Calling again from the same network does not help. The owner of the account changes the networks at " + s.baseURL + k.page
	case fault.Internal:
		return "Call again once; this call does not count against the day. If it fails again, tell the user."
	default:
		return ""
	}
}

// moreADay tells who can allow more: where the account has requests left, it was the key's own cap that was met.
func (s *Server) moreADay(k *call, h *fasthttp.ResponseHeader) string {
	if string(h.Peek("X-Quota-Remaining")) == "0" {
		return "A plan with more requests a day is taken at " + s.planPage()
	}
	return "The owner of the account changes what this access may ask in a day at " + s.baseURL + k.page
}

// correct tells what is wrong with arguments in the words of the tool, whose operation may take others than it does.
func (t *tool) correct(ask *api.Ask) string {
	var text string
	if absent := t.absent(ask); len(absent) > 0 {
		text = t.Name + " was called without " + strings.Join(absent, " and ") + ". "
	}
	if t.strangeInclude(ask) {
		text += t.includeForm()
	}
	return text + "Correct the arguments and call " + t.Name + " again. " + t.Invalid
}

// absent are the arguments that a call does not have and the tool does not work without.
func (t *tool) absent(ask *api.Ask) (names []string) {
	for _, p := range t.params {
		if p.Required && ask.Fault == nil && !ask.Path.Has(p.Name) && !ask.Query.Has(p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// strangeInclude tells whether a call includes what the tool does not know.
func (t *tool) strangeInclude(ask *api.Ask) bool {
	known := append(t.includeValues(), t.always...)
	for _, names := range ask.Query["include"] {
		for name := range strings.SplitSeq(names, ",") {
			if !slices.Contains(known, strings.TrimSpace(name)) {
				return true
			}
		}
	}
	return false
}

func (t *tool) includeForm() string {
	values := t.includeValues()
	if len(values) == 0 {
		return t.Name + " takes no include. "
	}
	text := "include of " + t.Name + " is a list from: " + strings.Join(values, ", ")
	if len(t.always) > 0 {
		text += " (" + strings.Join(t.always, ", ") + " is always there)"
	}
	return text + ". "
}

func (s *Server) planPage() string { return s.baseURL + "/account/plan" }

// resets says when the quota day ends, on the clock and in seconds.
func resets(h *fasthttp.ResponseHeader, wait int) string {
	at := time.Now().Add(time.Duration(wait) * time.Second)
	if unix, err := strconv.ParseInt(string(h.Peek("X-Quota-Reset")), 10, 64); err == nil && unix > 0 {
		at = time.Unix(unix, 0)
	}
	return "at " + clockTime(at) + ", in " + strconv.Itoa(wait) + " seconds (" + (time.Duration(wait) * time.Second).String() + ")"
}

// clockTime is a time as a person in France reads it.
func clockTime(t time.Time) string {
	paris := clock.Day(t).Start().Location()
	return t.In(paris).Format("15:04:05 on 2 January 2006") + " (Europe/Paris)"
}
