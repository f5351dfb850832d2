package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"github.com/gofiber/fiber/v2"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
)

// listCache keeps what the protocol answered to requests for the list of tools. The list does not change
// while the program runs, and writing its 36 kB takes a millisecond. Requests that differ only in their id
// get answers that differ in nothing else.
type listCache struct {
	mu            sync.RWMutex
	cachedAnswers map[string][]byte // an answer from behind its id, by the rest of the request
}

const (
	maxLists      = 16
	maxListParams = 512 // bytes; those that clients send have some hundred
)

// keyOf is the rest of a request for the list, without its id; false: it is no such
// request, or an unusual one.
func (l *listCache) keyOf(m *message, header http.Header) (key string, ok bool) {
	if m.method != string(mcpgo.MethodToolsList) || m.id == nil || m.unusual || len(m.params) > maxListParams {
		return "", false
	}
	return fmt.Sprint(header, "\n", string(m.params)), true // fmt prints a map in the order of its keys
}

// findAnswer gives the answer to a request with this key; nil: the protocol has yet to be asked.
func (l *listCache) findAnswer(key string, id json.RawMessage) []byte {
	l.mu.RLock()
	after := l.cachedAnswers[key]
	l.mu.RUnlock()
	if after == nil {
		return nil
	}
	return append(append(append(make([]byte, 0, len(beforeID)+len(id)+len(after)), beforeID...), id...),
		after...)
}

const beforeID = `{"jsonrpc":"2.0","id":`

// storeAnswer remembers an answer of the protocol, if it is a list.
func (l *listCache) storeAnswer(key string, id json.RawMessage, w *writer) {
	after, ok := bytes.CutPrefix(w.body.Bytes(), append([]byte(beforeID), id...))
	if !ok || w.status != fiber.StatusOK || !bytes.HasPrefix(after, []byte(`,"result":`)) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.cachedAnswers) >= maxLists || l.cachedAnswers == nil {
		l.cachedAnswers = map[string][]byte{}
	}
	l.cachedAnswers[key] = bytes.Clone(after)
}
