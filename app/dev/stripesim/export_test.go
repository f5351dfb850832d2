package stripesim

import (
	"errors"
	"net/http"
	"os"
	"testing"

	"arpent/app/dev/testkit"
)

// MockClient returns a client of stripe-mock, whatever host it asks.
func MockClient(t testing.TB) *http.Client {
	t.Helper()
	m, err := sharedMock()
	if errors.Is(err, ErrNoMock) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	testkit.NoError(t, err)
	return m.client
}
