package api

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"arpent/api/fieldset"
	"arpent/api/parcel"
	"arpent/api/reply"
	"arpent/billing/meter"
	"arpent/internal/fault"
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/topic"
)

// Enrichments is the body of the full report of a parcel.
type Enrichments struct {
	IDU         string                    `json:"idu" doc:"Reference of the parcel." example:"930100000J0236"`
	CodeInsee   string                    `json:"codeInsee" doc:"Code of the commune." example:"93010"`
	Enrichments EnrichmentValues          `json:"enrichments" doc:"One member a key of the report, all of them always there unless fields names some. Null where nothing applies, or where no source of the key is loaded for the place; a list is empty where its sources hold nothing for the parcel."`
	Parcel      parcel.ParcelleAttributes `json:"parcel" doc:"The parcel itself, as in its own answer."`
	Lists       map[string]report.Length  `json:"lists" doc:"Of each key that is a list, how many items there are and how many of them are given. The order is that of the key."`
	States      map[string]state.KeyState `json:"states" doc:"Of each key of enrichments, why it has a value or none."`
	Sources     []ReportSource            `json:"sources" doc:"What the report was made from: every load that speaks for the place of the parcel, with the keys that were looked for in it."`
	Readings    []string                  `json:"readings,omitempty" doc:"Only where the reference was written with words that may mean something else: as what it was read, and what else it may be. Of communes of one name it is read as the only one with parcels on this server."`
}

// ReportSource is one loaded source that the report drew on.
type ReportSource struct {
	Source        string   `json:"source" doc:"Name of the source." example:"radon"`
	Title         string   `json:"title" doc:"Title of the data set."`
	Producer      string   `json:"producer" doc:"Who publishes it."`
	Licence       string   `json:"licence" doc:"Licence of the data set."`
	Vintage       *string  `json:"vintage" doc:"Edition, as the producer dates it: a day, a month or a year; null where the files do not say."`
	Demonstration bool     `json:"demonstration" doc:"Always false: all data is real. Kept because the fields of v1 stay."`
	Keys          []string `json:"keys" doc:"Keys of the report that were looked for in it."`
}

// EnrichmentValues are the values of the report by key.
type EnrichmentValues map[string]json.RawMessage

// Schema describes each key with the type of its value.
func (EnrichmentValues) Schema(r huma.Registry) *huma.Schema {
	object := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{}}
	for _, k := range topic.Report().Keys() {
		of := reflect.TypeOf(k.Value)
		value := &huma.Schema{Description: string(k.Group) + ": " + k.Doc,
			AnyOf: []*huma.Schema{r.Schema(of, true, of.Name()), {Type: "null"}}}
		object.Properties[k.Name] = value
	}
	return object
}

// addressAsked is the address by which a parcel was found.
var addressAsked = Param{Name: "address", In: "query", Type: "string", MaxLength: addressQuery.MaxLength,
	Example:     "12 allée des Roses, Bondy",
	Description: "The address by which the parcel was found, or its label: put first among those of the parcel; `asked` of the key address says whether it is one of them.",
	Expected:    addressQuery.Expected, Valid: addressQuery.Valid}

// getParcelEnrichments is the row of the operations table.
func getParcelEnrichments() Operation {
	return Operation{
		Name: "get_parcel_enrichments", Path: "/parcelles/{idu}/enrichments", Tag: TagParcels, Unavailable: true,
		Class: meter.Enrichments, NotCached: true,
		Summary: "Get the full report of a parcel", SummaryFrench: "Le rapport complet d’une parcelle",
		DescriptionFrench: "Tout ce qui est public et qui concerne une parcelle\u00a0: adresses, voisines, ventes, diagnostics énergétiques, bâtiments, copropriétés, risques, urbanisme, servitudes et permis, nature, patrimoine, entreprises, propriétaires personnes morales, transports, écoles et services. " +
			"Chaque clé vient de sa source, nommée avec sa date. `states` dit de chaque clé pourquoi elle est nulle ou vide. Avec `fields`, seules les clés nommées sont cherchées.",
		Description: "Everything public that bears on one parcel, each key from its source. `states` says why a key is null or empty. Never cached, with a tighter limit per minute.",
		Params:      []Param{parcelIDU, reportFields, addressAsked, themeParam("enrichments", topic.ReportThemes)},
		Results:     []any{Enrichments{}}, Example: "/parcelles/" + parcel.ExampleIDU + "/enrichments",
		Places: []Place{
			{"Une parcelle de Bondy", "A parcel in Bondy", "/parcelles/" + parcel.ExampleIDU + "/enrichments"},
			{"La même, ses adresses et ses ventes", "The same one, its addresses and sales",
				"/parcelles/" + parcel.ExampleIDU + "/enrichments?fields=banAddresses,dvf,dvfEstimate"},
		},
		Run: (*Handlers).Enrichments,
		Tools: []Tool{
			{
				Name: "get_parcel_enrichments", Title: "Get the full report of a parcel",
				About: "Returns everything public that bears on one parcel: addresses, neighbours, sales (euros), energy ratings, buildings, condominiums, risks, planning, permits, land use, nature, monuments, businesses, legal owners, traffic, fibre, transport, schools (of the commune where they have no positions) and services nearby. " +
					"fields=[\"dvf\",\"gpu\"] gives these alone. lists has how many there are within radiusM. states says why a key is null or empty, sources gives producer, licence and date. " +
					"dvfEstimate is an order of magnitude, not a valuation. The most expensive tool.",
				Example: `{"idu":"` + parcel.ExampleIDU + `"}`,
				Invalid: "With an address instead of a reference call search_address: a housenumber has its idu.",
				Missing: "If the message names other parcels, call again with one of them; otherwise find the parcel with get_parcel_at_point.",
				Page: ToolPage{Place: 11, Gives: "Everything public that bears on one parcel.",
					French:      "Réunir tout ce qui concerne une parcelle\u00a0: risques, urbanisme, ventes, services",
					English:     "Gather all that bears on a parcel: risks, planning, sales, services",
					FrenchAsks:  "Quels risques et quelles règles d’urbanisme pèsent sur cette parcelle\u00a0?",
					EnglishAsks: "Which risks and planning rules apply to this parcel?"},
			},
		},
	}
}

