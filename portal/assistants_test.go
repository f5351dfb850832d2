package portal_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/dev/testkit"
	"arpent/auth/apikey"
	"arpent/auth/assistant"
	"arpent/auth/social"
	"arpent/internal/audit"
	"arpent/portal"
)

// withAssistants lists the connections that the database holds.
func withAssistants(o *portal.Options, _ *social.Options) {
	o.Connections = assistant.New(assistant.Options{DB: o.DB, Clock: o.Clock, BaseURL: o.BaseURL, ServiceName: "Arpent"})
}

// connect makes a connection of the browser's account, as the exchange of a code does.
func (b *browser) connect(client, id, redirect string) apikey.Key {
	b.s.t.Helper()
	ctx := b.s.t.Context()
	var key apikey.Key
	err := pgx.BeginFunc(ctx, b.s.pool, func(tx pgx.Tx) error {
		var err error
		if key, _, err = apikey.CreateAssistant(ctx, tx, b.account.ID, apikey.Client{ID: "c", Name: client}, noon); err != nil {
			return err
		}
		if _, err = tx.Exec(ctx, `INSERT INTO account.assistant_client (id, name, auth_method, redirect_uris, created_at, granted_at)
			VALUES ($1, $2, 'none', ARRAY[$3], $4, $4) ON CONFLICT DO NOTHING`, id, client, redirect, noon); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `WITH g AS (INSERT INTO account.assistant_grant (account_id, client_id, key_id, redirect_uri, scope, resource, created_at)
			VALUES ($1, $2, $3, $4, 'mcp', $5, $6) RETURNING id, account_id, created_at)
			INSERT INTO account.assistant_token (token_hash, account_id, grant_id, kind, created_at, expires_at)
			SELECT sha256(id::text::bytea), account_id, id, 'refresh', created_at, created_at + interval '60 days' FROM g`, b.account.ID, id, key.ID, redirect, b.s.base+"/mcp", noon)
		return err
	})
	testkit.NoError(b.s.t, err)
	return key
}

// An account that connected an assistant sees what it is, what it asked for and
// when; no other account sees that it is there.
func TestAssistantsAreTheAccountsOwn(t *testing.T) {
	t.Parallel()
	s := newSite(t, withAssistants)
	b, other := s.member("jeanne@exemple.fr"), s.member("autre@exemple.fr")
	claude := b.connect("Claude", "registered-1", "https://claude.ai/api/mcp/auth_callback")
	b.connect("Claude Code", "https://claude.ai/oauth/claude-code.json", "http://localhost/callback")
	theirs := other.connect("Le Chat", "registered-2", "https://chat.mistral.ai/callback")
	s.use(b, claude, "get_commune", noon, 7)
	s.use(b, claude, "get_commune", noon.AddDate(0, 0, -60), 1000)
	s.use(b, claude, "find_communes", noon.Add(-time.Hour), 35)
	s.use(other, theirs, "get_parcel", noon, 777)
	p := b.Get("/account/assistants").Want(http.StatusOK, "Claude", "Claude Code", "claude.ai", "MCP · Claude Code", "1\u202f007", "find_commune, list_communes",
		"42", "1\u202f042", "il y a 1\u00a0heure", "Aucun outil utilisé", "21\u00a0novembre\u00a02026 à\u00a011:42")
	for _, text := range []string{"Le Chat", "777", "mistral"} {
		p.Lacks(text)
	}
	s.browser().Get("/account/assistants").Want(http.StatusOK, "Se connecter")
	b.Get("/account").Want(http.StatusOK, "2 connectés")
	b.Get("/account/keys").Want(http.StatusOK, "Assistants").Lacks("MCP ·")
}

// An assistant can be paused, resumed, capped and disconnected, each from its page, and only what can
// be done about an assistant is offered there.
func TestAssistantIsKeptInHand(t *testing.T) {
	t.Parallel()
	s := newSite(t, withAssistants)
	b := s.member("jeanne@exemple.fr")
	k := b.connect("Claude", "registered-1", "https://claude.ai/api/mcp/auth_callback")
	s.use(b, k, "search_address", noon, 3)
	list := b.Get("/account/assistants")
	if list.Form(keyPath(k, "/pause")) == nil {
		t.Error("the list offers no pause")
	}
	b.Post(keyPath(k, "/pause"), nil).Want(http.StatusOK, "L’assistant est suspendu")
	if list = b.Get("/account/assistants").Want(http.StatusOK, "suspendu"); list.Form(keyPath(k, "/resume")) == nil || list.Form(keyPath(k, "/pause")) != nil {
		t.Error("a paused assistant cannot be resumed from the list")
	}
	b.Post(keyPath(k, "/resume"), nil).Want(http.StatusOK, "de nouveau accès")
	b.Post(keyPath(k, "/restrict"), url.Values{"per_day": {"40"}}).Want(http.StatusOK, "s’applique dès maintenant", "3 sur un plafond de 40", "Depuis la connexion 3")
	b.Get("/account/assistants").Want(http.StatusOK, "plafond de 40")
	b.Post(keyPath(k, "/restrict"), url.Values{"per_day": {"beaucoup"}}).Want(http.StatusUnprocessableEntity, "nombre entier")
	detail := b.Get(keyPath(k, "")).Want(http.StatusOK, "Suspendre ou déconnecter", "search_address", "Connecté le",
		"À autoriser de nouveau avant le", "l’assistant garde son accès")
	for _, offered := range []string{"/rotate", "/rename"} {
		if strings.Contains(detail.Body, keyPath(k, offered)) {
			t.Errorf("%s is offered for an assistant's key", offered)
		}
	}
	for _, text := range []string{"arp_", "X-API-Key", "refuse_in_query", `name="networks"`, k.Last4} {
		detail.Lacks(text)
	}
	b.Get(keyPath(k, "/revoke")).Want(http.StatusOK, "Déconnecter cet assistant", "3\u00a0requêtes aujourd’hui par cet assistant", "Vos programmes et les autres assistants continuent")
	b.Post(keyPath(k, "/revoke"), nil).Want(http.StatusOK, "L’assistant est déconnecté", "Assistants déconnectés", "MCP · Claude", "Connecter votre premier assistant")
	b.Post(keyPath(k, "/revoke"), nil).Want(http.StatusOK, "L’assistant est déconnecté")
	if now := b.again(k); now.RevokedAt == nil {
		t.Error("the key lives on")
	}
	if did := b.did(); fmt.Sprint(did[:4]) != fmt.Sprint([]string{audit.ActionKeyRevoked, audit.ActionKeyRestricted, audit.ActionKeyResumed, audit.ActionKeyPaused}) {
		t.Errorf("recorded %v", did)
	}
}

