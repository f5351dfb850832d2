package social

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/markbates/goth"
	"github.com/markbates/goth/providers/azureadv2"

	"arpent/auth"
	"arpent/internal/clock"
)

const (
	microsoftOrigin   = "https://login.microsoftonline.com"
	microsoftPersonal = "https://login.live.com"               // personal accounts sign in there
	consumersTenant   = "9188040d-6c67-4c5b-b112-36a304b66dad" // the one tenant of all personal accounts
	maxTenants        = 64                                     // whose keys are remembered
)

var (
	tenantForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	issuerForm = regexp.MustCompile(`^` + regexp.QuoteMeta(microsoftOrigin) +
		`/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/v2\.0$`)
)

// setUpMicrosoft uses goth's azureadv2, for its microsoftonline only knows the tenant "common".
func setUpMicrosoft(p *provider, client *http.Client, c clock.Clock) error {
	tenant := cmp.Or(strings.ToLower(p.Issuer), "common")
	switch tenant {
	case "common", "organizations", "consumers":
	default:
		// A domain name would do for Microsoft, but leaves us without the issuer to compare with.
		if !tenantForm.MatchString(tenant) {
			return fmt.Errorf("tenant %q is none of common, organizations, consumers or a tenant id such as %s",
				excerptText(tenant), consumersTenant)
		}
	}
	m := &microsoft{tenant: tenant, clientID: p.ClientID, client: client, clock: c,
		tenants: map[string]verifyFunc{}}
	p.pinOptions(protocol{
		goth: func(client *http.Client) goth.Provider {
			g := azureadv2.New(p.ClientID, p.ClientSecret, p.callback, azureadv2.ProviderOptions{
				Tenant: azureadv2.TenantType(tenant),
				// tid needs profile
				Scopes: []azureadv2.ScopeType{azureadv2.OpenIDScope, azureadv2.ProfileScope, azureadv2.EmailScope},
			})
			g.HTTPClient = client
			return g
		},
		tokenURL:     microsoftOrigin + "/" + tenant + "/oauth2/v2.0/token",
		reauthPrompt: "login",
		verify:       m.verifyToken,
		readClaim:    readMicrosoft,
	}, microsoftOrigin, microsoftPersonal)
	return nil
}

type verifyFunc = func(context.Context, string) (*oidc.IDToken, error)

// microsoft verifies tokens of any tenant that may sign in. The issuer differs with the
// tenant, and so do the keys: those that "common" lists sign for all tenants, so the keys are
// asked of the very tenant that the token names.
type microsoft struct {
	tenant, clientID string
	client           *http.Client
	clock            clock.Clock

	mu      sync.Mutex
	tenants map[string]verifyFunc
}

func (m *microsoft) verifyToken(ctx context.Context, raw string) (*oidc.IDToken, error) {
	tenant, err := parseTenant(raw)
	if err != nil {
		return nil, err
	}
	allowed := tenant == m.tenant
	switch m.tenant {
	case "common":
		allowed = true
	case "organizations":
		allowed = tenant != consumersTenant
	case "consumers":
		allowed = tenant == consumersTenant
	}
	if !allowed {
		return nil, fmt.Errorf("the tenant %s may not sign in here", tenant)
	}
	return m.tenantVerifier(tenant)(ctx, raw)
}

// parseTenant reads the issuer before the signature is checked, only to know with whose keys to check it.
func parseTenant(raw string) (string, error) {
	parts := strings.Split(raw, ".")
	if len(parts) != 3 {
		return "", errors.New("id_token is not a JWS")
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return "", errors.New("id_token is not a JWS")
	}
	var c struct {
		Issuer string `json:"iss"`
	}
	if err := json.Unmarshal(payload, &c); err != nil {
		return "", errors.New("id_token is not a JWS")
	}
	found := issuerForm.FindStringSubmatch(c.Issuer)
	if found == nil {
		return "", fmt.Errorf("its issuer is %q, no tenant of Microsoft", excerptText(c.Issuer))
	}
	return found[1], nil
}

func (m *microsoft) tenantVerifier(tenant string) verifyFunc {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v, ok := m.tenants[tenant]; ok {
		return v
	}
	if len(m.tenants) >= maxTenants {
		clear(m.tenants) // asked again when needed: one more question to Microsoft
	}
	base := microsoftOrigin + "/" + tenant
	v := newVerifier(m.client, m.clock, m.clientID, base+"/v2.0", base+"/discovery/v2.0/keys")
	m.tenants[tenant] = v
	return v
}

// readMicrosoft names a person by tenant and subject: Microsoft promises that the two together are unique.
func readMicrosoft(_ context.Context, r reply) (auth.Claim, error) {
	tenant := strings.TrimSuffix(strings.TrimPrefix(r.token.Issuer, microsoftOrigin+"/"), "/v2.0")
	return auth.Claim{
		Subject:       tenant + "/" + r.token.Subject,
		Email:         r.claims.Email,
		EmailVerified: bool(r.claims.DomainOwner || r.claims.EmailVerified),
	}, nil
}
