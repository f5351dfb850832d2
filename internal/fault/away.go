package fault

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// unavailableClasses are the prefixes of the SQLSTATE codes with which PostgreSQL refuses every client for
// now: connection lost, too many connections, disk full, shutdown, startup, read-only standby.
var unavailableClasses = []string{"08", "53", "57P", "25006"}

// isUnavailable reports whether err means that a dependency did not answer, or
// answers no client at the moment.
func isUnavailable(err error) bool {
	var (
		connect *pgconn.ConnectError
		network *net.OpError
		pg      *pgconn.PgError
	)
	if errors.As(err, &pg) && !errors.As(err, &connect) {
		return slices.ContainsFunc(unavailableClasses, func(class string) bool {
			return strings.HasPrefix(pg.Code, class)
		})
	}
	return errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, context.DeadlineExceeded) ||
		pgconn.SafeToRetry(err)
}
