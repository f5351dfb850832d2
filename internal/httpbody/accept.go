package httpbody

import (
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// Accepts reports whether the answer to a request may be encoded so (RFC 9110 12.5.3). A request that says
// nothing takes it as it is; an asterisk stands for the encodings that the header does not name.
func Accepts(c *fiber.Ctx, encoding string) bool {
	accepted := false
	for one := range strings.SplitSeq(c.Get(fiber.HeaderAcceptEncoding), ",") {
		name, weight, _ := strings.Cut(one, ";")
		switch name = strings.TrimSpace(name); {
		case strings.EqualFold(name, encoding):
			return !isZero(weight)
		case name == "*":
			accepted = !isZero(weight)
		}
	}
	return accepted
}

// isZero reports whether a weight refuses: q=0, with whichever decimals.
func isZero(weight string) bool {
	_, q, _ := strings.Cut(strings.ToLower(weight), "q=")
	v, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
	return err == nil && v == 0
}
