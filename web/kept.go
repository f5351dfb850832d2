package web

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"
)

// Kept holds values that take long to make and that depend on an edition of the served data and on a key
// alone, such as a page in a language. Each is made when it is first asked for, and again in the next
// edition. The zero Kept is empty. It is safe for concurrent use.
type Kept[E, K comparable, V any] struct {
	mu      sync.Mutex
	edition E
	values  map[K]V
}

// Get returns the value of a key in an edition: the one that was made before, or the result of make. Callers
// of the same Kept wait while a value is made.
func (k *Kept[E, K, V]) Get(edition E, key K, make func() (V, error)) (V, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.values == nil || k.edition != edition {
		k.values, k.edition = map[K]V{}, edition
	}
	if v, ok := k.values[key]; ok {
		return v, nil
	}
	v, err := make()
	if err == nil {
		k.values[key] = v
	}
	return v, err
}

// Body is the content of an answer that is sent many times. Its encodings are made once, and it has an entity
// tag.
type Body struct {
	content []byte
	tag     string // weak: the encodings of one content share it
	encoded *encodings
}

// NewBody returns a body with the content, which the caller does not modify any more.
func NewBody(content []byte) *Body {
	sum := sha256.Sum256(content)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	return &Body{content: content, tag: tag, encoded: newEncodings(content, pageLevel)}
}

// Send responds with the body in the best encoding that the reader accepts, or with 304 to a reader that has
// it.
func (b *Body) Send(c *fiber.Ctx, contentType string) error {
	Guard(c)
	c.Vary(fiber.HeaderAcceptEncoding)
	c.Set(fiber.HeaderETag, "W/"+b.tag)
	if strings.TrimPrefix(c.Get(fiber.HeaderIfNoneMatch), "W/") == b.tag {
		return c.SendStatus(fiber.StatusNotModified)
	}
	c.Set(fiber.HeaderContentType, contentType)
	b.encoded.sendBody(c, b.content)
	return nil
}

// pageLife is how long a page is kept at most. Its form has a CSRF token, which is accepted for much longer.
const pageLife = time.Hour

// pageEdition is the edition of pages.
type pageEdition struct {
	data   int
	period int64 // of pageLife
}

// pageKey is what the page of a visitor without a session depends on.
type pageKey struct {
	path        string
	lang, asked Lang
}

// SendKept responds with a page that depends on its path, its language and the served data alone. Visitors
// without a session share one that is kept. The page of a session has a CSRF token of its own and is made for
// each request.
func (s *Site) SendKept(c *fiber.Ctx, page func(Frame) templ.Component) error {
	f := s.Frame(c)
	if f.HasSession {
		return Send(c, page(f))
	}
	f.Path = c.Route().Path // without the query, which does not change the page
	edition := pageEdition{s.Status().Edition, s.clock.Now().UnixNano() / int64(pageLife)}
	body, err := s.pages.Get(edition, pageKey{f.Path, f.Lang, f.asked}, func() (*Body, error) {
		text, err := templ.ToGoHTML(c.UserContext(), page(f))
		return NewBody([]byte(text)), err
	})
	if err != nil {
		return err
	}
	return body.Send(c, fiber.MIMETextHTMLCharsetUTF8)
}
