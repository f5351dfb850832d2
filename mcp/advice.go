package mcp

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"arpent/api"
	"arpent/internal/clock"
	"arpent/internal/fault"
)

// writeAdvice writes what went wrong for a model: code and message of the operation, and what to do next.
func (s *Server) writeAdvice(t *tool, k *call, a *api.Arguments, r *api.Result) string {
	text := string(r.Fault.Code) + ": " + r.Fault.Message
	if next := s.nextStep(t, k, a, r.Fault, r.QuotaRemaining(), r.QuotaReset()); next != "" {
		text += "\n" + next
	}
	return text
}

func (s *Server) nextStep(t *tool, k *call, a *api.Arguments, f *fault.Error, quotaRemaining int, quotaReset time.Time) string {
	switch f.Code {
	case fault.InvalidParameter:
		if f.Tool != "" {
			return t.correctionText(a) + " " + f.Tool
		}
		return t.correctionText(a)
	case fault.NotFound:
		if f.Tool != "" {
			return f.Tool
		}
		return t.Missing
	case fault.QuotaExceeded:
		return "Do not call again before: the count starts anew at " + clockTime(quotaReset) + ", in " + strconv.Itoa(waitSeconds(f)) +
			" seconds (" + (time.Duration(waitSeconds(f)) * time.Second).String() + "). " + s.quotaHint(k, quotaRemaining)
	case fault.RateLimited:
		return "Call again in " + strconv.Itoa(waitSeconds(f)) + " seconds, at " + clockTime(time.Now().Add(time.Duration(waitSeconds(f))*time.Second)) +
			". A plan with more requests a minute is taken at " + s.planPage()
	case fault.Unavailable:
		return "Call again in " + strconv.Itoa(waitSeconds(f)) + " seconds. This call does not count against the day."
	case fault.InvalidAPIKey:
		if k.key.Paused {
			return "No tool can be called until then. The owner of the account resumes it at " + s.baseURL + k.settingsPage
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

// quotaHint says who can allow more: where the account has requests left,
// it was the key's own cap that was reached.
func (s *Server) quotaHint(k *call, quotaRemaining int) string {
	if quotaRemaining == 0 {
		return "A plan with more requests a day is taken at " + s.planPage()
	}
	return "The owner of the account changes what this access may ask in a day at " + s.baseURL + k.settingsPage
}

// correctionText says what is wrong with arguments in the words of the tool,
// whose operation may take others than it does.
func (t *tool) correctionText(a *api.Arguments) string {
	var text string
	if absent := t.missingArguments(a); len(absent) > 0 {
		text = t.Name + " was called without " + strings.Join(absent, " and ") + ". "
	}
	if t.hasUnknownInclude(a) {
		text += t.includeForm()
	}
	return text + "Correct the arguments and call " + t.Name + " again. " + t.Invalid
}

// missingArguments are the arguments that a call does not have and the tool does not work without.
func (t *tool) missingArguments(a *api.Arguments) (names []string) {
	for _, p := range t.Params {
		if _, given := a.Get(t.Operation, p.Name); p.Required && !given && !a.Rejected() {
			names = append(names, p.Name)
		}
	}
	return names
}

// hasUnknownInclude reports whether a call includes what the tool does not know.
func (t *tool) hasUnknownInclude(a *api.Arguments) bool {
	names, given := a.Get(t.Operation, "include")
	known := append(t.IncludeValues(), t.Always...)
	for name := range strings.SplitSeq(names, ",") {
		if given && !slices.Contains(known, strings.TrimSpace(name)) {
			return true
		}
	}
	return false
}

func (t *tool) includeForm() string {
	values := t.IncludeValues()
	if len(values) == 0 {
		return t.Name + " takes no include. "
	}
	text := "include of " + t.Name + " is a list from: " + strings.Join(values, ", ")
	if len(t.Always) > 0 {
		text += " (" + strings.Join(t.Always, ", ") + " is always there)"
	}
	return text + ". "
}

func (s *Server) planPage() string { return s.baseURL + "/account/plan" }

// clockTime is a time as a person in France reads it.
func clockTime(t time.Time) string {
	paris := clock.Day(t).Start().Location()
	return t.In(paris).Format("15:04:05 on 2 January 2006") + " (Europe/Paris)"
}
