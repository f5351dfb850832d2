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

	// organisationWords occur in the names of organisations and are no names of persons; organisationStarts
	// are how such words begin, and organisationPhrases are several words between spaces.
	organisationWords, organisationStarts, organisationPhrases = readOrganisations(organisationText)

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
	notLetters     = regexp.MustCompile(`[^A-Z]`)
	codeLike       = regexp.MustCompile(`^[A-Z]+\d`) // F1, CO2
	withinWords    = strings.NewReplacer("'", " ", "’", " ", "-", " ")
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
		if !isOrganisationPart(wordsOf(part), known) {
			return false
		}
	}
	return true
}

func isOrganisationPart(words []string, known bool) bool {
	if slices.ContainsFunc(words, func(w string) bool { return legalForms[w] }) {
		return true
	}
	if hasCivilityAtEnd(words) {
		return false
	}
	text, named := " "+withinWords.Replace(strings.Join(words, " "))+" ", 0
	for _, w := range words {
		if strings.ContainsFunc(w, unicode.IsLetter) { // else it is the number of a branch
			named++
		}
	}
	return named == 0 || !known && named == 1 || slices.ContainsFunc(words, isOrganisationWord) ||
		slices.ContainsFunc(organisationPhrases, func(p string) bool { return strings.Contains(text, p) })
}

// isOrganisationWord reports whether no person is called by such a word: a known one, one of letters and
// digits, or one of three letters or more without a vowel. Two may be initials, as in DURAND JP, and words
// behind L' are in surnames: L'HOPITAL.
func isOrganisationWord(w string) bool {
	isVowelless := len(notLetters.ReplaceAllString(w, "")) > 2 && !strings.ContainsAny(w, "AEIOUYŒÆ")
	if codeLike.MatchString(w) || isVowelless && !civilities[w] && w != "CHR" { // short for Christian
		return true
	}
	if strings.HasPrefix(w, "L'") || strings.HasPrefix(w, "L’") {
		return false
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

// foldName writes a name in capitals without accents, and S.A. or R.A.T.P. without dots.
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
		if short := strings.ReplaceAll(form, ".", ""); legalForms[short] || personalForms[short] ||
			len(short) > 2 && organisationWords[short] {
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

// readOrganisations reads the list: a word that ends in * is how words begin, and _ joins those of a phrase.
func readOrganisations(text string) (words map[string]bool, starts, phrases []string) {
	words = setOf(text)
	for w := range words {
		if start, is := strings.CutSuffix(w, "*"); is {
			starts = append(starts, start)
			delete(words, w)
		}
		if strings.Contains(w, "_") {
			phrases = append(phrases, " "+strings.ReplaceAll(w, "_", " ")+" ")
			delete(words, w)
		}
	}
	return words, starts, phrases
}
