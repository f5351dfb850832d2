package producer

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"arpent/internal/opendata/ingest/fetch"
)

// First is one file that has several addresses: the first that serves it is taken. A server that is down, has
// moved the file or sends a page in its place leaves the next one to be asked.
type First []fetch.Resolver

// String implements fetch.Resolver.
func (f First) String() string {
	var all []string
	for _, r := range f {
		all = append(all, r.String())
	}
	return strings.Join(all, ", else ")
}

// Resolve implements fetch.Resolver. Where no address serves the file it returns the errors of all.
func (f First) Resolve(ctx context.Context, c *fetch.Client, p fetch.Place) ([]fetch.Remote, error) {
	var failures []error
	for _, r := range f {
		remotes, err := r.Resolve(ctx, c, p)
		if err == nil {
			err = probeFiles(ctx, c, remotes)
		}
		if err == nil {
			return remotes, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		failures = append(failures, err)
	}
	return nil, errors.Join(failures...)
}

// probeFiles asks for the first bytes of each file and completes its size.
func probeFiles(ctx context.Context, c *fetch.Client, remotes []fetch.Remote) error {
	for i, r := range remotes {
		probe, err := c.Probe(ctx, r.Address, headBytes)
		if err != nil {
			return err
		}
		if !probe.Found {
			return fmt.Errorf("%s has no such file", r.Address)
		}
		name := r.Served
		if name == "" {
			name = path.Base(r.Address)
		}
		if err := fetch.Recognize(probe.First, name); err != nil {
			return fmt.Errorf("%s: %w", r.Address, err)
		}
		if r.Bytes == 0 {
			remotes[i].Bytes = probe.Bytes
		}
	}
	return nil
}
