package landing

import (
	"net/url"
	"strings"

	"github.com/a-h/templ"

	"arpent/web"
)

// updateAttributes returns the attributes of a form that updates a part of the page.
func updateAttributes(v view) templ.Attributes {
	if !v.reports {
		return nil
	}
	return templ.Attributes{"hx-get": "/", "hx-target": "#demo", "hx-select": "#demo",
		"hx-select-oob": "#plan,#said:innerHTML",
		"hx-swap":       "outerHTML", "hx-push-url": "true", "data-htmx": v.HTMX()}
}

// pageLink is this page with parameters, in the language that it was asked for.
func pageLink(v view, parameters ...string) string {
	q := url.Values{}
	if v.Asked() != "" {
		q.Set("lang", string(v.Asked()))
	}
	for i := 0; i < len(parameters); i += 2 {
		if parameters[i+1] != "" {
			q.Set(parameters[i], parameters[i+1])
		}
	}
	return "/?" + q.Encode()
}

func parcelLink(v view, p *web.SheetParcel) string {
	return pageLink(v, parcelParam, p.IDU)
}

// addressLink leads to what the explorer finds for an address.
func addressLink(v view, address string) string {
	return v.Link("/explore?q=" + url.QueryEscape(address))
}

// parcelTitle names the parcel that is shown.
func parcelTitle(v view) string {
	p := v.found.Parcel
	n := strings.TrimLeft(p.Numero, "0")
	return v.Lang.Pick("Parcelle ", "Parcel ") + strings.TrimPrefix(p.Section, "0") + " " + n + ", " + p.Commune
}

// parcelSubtitle is its address, with how it was matched with the parcel, and its area.
func parcelSubtitle(v view) string {
	var parts []string
	if a := v.found.Report.Address(); a.Label != "" {
		parts = append(parts, a.Label+" ("+web.AddressMatch(v.Lang, a.Match, a.DistanceM)+")")
	}
	if m2 := v.found.Parcel.Contenance; m2 != nil {
		parts = append(parts, v.Lang.Number(*m2)+"\u00a0m²")
	}
	return strings.Join(parts, " · ")
}

// knownSummary says how much of the report is known here.
func knownSummary(v view) string {
	n, of := v.found.Report.Known()
	known, all := v.Lang.Number(n), v.Lang.Number(of)
	return v.Lang.Pick("Extrait. La réponse compte "+all+" clés, dont "+known+" ont une valeur ici ; "+
		"cette page en montre les principales.", "Excerpt. The answer has "+all+" keys, "+known+" of which have a "+
		"value here; this page shows the main ones.")
}

// exampleAddress is one that the box finds; empty: none is known.
func exampleAddress(v view) string {
	if v.example == nil || !v.example.Report.Address().IsOwn() {
		return ""
	}
	return v.example.Report.Address().Label
}

func curlCommand(v view, path string) string {
	return "curl -H \"X-API-Key: $ARPENT_KEY\" \\\n  " + v.BaseURL() + "/api/v1" + path
}

type fact struct{ label, value, detail string }

// serverFacts are three figures measured by this server.
func serverFacts(v view) []fact {
	size := fact{v.Lang.Pick("Parcelles", "Parcels"), v.Lang.Number(v.status.Parcelles),
		v.Lang.Pick("et le contour de ", "and the outlines of ") +
			v.Lang.Count(v.status.Communes, "commune", "commune")}
	vintage := fact{v.Lang.Pick("Dernier chargement", "Last load"), lastLoad(v),
		v.Lang.Count(len(v.status.Sources), "jeu", "data set") + v.Lang.Pick(" de données", "")}
	speed := fact{v.Lang.Pick("Rapport d’une parcelle", "Parcel report"),
		v.Lang.Pick("non mesuré", "not measured"), ""}
	if s := v.Speed("get_parcel_enrichments"); s != nil {
		speed.value = s.Median
		speed.detail = v.Lang.Pick("médiane en HTTP", "median over HTTP")
		if s.P95 != s.Median {
			speed.detail += v.Lang.Pick("\u00a0; 95\u00a0% sous ", "; 95% within ") + s.P95
		}
	}
	return []fact{size, vintage, speed}
}

func lastLoad(v view) string {
	var last web.Source
	for _, s := range v.status.Sources {
		if s.LoadedAt.After(last.LoadedAt) {
			last = s
		}
	}
	if last.LoadedAt.IsZero() {
		return v.Lang.Pick("aucun", "none")
	}
	return v.Lang.Day(last.LoadedAt)
}

// sectionNames names the sections that the plan shows a piece of.
func sectionNames(l web.Lang, s *web.Sheet) string {
	names := s.Sections()
	if len(names) == 1 {
		return "section " + names[0]
	}
	last := len(names) - 1
	return "sections " + strings.Join(names[:last], ", ") + l.Pick(" et ", " and ") + names[last]
}
