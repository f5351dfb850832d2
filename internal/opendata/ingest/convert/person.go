package convert

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"

	"arpent/internal/opendata/source"
)

// A register of establishments names sole traders as well: no answer has the name of a natural person.

var (
	//go:embed organisations.txt
	organisationText string

	// organisationWords occur in the names of organisations and in no name of a person; organisationStarts
	// are how such words begin.
	organisationWords, organisationStarts = readOrganisations(organisationText)

	// legalForms are those of legal persons. Those of a person alone (EI, EIRL) are not among them.
	legalForms = setOf("SA SAS SASU SARL EURL SNC SCI SCA SCEA SCOP SCP SCM SELARL SELAS SEM SPL GIE GAEC EARL GFA CUMA SICA EPIC GMBH LTD LIMITED " +
		"INC BV AG SPA PLC SE LLC OPHLM OPH HLM ASSOCIATION SOCIETE STE SIVOM SIVU SICTOM SIAAP SYNDICAT COMMUNE MAIRIE DEPARTEMENT REGION")

	civilities = setOf("M MR MRS MM MME MMES MLLE MLE MELLE MONSIEUR MESSIEURS MADAME MADEMOISELLE VVE VEUVE DR DOCTEUR ME MAITRE HERITIERS " +
		"EI EIRL INDIVISION CONSORTS SUCCESSION")

	// personalForms are, anywhere in a name, those of a person alone or of several together.
	personalForms = setOf("EI EIRL INDIVISION INDIVIS CONSORTS SUCCESSION SUCCESSIONS HERITIERS HOIRS HOIRIE")

	soleTrader = regexp.MustCompile(`ENTREPRENEUR INDIVIDUEL|ENTREPRISE INDIVIDUELLE`)

	// initialsOfForm are the dots in S.A., S.A.R.L. and E.I.
	initialsOfForm = regexp.MustCompile(`\b((?:\pL\.){2,}\pL?)`)
	partOfName     = regexp.MustCompile(`\s*[,;/]\s*|\s+-\s+|(?i:\bex(-|\s+))`)
	word           = regexp.MustCompile(`[\pL\d&+]+(?:['’-][\pL\d]+)*\.?`)
	civilTitle     = regexp.MustCompile(`(?i)(^|[^\pL])((m|mm)\.|mr|mrs|mme|mmes|mlle|melle|monsieur|messieurs|madame|mademoiselle|vve|veuve)[. ]+\pL`)
)

// withoutPerson returns a name, or an empty text when it is, or may be, that of a natural person.
func withoutPerson(rule source.Persons, name string) string {
	var withheld bool
	switch rule {
	case source.OrganisationName, source.KnownOrganisationName:
		withheld = !isOrganisation(name, rule == source.KnownOrganisationName)
	case source.PlaceName:
		withheld = civilTitle.MatchString(name)
	case source.LegalPersonName:
		withheld = civilTitle.MatchString(name) || mayBePerson(name)
	}
	if withheld {
		return ""
	}
	return name
}

// mayBePerson reports whether a name in a list of legal persons is that of a person, of heirs or of joint
// owners: by such a word, or by a civility at an end of one of its parts that has no legal form.
func mayBePerson(name string) bool {
	for _, part := range partOfName.Split(foldName(name), -1) {
		words := wordsOf(part)
		isForm := slices.ContainsFunc(words, func(w string) bool { return legalForms[w] })
		if slices.ContainsFunc(words, func(w string) bool { return personalForms[w] }) ||
			soleTrader.MatchString(part) || !isForm && hasCivilityAtEnd(words) {
			return true
		}
	}
	return false
}

// wordsOf are the words of a name, without the dots behind them.
func wordsOf(name string) []string {
	words := word.FindAllString(name, -1)
	for i := range words {
		words[i] = strings.TrimSuffix(words[i], ".")
	}
	return words
}

func hasCivilityAtEnd(words []string) bool {
	n := len(words)
	return n > 0 && (civilities[words[0]] || civilities[words[n-1]])
}

// isOrganisation reports whether a name is that of an organisation, each of its parts where it lists
// several. Of one word it is taken for that unless it has to be known; of several, none of which is known, it
// may be the surname and first name of a person.
func isOrganisation(name string, known bool) bool {
	for _, part := range partOfName.Split(foldName(name), -1) {
		words := wordsOf(part)
		isForm := slices.ContainsFunc(words, func(w string) bool { return legalForms[w] })
		isNamed := len(words) == 0 || !known && len(words) == 1 || slices.ContainsFunc(words, isOrganisationWord)
		if !isForm && (hasCivilityAtEnd(words) || !isNamed) {
			return false
		}
	}
	return true
}

// isOrganisationWord reports whether no name of a person has such a word: a known one, one with a digit, or
// one without a vowel.
func isOrganisationWord(w string) bool {
	if strings.ContainsAny(w, "0123456789&+") || len(w) > 1 && !strings.ContainsAny(w, "AEIOUY") {
		return true
	}
	for _, piece := range append(strings.FieldsFunc(w, func(r rune) bool {
		return r == '\'' || r == '’' || r == '-'
	}), w) {
		if organisationWords[piece] || organisationWords[strings.TrimSuffix(piece, "S")] ||
			slices.ContainsFunc(organisationStarts, func(start string) bool {
				return strings.HasPrefix(piece, start)
			}) {
			return true
		}
	}
	return false
}

// foldName writes a name in capitals without accents, and forms such as S.A. without their dots.
func foldName(name string) string {
	plain := strings.ToUpper(name)
	if strings.ContainsFunc(plain, func(r rune) bool { return r >= utf8.RuneSelf }) {
		withoutAccents := transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)), norm.NFC)
		if folded, _, err := transform.String(withoutAccents, plain); err == nil {
			plain = folded
		}
	}
	if !strings.Contains(plain, ".") {
		return plain
	}
	return initialsOfForm.ReplaceAllStringFunc(plain, func(form string) string {
		if short := strings.ReplaceAll(form, ".", ""); legalForms[short] || personalForms[short] {
			return short
		}
		return form
	})
}

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

func readOrganisations(text string) (words map[string]bool, starts []string) {
	words = setOf(text)
	for w := range words {
		if start, is := strings.CutSuffix(w, "*"); is {
			starts = append(starts, start)
			delete(words, w)
		}
	}
	return words, starts
}
