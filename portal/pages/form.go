package pages

import (
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/internal/httpbody"
)

// Field is the value of a field: of the body alone when a form is sent, of the address when its page is
// requested. It remains valid after the request: Fiber's own strings do not.
func Field(c *fiber.Ctx, name string) string {
	if c.Method() == fiber.MethodPost {
		return httpbody.Field(c, name)
	}
	return strings.Clone(c.Query(name))
}

// Text is the value of a field of a sent form that is not a password, without surrounding spaces.
func Text(c *fiber.Ctx, name string) string { return strings.TrimSpace(httpbody.Field(c, name)) }

// ByID returns a handler that passes on the id in the address. Anything but a positive number names nothing.
func ByID[ID ~int64](h func(c *fiber.Ctx, v *Visitor, id ID) error) Handler {
	return func(c *fiber.Ctx, v *Visitor) error {
		id, err := strconv.ParseInt(c.Params("id"), 10, 64)
		if err != nil || id < 1 {
			return ErrNothing
		}
		return h(c, v, ID(id))
	}
}

// Before is the last row of the previous page of a list, which ?before= names; 0: this is the first page.
func Before(c *fiber.Ctx) (int64, error) {
	text := c.Query("before")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, ErrNothing
	}
	return n, nil
}

// MaxRows is the maximum number of rows of a page of a list.
const MaxRows = 50

// Page cuts a list that was read with one row more than a page has, and gives
// the id of the last row when there are more.
func Page[T any](all []T, id func(T) int64) (rows []T, next int64) {
	if len(all) <= MaxRows {
		return all, 0
	}
	return all[:MaxRows], id(all[MaxRows-1])
}
