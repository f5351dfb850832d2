package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"arpent/app"
	"arpent/billing/meter/shared"
	"arpent/internal/config"
	"arpent/internal/pgdb"
	"arpent/internal/trace"
)

func examineRedis(ctx context.Context, c config.Config) finding {
	if c.RedisURL == "" {
		return finding{subject: "redis", seen: "not used: this instance counts on its own"}
	}
	client, err := shared.Client(c.RedisURL.Reveal())
	if err != nil {
		return finding{"redis", "ARPENT_REDIS_URL cannot be read",
			"write it as redis://host:6379/0 or unix:///path"}
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	if err := client.Ping(ctx).Err(); err != nil {
		return finding{"redis", "does not answer: " + err.Error(),
			"start it, or unset ARPENT_REDIS_URL on a single instance"}
	}
	return finding{subject: "redis", seen: "answers"}
}

// examineReplicas looks at each server of ARPENT_DATABASE_READ_URLS.
func examineReplicas(ctx context.Context, c config.Config, url string) (out []finding) {
	if len(c.ReadURLs()) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	primary, err := pgdb.Open(ctx, url, pgdb.Options{MaxConns: 1, AppName: "arpent doctor", Role: pgdb.Read})
	if err != nil {
		return []finding{{"replicas", err.Error(), "see the message"}}
	}
	defer primary.Close()
	replicas, err := pgdb.NewReplicas(primary, c.ReadURLs())
	if err != nil {
		return []finding{{"replicas", err.Error(), "correct ARPENT_DATABASE_READ_URLS"}}
	}
	why := replicas.Examine(ctx)
	for _, name := range slices.Sorted(maps.Keys(why)) {
		if why[name] == "" {
			out = append(out, finding{subject: "replica", seen: name + " has what the primary has"})
		} else {
			out = append(out, finding{"replica", name + ": " + why[name],
				"docs/scaling.md says which servers can be read from; until then the primary is"})
		}
	}
	return out
}

// examineCollector sends an empty message to the collector of traces.
func examineCollector(ctx context.Context, c config.Config) finding {
	if c.Collector == "" {
		return finding{subject: "traces", seen: "none: there is no collector"}
	}
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	if err := trace.New(trace.Options{Endpoint: c.Collector}).Check(ctx); err != nil {
		return finding{"traces", err.Error(), "see that an OpenTelemetry collector takes OTLP over HTTP at OTEL_EXPORTER_OTLP_ENDPOINT; requests are served all the same"}
	}
	return finding{subject: "traces", seen: "the collector takes them"}
}

// examineSignIn asks the providers of sign-in that describe themselves at an address of the operator's
// choice.
func examineSignIn(ctx context.Context, c config.Config) []finding {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	faults, err := app.CheckSignIn(ctx, c)
	if err != nil {
		return []finding{{"sign-in", err.Error(), "correct the settings of that provider (docs/settings.md)"}}
	}
	var out []finding
	for _, name := range slices.Sorted(maps.Keys(faults)) {
		if faults[name] == nil {
			out = append(out, finding{subject: "sign-in", seen: name + " is offered"})
			continue
		}
		out = append(out, finding{"sign-in", name + ": " + faults[name].Error(),
			"see that the issuer runs, and correct ARPENT_" +
				strings.ToUpper(name) + "_ISSUER; until then users cannot sign in by it"})
	}
	return out
}

// examineProxy reports a proxy that passes requests on and is not trusted to say for whom.
func examineProxy(c config.Config) finding {
	if peer, seen, ok := app.UntrustedProxy(c); ok {
		return finding{"proxy", fmt.Sprintf("%s sent X-Forwarded-For and is not trusted (last noted %s): all its visitors share the limits of one address",
			peer, seen.Local().Format(time.DateTime)),
			"if it is your proxy, add it to ARPENT_TRUSTED_PROXIES; if not, delete " +
				quoteShell(c.State("untrusted-proxy"))}
	}
	if len(c.TrustedProxies) == 0 {
		return finding{subject: "proxy", seen: "none is trusted, and none was noticed"}
	}
	return finding{subject: "proxy", seen: "trusted: " + strings.Join(c.TrustedProxies, ", ")}
}
