package main

import (
	"fmt"
	"strings"
	"time"

	"arpent/app"
	"arpent/app/base/config"
)

// examineProxy reports a proxy that passes requests on and is not trusted to say for whom.
func examineProxy(c config.Config) finding {
	if peer, seen, ok := app.UntrustedProxy(c); ok {
		return finding{"proxy", fmt.Sprintf("%s sent X-Forwarded-For and is not trusted (last noted %s): all its visitors share the limits of one address",
			peer, seen.Local().Format(time.DateTime)),
			"if it is your proxy, add it to ARPENT_TRUSTED_PROXIES; if not, delete " + quoted(c.State("untrusted-proxy"))}
	}
	if len(c.TrustedProxies) == 0 {
		return finding{subject: "proxy", seen: "none is trusted, and none was noticed"}
	}
	return finding{subject: "proxy", seen: "trusted: " + strings.Join(c.TrustedProxies, ", ")}
}