// Enrichments answers get_parcel_enrichments.
func (h *Handlers) Enrichments(r *Request) (reply.Reply, error) {
	idu := h.parcels.Spelled(r.Text("idu"))
	about, attributes, err := h.parcels.Subject(idu)
	if err != nil {
		return reply.Reply{}, err
	}
	fields := r.requestedFields(topic.ReportOn)
	var wanted []string
	for _, field := range fields {
		key, _, _ := strings.Cut(field, ".")
		wanted = append(wanted, key)
	}
	ctx, end := r.withHangupCancel()
	defer end()
	about.Keys, about.Address = wanted, r.Text("address")
	found, err := h.reports.Report(ctx, about)
	switch {
	case err != nil && ctx.Err() != nil:
		return reply.Reply{}, fault.Down("The client closed the connection.", err)
	case err != nil:
		return reply.Reply{}, err
	}
	body := reportBody(idu, about.Commune, attributes, h.reportKeys, wanted, found)
	if slices.ContainsFunc(fields, func(field string) bool { return strings.Contains(field, ".") }) {
		body, err = fieldset.Filter(body, "enrichments", fields, nil)
	}
	return reply.Reply{Body: body}, err
}

// reportBody writes the answer with the keys in the contract's order: those that are wanted, or all.
func reportBody(idu, codeInsee string, attributes []byte, keys []report.Key, wanted []string,
	found *report.Report) []byte {
	size := 4096
	for _, v := range found.Values {
		size += len(v)
	}
	body := make([]byte, 0, size)
	body = append(append(append(body, `{"idu":"`...), idu...), `","codeInsee":"`...)
	body = append(append(body, codeInsee...), `","enrichments":{`...)
	var given []report.Key
	lists, states := map[string]*report.Length{}, map[string]state.KeyState{}
	for i, k := range keys {
		if wanted != nil && !slices.Contains(wanted, k.Name) {
			continue
		}
		if given != nil {
			body = append(body, ',')
		}
		given, states[k.Name] = append(given, k), found.States[i]
		if of := found.Lengths[i]; of != nil {
			lists[k.Name] = of
		}
		body = append(append(append(body, '"'), k.Name...), `":`...)
		if found.Values[i] == nil {
			body = append(body, "null"...)
		} else {
			body = append(body, found.Values[i]...)
		}
	}
	body = append(append(body, `},"parcel":`...), attributes...)
	body = append(append(body, `,"lists":`...), fieldset.MustMarshal(lists)...)
	body = append(append(body, `,"states":`...), fieldset.MustMarshal(states)...)
	return append(append(append(body, `,"sources":`...), fieldset.MustMarshal(reportSources(given, states,
		found.Loads))...), '}')
}

// reportSources says which keys each load was asked for. What adds to a key alone was not asked for it.
func reportSources(keys []report.Key, states map[string]state.KeyState, loads []report.Load) []ReportSource {
	out := []ReportSource{}
	for _, l := range loads {
		s := ReportSource{Source: l.Source, Title: l.Title, Producer: l.Producer, Licence: l.Licence,
			Vintage: l.Vintage}
		for _, k := range keys {
			of := states[k.Name]
			if (of.State == state.Value || of.State == state.None || of.Known != nil) && slices.ContainsFunc(l.Layers, k.DrawsOn) {
				s.Keys = append(s.Keys, k.Name)
			}
		}
		if s.Keys != nil {
			out = append(out, s)
		}
	}
	return out
}
