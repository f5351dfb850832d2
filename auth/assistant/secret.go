package assistant

import (
	"crypto/sha256"
	"fmt"

	"arpent/auth/apikey"
)

// Everything that is handed out has the form of an API key, with a beginning of its own: a leak scanner finds it, and
// garbage is refused without a look-up.
const (
	clientMark  = "arpi_" // a client's identifier, which is no secret
	secretMark  = "arps_" // a client's secret
	codeMark    = "arpc_"
	accessMark  = "arpa_"
	refreshMark = "arpr_"
)

// challengeOf is the S256 challenge of a verifier.
func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64url(sum[:])
}

// anyToken reads a token of either kind.
func anyToken(presented string) (hash [32]byte, ok bool) {
	if hash, ok = apikey.Check(refreshMark, presented); ok {
		return hash, true
	}
	return apikey.Check(accessMark, presented)
}

func errorOf(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
