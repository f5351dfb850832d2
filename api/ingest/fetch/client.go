package fetch

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// Client asks producers' servers.
type Client struct {
	HTTP *http.Client // default http.DefaultClient
}

// catalogueLimit bounds the answers of catalogues, which are read whole.
const catalogueLimit = 64 << 20

// Get asks an address. It returns an answer of status 200 or 206, whose body the caller closes, and an error of type
// *StatusError for any other.
func (c *Client) Get(ctx context.Context, address string, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusPartialContent {
		resp.Body.Close()
		return nil, &StatusError{Address: address, Status: resp.StatusCode}
	}
	return resp, nil
}

// Bytes reads the whole answer of a catalogue, of at most 64 MiB.
func (c *Client) Bytes(ctx context.Context, address string) ([]byte, error) {
	resp, err := c.Get(ctx, address, nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, catalogueLimit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", address, err)
	}
	if len(b) > catalogueLimit {
		return nil, fmt.Errorf("read %s: it is longer than %d MiB", address, catalogueLimit>>20)
	}
	return b, nil
}

// JSON reads the answer of a catalogue into v.
func (c *Client) JSON(ctx context.Context, address string, v any) error {
	b, err := c.Bytes(ctx, address)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("read %s: %w", address, err)
	}
	return nil
}

// Exists asks for the first bytes of a file: whether it is there, and its size (0 if not known).
func (c *Client) Exists(ctx context.Context, address string) (bytes int64, found bool, err error) {
	panic("to be written with the client")
}

// StatusError is an answer other than 200 and 206.
type StatusError struct {
	Address string
	Status  int
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%s answers %d %s", e.Address, e.Status, http.StatusText(e.Status))
}
