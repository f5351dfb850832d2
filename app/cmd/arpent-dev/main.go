// Command arpent-dev holds the commands of development: it builds the box, simulates
// Stripe and measures the service.
package main

import (
	"github.com/spf13/cobra"

	"arpent/app/command"
	"arpent/app/dev/bench"
	"arpent/internal/config"
)

// env is what every command starts from.
type env struct {
	config config.Config
}

func main() { command.Main(newRoot()) }

func newRoot() *cobra.Command {
	e := &env{}
	root := command.Root("arpent-dev", "What the development of arpent needs and no server does", &e.config)
	root.AddCommand(newBoxCommand(), newStripeSimulatorCommand(e), bench.Command())
	return root
}
