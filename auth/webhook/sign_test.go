package webhook_test

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth/webhook"
	"arpent/internal/clock"
	"arpent/internal/event"
)

// What is documented to check a signature accepts a request that was sent, and neither a changed body, nor an
// old time, nor what is signed with the secret from before a replacement.
func TestSignatureIsCheckedByTheDocumentedProgram(t *testing.T) {
	w := newWorld(t)
	w.store = webhook.NewStore(w.db, clock.Real{}, secretOfServer, nil)
	r := newReceiver(t, answerWith(http.StatusNoContent))
	id, secret := w.at(r)
	worker := w.worker(r, webhook.Timeout, allowAny)
	w.record(w.org, event.QuotaThreshold)
	testkit.NoError(t, work(t.Context(), worker, w.last()))
	replaced := testkit.Must(w.store.ReplaceSecret(w.as(w.boss), w.org, id))(t)
	w.record(w.org, event.KeyCreated)
	testkit.NoError(t, work(t.Context(), worker, w.last()))
	got := r.requests()
	if len(got) != 2 {
		t.Fatalf("%d requests", len(got))
	}
	program, err := os.ReadFile(filepath.Join(testkit.Root(t), "web", "guide", "samples", "webhook.py"))
	testkit.NoError(t, err)
	check := func(secret, signature, body string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "python3", "-c", string(program)+"\nimport sys\nprint(is_genuine(sys.argv[1], sys.stdin.buffer.read()))", signature)
		cmd.Env = append(os.Environ(), "ARPENT_WEBHOOK_SECRET="+secret)
		cmd.Stdin = strings.NewReader(body)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	signature := func(n int) string { return got[n].header.Get(webhook.SignatureHeader) }
	for name, tc := range map[string]struct{ secret, signature, body, want string }{
		"as it was sent":       {secret, signature(0), got[0].body, "True"},
		"another body":         {secret, signature(0), got[0].body + " ", "False"},
		"another secret":       {replaced, signature(0), got[0].body, "False"},
		"after a replacement":  {replaced, signature(1), got[1].body, "True"},
		"with the old secret":  {secret, signature(1), got[1].body, "False"},
		"sent six minutes ago": {secret, webhook.Sign(secret, time.Now().Add(-6*time.Minute), got[0].body), got[0].body, "False"},
	} {
		testkit.Want(t, check(tc.secret, tc.signature, tc.body), tc.want, name)
	}
	lines := len(strings.Split(strings.TrimSpace(string(program)), "\n"))
	if lines > 12 {
		t.Errorf("the program has %d lines", lines)
	}
}

// A secret that a former secret of the server sealed still signs, and is sealed with the present one then.
// One that cannot be opened is a failed attempt with its reason, and nothing is sent.
func TestFormerSecretOfTheServer(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, answerWith(http.StatusOK))
	id, secret := w.at(r)
	fresh := []byte("another secret of 32 bytes, them")
	w.store = webhook.NewStore(w.db, w.clock, fresh, [][]byte{secretOfServer})
	w.record(w.org, event.KeyCreated)
	testkit.NoError(t, work(t.Context(), w.worker(r, webhook.Timeout, allowAny), w.last()))
	w.store = webhook.NewStore(w.db, w.clock, fresh, nil)
	w.record(w.org, event.KeyCreated)
	testkit.NoError(t, work(t.Context(), w.worker(r, webhook.Timeout, allowAny), w.last()))
	for _, one := range r.requests() {
		if one.header.Get(webhook.SignatureHeader) != webhook.Sign(secret, noon, one.body) {
			t.Errorf("signed with another secret")
		}
	}
	w.store = webhook.NewStore(w.db, w.clock, secretOfServer, nil)
	w.record(w.org, event.KeyCreated)
	if snooze(t, work(t.Context(), w.worker(r, webhook.Timeout, allowAny), w.last())) == 0 || len(r.requests()) != 2 {
		t.Errorf("%d requests", len(r.requests()))
	}
	if a := w.sent(id)[0].Attempts[0]; a.Reason == nil || *a.Reason != webhook.Unsigned {
		t.Errorf("%+v", a)
	}
}

// A secret is stored sealed for its account: neither a reader of the database nor a row that is copied to
// another account has it.
func TestSecretIsSealed(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, answerWith(http.StatusOK))
	id, secret := w.at(r)
	var sealed []byte
	var row string
	testkit.NoError(t, w.Pool.QueryRow(t.Context(), `SELECT secret_sealed, w::text FROM account.webhook w WHERE id = $1`, id).Scan(&sealed, &row))
	if bytes.Contains(sealed, []byte(secret)) || strings.Contains(row, secret) {
		t.Error("the row has the secret")
	}
	w.Exec(`UPDATE account.webhook SET account_id = $2 WHERE id = $1`, id, w.other)
	w.record(w.other, event.KeyCreated)
	if snooze(t, work(t.Context(), w.worker(r, webhook.Timeout, allowAny), w.last())) == 0 || len(r.requests()) != 0 {
		t.Errorf("a copied secret signs: %d requests", len(r.requests()))
	}
}
