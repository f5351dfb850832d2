package reference

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/unicode/norm"

	"arpent/web"
)

// section is a part of a page that can be linked to.
type section struct {
	Address     string // path and anchor
	Page, Title string // title of the page; empty: the section is its beginning
	Text        string // a line for each block

	title, text []rune // folded
}

// sectionsOf renders a page and takes its content apart.
func sectionsOf(d web.Document) ([]section, error) {
	var b bytes.Buffer
	if err := d.Body.Render(context.Background(), &b); err != nil {
		return nil, err
	}
	root, err := html.Parse(&b)
	if err != nil {
		return nil, err
	}
	r := &reader{path: d.Path}
	r.sections = []section{{Address: d.Path}}
	r.readNode(findElement(root, "main"))
	for i := range r.sections {
		s := &r.sections[i]
		s.Page, s.Text = r.sections[0].Title, normalizeSpaces(s.Text)
		s.title, s.text = foldText(s.Title), foldText(joinBlocks(s.Text))
	}
	r.sections[0].Page = ""
	return slices.DeleteFunc(r.sections, func(s section) bool { return s.Title == "" }), nil
}

func findElement(n *html.Node, tag string) *html.Node {
	if n.Type == html.ElementNode && n.Data == tag {
		return n
	}
	for c := range n.ChildNodes() {
		if found := findElement(c, tag); found != nil {
			return found
		}
	}
	return nil
}

// reader collects sections: an element with an id begins one, and the first heading in it is its title.
type reader struct {
	path     string
	sections []section
	depth    int // of headings that are being read
}

var (
	anchors  = []string{"section", "div", "dt", "h2", "h3"}
	headings = []string{"h1", "h2", "h3", "dt"}
	blocks   = []string{"p", "li", "dd", "tr", "th", "td", "pre", "summary", "h1", "h2", "h3", "dt", "div"}
	omitted  = []string{"nav", "script", "button", "svg", "form"}
)

func (r *reader) readNode(n *html.Node) {
	switch {
	case n == nil || slices.Contains(omitted, n.Data) || isAnnotation(n, r.depth > 0),
		// the example call is read once, not in every language
		!slices.Contains([]string{"", "curl"}, web.FindAttribute(n.Attr, "data-language")):
		return
	case n.Type == html.TextNode:
		r.writeText(n.Data)
		return
	}
	isBlock := slices.Contains(blocks, n.Data)
	if isBlock { // what stands before it may be the text of the block that it is in
		r.writeText("\n")
	}
	if id := web.FindAttribute(n.Attr, "id"); id != "" && slices.Contains(anchors, n.Data) {
		r.sections = append(r.sections, section{Address: r.path + "#" + id})
	}
	isTitle := slices.Contains(headings, n.Data) && r.sections[len(r.sections)-1].Title == ""
	if isTitle {
		r.depth++
	}
	for c := range n.ChildNodes() {
		r.readNode(c)
	}
	if isTitle {
		r.depth--
		last := &r.sections[len(r.sections)-1]
		last.Title = normalizeSpaces(last.Title)
	}
	if isBlock {
		r.writeText("\n")
	}
}

func (r *reader) writeText(text string) {
	last := &r.sections[len(r.sections)-1]
	if r.depth > 0 {
		last.Title += text
		return
	}
	last.Text += text
}

// isAnnotation reports whether an element stands next to a text: what a line of code is called, how much is
// folded, and in titles types and states.
func isAnnotation(n *html.Node, inTitle bool) bool {
	class := strings.Fields(web.FindAttribute(n.Attr, "class"))
	isSoft := slices.Contains(class, "soft")
	return slices.Contains(class, "code-label") || isSoft && n.Parent != nil && n.Parent.Data == "summary" ||
		inTitle && (isSoft || slices.Contains(class, "kind"))
}

// normalizeSpaces leaves one blank between words, and no empty lines.
func normalizeSpaces(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = web.CollapseBlanks(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// joinBlocks writes the blocks of a text in one line. A point stands between two unless the first ends a
// sentence: the cells of a table do not read as one.
func joinBlocks(text string) string {
	var b strings.Builder
	for block := range strings.SplitSeq(text, "\n") {
		if last, size := utf8.DecodeLastRuneInString(b.String()); size > 0 {
			if !strings.ContainsRune(".:;,!?…", last) {
				b.WriteString(" ·")
			}
			b.WriteByte(' ')
		}
		b.WriteString(block)
	}
	return b.String()
}

// foldText is a text without accents and capitals, rune by rune: what is
// found in it is at the same place in the text.
func foldText(text string) []rune {
	runes := []rune(text)
	for i, r := range runes {
		plain, _ := utf8.DecodeRuneInString(norm.NFD.String(string(r)))
		runes[i] = unicode.ToLower(plain)
		if r == '’' {
			runes[i] = '\''
		}
	}
	return runes
}
