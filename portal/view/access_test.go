package view_test

import (
	"testing"

	"arpent/portal/view"
	"arpent/web"
)

// Before an account is deleted the page says what stops working, each kind by its name: a program that an
// owner forgot is down without notice.
func TestWhatEndsWithAnAccount(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		access          view.Access
		french, english string
	}{
		{view.Access{}, "aucune clé en service", "no key in use"},
		{view.Access{Assistants: 1}, "1\u00a0assistant cesse de fonctionner dans la seconde", "1\u00a0assistant stops working within a second"},
		{view.Access{Keys: 3, Assistants: 2, Tokens: 1}, "3\u00a0clés, 2\u00a0assistants et 1\u00a0jeton de gestion cessent de fonctionner dans la seconde",
			"3\u00a0keys, 2\u00a0assistants and 1\u00a0management token stop working within a second"},
		{view.Access{Keys: 1, Webhooks: 2}, "1\u00a0clé et 2\u00a0webhooks cessent de fonctionner dans la seconde",
			"1\u00a0key and 2\u00a0webhooks stop working within a second"},
	} {
		if got := test.access.DescribeEnd(web.French); got != test.french {
			t.Errorf("%+v: %q, want %q", test.access, got, test.french)
		}
		if got := test.access.DescribeEnd(web.English); got != test.english {
			t.Errorf("%+v: %q, want %q", test.access, got, test.english)
		}
	}
}
