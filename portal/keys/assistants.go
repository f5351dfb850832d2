package keys

import (
	"context"
	"slices"

	"github.com/gofiber/fiber/v2"

	"arpent/api"
	"arpent/auth/apikey"
	"arpent/auth/assistant"
	"arpent/billing/meter/usage"
	"arpent/internal/clock"
	"arpent/internal/ident"
	"arpent/portal/pages"
	"arpent/web"
)

// Connections lists the connected assistants of an account, and why others are not connected any more.
type Connections interface {
	Connections(ctx context.Context, account ident.AccountID) ([]assistant.Connection, error)
	EndReasons(ctx context.Context, account ident.AccountID) (map[ident.KeyID]string, error)
}

// Assistants shows every assistant of the account with its calls. The key lasts longer than the connection:
// one without a connection is shown too, among those that ended or as one that can only be revoked.
func (p *Pages) Assistants(c *fiber.Ctx, v *pages.Visitor) error {
	keys, err := p.ListKeys(v)
	if err != nil {
		return err
	}
	used, err := usage.ReadOperations(v.Ctx, p.DB, v.Account, string(apikey.Assistant),
		clock.Day(p.Now()))
	if err != nil {
		return err
	}
	known, err := p.ConnectionsOf(v)
	if err != nil {
		return err
	}
	reasons, err := p.endReasons(v)
	if err != nil {
		return err
	}
	makers, err := p.readMakers(v)
	if err != nil {
		return err
	}
	page := Assistants{Frame: v.Frame, Done: c.Query("done"), Now: p.Now(), Confirmed: v.Session.Confirmed,
		Email: v.Session.Email, MailDown: p.MailDown}
	for _, k := range slices.Backward(keys) { // the newest first
		if k.Kind != apikey.Assistant {
			continue
		}
		shown := p.ViewAssistant(k, used[k.ID], known[k.ID])
		makers.nameMaker(k, &shown.Key)
		if shown.Key.EndedBy = reasons[k.ID]; shown.Key.Ended() {
			page.Ended = append(page.Ended, shown)
		} else {
			page.Live = append(page.Live, shown)
		}
	}
	return web.Send(c, AssistantsPage(page))
}

// ConnectionsOf returns the connections of the account by their key.
func (p *Pages) ConnectionsOf(v *pages.Visitor) (map[ident.KeyID]*assistant.Connection, error) {
	found := map[ident.KeyID]*assistant.Connection{}
	if p.Connections == nil {
		return found, nil
	}
	list, err := p.Connections.Connections(v.Ctx, v.Account)
	if err != nil {
		return nil, err
	}
	for i := range list {
		found[list[i].Key] = &list[i]
	}
	return found, nil
}

func (p *Pages) endReasons(v *pages.Visitor) (map[ident.KeyID]string, error) {
	if p.Connections == nil {
		return nil, nil
	}
	return p.Connections.EndReasons(v.Ctx, v.Account)
}

// ViewAssistant returns what a page shows of an assistant. used are its calls; c may be nil.
func (p *Pages) ViewAssistant(k apikey.Key, used []usage.OperationCount, c *assistant.Connection) Assistant {
	shown := Assistant{Key: p.View(k, usage.KeyCount{}, nil), Client: k.Name, Tools: toolsOf(used)}
	for _, n := range used {
		shown.Key.Today += n.Today
		shown.Calls += n.Total
	}
	if c != nil {
		shown.Client, shown.Host, shown.Returns = c.Client, c.ClientHost, c.RedirectHost
		shown.Key.CreatedAt = c.ConnectedAt
		shown.LastDay = new(c.ConnectedAt.Add(assistant.ConnectionMaxLife))
		if c.EndedAt != nil && !shown.Key.Ended() {
			shown.Key.State, shown.Key.ExpiresAt = KeyExpired, c.EndedAt
		}
	}
	return shown
}

// toolNames are the tools that run an operation, by the name of the operation.
var toolNames = func() map[string][]string {
	names := map[string][]string{}
	for _, t := range api.Tools() {
		names[t.Operation.Name] = append(names[t.Operation.Name], t.Name)
	}
	return names
}()

// toolsOf returns the tools that were used: calls are counted by operation.
func toolsOf(used []usage.OperationCount) []ToolUse {
	list := make([]ToolUse, len(used))
	for i, n := range used {
		names := toolNames[n.Operation]
		if names == nil {
			names = []string{n.Operation}
		}
		list[i] = ToolUse{Names: names, Calls: n.Total, Today: n.Today}
	}
	return list
}
