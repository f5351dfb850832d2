package mail

import (
	"context"
	"slices"
	"sync"
)

// Memory keeps the last messages instead of sending them. It is safe for concurrent use.
type Memory struct {
	mu   sync.Mutex
	most int
	kept []Message // oldest first
}

// NewMemory keeps the last most messages.
func NewMemory(most int) *Memory { return &Memory{most: most} }

// Send keeps the message. One that is there already is kept once.
func (m *Memory) Send(_ context.Context, msg Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.kept {
		if m.kept[i].ID == msg.ID {
			m.kept[i] = msg
			return nil
		}
	}
	if len(m.kept) == m.most {
		m.kept = append(m.kept[:0], m.kept[1:]...)
	}
	m.kept = append(m.kept, msg)
	return nil
}

// List gives the messages, the newest first.
func (m *Memory) List() []Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := slices.Clone(m.kept)
	slices.Reverse(out)
	return out
}

// Get finds a message by its id.
func (m *Memory) Get(id string) (Message, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, msg := range m.kept {
		if msg.ID == id {
			return msg, true
		}
	}
	return Message{}, false
}
