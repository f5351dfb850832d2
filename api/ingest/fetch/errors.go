package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// ErrNothing is the error of a resolver where the producer has no file for a place: a commune without a document of its own, a
// département that is not covered. That is no fault of the producer's.
var ErrNothing = errors.New("the producer has no file for this place")

// noFile is the error where nothing was found. It is ErrNothing if the template of what was asked for names a place.
func noFile(template, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if strings.Contains(template, "{departement") || strings.Contains(template, "{commune") {
		return nothing(err)
	}
	return err
}

func nothing(err error) error { return fmt.Errorf("%w: %w", ErrNothing, err) }

// incomplete is the error of a file that was cut short. A later attempt may bring the whole of it.
func incomplete(address, unit string, have, want int64) error {
	return &temporary{error: fmt.Errorf("%s has %d %s of %d", address, have, unit, want)}
}

// gone reports whether an error is the answer that something is not, or no longer, there.
func gone(err error) bool {
	var status *StatusError
	return errors.As(err, &status) && (status.Status == http.StatusNotFound || status.Status == http.StatusGone)
}
