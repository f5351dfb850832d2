package assistant

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5"

	"arpent/auth/apikey"
	"arpent/internal/clientip"
	"arpent/internal/httpbody"
)

var (
	grantTypes  = []string{"authorization_code", "refresh_token"}
	authMethods = []string{"none", "client_secret_post", "client_secret_basic"}
)

// postRegister is RFC 7591: any client may register, and has access to nothing until an account lets it in.
func (s *Server) postRegister(ctx context.Context, c *fiber.Ctx) (int, map[string]any, error) {
	client, echo, err := readRegistration(httpbody.Raw(c))
	if err != nil {
		return 0, nil, err
	}
	client.ID, _ = apikey.Draw(clientMark)
	echo["client_id"] = client.ID
	echo["client_id_issued_at"] = s.o.Clock.Now().Unix()
	echo["client_secret_expires_at"] = 0 // never
	if client.method != "none" {
		secret, hash := apikey.Draw(secretMark)
		client.secretHash, echo["client_secret"] = hash[:], secret
	}
	client.network = clientip.Widest(s.clientAddress(c))
	if err := s.addClient(ctx, client); err != nil {
		return 0, nil, err
	}
	return fiber.StatusCreated, echo, nil
}

// readRegistration returns the client that a registration describes, and what of it is registered. What we do
// not know is passed over, and what is null is not there.
func readRegistration(body []byte) (Client, map[string]any, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(body, &m); err != nil || m == nil {
		return Client{}, nil, badRequest("invalid_client_metadata", "the body is not a JSON object")
	}
	redirects, err := readRedirects(m)
	if err != nil {
		return Client{}, nil, err
	}
	echo := map[string]any{"redirect_uris": redirects, "scope": Scope}
	for _, name := range []string{"client_name", "client_uri", "logo_uri", "tos_uri", "policy_uri",
		"software_id", "software_version",
		"application_type"} {
		text, there, err := stringMember(m, name)
		if err != nil {
			return Client{}, nil, badRequest("invalid_client_metadata", name+" is not a text")
		}
		// Clients read back what was registered, and some stop at an address that is none.
		if there && (!strings.HasSuffix(name, "_uri") || isWebAddress(text)) {
			echo[name] = text
		}
	}
	if contacts, err := stringListMember(m, "contacts"); err == nil && contacts != nil {
		echo["contacts"] = contacts
	}
	method, err := readMethods(m, echo)
	if err != nil {
		return Client{}, nil, err
	}
	name, _ := echo["client_name"].(string)
	uri, _ := echo["client_uri"].(string)
	return Client{Name: displayName(name, redirects), URI: safeHomePage(uri), method: method,
		redirects: redirects}, echo, nil
}

func readRedirects(m map[string]json.RawMessage) ([]string, error) {
	redirects, err := stringListMember(m, "redirect_uris")
	switch {
	case err != nil:
		return nil, badRequest("invalid_redirect_uri", "redirect_uris is not a list of texts")
	case len(redirects) == 0 || len(redirects) > maxRedirects:
		return nil, badRequest("invalid_redirect_uri", fmt.Sprintf("redirect_uris has 1 to %d entries",
			maxRedirects))
	}
	for _, uri := range redirects {
		if wrong := checkRedirect(uri); wrong != "" {
			return nil, badRequest("invalid_redirect_uri", wrong)
		}
	}
	return redirects, nil
}

// readMethods decides how the client proves who it is, and what it can ask for. It gets what we have of what
// it wants; only one that could do nothing here is rejected.
func readMethods(m map[string]json.RawMessage, echo map[string]any) (method string, err error) {
	method, there, err := stringMember(m, "token_endpoint_auth_method")
	if !there {
		method = "client_secret_basic" // what RFC 7591 says when nothing is said
	}
	if err != nil || !slices.Contains(authMethods, method) {
		return "", badRequest("invalid_client_metadata", "token_endpoint_auth_method is one of "+
			strings.Join(authMethods, ", "))
	}
	grants, err := stringListMember(m, "grant_types")
	if err != nil || len(grants) > 0 && !slices.Contains(grants, "authorization_code") {
		return "", badRequest("invalid_client_metadata", "grant_types has authorization_code")
	}
	responses, err := stringListMember(m, "response_types")
	if err != nil || len(responses) > 0 && !slices.Contains(responses, "code") {
		return "", badRequest("invalid_client_metadata", "response_types has code")
	}
	echo["token_endpoint_auth_method"] = method
	echo["grant_types"] = grantTypes // a refresh token is given to all, whether they asked for it
	echo["response_types"] = []string{"code"}
	return method, nil
}

