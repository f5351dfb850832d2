package mcp

import (
	"strconv"
	"time"

	"arpent/api"
	"arpent/internal/clock"
	"arpent/internal/fault"
)

// writeAdvice writes what went wrong for a model: code and message of the operation, and what to do next.
func (s *Server) writeAdvice(t *tool, k *call, r *api.Result) string {
	text := string(r.Fault.Code) + ": " + r.Fault.Message
	if next := s.nextStep(t, k, r.Fault, r.QuotaRemaining(), r.QuotaReset()); next != "" {
		text += "\n" + next
	}
	return text
}

func (s *Server) nextStep(t *tool, k *call, f *fault.Error, quotaRemaining int, quotaReset time.Time) string {
	switch f.Code {
	case fault.InvalidParameter:
		if f.Tool != "" {
			return t.correctionText() + " " + f.Tool
		}
		return t.correctionText()
	case fault.NotFound:
		if f.Tool != "" {
			return f.Tool
		}
		return t.Missing
	case fault.QuotaExceeded:
		allow := "A plan with more requests a day is taken at " + s.planPage()
		if quotaRemaining != 0 { // the cap of the key was reached
			allow = "The owner of the account changes what this access may ask in a day at " + s.baseURL + k.settingsPage
		}
		return "Do not call again before: the count starts anew at " + clockTime(quotaReset) + ", in " +
			strconv.Itoa(waitSeconds(f)) + " seconds (" + (time.Duration(waitSeconds(f)) * time.Second).String() +
			"). " + allow
	case fault.RateLimited:
		return "Call again in " + strconv.Itoa(waitSeconds(f)) + " seconds, at " +
			clockTime(s.clock.Now().Add(time.Duration(waitSeconds(f))*time.Second)) +
			". A plan with more requests a minute is taken at " + s.planPage()
	case fault.Unavailable:
		return "Call again in " + strconv.Itoa(waitSeconds(f)) +
			" seconds. This call does not count against the day."
	case fault.InvalidAPIKey:
		if k.key.Paused {
			return "No tool can be called until then. The owner of the account resumes it at " + s.baseURL +
				k.settingsPage
		}
		return "Calling again from the same network does not help. The owner of the account changes the networks at " + s.baseURL + k.settingsPage
	case fault.Internal:
		return "Call again once; this call does not count against the day. If it fails again, tell the user."
	default:
		return ""
	}
}

// waitSeconds is how long to wait before calling again, at least a second.
func waitSeconds(f *fault.Error) int {
	return max(1, int((f.RetryAfter+time.Second-1)/time.Second))
}

// correctionText says what to do about arguments that were rejected.
func (t *tool) correctionText() string {
	return "Correct the arguments and call " + t.Name + " again. " + t.Invalid
}

func (s *Server) planPage() string { return s.baseURL + "/account/plan" }

// clockTime is a time as a person in France reads it.
func clockTime(t time.Time) string {
	return t.In(clock.Paris).Format("15:04:05 on 2 January 2006") + " (Europe/Paris)"
}
