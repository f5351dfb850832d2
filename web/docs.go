package web

import (
	"bytes"
	"context"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"arpent/api"
)

// docsEntry is a page in the list of the documentation.
type docsEntry struct{ path, french, english string }

func (e docsEntry) pickName(l Lang) string { return l.Pick(e.french, e.english) }

// docsSection is a part of the list.
type docsSection struct {
	french, english string
	entries         []docsEntry
}

// ReferencePath is the path of the index of the reference; the page of an operation is below it.
const ReferencePath = "/docs/reference"

// referenceTags are the French names of the tags of operations.
var referenceTags = map[string]string{api.TagService: "Service", api.TagTerritories: "Territoires",
	api.TagAddresses: "Adresses", api.TagParcels: "Parcelles"}

// DocsTag returns the name of a tag of operations.
func DocsTag(l Lang, tag string) string { return l.Pick(referenceTags[tag], tag) }

// docsSections are the pages of the documentation, in the order of the list.
func docsSections() []docsSection {
	out := []docsSection{
		{"Guides", "Guides", []docsEntry{
			{"/docs", "Premiers pas", "Getting started"},
			{"/docs/recipes", "Recettes", "Recipes"},
			{"/docs/clients", "Bibliothèques clientes", "Client libraries"},
			{"/docs/assistants", "Outils des assistants", "Assistant tools"},
			{"/docs/account", "API du compte", "Account API"},
			{"/docs/events", "Événements et webhooks", "Events and webhooks"},
			{"/docs/errors", "Erreurs", "Errors"},
			{"/changes", "Changements", "Changes"},
		}},
		{"Données", "Data", []docsEntry{
			{"/docs/addresses", "Recherche d’adresses", "Address search"},
			{"/docs/report", "Rapport d’une parcelle", "Parcel report"},
			{"/docs/statistics", "Statistiques", "Statistics"},
			{"/methods", "Méthodes", "Methods"},
			{"/sources", "Sources", "Sources"},
		}},
		{"Référence", "Reference", []docsEntry{{ReferencePath, "Toutes les opérations", "All operations"}}},
	}
	for _, tag := range api.Tags {
		section := docsSection{french: DocsTag(French, tag[0]), english: tag[0]}
		for _, o := range api.Operations() {
			if o.Tag == tag[0] {
				entry := docsEntry{ReferencePath + "/" + o.Name, o.SummaryFrench, o.Summary}
				if o.Name == "find_communes" { // whose summary is a line of its own in the reference
					entry.french, entry.english = "Plusieurs communes", "List or find communes"
				}
				section.entries = append(section.entries, entry)
			}
		}
		out = append(out, section)
	}
	return out
}

// currentEntry returns the entry of a page, or of the nearest page above it; the first page is above none.
func currentEntry(sections []docsSection, path string) (current docsEntry) {
	for _, s := range sections {
		for _, e := range s.entries {
			isAbove := e.path != "/docs" && strings.HasPrefix(path, e.path+"/")
			if (path == e.path || isAbove) && len(e.path) > len(current.path) {
				current = e
			}
		}
	}
	return current
}

// heading is a heading of a page that can be linked to.
type heading struct {
	id, text string
	isSub    bool // an h3
}

// withHeadings renders its children as the article of a page, after the list of their headings.
func withHeadings(l Lang) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		var b bytes.Buffer
		children := templ.GetChildren(ctx)
		if err := children.Render(templ.ClearChildren(ctx), &b); err != nil {
			return err
		}
		return article(l, headingsOf(b.Bytes()), b.String()).Render(templ.ClearChildren(ctx), w)
	})
}

// headingsOf lists the headings that have an id, or are the first in a section that has one. Secondary text
// in them is left out.
func headingsOf(page []byte) (out []heading) {
	z := html.NewTokenizer(bytes.NewReader(page))
	section, within := "", ""
	var text strings.Builder
	softDepth := 0 // of elements inside secondary text
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		t := z.Token()
		isHeading := t.Data == "h2" || t.Data == "h3"
		switch {
		case kind == html.TextToken && within != "" && softDepth == 0:
			text.WriteString(t.Data)
		case kind == html.StartTagToken && t.Data == "section":
			section = FindAttribute(t.Attr, "id")
		case kind == html.StartTagToken && isHeading:
			within = FindAttribute(t.Attr, "id")
			if within == "" && t.Data == "h2" {
				within, section = section, ""
			}
			text.Reset()
		case kind == html.StartTagToken && within != "" &&
			(softDepth > 0 || slices.Contains(strings.Fields(FindAttribute(t.Attr, "class")), "soft")):
			softDepth++
		case kind == html.EndTagToken && softDepth > 0:
			softDepth--
		case kind == html.EndTagToken && isHeading && within != "":
			out = append(out, heading{within, CollapseBlanks(text.String()), t.Data == "h3"})
			within = ""
		}
	}
	return out
}

// CollapseBlanks leaves one blank between words. No-break spaces stay: French has them before signs, and
// dates between their parts.
func CollapseBlanks(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) && r != '\u00a0' && r != '\u202f'
	}), " ")
}

// FindAttribute returns the value of an attribute; empty: there is none.
func FindAttribute(list []html.Attribute, name string) string {
	for _, a := range list {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// Member is a member of a JSON document, as a page documents it.
type Member struct{ Name, Doc string }

// Members are those of a document, each followed by those of the objects that it
// lists. Their texts are the doc tags of the type.
func Members(t reflect.Type) []Member { return listMembers(t, "") }

func listMembers(t reflect.Type, above string) (out []Member) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" { // its members are those of the object that it is in
			out = append(out, listMembers(f.Type, above)...)
			continue
		}
		out = append(out, Member{above + name, f.Tag.Get("doc")})
		if f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct {
			out = append(out, listMembers(f.Type.Elem(), above+name+"[].")...)
		}
	}
	return out
}
