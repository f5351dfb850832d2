package report

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// While a report waits, the others do without helpers and send one statement at a time; and not longer.
func TestConcurrentReportsGiveWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdmission(2) // one report, one helper
		release, err := a.acquireReport(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := func(batch int, helped bool) {
			t.Helper()
			done, ok := a.tryHelper()
			if ok {
				done()
			}
			if a.currentBatchSize() != batch || ok != helped {
				t.Errorf("%d statements at once, a helper %t; want %d, %t", a.currentBatchSize(), ok, batch, helped)
			}
		}
		want(batchSize, true)
		ctx, cancel := context.WithCancel(t.Context())
		gaveUp := make(chan error, 1)
		go func() {
			_, err := a.acquireReport(ctx)
			gaveUp <- err
		}()
		synctest.Wait()
		want(1, false)
		cancel()
		if err := <-gaveUp; !errors.Is(err, context.Canceled) {
			t.Errorf("waiting ended with %v", err)
		}
		want(batchSize, true)
		release()
	})
}
