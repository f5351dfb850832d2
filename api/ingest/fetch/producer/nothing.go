package producer

import (
	"arpent/api/ingest/fetch"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// noFile is the error where nothing was found. It is fetch.ErrNothing if the template of what was asked for names a place.
func noFile(template, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if strings.Contains(template, "{departement") || strings.Contains(template, "{commune") {
		return nothing(err)
	}
	return err
}

func nothing(err error) error { return fmt.Errorf("%w: %w", fetch.ErrNothing, err) }

// incomplete is the error of a file that was cut short. A later attempt may bring the whole of it.
func incomplete(address, unit string, have, want int64) error {
	return fetch.Temporary(fmt.Errorf("%s has %d %s of %d", address, have, unit, want))
}

// gone reports whether an error is the answer that something is not, or no longer, there.
func gone(err error) bool {
	var status *fetch.StatusError
	return errors.As(err, &status) && (status.Status == http.StatusNotFound || status.Status == http.StatusGone)
}
