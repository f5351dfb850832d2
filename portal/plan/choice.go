package plan

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"arpent/auth/apikey"
	"arpent/billing/meter/usage"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/portal/pages"
	"arpent/web"
)

// The periods of the page, and what its chart distinguishes, by outcome without a choice.
const (
	period30Days = "30d"
	periodToday  = "today"
	periodLast24 = "24h"

	byOutcome   = ""
	byKey       = "key"
	byOperation = "operation"
)

// consoleKey stands for the console among the keys of a form.
const consoleKey = "console"

// choice is what the page shows: the query of its address.
type choice struct {
	Period, By    string
	Key           string // number of a key, or console; empty: all
	Operation     string // empty: all
	Outcome       string // look of an outcome; empty: all
	Day           string // of the rejections; empty: the latest ones
	defaultPeriod string // of an address that names none
}

var operationForm = regexp.MustCompile(`^[a-z_]{1,60}$`)

// readChoice reads the query; what is not a choice counts as the default, period among the periods. The texts
// live as long as the request.
func readChoice(c *fiber.Ctx, period string) choice {
	chosen := choice{Period: period, defaultPeriod: period}
	switch asked := c.Query("period"); asked {
	case periodToday, periodLast24, period30Days:
		chosen.Period = asked
	}
	switch by := c.Query("by"); by {
	case byKey, byOperation:
		chosen.By = by
	}
	if operation := c.Query("operation"); operationForm.MatchString(operation) {
		chosen.Operation = operation
	}
	if outcome := c.Query("outcome"); slices.Contains(outcomeLooks[:], outcome) {
		chosen.Outcome = outcome
	}
	chosen.Key, chosen.Day = c.Query("key"), c.Query("day")
	return chosen
}

// buildFilter returns what the choice selects of the calls of an account, of which the visitor sees these
// keys. A key that is not one of them is a fault.NotFound, whether it exists or not.
func (c choice) buildFilter(v *pages.Visitor, keys []apikey.Key) (usage.Filter, error) {
	f := usage.Filter{Operation: c.Operation}
	if v.OwnKeysOnly() {
		f.Visible = make([]ident.KeyID, len(keys)) // nil would be every key
		for i := range keys {
			f.Visible[i] = keys[i].ID
		}
	}
	if nth := slices.Index(outcomeLooks[:], c.Outcome); nth >= 0 {
		f.Outcome = new(usage.Outcome(nth))
	}
	switch c.Key {
	case "":
		return f, nil
	case consoleKey:
		f.Key = new(ident.KeyID)
		return f, nil
	}
	id, err := strconv.ParseInt(c.Key, 10, 64)
	for i := range keys {
		if err == nil && keys[i].ID == ident.KeyID(id) {
			f.Key = &keys[i].ID
			return f, nil
		}
	}
	return f, fault.Missing("There is no such key.")
}

// queryPeriod is the period in an address; empty: the default one.
func (c choice) queryPeriod() string {
	if c.Period == c.defaultPeriod {
		return ""
	}
	return c.Period
}

// buildLink returns the address of the page at path with the query of the choice.
func (c choice) buildLink(path string) string {
	query := url.Values{}
	for name, value := range map[string]string{"period": c.queryPeriod(), "by": c.By, "key": c.Key,
		"operation": c.Operation, "outcome": c.Outcome, "day": c.Day} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// option is one choice of a list, or of a switch.
type option struct {
	Value, Text, Link string
	Chosen            bool
}

func (c choice) listPeriods(l web.Lang) []option {
	list := []option{{Value: periodToday, Text: l.Pick("Aujourd’hui", "Today")}, {Value: periodLast24,
		Text: l.Pick("24\u00a0heures", "24 hours")},
		{Value: period30Days, Text: l.Pick("30\u00a0jours", "30 days")}}
	for i := range list {
		o := &list[i]
		o.Chosen = o.Value == c.Period
		at := c
		at.Period = o.Value
		o.Link = at.buildLink("/account/usage")
	}
	return list
}

func (c choice) listBreakdowns(l web.Lang) []option {
	list := []option{{Value: byOutcome, Text: l.Pick("Par résultat", "By outcome")},
		{Value: byKey, Text: l.Pick("Par clé", "By key")},
		{Value: byOperation, Text: l.Pick("Par opération", "By operation")}}
	for i := range list {
		o := &list[i]
		o.Chosen = o.Value == c.By
		at := c
		at.By = o.Value
		o.Link = at.buildLink("/account/usage")
	}
	return list
}

// formatTitle names the period.
func (c choice) formatTitle(l web.Lang) string {
	switch c.Period {
	case periodToday:
		return l.Pick("Aujourd’hui, heure par heure", "Today, hour by hour")
	case periodLast24:
		return l.Pick("Les 24 dernières heures", "The last 24 hours")
	}
	return l.Pick("Les 30 derniers jours", "The last 30 days")
}
