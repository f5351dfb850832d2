package web

import "time"

// rhythms are how often producers renew their data, in words.
var rhythms = map[string][2]string{
	"daily": {"chaque jour", "daily"}, "weekly": {"chaque semaine", "weekly"}, "monthly": {"chaque mois", "monthly"},
	"quarterly": {"chaque trimestre", "quarterly"}, "half-yearly": {"chaque semestre", "twice a year"}, "yearly": {"chaque année", "yearly"},
	"irregularly": {"sans calendrier", "without a schedule"}, "once": {"une seule édition", "a single edition"},
}

// RhythmIn formats how often a producer renews its data.
func (s Source) RhythmIn(l Lang) string {
	words, known := rhythms[s.Rhythm]
	if !known {
		return l.Pick("fréquence inconnue", "frequency not known")
	}
	return l.Pick(words[0], words[1])
}

// FreshnessIn says whether what is served is the newest edition, as far as this server knows;
// empty: it never asked, and it is not time to.
func (s Source) FreshnessIn(l Lang, now time.Time) string {
	switch {
	case s.Problem:
		return l.Pick("une édition plus récente n’a pas pu être chargée", "a newer edition could not be loaded")
	case s.Late(now):
		return l.Pick("en retard : à vérifier depuis le ", "late: should have been checked by ") + l.Day(s.DueAt)
	case s.CheckedAt.IsZero():
		return ""
	}
	return l.Pick("à jour, vérifié le ", "current, checked on ") + l.Day(s.CheckedAt)
}
