package webhook_test

import (
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth/member"
	"arpent/auth/webhook"
	"arpent/internal/event"
	"arpent/internal/mail"
)

// A webhook at which nothing succeeds for three days is switched off, not before, and those who manage it get
// a mail each. What waits is given up; switched on again it works as before.
func TestSwitchedOffAfterThreeDays(t *testing.T) {
	w := newWorld(t)
	w.Appoint(w.org, w.Person("admin@exemple.fr", true), member.Admin)
	w.Appoint(w.org, w.Person("lecture@exemple.fr", true), member.Reader)
	status := http.StatusInternalServerError
	r := newReceiver(t, func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(status) })
	id, _ := w.at(r)
	worker := w.worker(r, webhook.Timeout, allowAny)
	isOff := func() bool {
		e := testkit.Must(w.store.Find(t.Context(), w.org, id))(t)
		return e.OffAt != nil
	}
	failFor := func(days int) {
		for range days {
			w.record(w.org, event.KeyCreated)
			for range webhook.Attempts {
				w.clock.Advance(snooze(t, work(t.Context(), worker, w.last())))
			}
		}
	}
	failFor(2)
	if isOff() {
		t.Fatal("off after two days")
	}
	// One success begins the count anew.
	status = http.StatusOK
	w.record(w.org, event.KeyCreated)
	testkit.NoError(t, work(t.Context(), worker, w.last()))
	status = http.StatusInternalServerError
	failFor(2)
	if isOff() {
		t.Fatal("off two days after a success")
	}
	w.record(w.org, event.KeyRevoked) // it waits
	waiting := w.last()
	if snooze(t, work(t.Context(), worker, waiting)) == 0 {
		t.Fatal("given up at once")
	}
	w.clock.Advance(2 * time.Hour)
	failFor(1)
	if !isOff() {
		t.Fatal("on after three days")
	}
	var to []string
	for _, m := range testkit.Mails(t, w.Pool) {
		if m.Template == mail.WebhookAdded {
			continue
		}
		if m.Template != mail.WebhookOff || m.Values["name"] != "example.com" || m.Values["organisation"] != "Alpha" {
			t.Errorf("%+v", m)
		}
		to = append(to, m.To)
	}
	if slices.Sort(to); !slices.Equal(to, []string{"admin@exemple.fr", "jeanne@exemple.fr"}) {
		t.Errorf("mails to %v", to)
	}
	before := len(r.requests())
	if err := work(t.Context(), worker, waiting); err != nil || len(r.requests()) != before {
		t.Errorf("sent to a webhook that is off: %v", err)
	}
	queued := len(w.queued())
	if w.record(w.org, event.KeyCreated); len(w.queued()) != queued {
		t.Error("an event was queued for a webhook that is off")
	}
	status = http.StatusOK
	if err := w.store.SwitchOn(w.as(w.boss), w.org, id); err != nil || isOff() {
		t.Fatal(err)
	}
	w.record(w.org, event.KeyCreated)
	if err := work(t.Context(), worker, w.last()); err != nil || w.sent(id)[0].State != webhook.Delivered {
		t.Errorf("after it was switched on: %v", err)
	}
}

// Three days of failures switch a webhook off at the attempt that completes them, not at the end of its
// event.
func TestSwitchedOffAtTheAttemptAfterThreeDays(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, answerWith(http.StatusInternalServerError))
	id, _ := w.at(r)
	worker := w.worker(r, webhook.Timeout, allowAny)
	w.record(w.org, event.KeyCreated)
	if snooze(t, work(t.Context(), worker, w.last())) == 0 {
		t.Fatal("given up at once")
	}
	w.clock.Advance(webhook.OffAfter)
	w.record(w.org, event.KeyCreated)
	if wait := snooze(t, work(t.Context(), worker, w.last())); wait != 0 {
		t.Errorf("sent again after %v", wait)
	}
	e, err := w.store.Find(t.Context(), w.org, id)
	if err != nil || e.OffAt == nil || !e.OffAt.Equal(w.clock.Now()) || w.sent(id)[0].State != webhook.Failed {
		t.Errorf("%+v, %v, %s", e, err, w.sent(id)[0].State)
	}
}

// By hand an event makes one attempt with the same id, and a test event is one of its own; a failure by hand
// does not count against the webhook. A visitor cannot have us call a server as often as they like.
func TestByHand(t *testing.T) {
	w := newWorld(t)
	status := http.StatusInternalServerError
	r := newReceiver(t, func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(status) })
	id, _ := w.at(r)
	worker := w.worker(r, webhook.Timeout, allowAny)
	testkit.NoError(t, w.store.SendTest(w.as(w.boss), w.org, id))
	if wait := snooze(t, work(t.Context(), worker, w.last())); wait != 0 {
		t.Errorf("a test is sent again after %v", wait)
	}
	e, err := w.store.Find(t.Context(), w.org, id)
	if sent := w.sent(id); err != nil || sent[0].State != webhook.Failed || sent[0].Type != event.Test || !sent[0].Attempts[0].ByHand || e.FailingSince != nil {
		t.Fatalf("%+v, %+v, %v", sent, e, err)
	}
	w.record(w.org, event.KeyCreated)
	job := w.last()
	if snooze(t, work(t.Context(), worker, job)) == 0 {
		t.Fatal("given up at once")
	}
	status = http.StatusOK
	testkit.NoError(t, w.store.SendAgain(w.as(w.boss), w.org, id, webhook.DeliveryID(job.ID)))
	if err := work(t.Context(), worker, w.last()); err != nil || w.sent(id)[0].State != webhook.Delivered {
		t.Fatalf("%v, %+v", err, w.sent(id)[0])
	}
	if err := work(t.Context(), worker, job); err != nil || len(r.requests()) != 3 {
		t.Errorf("the attempt that waited: %v, %d requests", err, len(r.requests()))
	}
	if got := r.requests(); got[1].body != got[2].body {
		t.Errorf("another event: %s", got[2].body)
	}
	for n := 2; ; n++ {
		err := w.store.SendTest(w.as(w.boss), w.org, id)
		if errors.Is(err, webhook.ErrBusy) {
			if n != 10 {
				t.Errorf("refused after %d", n)
			}
			break
		}
		if err != nil || n > 10 {
			t.Fatalf("%d: %v", n, err)
		}
	}
	w.clock.Advance(time.Minute)
	if err := w.store.SendTest(w.as(w.boss), w.org, id); err != nil {
		t.Errorf("after a minute: %v", err)
	}
}
