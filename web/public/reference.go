package public

import (
	"net/http"
	"slices"
	"strconv"

	"arpent/app/base/fault"
)

// errorCode documents an error code of the API. The API links to its section on the page, whose id is the code.
type errorCode struct {
	code            fault.Code
	meaning, remedy string
}

func (e errorCode) status() string {
	n := e.code.Status()
	return strconv.Itoa(n) + " " + http.StatusText(n)
}

var errorCodes = []errorCode{
	{fault.InvalidParameter,
		"A parameter is missing, malformed, given twice, or holds an include value that this endpoint does not know.",
		"Read the message: it names the parameter and what was expected, and the call for a cadastral reference that is written " +
			"in another way (93010 A 224). The same request will be refused again."},
	{fault.MissingAPIKey,
		"The request carries no key. Only the index, /api/v1, can be read without one.",
		"Send the key in the header X-API-Key. An empty value counts as absent."},
	{fault.InvalidAPIKey,
		"The key is unknown, revoked, expired or paused, or its owner does not allow it in an address, or not from the network " +
			"that the request came from.",
		"Read the message: it says which, except of unknown, revoked and expired keys, which are all refused alike. Check that the " +
			"key was copied whole (it begins with arp_), or use another one. Keys that are refused over and over " +
			"from one address are slowed down."},
	{fault.NotFound,
		"There is no such région, département, commune, parcel or path, or it is not loaded on this server. Overseas codes (971 to 976) " +
			"are not in the list of départements, arrondissements of Paris, Lyon and Marseille are not communes, and the overseas " +
			"collectivities (975, 977 and above) are not covered.",
		"Read the message: it says whether there is no such commune, its parcels are not loaded or only a part of them, or the parcel " +
			"alone is unknown; what took the place of a code or parcel that is gone; which communes a postcode serves; and which " +
			"commune is nearest to a point abroad or at sea."},
	{fault.RateLimited,
		"The account had as many requests admitted in the last 60 seconds as its limit allows. Without a valid key the limit " +
			"is that of the client's address.",
		"Wait as many seconds as Retry-After says. A client that spreads its requests evenly is never refused."},
	{fault.QuotaExceeded,
		"The account has used up the quota of this calendar day of Europe/Paris, or the key the daily cap that its owner gave it. " +
			"The message says which; the X-Quota headers always speak of the account.",
		"Wait until the day ends: X-Quota-Reset says when, Retry-After in how many seconds."},
	{fault.Unavailable,
		"Something this service depends on does not answer, or what was asked for is not loaded yet: a search for addresses " +
			"answers this until their index is built for the first time.",
		"Try again after Retry-After seconds: that is safe, and the failed request does not count against the day."},
	{fault.MethodNotAllowed,
		"Every operation is a GET. HEAD answers as GET without a body.",
		"Use GET."},
	{fault.RequestTooLarge,
		"The address, the headers or the body of the request are too long.",
		"Shorten the request: no operation takes a body, and addresses stay well under 8 kB."},
	{fault.Internal,
		"Something went wrong on our side. The request does not count against the day.",
		"Try again later. If it persists, send the operator the X-Request-Id of the response."},
}

func errorExample(v view) string {
	return "{\n  \"error\": {\n    \"code\": \"not_found\",\n    \"message\": \"no commune has code 99999\",\n" +
		"    \"documentation\": \"" + v.BaseURL() + "/docs/errors#not_found\"\n  }\n}"
}

// reportGroup is the keys of one group, in the order of the report.
type reportGroup struct {
	name string
	keys []ReportKey
}

// reportGroups returns the keys by group, in the order in which the groups first appear.
func (v view) reportGroups() []reportGroup {
	var out []reportGroup
	for _, k := range v.options.Report {
		i := slices.IndexFunc(out, func(g reportGroup) bool { return g.name == k.Group })
		if i < 0 {
			i, out = len(out), append(out, reportGroup{name: k.Group})
		}
		out[i].keys = append(out[i].keys, k)
	}
	return out
}

// loaded reports whether a layer of the key is loaded for any place.
func (v view) loaded(k ReportKey) bool {
	return slices.ContainsFunc(k.Layers, func(layer string) bool { return slices.Contains(v.status.Layers, layer) })
}
