package security

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/internal/audit"
	"arpent/web"
)

// Every audited action has a text in both languages.
func TestEveryActionHasAText(t *testing.T) {
	t.Parallel()
	file := testkit.Must(parser.ParseFile(token.NewFileSet(), "../../internal/audit/audit.go", nil, 0))(t)
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Action") || len(spec.Values) != 1 {
			return true
		}
		action := testkit.Must(strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value))(t)
		found++
		french, english := auditTexts.NameOf(web.French, action), auditTexts.NameOf(web.English, action)
		if french == action || english == action || french == english {
			t.Errorf("%s: %q, %q", action, french, english)
		}
		return true
	})
	if found < 25 {
		t.Fatalf("found %d actions only", found)
	}
}

// The details of an event have texts too; an unknown detail is omitted rather than shown raw.
func TestAuditDetail(t *testing.T) {
	t.Parallel()
	provider := func(name string) string { return strings.ToUpper(name) }
	if who := auditActor(web.English, audit.Entry{Actor: audit.ActorSystem, Detail: map[string]any{"reason": "client"}}); who != "" {
		t.Errorf("an assistant that disconnected was disconnected %s", who)
	}
	for _, c := range []struct {
		action          string
		detail          map[string]any
		french, english string
	}{
		{audit.ActionSignedIn, map[string]any{"method": "password"}, "par mot de passe", "by password"},
		{audit.ActionSignedIn, map[string]any{"method": "github"}, "par GITHUB", "by GITHUB"},
		{audit.ActionReauthenticated, map[string]any{"method": "mail"}, "par un lien reçu par e-mail", "by a link sent by email"},
		{audit.ActionSignInFailed, map[string]any{"method": "password", "again": true}, "mot de passe faux", "wrong password"},
		{audit.ActionSignInFailed, map[string]any{"method": "code"}, "code erroné", "wrong code"},
		{audit.ActionIdentityLinked, map[string]any{"provider": "gitlab"}, "GITLAB", "GITLAB"},
		{audit.ActionEmailChanged, map[string]any{"from": "a@b.fr", "to": "c@d.fr"}, "de a@b.fr à c@d.fr", "from a@b.fr to c@d.fr"},
		{audit.ActionRecoveryCodeUsed, map[string]any{"left": 1.0}, "1\u00a0code restant", "1\u00a0code left"},
		{audit.ActionLimitsChanged, map[string]any{"per_minute": 1200.0, "per_day": nil, "operator": 7.0},
			"par minute\u00a0: 1\u202f200, par jour\u00a0: celle de l’offre", "a minute: 1,200, a day: the plan’s"},
		{audit.ActionSessionsEnded, map[string]any{"count": 3.0}, "3\u00a0sessions", "3 sessions"},
		{audit.ActionLanguageChanged, map[string]any{"language": "en"}, "anglais", "English"},
		{audit.ActionNotificationsChanged, map[string]any{"quota_mails": false}, "quota\u00a0: non", "quota: no"},
		{audit.ActionNotificationsChanged, map[string]any{"quota_mails": true, "quota_percents": []any{50.0, 90.0}},
			"quota\u00a0: oui, 50\u00a0%, 90\u00a0%", "quota: yes, 50%, 90%"},
		{audit.ActionKeyRotated, map[string]any{"key": 7.0, "name": "ingest", "until": "2026-11-22T10:42:00Z"},
			"«\u00a0ingest\u00a0», l’ancienne sert jusqu’au 22\u00a0novembre\u00a02026 à\u00a011:42", "“ingest”, the old one works until 22\u00a0November\u00a02026 at\u00a011:42"},
		{audit.ActionKeyRotated, map[string]any{"until": "soon"}, "", ""},
		{audit.ActionKeyRevoked, map[string]any{"name": "MCP · Claude", "reason": "client"},
			"«\u00a0MCP · Claude\u00a0», l’assistant s’est déconnecté", "“MCP · Claude”, the assistant disconnected"},
		{audit.ActionKeyRevoked, map[string]any{"reason": "other"}, "", ""},
		{audit.ActionExported, map[string]any{"later": "x"}, "", ""},
		{audit.ActionExported, nil, "", ""},
	} {
		e := audit.Entry{Action: c.action, Detail: c.detail}
		if got := auditDetail(web.French, e, provider); got != c.french {
			t.Errorf("%s %v: %q, want %q", c.action, c.detail, got, c.french)
		}
		if got := auditDetail(web.English, e, provider); got != c.english {
			t.Errorf("%s %v: %q, want %q", c.action, c.detail, got, c.english)
		}
	}
}

// Each action is of one kind, so that the activity of an account that is filtered by each kind in turn is
// all of it.
func TestEveryActionHasAKind(t *testing.T) {
	t.Parallel()
	kinds := map[string]int{}
	for _, k := range activityKinds {
		for _, action := range k.actions {
			if kinds[action]++; auditTexts[action][0] == "" {
				t.Errorf("%s of the kind %s is no action", action, k.name)
			}
		}
	}
	for action := range auditTexts {
		if kinds[action] != 1 {
			t.Errorf("%s is of %d kinds", action, kinds[action])
		}
	}
}
