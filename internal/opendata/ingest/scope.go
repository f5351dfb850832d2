package ingest

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/source"
	"arpent/internal/pgdb"
)

// compareBool sorts false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// isPlace reports whether a scope is the code of a département or commune.
func isPlace(scope string) bool {
	return departementCode.MatchString(scope) || communeCode.MatchString(scope)
}

// containsScope reports whether one scope is a place within another: all of France, or a département. The
// codes do not say whether a place is in a région or an intercommunal body.
func containsScope(outer, inner string) bool {
	switch {
	case outer == inner || !isPlace(inner) && !groupScope.MatchString(inner):
		return false
	case outer == "":
		return true
	default:
		return departementCode.MatchString(outer) && communeCode.MatchString(inner) &&
			fetch.DepartementOf(inner) == outer
	}
}

// coversScope reports whether the loads of a source are complete within their scope, so that two loads of
// places within each other hold the same rows twice.
func coversScope(src source.Source) bool {
	return src.Target.Part && len(src.Covers) > 0 &&
		!slices.ContainsFunc(src.Covers, func(c source.Coverage) bool { return c.Areas != "" })
}

// withoutReplaced leaves out the loads that another one replaces: one of another folder than the box that has
// the same scope or a wider one, whatever its vintage, one of the same scope that is newer, or one of a wider
// scope. Of a source that keeps its history each vintage of the box is replaced by itself.
func withoutReplaced(src source.Source, all []group) []group {
	groups := slices.DeleteFunc(slices.Clone(all), func(g group) bool {
		return g.inBox && slices.ContainsFunc(all, func(w group) bool {
			return !w.inBox && !w.partial && (w.scope == g.scope || containsScope(w.scope, g.scope)) &&
				(!src.Target.History || w.vintage == g.vintage)
		})
	})
	if src.Target.History {
		return groups
	}
	seen := map[string]bool{}
	groups = slices.DeleteFunc(groups, func(g group) bool {
		older := seen[g.scope]
		seen[g.scope] = true
		return older
	})
	if !coversScope(src) {
		return groups
	}
	return slices.DeleteFunc(slices.Clone(groups), func(g group) bool {
		return slices.ContainsFunc(groups, func(w group) bool {
			return !w.partial && containsScope(w.scope, g.scope)
		})
	})
}

const activeScopes = `SELECT scope FROM geo.load WHERE active AND source = $1`

const boxScopes = activeScopes + ` AND files @> '[{"box": true}]'`

const retireScope = `UPDATE geo.load SET active = false WHERE active AND source = $1 AND scope = $2`

// replaceOverlapping takes the loads of places out that lie within this one or around it: their files are
// gone from the folder, or this load has them all. Of a source whose loads are not complete within their
// scope it takes out those of the box within this one.
func (l loadRow) replaceOverlapping(ctx context.Context, tx pgx.Tx) error {
	query, overlaps := activeScopes, func(scope string) bool {
		return containsScope(scope, l.scope) || containsScope(l.scope, scope)
	}
	if !coversScope(l.src) {
		if !l.src.Target.Part || l.src.Target.History || l.partial {
			return nil
		}
		query, overlaps = boxScopes, func(scope string) bool {
			return scope != l.scope && containsScope(l.scope, scope)
		}
	}
	scopes, err := pgdb.Collect(ctx, tx, pgx.RowTo[string], query, l.src.Name)
	if err != nil {
		return err
	}
	for _, scope := range scopes {
		if !overlaps(scope) {
			continue
		}
		for _, t := range targetsOf(l.src) {
			if !t.Part {
				continue
			}
			if _, err := tx.Exec(ctx, "DELETE FROM "+tableName(t)+" WHERE part = $1",
				partOf(l.src, scope)); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, retireScope, l.src.Name, scope); err != nil {
			return fmt.Errorf("retire the load of %q: %w", scope, err)
		}
	}
	return nil
}

// targetsOf lists the tables that a source fills.
func targetsOf(src source.Source) []source.Target {
	out := []source.Target{src.Target}
	for _, d := range src.Derived {
		out = append(out, d.Target)
	}
	return out
}

func tableName(t source.Target) string {
	return pgx.Identifier(strings.Split(t.Table, ".")).Sanitize()
}

// extentSuffix is how the name of a file says which part of the country it is cut to, before its extensions:
// bpe24-93010.csv.gz, bpe24-dep-93.csv, bpe24-region-11.csv, bpe24-epci-200057875.csv.
var extentSuffix = regexp.MustCompile(`(?i)[-_.](?:(?:commune[-_]?)?([0-9][0-9AB][0-9]{3})|` +
	`(?:dep|departement)[-_]?([0-9]{2}|2[AB]|97[1-6])|region[-_]?([0-9]{2})|epci[-_]?([0-9]{9}))$`)

// extentOf splits a file's name into the name that the file of the whole country has, and the scope of the
// extract: a commune, a département, a région as R11 or an intercommunal body as E200057875. It returns the
// name itself and no scope for another name.
func extentOf(name string) (whole, scope string) {
	folder, base := path.Split(name)
	stem, extension, _ := strings.Cut(base, ".")
	m := extentSuffix.FindStringSubmatch(stem)
	switch {
	case m == nil:
		return name, ""
	case m[3] != "":
		scope = "R" + m[3]
	case m[4] != "":
		scope = "E" + m[4]
	default:
		scope = strings.ToUpper(m[1] + m[2])
	}
	whole = folder + strings.TrimSuffix(stem, m[0])
	if extension != "" {
		whole += "." + extension
	}
	return whole, scope
}

// matchFile matches a file's name with the expression of a source. Where that takes no scope from the name
// and the source can be loaded by parts, the name may end with the scope of an extract.
func matchFile(src source.Source, expr *regexp.Regexp, name string) (match []string, scope string) {
	if src.Target.Part {
		if whole, cut := extentOf(name); cut != "" {
			at := expr.SubexpIndex("scope")
			if match = expr.FindStringSubmatch(whole); match != nil && (at < 0 || match[at] == "") {
				return match, cut
			}
		}
	}
	return expr.FindStringSubmatch(name), ""
}
