package assistant

import (
	"context"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"arpent/internal/clientip"
)

const (
	maxDocument  = 10 << 10
	documentKept = 5 * time.Minute // when its server says nothing
)

// fetcher reads documents whose address an anonymous client chose.
type fetcher struct{ client *http.Client }

func newFetcher() *fetcher {
	return &fetcher{clientip.NewClient(clientip.ClientOptions{Timeout: documentTimeout})}
}

func (f *fetcher) fetchBody(ctx context.Context, url string) (body []byte, keep time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, documentTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, 0, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "arpent")
	res, err := f.client.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer res.Body.Close()
	if err := checkResponse(res); err != nil {
		return nil, 0, err
	}
	body, err = io.ReadAll(io.LimitReader(res.Body, maxDocument+1))
	if err == nil {
		err = ctx.Err() // a server that saw us leave may have ended its answer at the last moment
	}
	switch {
	case err != nil:
		return nil, 0, err
	case len(body) > maxDocument:
		return nil, 0, errDocument("it is longer than 10 kB")
	}
	return body, cacheLifetime(res.Header), nil
}

func checkResponse(res *http.Response) error {
	kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	switch encoding := res.Header.Get("Content-Encoding"); {
	case res.StatusCode != http.StatusOK:
		return errDocument("its server answers " + strconv.Itoa(res.StatusCode) + " instead of 200")
	case err != nil || kind != "application/json" && !(strings.HasPrefix(kind, "application/") &&
		strings.HasSuffix(kind, "+json")):
		return errDocument("it is not served as application/json")
	case encoding != "" && encoding != "identity":
		return errDocument("it is compressed, which was not asked for")
	case res.ContentLength > maxDocument:
		return errDocument("it is longer than 10 kB")
	}
	return nil
}

// cacheLifetime is what Cache-Control says, without the bounds.
func cacheLifetime(h http.Header) time.Duration {
	keep := documentKept
	for directive := range strings.SplitSeq(strings.Join(h.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		switch strings.ToLower(name) {
		case "no-store", "no-cache":
			return 0
		case "max-age":
			seconds, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 31)
			if err != nil {
				return 0
			}
			keep = time.Duration(seconds) * time.Second
		}
	}
	return keep
}
