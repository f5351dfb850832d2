package main

import (
	"bytes"
	"strings"
	"testing"
)

// runCommand runs a command and returns what it prints.
func runCommand(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&out)
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}

// A public server never pretends that somebody has paid.
func TestTheSimulatorOfStripeRefusesProduction(t *testing.T) { // not parallel: commands read the environment
	for _, mode := range []string{"", "production"} {
		t.Setenv("ARPENT_MODE", mode)
		if _, err := runCommand(t, "stripe-simulator"); err == nil || !strings.Contains(err.Error(), "ARPENT_MODE=development") {
			t.Errorf("in mode %q: %v", mode, err)
		}
	}
	t.Setenv("ARPENT_MODE", "development")
	if _, err := runCommand(t, "stripe-simulator", "--no-mock", "--after-retries", "forget"); err == nil || !strings.Contains(err.Error(), "forget") {
		t.Errorf("with a setting that does not exist: %v", err)
	}
}

// What is printed can be pasted, and the service then finds the simulator.
func TestTheSimulatorSaysHowToUseIt(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	printSimulator(&out, "http://127.0.0.1:12110", "http://127.0.0.1:8080/webhooks/stripe")
	for _, want := range []string{"SIMULATION", "export ARPENT_STRIPE_URL=http://127.0.0.1:12110\n", "export ARPENT_STRIPE_KEY=sk_test_",
		"export ARPENT_STRIPE_WEBHOOK_SECRET=whsec_", "export ARPENT_STRIPE_PRICE_STANDARD=price_", "export ARPENT_STRIPE_PRICE_PRO=price_"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}
