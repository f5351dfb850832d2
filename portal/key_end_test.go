package portal_test

import (
	"bytes"
	"net/http"
	"net/url"
	"testing"
	"time"

	"arpent/auth/social"
	"arpent/internal/audit"
	"arpent/internal/mail"
	"arpent/portal"
	"arpent/portal/pages"
)

// A rotated key goes on for the time that was chosen, and both keys' pages say how far the
// change is. The form sent twice makes one key.
func TestRotateKey(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	old := b.key("ingest")
	b.Get(keyPath(old, "/rotate")).Want(http.StatusOK, "n’a jamais servi")
	b.Post(keyPath(old, "/rotate"), url.Values{"overlap": {"2"}}).Want(http.StatusUnprocessableEntity, "durées proposées")
	made := b.Post(keyPath(old, "/rotate"), url.Values{"overlap": {"24"}}).Want(http.StatusCreated, "22\u00a0novembre\u00a02026 à\u00a011:42")
	s.secretOn(made)
	if until := s.last("jeanne@exemple.fr", mail.KeyRotated).Values["until"]; until != "2026-11-22T10:42:07Z" {
		t.Errorf("the mail says until %q", until)
	}
	b.Post(keyPath(old, "/rotate"), url.Values{"overlap": {"24"}}).Want(http.StatusUnprocessableEntity, "déjà remplacée")
	keys, err := s.keys.List(t.Context(), b.account.ID)
	if err != nil || len(keys) != 2 {
		t.Fatalf("%d keys, %v", len(keys), err)
	}
	s.exec("UPDATE account.api_key SET last_used_at = $2 WHERE id = $1", old.ID, noon)
	b.Get(keyPath(old, "")).Want(http.StatusOK, "remplacée par", "Son dernier appel date du 21\u00a0novembre\u00a02026 à\u00a011:42")
	b.Get(keyPath(keys[1], "")).Want(http.StatusOK, "prend la place de")
	s.clock.Advance(25 * time.Hour)
	b.Get(keyPath(old, "")).Want(http.StatusOK, "expirée")
	b.Post(keyPath(old, "/rename"), url.Values{"name": {"autre"}}).Want(http.StatusUnprocessableEntity, "n’est plus valable")

	now := b.Post(keyPath(keys[1], "/rotate"), url.Values{"overlap": {"0"}}).Want(http.StatusCreated, "refusée dès maintenant")
	s.secretOn(now)
	if k := b.again(keys[1]); k.RevokedAt == nil {
		t.Error("the old key still works")
	}
	b.Post(keyPath(keys[1], "/rotate"), url.Values{"overlap": {"0"}}).Want(http.StatusUnprocessableEntity, "déjà remplacée")
}

// Revoking says first what it will break, asks once, and is for good.
func TestRevokeKey(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	k := b.key("ingest")
	s.use(b, k, "get_parcel", noon, 2)
	p := b.Get(keyPath(k, "/revoke")).Want(http.StatusOK, "2\u00a0requêtes aujourd’hui avec cette clé", "11:42")
	if p.Form(keyPath(k, "/revoke")) == nil {
		t.Fatal("no form")
	}
	b.Post(keyPath(k, "/revoke"), nil).Want(http.StatusOK, "La clé est révoquée")
	b.Post(keyPath(k, "/revoke"), nil).Want(http.StatusOK, "La clé est révoquée")
	if b.again(k).RevokedAt == nil || s.last("jeanne@exemple.fr", mail.KeyRevoked).Values["name"] != "ingest" || b.did()[0] != audit.ActionKeyRevoked {
		t.Error("not revoked, not said, or not recorded")
	}
	if n := len(s.mailsTo("jeanne@exemple.fr")); n > 2 { // a new sign-in, and this
		t.Errorf("%d mails", n)
	}
	b.Get(keyPath(k, "/revoke")).Want(http.StatusNotFound)
	b.Get(keyPath(k, "/rotate")).Want(http.StatusNotFound)
	b.Get(keyPath(k, "")).Want(http.StatusOK, "révoquée").LacksForm(keyPath(k, "/pause"))
}

// A form that was drawn before the server's secret was replaced is taken after
// it, and not by a server with other secrets.
func TestFormOfTheFormerSecret(t *testing.T) {
	t.Parallel()
	before := bytes.Repeat([]byte{7}, 32)
	for name, c := range map[string]struct {
		former [][]byte
		want   int
	}{"former": {[][]byte{before}, http.StatusSeeOther}, "unknown": {nil, http.StatusForbidden}} {
		s := newSite(t, func(o *portal.Options, _ *social.Options) { o.Former = c.former })
		token := pages.CSRFToken(pages.CSRFKey(before), "", s.clock.Now())
		if got := s.browser().stay().Post("/language", url.Values{"token": {token}, "language": {"en"}}).Status; got != c.want {
			t.Errorf("%s secret: %d, want %d", name, got, c.want)
		}
	}
}
