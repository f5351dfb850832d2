package stripegate_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v76/webhook"

	"arpent/app/dev/stripesim"
	"arpent/billing"
	"arpent/billing/stripegate"
	"arpent/internal/clock"
)

var signedNoon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func gateAt(now time.Time) *stripegate.Gate {
	return stripegate.New(stripegate.Options{Key: stripesim.DefaultKey, WebhookSecret: stripesim.DefaultWebhookSecret, Clock: clock.At(now)})
}

func signatureAt(at time.Time, body []byte) string {
	sum := webhook.ComputeSignature(at, body, stripesim.DefaultWebhookSecret)
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(sum))
}

// Somebody who kept a call of Stripe does not make it young by putting
// another time before the one that was signed.
func TestAKeptCallStaysOld(t *testing.T) {
	t.Parallel()
	body := []byte(`{}`)
	late := signedNoon.Add(time.Hour)
	for _, header := range []string{signatureAt(signedNoon, body), fmt.Sprintf("t=%d,%s", late.Unix(), signatureAt(signedNoon, body))} {
		var refused *billing.EventError
		if _, err := gateAt(late).Verify(t.Context(), body, header); !errors.As(err, &refused) || refused.Reason != "old" {
			t.Errorf("%s: %v", header, err)
		}
	}
}

// No call makes reading it fail otherwise than with a rejection, and nothing is believed that is not signed,
// or signed too long ago, whatever stands before a signature or behind it.
func FuzzEvent(f *testing.F) {
	for _, body := range []string{`{"id":"evt_1","object":"event","type":"invoice.paid","api_version":"2023-10-16","data":{"object":{"id":"in_1","object":"invoice","customer":{"id":"cus_1"},"subscription":"sub_1","charge":null}}}`,
		`{}`, `null`, `[]`, `{"id":"evt_1","object":"event","type":"x","data":{"object":5}}`, `{"data":null}`, "\u0000", `{"created":-9223372036854775808}`} {
		f.Add([]byte(body), "", "")
		f.Add([]byte(body), fmt.Sprintf("t=%d,", signedNoon.Add(time.Hour).Unix()), ",v0=00")
	}
	nowhere, cancel := context.WithCancel(f.Context()) // a charge is not asked for
	cancel()
	young, old := gateAt(signedNoon), gateAt(signedNoon.Add(time.Hour))
	f.Fuzz(func(t *testing.T, body []byte, before, after string) {
		var refused *billing.EventError
		if _, err := young.Verify(nowhere, body, before+after); !errors.As(err, &refused) {
			t.Errorf("%q, %q: believed without a signature (%v)", body, before+after, err)
		}
		signature := before + signatureAt(signedNoon, body) + after
		if _, err := old.Verify(nowhere, body, signature); !errors.As(err, &refused) {
			t.Errorf("%q, %q: believed an hour later (%v)", body, signature, err)
		}
		if e, err := young.Verify(nowhere, body, signature); err != nil && !errors.As(err, &refused) && !errors.Is(err, billing.ErrUnavailable) || err == nil && (e.ID == "" || e.Type == "") {
			t.Errorf("%q: %+v, %v", body, e, err)
		}
	})
}
