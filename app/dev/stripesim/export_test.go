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
	m, err := shareMock(t.Context())
	if errors.Is(err, ErrNoMock) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	testkit.NoError(t, err)
	t.Cleanup(m.release)
	return m.client
}
