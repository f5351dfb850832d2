package app

import (
	"arpent/app/base/config"
	"arpent/auth"
	"arpent/auth/assistant"
	"arpent/billing"
	"arpent/portal/pages"
	"arpent/web"
	"arpent/web/legal"
)

// newLegal makes the legal pages: the operator says who publishes the server, the code how long things are kept.
func newLegal(c config.Config, site *web.Site, paidPlans bool) *legal.Pages {
	p := c.Publisher
	o := legal.Options{Site: site, Plans: billing.Plans(), PaidPlans: paidPlans,
		Publisher: legal.Publisher{Name: p.Name, Address: p.Address, Phone: p.Phone, Director: p.Director, Host: p.Host,
			Registration: p.Registration, VAT: p.VAT, LogDays: p.LogDays},
		Retention: legal.Retention{Session: auth.SessionLife, Device: pages.DeviceLife, Language: pages.LanguageLife,
			Unconfirmed: auth.KeepUnconfirmed, Links: auth.KeepLinks, Tries: auth.KeepTries, Rejections: auth.KeepRejections,
			Personal: auth.KeepPersonal, MailDone: jobDoneKept, MailFailed: jobFailedKept, Connection: assistant.RefreshLife,
			PaymentEvents: billing.EventsKept, Grace: billing.Grace}}
	for _, provider := range providers(c) {
		o.Providers = append(o.Providers, provider.Label)
	}
	return legal.New(o)
}
