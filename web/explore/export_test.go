package explore

import (
	"github.com/a-h/templ"

	"arpent/internal/opendata/report"
	"arpent/web"
)

// Cards are what a page in a language shows of a report.
func Cards(l web.Lang, keys []report.Key, made *report.Report) templ.Component {
	p := &Pages{o: Options{Keys: keys}}
	v := view{}
	v.Lang = l
	return cards(v, p.reportGroups(l, made))
}
