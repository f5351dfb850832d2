package assistant

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/base/audit"
	"arpent/app/base/mail"
	"arpent/auth"
	"arpent/auth/apikey"
)

// tellConnected records that an assistant was connected, and says so by mail, with the browser in which the account's
// owner agreed: the exchange itself comes from the assistant's own servers.
func (s *Server) tellConnected(ctx context.Context, tx pgx.Tx, h holder, key apikey.Key, client Client, o auth.Origin) error {
	detail := map[string]any{"key": key.ID, "name": key.Name, "client": client.ID}
	err := audit.Record(ctx, tx, s.o.Clock.Now(), audit.Event{Account: h.id, Action: audit.ActionKeyCreated, Detail: detail,
		Address: o.Address, Agent: o.Agent})
	if err != nil {
		return err
	}
	values := map[string]string{"device": auth.Device(o.Agent)}
	if o.Address.IsValid() {
		values["address"] = o.Address.Unmap().String()
	}
	return s.write(ctx, tx, h, mail.AssistantAdded, key, values)
}

// recordEnded records that a connection was ended by something else than a page of the account.
func (s *Server) recordEnded(ctx context.Context, tx pgx.Tx, h holder, key apikey.Key, reason string) error {
	detail := map[string]any{"key": key.ID, "name": key.Name, "reason": reason}
	return audit.Record(ctx, tx, s.o.Clock.Now(), audit.Event{Account: h.id, Actor: audit.ActorSystem,
		Action: audit.ActionKeyRevoked, Detail: detail})
}

func (s *Server) write(ctx context.Context, tx pgx.Tx, h holder, t mail.Template, key apikey.Key, values map[string]string) error {
	if !h.confirmed {
		return nil
	}
	values["name"], values["at"] = key.Name, s.o.Clock.Now().UTC().Format(time.RFC3339)
	return mail.Send(ctx, tx, mail.Job{Template: t, To: h.email, Language: h.language, Account: int64(h.id), Values: values})
}
