package contract_test

import (
	"testing"

	"arpent/app/dev/testkit"
)

func TestMain(m *testing.M) { testkit.Run(m) }
