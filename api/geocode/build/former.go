package build

import (
	"cmp"
	"slices"
)

// Movement says that a commune became, or became part of, another one on
// some day. The names are those of that day.
type Movement struct {
	Day                    string // 2006-01-02
	CodeBefore, NameBefore string
	CodeAfter, NameAfter   string
}

// FormerNames finds all the names that places had and no commune of today has under this code, and the
// commune that each belongs to now. A name whose commune is not known is left out.
func FormerNames(movements []Movement, communes []Commune) []Part {
	today := map[string]string{}
	for _, c := range communes {
		today[c.Code] = c.Name
	}
	after := map[string][]Movement{} // by code before
	for _, m := range movements {
		if m.CodeBefore != m.CodeAfter {
			after[m.CodeBefore] = append(after[m.CodeBefore], m)
		}
	}
	for _, list := range after {
		slices.SortFunc(list, func(a, b Movement) int { return cmp.Compare(b.Day, a.Day) }) // the last first
	}
	type key struct{ name, commune string }
	seen := map[key]int{} // where in out
	var out []Part
	for _, m := range movements {
		for _, at := range [][2]string{{m.CodeBefore, m.NameBefore}, {m.CodeAfter, m.NameAfter}} {
			now, ok := currentCode(at[0], today, after)
			if !ok || today[now] == at[1] {
				continue
			}
			k := key{at[1], now}
			if have, known := seen[k]; !known {
				seen[k] = len(out)
				out = append(out, Part{Code: at[0], Name: at[1], Commune: now})
			} else if at[0] == now {
				out[have].Code = now // the commune itself was called so, not only what became part of it
			}
		}
	}
	slices.SortFunc(out, func(a, b Part) int {
		return cmp.Or(cmp.Compare(a.Commune, b.Commune), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// currentCode follows a code to a commune of today.
func currentCode(code string, today map[string]string, after map[string][]Movement) (string, bool) {
	for range 20 { // nothing changed its code so often; a circle ends
		if _, ok := today[code]; ok {
			return code, true
		}
		list := after[code]
		if len(list) == 0 {
			return "", false
		}
		code = list[0].CodeAfter
	}
	return "", false
}
