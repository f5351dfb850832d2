package landing

import (
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"arpent/internal/fault"
	"arpent/web"
)

// trouble is why a visitor does not see what they asked for, and what to do.
type trouble struct {
	status   int
	text     string
	coverage bool // what is loaded answers it
	account  bool // an account answers it
}

func describeError(l web.Lang, err error) *trouble {
	var limited *Limited
	switch {
	case errors.As(err, &limited) && limited.Own:
		wait := formatWait(l, limited.Wait)
		return &trouble{status: http.StatusTooManyRequests, account: true, text: l.Pick(
			"Vous avez ouvert toutes les parcelles que cette page montre sans compte. La suivante dans "+
				wait+"\u00a0; avec un compte gratuit, tout de suite.",
			"You have opened all the parcels that this page shows without an account. The next one in "+
				wait+"; with a free account, at once.")}
	case errors.As(err, &limited):
		wait := formatWait(l, limited.Wait)
		return &trouble{status: http.StatusTooManyRequests, text: l.Pick(
			"Beaucoup de visiteurs ouvrent des parcelles en ce moment. Réessayez dans "+wait+".",
			"Many visitors are opening parcels at this moment. Try again in "+wait+".")}
	case hasCode(err, fault.NotFound), hasCode(err, fault.InvalidParameter):
		return &trouble{status: http.StatusNotFound, coverage: true, text: l.Pick(
			"Cette parcelle n’est pas chargée sur ce serveur.", "This parcel is not loaded on this server.")}
	}
	if !hasCode(err, fault.Unavailable) {
		slog.Error("report of the first page not made", "error", err)
	}
	return &trouble{status: http.StatusServiceUnavailable, text: unavailableText(l)}
}

// unavailableText is said where there is no report to show.
func unavailableText(l web.Lang) string {
	return l.Pick("Le rapport ne peut pas être lu pour l’instant\u00a0: la base de données ne répond pas. Réessayez dans un instant.",
		"The report cannot be read at the moment: the database is not responding. Try again in a moment.")
}

func retrySeconds(d time.Duration) int { return max(1, int(math.Ceil(d.Seconds()))) }

// formatWait is how long to wait, in words.
func formatWait(l web.Lang, d time.Duration) string {
	if d <= time.Minute {
		return l.Count(retrySeconds(d), "seconde", "second")
	}
	return strconv.Itoa(int(math.Ceil(d.Minutes()))) + l.Pick("\u00a0minutes", " minutes")
}