// registrationBounds limits the clients that registered and that no account has let in yet. Anonymous clients
// can register, and hosted assistants register for all their users from a few networks: the network that
// fills the table is limited before others are.
type registrationBounds struct {
	limit int // beyond it some are forgotten, of the network that has most
	// Of one network, this many of the last hour are forgotten only when there are hardLimitFactor times limit
	// in all.
	keptPerNetwork int
	// A network with this many of the last hour has to wait, once the table is nearly full.
	perNetwork int
}

// Tuned on a flood of 11 500 registrations from one address within an hour (TestSoakFloodOfElevenThousand).
var defaultRegistrationBounds = registrationBounds{limit: 10_000, keptPerNetwork: 200, perNetwork: 500}

const (
	// hardLimitFactor is the end of it, however many networks an anonymous client has:
	// the table holds this many times limit.
	hardLimitFactor = 3
	// recentWindow is how long a person may take to sign up and agree.
	recentWindow = time.Hour
	// registerRetry is how long a network that has to wait is asked to wait.
	registerRetry = 5 * time.Minute
	// unusedClientKept is how long a client may wait for an account to let it in.
	unusedClientKept = 3 * 24 * time.Hour
)

// clientAddress is where a request comes from; invalid: it is not known.
func (s *Server) clientAddress(c *fiber.Ctx) netip.Addr {
	if s.o.Client != nil {
		return s.o.Client(c)
	}
	a, _ := netip.AddrFromSlice(c.Context().RemoteIP())
	return a
}

const countWaiting = `
SELECT count(*), count(*) FILTER (WHERE network IS NOT DISTINCT FROM $1 AND created_at > $2)
FROM account.assistant_client WHERE granted_at IS NULL`

// addClient keeps a new client, and the number of those who only registered within bounds.
func (s *Server) addClient(ctx context.Context, c Client) error {
	var (
		now           = s.o.Clock.Now()
		total, recent int
	)
	if err := s.o.DB.QueryRow(ctx, countWaiting, c.network, now.Add(-recentWindow)).Scan(&total,
		&recent); err != nil {
		return wrapUnavailable("count the clients that wait", err)
	}
	// Below four fifths no network is rejected, however many clients it registers.
	b := s.registrationLimits
	if total >= b.limit/5*4 && recent >= b.perNetwork {
		return &oauthError{status: fiber.StatusTooManyRequests, code: "temporarily_unavailable",
			wait: registerRetry,
			detail: "more than " + strconv.Itoa(b.perNetwork) +
				" clients from this network registered within the hour and no account has let them in: try again later"}
	}
	err := s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		return saveClient(ctx, tx, insertClient, c, now)
	})
	if err != nil {
		return wrapUnavailable("register a client", err)
	}
	if total++; total <= b.limit {
		return nil
	}
	// Some more are deleted than are too many: counting by network takes some time, and is not to be done at
	// every registration.
	_, err = s.o.DB.Exec(ctx, forgetLargest, now.Add(-recentWindow), b.keptPerNetwork, total-b.limit+b.limit/100)
	if err == nil && total > hardLimitFactor*b.limit {
		_, err = s.o.DB.Exec(ctx, forgetOldest, total-hardLimitFactor*b.limit)
	}
	if err != nil {
		slog.WarnContext(ctx, "unused client registrations not deleted, the next registration tries again",
			"error", err)
	}
	return nil
}

// The oldest of the network that has most go first. Of each network the first of the last hour stay: a person
// may be signing up for one of them, and registering more clients cannot push it out.
const forgetLargest = `
DELETE FROM account.assistant_client c WHERE c.granted_at IS NULL AND c.id IN (
    SELECT w.id FROM (
        SELECT id, created_at, count(*) OVER (PARTITION BY network) AS held,
            row_number() OVER (PARTITION BY network, created_at > $1 ORDER BY created_at, id) AS place
        FROM account.assistant_client WHERE granted_at IS NULL) w
    WHERE (w.created_at <= $1 OR w.place > $2) AND NOT EXISTS (SELECT FROM account.assistant_code k WHERE k.client_id = w.id)
    ORDER BY w.held DESC, w.created_at, w.id LIMIT $3)`

const forgetOldest = `
DELETE FROM account.assistant_client c WHERE c.granted_at IS NULL AND c.id IN (
    SELECT w.id FROM account.assistant_client w
    WHERE w.granted_at IS NULL AND NOT EXISTS (SELECT FROM account.assistant_code k WHERE k.client_id = w.id)
    ORDER BY w.created_at, w.id LIMIT $1)`