// The cap of an assistant is one field: setting it leaves alone what the owner set elsewhere.
func TestCapOfAnAssistantKeepsTheRest(t *testing.T) {
	t.Parallel()
	s := newSite(t, withAssistants)
	b := s.member("jeanne@exemple.fr")
	k := b.connect("Claude", "registered-1", "https://claude.ai/api/mcp/auth_callback")
	networks := testkit.Must(apikey.ParseNetworks("203.0.113.0/24"))(t)
	if _, err := s.keys.Restrict(t.Context(), b.account.ID, k.ID, apikey.Restriction{Networks: networks}); err != nil {
		t.Fatal(err)
	}
	b.Post(keyPath(k, "/restrict"), url.Values{"per_day": {"5"}}).Want(http.StatusOK)
	if now := b.again(k); now.PerDay == nil || *now.PerDay != 5 || len(now.Networks) != 1 {
		t.Errorf("now: %+v", now)
	}
}

// An account without an assistant sees the first step with the address of this server,
// and what an assistant calls itself is text.
func TestFirstAssistant(t *testing.T) {
	t.Parallel()
	s := newSite(t, withAssistants)
	b := s.member("jeanne@exemple.fr")
	p := b.Get("/account/assistants").Want(http.StatusOK, s.base+"/mcp", "Connecter votre premier assistant")
	p.Link("/connect")
	b.Get("/connect").Want(http.StatusOK, s.base+"/mcp", "claude mcp add --transport http arpent "+s.base+"/mcp", "Ce serveur n’est joignable que depuis cette machine")
	k := b.connect("<script>x</script>", "registered-1", "https://claude.ai/api/mcp/auth_callback")
	for _, path := range []string{"/account/assistants", keyPath(k, ""), keyPath(k, "/revoke")} {
		b.Get(path).Want(http.StatusOK, "<script>x</script>").Lacks("<script>x")
	}
}

// An assistant whose tokens have all expired is among those that ended, before its key is revoked too.
func TestAssistantThatIsNoLongerUsed(t *testing.T) {
	t.Parallel()
	s := newSite(t, withAssistants)
	b := s.member("jeanne@exemple.fr")
	b.connect("Claude", "registered-1", "https://claude.ai/api/mcp/auth_callback")
	gone := b.connect("Le Chat", "registered-2", "https://chat.mistral.ai/callback")
	b.Get("/account/assistants").Want(http.StatusOK, "Claude", "Le Chat").Lacks("Assistants déconnectés")
	s.exec(`UPDATE account.assistant_token t SET expires_at = $2 FROM account.assistant_grant g WHERE g.id = t.grant_id AND g.key_id = $1`, gone.ID, noon)
	page := b.Get("/account/assistants").Want(http.StatusOK, "Assistants déconnectés")
	page.LacksForm(keyPath(gone, "/pause"))
}

// The page of a disconnected assistant gives the reason, unless the owner disconnected it.
func TestWhyAnAssistantIsDisconnected(t *testing.T) {
	t.Parallel()
	s := newSite(t, withAssistants)
	b := s.member("jeanne@exemple.fr")
	k := b.connect("Claude", "registered-1", "https://claude.ai/api/mcp/auth_callback")
	s.exec(`UPDATE account.assistant_grant SET ended_at = $2, ended_by = 'refresh_replay' WHERE key_id = $1`, k.ID, noon)
	s.exec(`UPDATE account.api_key SET revoked_at = $2 WHERE id = $1`, k.ID, noon)
	b.Get("/account/assistants").Want(http.StatusOK, "déconnecté jeton présenté deux fois")
	b.Get(keyPath(k, "")).Want(http.StatusOK, "à\u00a011:42 jeton présenté deux fois")
}
