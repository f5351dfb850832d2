package portal_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"arpent/app/base/audit"
	"arpent/app/base/mail"
	"arpent/app/dev/testkit"
)

// A rotated key goes on for the time that was chosen, and both keys' pages say how far the change is. The form sent
// twice makes one key.
func TestRotateKey(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	old := b.key("ingest")
	b.get(keyPath(old, "/rotate")).want(http.StatusOK, "n’a jamais servi")
	b.post(keyPath(old, "/rotate"), url.Values{"overlap": {"2"}}).want(http.StatusUnprocessableEntity, "durées proposées")
	made := b.post(keyPath(old, "/rotate"), url.Values{"overlap": {"24"}}).want(http.StatusCreated, "22 novembre 2026 à 11:42")
	secretOn(made)
	if until := s.last("jeanne@exemple.fr", mail.KeyRotated).Values["until"]; until != "2026-11-22T10:42:07Z" {
		t.Errorf("the mail says until %q", until)
	}
	b.post(keyPath(old, "/rotate"), url.Values{"overlap": {"24"}}).want(http.StatusUnprocessableEntity, "déjà remplacée")
	keys, err := s.keys.List(t.Context(), b.account.ID)
	if err != nil || len(keys) != 2 {
		t.Fatalf("%d keys, %v", len(keys), err)
	}
	if _, err := s.pool.Exec(t.Context(), "UPDATE account.api_key SET last_used_at = $2 WHERE id = $1", old.ID, noon); err != nil {
		t.Fatal(err)
	}
	b.get(keyPath(old, "")).want(http.StatusOK, "remplacée par", "Son dernier appel date du 21 novembre 2026 à 11:42")
	b.get(keyPath(keys[1], "")).want(http.StatusOK, "prend la place de")
	s.clock.Advance(25 * time.Hour)
	b.get(keyPath(old, "")).want(http.StatusOK, "expirée")
	b.post(keyPath(old, "/rename"), url.Values{"name": {"autre"}}).want(http.StatusUnprocessableEntity, "n’est plus valable")

	now := b.post(keyPath(keys[1], "/rotate"), url.Values{"overlap": {"0"}}).want(http.StatusCreated, "refusée dès maintenant")
	secretOn(now)
	if k := b.again(keys[1]); k.RevokedAt == nil {
		t.Error("the old key still works")
	}
	b.post(keyPath(keys[1], "/rotate"), url.Values{"overlap": {"0"}}).want(http.StatusUnprocessableEntity, "déjà remplacée")
}

// Revoking says first what it will break, asks once, and is for good.
func TestRevokeKey(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	k := b.key("ingest")
	s.use(b, k, "get_parcel", noon, 2)
	p := b.get(keyPath(k, "/revoke")).want(http.StatusOK, "2 requêtes aujourd’hui avec cette clé", "11:42")
	if p.form(keyPath(k, "/revoke")) == nil {
		t.Fatal("no form")
	}
	b.post(keyPath(k, "/revoke"), nil).want(http.StatusOK, "La clé est révoquée")
	b.post(keyPath(k, "/revoke"), nil).want(http.StatusOK, "La clé est révoquée")
	if b.again(k).RevokedAt == nil || s.last("jeanne@exemple.fr", mail.KeyRevoked).Values["name"] != "ingest" || b.did()[0] != audit.ActionKeyRevoked {
		t.Error("not revoked, not said, or not recorded")
	}
	if n := len(s.mailsTo("jeanne@exemple.fr")); n > 2 { // a new sign-in, and this
		t.Errorf("%d mails", n)
	}
	b.get(keyPath(k, "/revoke")).want(http.StatusNotFound)
	b.get(keyPath(k, "/rotate")).want(http.StatusNotFound)
	if page := b.get(keyPath(k, "")).want(http.StatusOK, "révoquée"); page.form(keyPath(k, "/pause")) != nil {
		t.Error("what has ended can be changed")
	}
}

// A key, its record and its mail come together or not at all.
func TestKeyWithoutItsMailIsNotMade(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	did := len(b.did())
	testkit.RefuseMails(t, s.pool)
	b.post("/account/keys/new", url.Values{"name": {"ingest"}, "expires": {"never"}}).want(http.StatusInternalServerError)
	if keys, err := s.keys.List(t.Context(), b.account.ID); err != nil || len(keys) != 0 || len(b.did()) != did {
		t.Errorf("%d keys, %d records, %v", len(keys), len(b.did())-did, err)
	}
}
