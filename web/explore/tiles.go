package explore

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/api/tile"
	"arpent/internal/httpbody"
	"arpent/internal/opendata/source"
	"arpent/web"
)

// How long a browser keeps a tile: what was loaded in the meantime is drawn an hour late. One with too many
// areas may only have taken too long to read.
const (
	tileAge    = "public, max-age=3600"
	crowdedAge = "public, max-age=300"
)

// serveTile serves a tile of the plan, or of the layer of areas that the address names. What is no tile is
// not found; one without anything has no content.
func (p *Pages) serveTile(c *fiber.Ctx) error {
	row, written := strings.CutSuffix(c.Params("y"), ".mvt")
	a, ok := tile.ParseAddress(c.Params("z"), c.Params("x"), row)
	var areas *source.MapLayer
	if name := c.Params("layer"); name != "" {
		areas = p.findLayer(name)
		ok = ok && areas != nil && a.Z >= areas.MinZoom
	}
	if !ok || !written {
		return c.Next()
	}
	web.Guard(c)
	c.Response().Header.Del(fiber.HeaderVary) // one for all languages and sessions
	c.Vary(fiber.HeaderAcceptEncoding)
	c.Set(fiber.HeaderCacheControl, tileAge)
	t, err := p.o.Tiles.Tile(c.UserContext(), p.o.Client(c), areas, a)
	var busy tile.Busy
	switch {
	case errors.Is(err, tile.ErrNone):
		return c.SendStatus(fiber.StatusNoContent)
	case errors.Is(err, tile.ErrCrowded):
		c.Set(fiber.HeaderCacheControl, crowdedAge)
		text := "The tile has more areas than are drawn"
		if a.Z < tile.MaxZoom {
			text += ": ask for those of a higher zoom"
		}
		return c.Status(fiber.StatusUnprocessableEntity).SendString(text + ".")
	case errors.As(err, &busy):
		c.Set(fiber.HeaderRetryAfter, retrySeconds(busy.RetryAfter))
		c.Set(fiber.HeaderCacheControl, "no-store")
		return c.Status(fiber.StatusServiceUnavailable).SendString(
			"No tile is made at the moment: see Retry-After.")
	case err != nil:
		return err
	}
	c.Set(fiber.HeaderETag, `W/"`+t.Tag+`"`)
	if strings.TrimPrefix(c.Get(fiber.HeaderIfNoneMatch), "W/") == `"`+t.Tag+`"` {
		return c.SendStatus(fiber.StatusNotModified)
	}
	c.Set(fiber.HeaderContentType, "application/vnd.mapbox-vector-tile")
	if httpbody.Accepts(c, "gzip") {
		c.Set(fiber.HeaderContentEncoding, "gzip")
		c.Response().SetBodyRaw(t.Body)
		return nil
	}
	return sendPlain(c, t.Body)
}

// sendPlain is for programs that take nothing compressed. It costs less than a page.
func sendPlain(c *fiber.Ctx, packed []byte) error {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	body, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return c.Send(body)
}
