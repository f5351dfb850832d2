package view

import (
	"strings"

	"arpent/web"
)

// Access counts what has access to an account, or receives its events.
type Access struct{ Keys, Assistants, Tokens, Webhooks int }

// List names each kind with its number; empty: there is none.
func (a Access) List(l web.Lang) string {
	var parts []string
	for _, part := range []struct {
		n     int
		names [4]string
	}{
		{a.Keys, [4]string{"clé", "clés", "key", "keys"}},
		{a.Assistants, [4]string{"assistant", "assistants", "assistant", "assistants"}},
		{a.Tokens, [4]string{"jeton de gestion", "jetons de gestion", "management token", "management tokens"}},
		{a.Webhooks, [4]string{"webhook", "webhooks", "webhook", "webhooks"}},
	} {
		if part.n > 0 {
			parts = append(parts, Count(l, part.n, part.names[0], part.names[1], part.names[2], part.names[3]))
		}
	}
	if last := len(parts) - 1; last > 0 {
		return strings.Join(parts[:last], ", ") + l.Pick(" et ", " and ") + parts[last]
	}
	return strings.Join(parts, "")
}

// DescribeEnd says that all of it stops working within a second.
func (a Access) DescribeEnd(l web.Lang) string {
	switch a.Keys + a.Assistants + a.Tokens + a.Webhooks {
	case 0:
		return l.Pick("aucune clé en service", "no key in use")
	case 1:
		return a.List(l) + l.Pick(" cesse de fonctionner dans la seconde", " stops working within a second")
	}
	return a.List(l) + l.Pick(" cessent de fonctionner dans la seconde", " stop working within a second")
}
