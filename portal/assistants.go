package portal

import (
	"context"
	"slices"

	"github.com/gofiber/fiber/v2"

	"arpent/api"
	"arpent/app/base/clock"
	"arpent/app/base/ident"
	"arpent/auth/apikey"
	"arpent/auth/assistant"
	"arpent/billing/meter/usage"
	"arpent/portal/view"
	"arpent/web"
)

// Connections tells which assistants an account has connected.
type Connections interface {
	Connections(ctx context.Context, account ident.AccountID) ([]assistant.Connection, error)
}

// assistants shows every assistant of the account with what it asked for. The key is what lasts: one whose connection
// is gone is shown as well, among those that ended or as one that can only be revoked.
func (p *Portal) assistants(c *fiber.Ctx, v *visitor) error {
	keys, err := p.o.Keys.List(v.ctx, v.session.Account)
	if err != nil {
		return err
	}
	used, err := usage.ReadOperations(v.ctx, p.o.DB, v.session.Account, string(apikey.Assistant), clock.Day(p.now()))
	if err != nil {
		return err
	}
	known, err := p.connectionsOf(v)
	if err != nil {
		return err
	}
	page := view.Assistants{Frame: v.frame, Done: c.Query("done"), Now: p.now(), Confirmed: v.session.Confirmed,
		Email: v.session.Email, MailDown: p.o.MailDown}
	for _, k := range slices.Backward(keys) { // the newest first
		if k.Kind != apikey.Assistant {
			continue
		}
		shown := p.shownAssistant(k, used[k.ID], known[k.ID])
		if shown.Key.Ended() {
			page.Ended = append(page.Ended, shown)
		} else {
			page.Live = append(page.Live, shown)
		}
	}
	return web.Send(c, view.AssistantsPage(page))
}

// connectionsOf gives the connections of the account by their key.
func (p *Portal) connectionsOf(v *visitor) (map[ident.KeyID]*assistant.Connection, error) {
	found := map[ident.KeyID]*assistant.Connection{}
	if p.o.Connections == nil {
		return found, nil
	}
	list, err := p.o.Connections.Connections(v.ctx, v.session.Account)
	if err != nil {
		return nil, err
	}
	for i := range list {
		found[list[i].Key] = &list[i]
	}
	return found, nil
}

func (p *Portal) shownAssistant(k apikey.Key, used []usage.OperationCount, c *assistant.Connection) view.Assistant {
	shown := view.Assistant{Key: p.shownKey(k, usage.KeyCount{}, nil), Client: k.Name, Tools: toolsOf(used)}
	for _, n := range used {
		shown.Key.Today += n.Today
		shown.Calls += n.Total
	}
	if c != nil {
		shown.Client, shown.Host, shown.Returns = c.Client, c.ClientHost, c.RedirectHost
		shown.Key.CreatedAt = c.ConnectedAt
		if c.EndedAt != nil && !shown.Key.Ended() {
			shown.Key.State, shown.Key.ExpiresAt = view.KeyExpired, c.EndedAt
		}
	}
	return shown
}

// toolNames are the tools that run an operation, by its name.
var toolNames = func() map[string][]string {
	names := map[string][]string{}
	for _, t := range api.Tools() {
		names[t.Operation.Name] = append(names[t.Operation.Name], t.Name)
	}
	return names
}()

// toolsOf gives which tools were used: calls are counted by the operation that they run.
func toolsOf(used []usage.OperationCount) []view.ToolUse {
	list := make([]view.ToolUse, len(used))
	for i, n := range used {
		names := toolNames[n.Operation]
		if names == nil {
			names = []string{n.Operation}
		}
		list[i] = view.ToolUse{Names: names, Calls: n.Total, Today: n.Today}
	}
	return list
}
