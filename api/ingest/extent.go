package ingest

import (
	"path"
	"regexp"
	"strings"

	"arpent/api/source"
)

// extentSuffix is how the name of a file says which part of the country it is cut to, before its extensions: bpe24-93010.csv.gz,
// bpe24-dep-93.csv, bpe24-region-11.csv.
var extentSuffix = regexp.MustCompile(`(?i)[-_.](?:(?:commune[-_]?)?([0-9][0-9AB][0-9]{3})|(?:dep|departement)[-_]?([0-9]{2}|2[AB]|97[1-6])|region[-_]?([0-9]{2}))$`)

// extentOf splits a file's name into the name that the file of the whole country has, and the scope of the extract: a commune, a
// département, or a région as R11. It returns the name itself and no scope for another name.
func extentOf(name string) (whole, scope string) {
	folder, base := path.Split(name)
	stem, extension, _ := strings.Cut(base, ".")
	m := extentSuffix.FindStringSubmatch(stem)
	switch {
	case m == nil:
		return name, ""
	case m[3] != "":
		scope = "R" + m[3]
	default:
		scope = strings.ToUpper(m[1] + m[2])
	}
	whole = folder + strings.TrimSuffix(stem, m[0])
	if extension != "" {
		whole += "." + extension
	}
	return whole, scope
}

// matchFile matches a file's name with the expression of a source. Where that takes no scope from the name and the source can be loaded
// by parts, the name may end with the scope of an extract.
func matchFile(src source.Source, expr *regexp.Regexp, name string) (match []string, scope string) {
	if src.Target.Part {
		if whole, cut := extentOf(name); cut != "" {
			if match = expr.FindStringSubmatch(whole); match != nil && scopeIn(expr, match) == "" {
				return match, cut
			}
		}
	}
	return expr.FindStringSubmatch(name), ""
}

func scopeIn(expr *regexp.Regexp, match []string) string {
	if i := expr.SubexpIndex("scope"); i >= 0 {
		return match[i]
	}
	return ""
}
