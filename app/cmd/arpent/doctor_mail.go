package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"strings"

	"arpent/app"
	"arpent/billing"
	"arpent/internal/clock"
	"arpent/internal/config"
	"arpent/internal/mail"
)

// examineMail reports whether mails leave: the server is asked, as far as its password, and nothing is sent.
func examineMail(ctx context.Context, c config.Config) finding {
	if c.SMTPURL == "" {
		if c.Mode == config.Development {
			return finding{subject: "mail", seen: "shown at " + c.BaseURL +
				"/dev/mail instead of sent; the link with its token is in the log of the server"}
		}
		return finding{"mail", "no mail server: no account can confirm its address or choose a new password",
			"set ARPENT_SMTP_URL; what waits leaves then"}
	}
	host := "the server"
	if u, err := url.Parse(c.SMTPURL.Reveal()); err == nil {
		host = u.Host // without the password
	}
	server, err := mail.NewSMTP(c.SMTPURL.Reveal(), c.MailFrom, c.ServiceName)
	if err != nil {
		return finding{"mail", err.Error(), "correct ARPENT_SMTP_URL and ARPENT_MAIL_FROM"}
	}
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	if err := server.Check(ctx); err != nil {
		return finding{"mail", host + ": " + err.Error(),
			"check the address, the user and the password in ARPENT_SMTP_URL; mails wait meanwhile"}
	}
	return finding{subject: "mail", seen: host + " answers; mails come from " + c.MailFrom}
}

// examineSecret reports where the server's own secret comes from.
func examineSecret(c config.Config) finding {
	if c.Secret != "" {
		return finding{subject: "secret", seen: "ARPENT_SECRET"}
	}
	path := app.SecretPath(c)
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return finding{subject: "secret", seen: "not made yet: the first start does, in " + path +
			"; several instances need ARPENT_SECRET"}
	case err != nil:
		return finding{"secret", err.Error(), "set ARPENT_SECRET, or ARPENT_STATE_DIR to a folder that can be read"}
	case st.Mode().Perm()&0o077 != 0:
		return finding{"secret", path + " can be read by others", "chmod 600 " + quoteShell(path)}
	}
	return finding{subject: "secret", seen: "kept in " + path +
		"; several instances need ARPENT_SECRET, and a backup holds it"}
}

// examineLegal reports what the legal pages of a public server lack.
// On a developer's machine they are not published.
func examineLegal(c config.Config) finding {
	missing := strings.Join(c.MissingLegal(), ", ")
	switch {
	case missing == "":
		return finding{subject: "legal pages", seen: "complete; " + c.Publisher.Name + " is named as the publisher"}
	case c.Mode == config.Development:
		return finding{subject: "legal pages", seen: "incomplete, which a public server may not be; not set: " +
			missing}
	}
	return finding{"legal pages", "/legal, /terms, /privacy and /contact leave out what is not set, which a public server may not", "set " + missing}
}

// warnAboutLegal logs what the legal pages of a public server lack.
func warnAboutLegal(log *slog.Logger, c config.Config) {
	if missing := c.MissingLegal(); c.Mode == config.Production && missing != nil {
		log.Warn("legal pages incomplete, set what the law asks of a public server", "not_set",
			strings.Join(missing, ", "))
	}
}

// rehearsalText says what a key of Stripe's test mode means in production.
const rehearsalText = "stripe key of test mode: a rehearsal, in which operators alone can buy plans"

// examineStripe reports whether plans can be bought: the key, the prices that are sold, and what else
// Stripe's API shows. docs/stripe.md lists what it does not show.
func examineStripe(ctx context.Context, c config.Config) []finding {
	if c.StripeKey == "" {
		return []finding{{subject: "stripe", seen: "no key: paid plans are not available"}}
	}
	var findings []finding
	if c.RehearsesSales() {
		findings = []finding{{"stripe key", rehearsalText,
			"set the key, prices and webhook secret of live mode to sell plans (docs/stripe.md)"}}
	}
	gate := app.NewBilling(c, nil, clock.Real{})
	err := gate.CheckPrices(ctx)
	switch {
	case errors.Is(err, billing.ErrKeyRefused):
		return append(findings, finding{"stripe", err.Error(), "set ARPENT_STRIPE_KEY to a key that is valid and may read prices; nothing can be bought meanwhile, all else serves"})
	case errors.Is(err, billing.ErrUnavailable):
		return append(findings, finding{"stripe", err.Error(), "open the way to api.stripe.com over https; plans in force do not depend on it"})
	case err != nil:
		findings = append(findings, finding{"stripe", err.Error(),
			"correct ARPENT_STRIPE_PRICE_… or the price in the dashboard (docs/stripe.md); nothing can be bought meanwhile, all else serves"})
	default:
		findings = append(findings, finding{subject: "stripe", seen: "answers, and the prices are those of the plans"})
	}
	for _, check := range gate.CheckSetup(ctx) {
		findings = append(findings, finding{check.Subject, check.Seen, check.WayOut})
	}
	return findings
}
