package mcp

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"arpent/api"
	"arpent/app/clock"
	"arpent/app/fault"
)

// advise writes what went wrong for a model: code and message of the operation, and what to do next.
func (s *Server) advise(t *tool, r *fasthttp.Response) string {
	var e api.Error
	if err := json.Unmarshal(r.Body(), &e); err != nil || e.Error.Code == "" {
		e.Error.Code, e.Error.Message = string(fault.Internal), "Something went wrong on our side."
	}
	text := e.Error.Code + ": " + e.Error.Message
	if next := s.next(t, fault.Code(e.Error.Code), &r.Header); next != "" {
		text += "\n" + next
	}
	return text
}

func (s *Server) next(t *tool, code fault.Code, h *fasthttp.ResponseHeader) string {
	wait, _ := strconv.Atoi(string(h.Peek(fiber.HeaderRetryAfter)))
	switch code {
	case fault.InvalidParameter:
		return "Correct the argument and call " + t.Name + " again. " + t.Invalid
	case fault.NotFound:
		return t.Missing
	case fault.QuotaExceeded:
		return "Do not call again before: the count starts anew " + resets(h, wait) + ". A plan with more requests a day is taken at " + s.planPage()
	case fault.RateLimited:
		return "Call again in " + strconv.Itoa(wait) + " seconds, at " + clockTime(time.Now().Add(time.Duration(wait)*time.Second)) +
			". A plan with more requests a minute is taken at " + s.planPage()
	case fault.Unavailable:
		return "Call again in " + strconv.Itoa(max(1, wait)) + " seconds. This call does not count against the day."
	case fault.InvalidAPIKey:
		return "No tool can be called until then. The owner of the account changes this at " + s.baseURL + "/account/keys"
	case fault.Internal:
		return "Call again once; this call does not count against the day. If it fails again, tell the user."
	default:
		return ""
	}
}

func (s *Server) planPage() string { return s.baseURL + "/account/plan" }

// resets says when the quota day ends, on the clock and in seconds.
func resets(h *fasthttp.ResponseHeader, wait int) string {
	at := time.Now().Add(time.Duration(wait) * time.Second)
	if unix, err := strconv.ParseInt(string(h.Peek("X-Quota-Reset")), 10, 64); err == nil && unix > 0 {
		at = time.Unix(unix, 0)
	}
	return "at " + clockTime(at) + ", in " + strconv.Itoa(wait) + " seconds"
}

// clockTime is a time as a person in France reads it.
func clockTime(t time.Time) string {
	paris := clock.Day(t).Start().Location()
	return t.In(paris).Format("15:04:05 on 2 January 2006") + " (Europe/Paris)"
}
