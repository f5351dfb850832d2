package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"arpent/app/dev/stripesim"
	"arpent/billing"
	"arpent/internal/config"
)

const simulatorTick = time.Second // how late a renewal or a delayed event may be

func newStripeSimulatorCommand(e *env) *cobra.Command {
	var port uint16
	var webhook string
	var o stripesim.Options
	cmd := &cobra.Command{
		Use: "stripe-simulator", Short: "Serve a simulator of Stripe for development: no money moves",
		Args: cobra.NoArgs,
		Long: "Serves the part of Stripe's API that the service uses, with pages to pay on and a clock that can be moved on.\n" +
			"Nothing is kept when it ends. docs/stripe.md describes it.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if e.config.Mode != config.Development {
				return errors.New("the simulator of Stripe is for ARPENT_MODE=development: production speaks to Stripe itself")
			}
			o.Addr, o.Tick = net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port))), simulatorTick
			if o.WebhookURL = webhook; webhook == "" {
				o.WebhookURL = e.config.BaseURL + billing.WebhookPath
			}
			s, err := stripesim.Start(cmd.Context(), o)
			if err != nil {
				return err
			}
			defer s.Close()
			printSimulator(cmd.OutOrStdout(), s.URL(), o.WebhookURL)
			<-cmd.Context().Done()
			return nil
		},
	}
	cmd.Flags().Uint16Var(&port, "port", 12110, "port on 127.0.0.1")
	cmd.Flags().StringVar(&webhook, "webhook", "",
		"where events go (default: /webhooks/stripe of the configured base address)")
	cmd.Flags().BoolVar(&o.NoMock, "no-mock", false, "do not ask stripe-mock: wrong parameters are not refused")
	cmd.Flags().StringVar((*string)(&o.AfterRetries), "after-retries", string(stripesim.Cancel),
		"what follows the last failed payment: cancel, unpaid or past_due")
	return cmd
}

func printSimulator(w io.Writer, url, webhook string) {
	fmt.Fprintf(w, `
  A SIMULATION of Stripe is at %[1]s: no money moves
  Events go to %[2]s

  Start the service with
    export ARPENT_STRIPE_URL=%[1]s
    export ARPENT_STRIPE_KEY=%[3]s
    export ARPENT_STRIPE_WEBHOOK_SECRET=%[4]s
`, url, webhook, stripesim.DefaultKey, stripesim.DefaultWebhookSecret)
	prices, yearly := stripesim.PriceLists(), stripesim.YearlyPriceLists()
	for _, plan := range billing.PaidNames() {
		fmt.Fprintf(w, "    export %s=%s\n    export %s=%s\n", config.PriceSetting(plan), prices[plan][0],
			config.YearlyPriceSetting(plan), yearly[plan][0])
	}
	fmt.Fprintf(w, "    export ARPENT_STRIPE_PRICE_RESERVE=%s\n\n", stripesim.ReservePrice)
}
