package fetch

import (
	"context"
	"errors"
)

// At is a file at an address that is known, with placeholders as in Origin.As. {year} is the newest year that there is a file
// of, {yy} its last two digits, and {quarter} the newest quarter of it. Each is a field of the Remote.
type At struct {
	Address string
	Years   int // how many years to take; 0: the newest
}

// String implements Resolver.
func (a At) String() string { return a.Address }

// Resolve implements Resolver.
func (a At) Resolve(ctx context.Context, c *Client, p Place) ([]Remote, error) {
	return nil, errors.New("to be written")
}
