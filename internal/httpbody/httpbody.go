// Package httpbody is the one way to the body of a request. It promises that a body takes no
// more memory than has arrived of it, that none is longer than its address allows, and that none
// is ever decompressed: one that is encoded is refused before a handler runs. It also decides
// how the body of the answer may be encoded.
package httpbody

import (
	"strconv"

	"github.com/gofiber/fiber/v2"
)

// Raw is the body as it was sent. It is valid until the handler returns.
func Raw(c *fiber.Ctx) []byte { return c.Request().Body() }

// Field is what a form holds under a name: of the body alone, never of the
// address. It is good for longer than the request.
func Field(c *fiber.Ctx, name string) string { return string(c.Request().PostArgs().Peek(name)) }

// Fields is every value that a form holds under a name, such as those of boxes that are ticked.
func Fields(c *fiber.Ctx, name string) (values []string) {
	for _, v := range c.Request().PostArgs().PeekMulti(name) {
		values = append(values, string(v))
	}
	return values
}

// Rejection is why a request is not handed to any handler.
type Rejection struct {
	Status  int
	Message string // safe to show
}

func (r *Rejection) Error() string { return strconv.Itoa(r.Status) + ": " + r.Message }

var (
	errEncoded = &Rejection{fiber.StatusUnsupportedMediaType,
		"The body has a Content-Encoding. Send it as it is, without one."}
	errNoBody = &Rejection{fiber.StatusRequestEntityTooLarge, "A GET, HEAD or OPTIONS request takes no body."}
	errBroken = &Rejection{fiber.StatusBadRequest,
		"The body could not be read as HTTP: it ended early, or its chunks are not right."}
	errSlow    = &Rejection{fiber.StatusRequestTimeout, "The body did not arrive in time."}
	errFraming = &Rejection{fiber.StatusBadRequest,
		"The length of the body is given in two ways, or in a way that HTTP does not know."}
	errFolded  = &Rejection{fiber.StatusBadRequest, "A header goes on in the next line. Send each in one."}
	errTrailer = &Rejection{fiber.StatusBadRequest, "Trailers behind a body are not taken."}
	errFields  = &Rejection{fiber.StatusBadRequest, "There are more than " + strconv.Itoa(maxParameters) +
		" parameters."}
	errHeaders = &Rejection{fiber.StatusRequestHeaderFieldsTooLarge,
		"There are more than " + strconv.Itoa(maxHeaders) + " headers or " + strconv.Itoa(maxPairs) + " cookies."}
	errBusy = &Rejection{fiber.StatusServiceUnavailable,
		"Too many long bodies arrive at the moment. Try again in a few seconds."}
)

func tooLong(limit int) *Rejection {
	if limit == 0 {
		return errNoBody
	}
	return &Rejection{fiber.StatusRequestEntityTooLarge, "The body is longer than " + strconv.Itoa(limit>>10) +
		" KiB."}
}
