package explore

import (
	"github.com/tidwall/gjson"

	"arpent/web"
	"arpent/web/report"
)

// MissingStatistics returns what the page lists as missing of the statistics of a commune.
func MissingStatistics(l web.Lang, body string) []report.Absent {
	return statisticsGroup(l, gjson.Parse(body)).missing
}
