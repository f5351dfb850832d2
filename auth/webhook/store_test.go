package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"arpent/app/dev/testkit"
	"arpent/auth/member"
	"arpent/auth/webhook"
	"arpent/internal/audit"
	"arpent/internal/event"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
)

// An address that no request may go to is refused where it is typed, and others are stored in one form.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://exemple.fr/arpent":      "https://exemple.fr/arpent",
		" https://Exemple.FR:443/a?b=c ": "https://exemple.fr/a?b=c",
		"HTTPS://exemple.fr":             "https://exemple.fr",
		"https://exemple.fr./":           "https://exemple.fr/",
		"https://xn--bcher-kva.example/": "https://xn--bcher-kva.example/",
		"https://bücher.example/":        "https://xn--bcher-kva.example/",
		"https://8.8.8.8/x":              "https://8.8.8.8/x",
		"https://[2606:4700::1111]/x":    "https://[2606:4700::1111]/x",
		"https://a_b.exemple.fr/":        "https://a_b.exemple.fr/",
	} {
		if got, err := webhook.CheckURL(text); err != nil || got != want {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	for text, want := range map[string]error{
		"": webhook.ErrURL, "exemple.fr": webhook.ErrURL, "http://exemple.fr/": webhook.ErrURL, "ftp://exemple.fr/": webhook.ErrURL,
		"https://": webhook.ErrURL, "https://exemple.fr:8443/": webhook.ErrURL, "https://a:b@exemple.fr/": webhook.ErrURL, "https://exemple.fr/#a": webhook.ErrURL,
		"https:exemple.fr": webhook.ErrURL, "https://exemple.fr/a b": webhook.ErrURL, "https://exemple.fr/\u202e": webhook.ErrURL, "https://exemple.fr/%zz": webhook.ErrURL,
		"https://exemple.fr/" + strings.Repeat("a", 500): webhook.ErrURL,
		"https://localhost/":                             webhook.ErrHost, "https://LOCALHOST./": webhook.ErrHost, "https://intranet/": webhook.ErrHost, "https://db.internal/": webhook.ErrHost,
		"https://printer.local/": webhook.ErrHost, "https://127.0.0.1/": webhook.ErrHost, "https://10.0.0.1/": webhook.ErrHost, "https://169.254.169.254/latest": webhook.ErrHost,
		"https://[::1]/": webhook.ErrHost, "https://[fd00:ec2::254]/": webhook.ErrHost, "https://[::ffff:127.0.0.1]/": webhook.ErrHost, "https://192.168.1.1/": webhook.ErrHost,
		"https://2130706433/": webhook.ErrHost, "https://0x7f.0.0.1/": webhook.ErrHost, "https://0177.0.0.1/": webhook.ErrHost, "https://127.1/": webhook.ErrHost,
		"https://①②⑦.⓪.⓪.①/": webhook.ErrHost, "https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/": webhook.ErrHost,
	} {
		if got, err := webhook.CheckURL(text); !errors.Is(err, want) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}

// What was typed wrong is refused with its own error, both fields at once, and an account has five webhooks
// at most.
func TestAddRefuses(t *testing.T) {
	w := newWorld(t)
	ctx := w.as(w.boss)
	_, _, err := w.store.Add(ctx, w.org, "http://exemple.fr", nil)
	if !errors.Is(err, webhook.ErrURL) || !errors.Is(err, webhook.ErrEvents) {
		t.Errorf("both fields: %v", err)
	}
	if _, _, err := w.store.Add(ctx, w.org, "https://exemple.fr", []event.Type{event.KeyCreated, event.Test}); !errors.Is(err, webhook.ErrEvents) {
		t.Errorf("an unknown event: %v", err)
	}
	for n := range webhook.MaxEndpoints {
		w.add(fmt.Sprintf("https://exemple.fr/%d", n))
	}
	if _, _, err := w.store.Add(ctx, w.org, "https://exemple.fr/0", event.Types); !errors.Is(err, webhook.ErrTaken) {
		t.Errorf("the same address: %v", err)
	}
	if _, _, err := w.store.Add(ctx, w.org, "https://exemple.fr/6", event.Types); !errors.Is(err, webhook.ErrTooMany) {
		t.Errorf("one more: %v", err)
	}
	unconfirmed := w.Person("nouveau@exemple.fr", false)
	if _, _, err := w.store.Add(w.as(unconfirmed), unconfirmed, "https://exemple.fr", event.Types); !errors.Is(err, webhook.ErrUnconfirmed) {
		t.Errorf("unconfirmed: %v", err)
	}
	list, err := w.store.List(t.Context(), w.org)
	if err != nil || len(list) != webhook.MaxEndpoints {
		t.Fatalf("%d, %v", len(list), err)
	}
	testkit.WantError(t, w.store.Change(ctx, w.org, list[1].ID, "https://exemple.fr/0", event.Types), webhook.ErrTaken, "change to an address that there is")
	if err := w.store.Change(ctx, w.org, list[1].ID, "https://exemple.fr/1", []event.Type{event.KeyRevoked}); err != nil {
		t.Errorf("change of events alone: %v", err)
	}
}

// Those who manage the webhooks of an organisation get a mail, with the member who did it, when one is added,
// its address changed or its secret replaced, and none about a change of the events alone: the events may not
// be sent to a server that they do not know of.
func TestManagersAreNotified(t *testing.T) {
	w := newWorld(t)
	admin := w.Person("admin@exemple.fr", true)
	w.Appoint(w.org, admin, member.Admin)
	w.Appoint(w.org, w.Person("dev@exemple.fr", true), member.Developer)
	ctx := audit.With(t.Context(), audit.Actor{Kind: audit.ActorAccount, Person: admin, By: "admin@exemple.fr"})
	e, _, err := w.store.Add(ctx, w.org, "https://exemple.fr/a", event.Types)
	testkit.NoError(t, err)
	seen := 0
	expect := func(template mail.Template, host string) {
		t.Helper()
		mails := testkit.Mails(t, w.Pool)
		got := mails[seen:]
		seen = len(mails)
		var to []string
		for _, m := range got {
			to = append(to, m.To)
			if m.Template != template || m.Values["name"] != host || m.Values["organisation"] != "Alpha" || m.Values["by"] != "admin@exemple.fr" || m.Values["at"] == "" {
				t.Errorf("%+v", m)
			}
		}
		if slices.Sort(to); !slices.Equal(to, []string{"admin@exemple.fr", "jeanne@exemple.fr"}) {
			t.Errorf("%s: mails to %v", template, to)
		}
	}
	expect(mail.WebhookAdded, "exemple.fr")
	testkit.NoError(t, w.store.Change(ctx, w.org, e.ID, "https://exemple.fr/a", []event.Type{event.KeyRevoked}))
	testkit.NoError(t, w.store.Change(ctx, w.org, e.ID, "https://ailleurs.example/a", []event.Type{event.KeyRevoked}))
	expect(mail.WebhookChanged, "ailleurs.example")
	testkit.Must(w.store.ReplaceSecret(ctx, w.org, e.ID))(t)
	expect(mail.WebhookSecret, "ailleurs.example")
}

// The failures of one address do not count for the next one; a change of the events alone keeps them.
func TestChangedAddressBeginsAnew(t *testing.T) {
	w := newWorld(t)
	id, _ := w.add("https://exemple.fr/a")
	w.Exec(`UPDATE account.webhook SET failing_since = $2 WHERE id = $1`, id, noon)
	for url, failing := range map[string]bool{"https://exemple.fr/a": true, "https://exemple.fr/b": false} {
		w.Exec(`UPDATE account.webhook SET url = 'https://exemple.fr/a', failing_since = $2 WHERE id = $1`, id, noon)
		testkit.NoError(t, w.store.Change(w.as(w.boss), w.org, id, url, []event.Type{event.KeyRevoked}))
		if e, err := w.store.Find(t.Context(), w.org, id); err != nil || e.FailingSince != nil != failing {
			t.Errorf("%s: failing since %v, %v", url, e.FailingSince, err)
		}
	}
}

// The last attempt of a webhook is found without reading those of others, however many there are.
func TestLastAttemptIsFoundByItsWebhook(t *testing.T) {
	w := newWorld(t)
	id, _ := w.add("https://exemple.fr/a")
	w.add("https://exemple.fr/b")
	w.Exec(`WITH d AS (INSERT INTO account.webhook_delivery (webhook_id, account_id, event_id, type, body, created_at)
			SELECT id, account_id, 'evt_' || n, 'test', '{}', $1 FROM account.webhook, generate_series(1, 500) n RETURNING *)
		INSERT INTO account.webhook_attempt (delivery_id, webhook_id, account_id, at, status, milliseconds, by_hand)
		SELECT id, webhook_id, account_id, $1, 500, 3, false FROM d, generate_series(1, 8)`, noon)
	w.Exec(`ANALYZE account.webhook_attempt, account.webhook_delivery`)
	rows, _ := w.Pool.Query(t.Context(), "EXPLAIN "+webhook.LastAttempt, w.org, id)
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	text := strings.Join(plan, "\n")
	if err != nil || !strings.Contains(text, "webhook_attempt_webhook") || strings.Contains(text, "Sort") {
		t.Errorf("%v\n%s", err, text)
	}
	if e, err := w.store.Find(t.Context(), w.org, id); err != nil || e.Last == nil || *e.Last.Status != 500 {
		t.Errorf("%+v, %v", e.Last, err)
	}
}

// An event goes to the webhooks of its account that chose it, and to no other.
func TestEventsAreChosen(t *testing.T) {
	w := newWorld(t)
	w.Appoint(w.other, w.boss, member.Owner)
	some, _, err := w.store.Add(w.as(w.boss), w.org, "https://exemple.fr/a", []event.Type{event.KeyRevoked, event.QuotaThreshold})
	testkit.NoError(t, err)
	all, _ := w.add("https://exemple.fr/b")
	for _, one := range event.Types {
		w.record(w.org, one)
		w.record(w.other, one)
	}
	types := func(id webhook.ID) (out []event.Type) {
		for _, d := range w.sent(id) {
			out = append(out, d.Type)
		}
		slices.Reverse(out)
		return out
	}
	if got := types(some.ID); !slices.Equal(got, []event.Type{event.QuotaThreshold, event.KeyRevoked}) {
		t.Errorf("some: %v", got)
	}
	if got := types(all); !slices.Equal(got, event.Types) {
		t.Errorf("all: %v", got)
	}
	testkit.Want(t, len(w.queued()), len(event.Types)+2, "deliveries")
}

// What belongs to another account does not exist, and a role that may not manage webhooks acts on none.
func TestAccountsAreApart(t *testing.T) {
	w := newWorld(t)
	id, _ := w.add("https://exemple.fr/a")
	w.record(w.org, event.KeyCreated)
	delivery := webhook.DeliveryID(w.last().ID)
	outsider := w.Person("autre@exemple.fr", true)
	w.Appoint(w.other, outsider, member.Owner)
	developer := w.Person("dev@exemple.fr", true)
	w.Appoint(w.org, developer, member.Developer)
	type account = ident.AccountID
	for name, act := range map[string]func(ctx context.Context, a account) error{
		"change": func(ctx context.Context, a account) error {
			return w.store.Change(ctx, a, id, "https://exemple.fr/c", event.Types)
		},
		"secret": func(ctx context.Context, a account) error {
			_, err := w.store.ReplaceSecret(ctx, a, id)
			return err
		},
		"test":   func(ctx context.Context, a account) error { return w.store.SendTest(ctx, a, id) },
		"on":     func(ctx context.Context, a account) error { return w.store.SwitchOn(ctx, a, id) },
		"delete": func(ctx context.Context, a account) error { return w.store.Delete(ctx, a, id) },
		"again":  func(ctx context.Context, a account) error { return w.store.SendAgain(ctx, a, id, delivery) },
	} {
		if err := act(w.as(outsider), w.other); err == nil || fault.From(err).Code != fault.NotFound {
			t.Errorf("%s in another account: %v", name, err)
		}
		if err := act(w.as(outsider), w.org); err == nil || fault.From(err).Code != fault.NotFound {
			t.Errorf("%s by a person who is no member: %v", name, err)
		}
		if err := act(w.as(developer), w.org); !errors.Is(err, member.ErrRole) {
			t.Errorf("%s by a developer: %v", name, err)
		}
	}
	if _, err := w.store.Find(t.Context(), w.other, id); err == nil {
		t.Error("another account finds it")
	}
	if _, err := w.store.OfDelivery(t.Context(), w.other, delivery); err == nil {
		t.Error("another account finds the delivery")
	}
	if list, err := w.store.Deliveries(t.Context(), w.other, id, 0, 10); err != nil || len(list) != 0 {
		t.Errorf("another account reads %d deliveries, %v", len(list), err)
	}
	testkit.WantCount(t, w.Pool, 1, "acts are on record", `SELECT count(*) FROM account.audit WHERE action LIKE 'webhook%'`)
}
