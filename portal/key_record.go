package portal

import (
	"context"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/base/audit"
	"arpent/app/base/mail"
	"arpent/auth"
	"arpent/auth/apikey"
)

// tell records an act on a key, and says it by mail when template is not empty, in the transaction of the act. more
// gives what else there is to say; nil: nothing.
func (p *Portal) tell(v *visitor, action string, template mail.Template, more func(apikey.Key) map[string]string) apikey.Hook {
	return func(ctx context.Context, tx pgx.Tx, k apikey.Key) error {
		now := p.now()
		detail := map[string]any{"key": k.ID, "name": k.Name}
		var said map[string]string
		if more != nil {
			said = more(k)
		}
		for name, value := range said {
			detail[name] = value
		}
		err := audit.Record(ctx, tx, now, audit.Event{Account: v.session.Account, Action: action, Detail: detail,
			Address: v.origin.Address, Agent: v.origin.Agent})
		if err != nil || template == "" {
			return err
		}
		values := p.originValues(v)
		values["name"] = k.Name
		maps.Copy(values, said)
		return mail.Send(ctx, tx, mail.Job{Template: template, To: v.session.Email, Language: v.session.Language,
			Account: int64(v.session.Account), Values: values})
	}
}

// originValues record in a mail when and from where something was done.
func (p *Portal) originValues(v *visitor) map[string]string {
	values := map[string]string{"at": p.now().UTC().Format(time.RFC3339), "device": auth.Device(v.origin.Agent)}
	if v.origin.Address.IsValid() {
		values["address"] = v.origin.Address.String()
	}
	return values
}
