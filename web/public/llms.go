package public

import (
	"context"
	"strconv"
	"strings"

	"arpent/web"
)

func llmsText(v view) string {
	var b strings.Builder
	line := func(parts ...string) { b.WriteString(strings.Join(parts, "") + "\n") }
	base := v.BaseURL()
	line("# ", v.Name(), "\n")
	line("> Read-only French public data over HTTP as JSON: régions, départements, communes, addresses and cadastral parcels,")
	line("> with the statistics of each territory and a report of all that bears on a parcel.\n")
	line("Every operation is a GET. Every one but the index needs a key, in the header X-API-Key. What is not known is null, never")
	line("zero and never estimated. What is loaded differs from server to server: /sources lists it.\n")
	line("## Documentation\n")
	line("- [OpenAPI 3.1](", base, "/openapi.json): every parameter and field")
	line("- [Reference](", base, "/docs/reference.md): the same as Markdown, a page for each operation")
	line("- [The whole documentation](", base, "/llms-full.txt) in one text")
	line("- [Index](", base, "/api/v1): endpoints, plans, licence, as JSON, without a key")
	line("- [Documentation](", base, "/docs?lang=en): three calls to begin with, keys, limits, errors, why a value is missing, licence")
	line("- [Recipes](", base, "/docs/recipes?lang=en): programs for whole tasks, with what they print")
	line("- [Address search](", base, "/docs/addresses?lang=en): what is understood, and what to check before an answer is used")
	line("- [Assistant tools](", base, "/docs/assistants?lang=en): arguments, errors, OAuth")
	line("- [Changes](", base, "/changes?lang=en): what is stable within v1, and what changed, with dates")
	line("- [Errors](", base, "/docs/errors?lang=en), [statistics](", base,
		"/docs/statistics), [report of a parcel](", base, "/docs/report): every key explained")
	line("- [Methods](", base, "/methods?lang=en): how computed figures are computed")
	line("- [Sources](", base, "/sources?lang=en): what is loaded, with producer, licence and edition")
	line("- [Coverage](", base, "/coverage.json): for which communes, as JSON: every key by département; /coverage/<code>.json for one département")
	line("- [Status](", base, "/status.json): whether each operation answers, over 90 days, and how fresh each source is\n")
	line("## Assistants\n")
	line("- [MCP server](", base, "/mcp): ", strconv.Itoa(len(tools)),
		" tools, by OAuth or with a key; one call is one request")
	line("- [Connect an assistant](", base, "/connect?lang=en): the steps for each of them\n")
	line("Tools: ", strings.Join(Tools(), ", "), ".\n")
	line("## Limits and licence\n")
	for _, plan := range v.options.Plans {
		use := "non-commercial use only"
		if plan.Commercial {
			use = "commercial use allowed"
		}
		line("- ", plan.Title, ": ", strconv.Itoa(plan.PerDay), " requests per day, ", strconv.Itoa(plan.PerMinute),
			" per minute, ",
			web.English.Price(plan), ", ", use)
	}
	terms := ", per month, excl. VAT"
	if len(v.yearlyPrices(context.Background())) > 0 {
		terms += ", or by the year"
	}
	line("- [Plans](", base, "/pricing?lang=en)", terms)
	line("- Data under the Open Licence 2.0 unless its source says otherwise: reuse is free if the source is credited; naming this")
	line("  service with a link to ", base, " is enough.")
	return b.String()
}
