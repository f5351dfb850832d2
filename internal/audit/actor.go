package audit

import (
	"context"
	"maps"
	"net/netip"
	"strings"
	"time"

	"arpent/internal/ident"
)

// Actor is who acts, and from where. A request carries it in its context, so
// that whatever is done for it can be recorded.
type Actor struct {
	Kind    string     // ActorAccount, ActorOperator or ActorSystem
	Address netip.Addr // the zero value: none, such as on a command line
	Agent   string     // the browser, as it calls itself

	Person ident.AccountID // who is signed in; 0: none, such as on a command line
	// By is the address of that person, for what is done to an organisation: its members read who did it.
	By string

	// the account of an operator who acts in the portal; 0: the command line, or no operator
	Operator ident.AccountID
}

type actorKey struct{}

// With has what is done in the context recorded as done by a.
func With(ctx context.Context, a Actor) context.Context { return context.WithValue(ctx, actorKey{}, a) }

// ActorOf returns the actor of the context: the service itself when none was named.
func ActorOf(ctx context.Context) Actor {
	if a, ok := ctx.Value(actorKey{}).(Actor); ok {
		return a
	}
	return Actor{Kind: ActorSystem}
}

// RecordAct is Record for an act of the actor of the context.
func RecordAct(ctx context.Context, db DB, at time.Time, account ident.AccountID, action string,
	detail map[string]any) error {
	by := ActorOf(ctx)
	return Record(ctx, db, at, Event{Account: account, Actor: by.Kind, Action: action, Detail: detail,
		Address: by.Address, Agent: by.Agent})
}

// AsOperator has what is done in the context recorded as done by an operator: by that account,
// or on the command line when it is 0. The operator's address and browser stay out of the
// record, which the owner of the account reads.
func AsOperator(ctx context.Context, operator ident.AccountID) context.Context {
	return With(ctx, Actor{Kind: ActorOperator, Operator: operator})
}

// detailOf adds to the detail of an event which operator acts in the context, or which member of the
// organisation.
func detailOf(ctx context.Context, e Event) map[string]any {
	by, detail := ActorOf(ctx), map[string]any{}
	switch {
	case e.Actor == ActorOperator && by.Kind == ActorOperator && by.Operator != 0:
		detail[DetailOperator] = by.Operator
	case e.Actor == ActorAccount && by.Kind == ActorAccount && by.By != "" && by.Person != e.Account:
		detail[DetailBy] = by.By
	}
	maps.Copy(detail, e.Detail)
	return detail
}

// DetailBy is the address of the member who acted, in the detail of an event of an organisation.
const DetailBy = "by"

// DetailOperator names the account of the operator who acted, in the detail of
// an event. It is absent on the command line.
const DetailOperator = "operator"

// MailValues are what a mail says of an act: when, on what device and from what address.
func (a Actor) MailValues(at time.Time) map[string]string {
	values := map[string]string{"at": at.UTC().Format(time.RFC3339)}
	if d := Device(a.Agent); d != "" {
		values["device"] = d
	}
	if a.Address.IsValid() {
		values["address"] = a.Address.Unmap().String()
	}
	return values
}

// Device names a browser by what it calls itself, such as "Firefox,
// Linux", for people to recognise. Empty: unknown.
func Device(agent string) string {
	browser, system := matchFirst(agent, browsers), matchFirst(agent, systems)
	switch {
	case browser == "":
		return system
	case system == "":
		return browser
	}
	return browser + ", " + system
}

// browserMark is how something is written in the text of a browser, and its name. Most claim to be
// Chrome or Safari as well: the order matters.
type browserMark struct{ mark, name string }

var (
	browsers = []browserMark{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"},
		{"Firefox/", "Firefox"},
		{"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
		{"curl/", "curl"}}
	systems = []browserMark{{"Windows", "Windows"}, {"Android", "Android"}, {"iPhone", "iPhone"},
		{"iPad", "iPad"},
		{"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"}}
)

func matchFirst(agent string, of []browserMark) string {
	for _, n := range of {
		if strings.Contains(agent, n.mark) {
			return n.name
		}
	}
	return ""
}
