package reference

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"arpent/api"
	"arpent/api/recorded"
	"arpent/web"
)

// Console is the form on the page of an operation that makes a call, with what came of it. The form is sent
// to the address of the page; the handler of that address decides for which account the call is made.
type Console struct {
	Member bool       // somebody is signed in: the parameters are theirs to choose. Others choose a place
	Values url.Values // what the form holds, by parameter
	Place  int        // which place is chosen
	Notice Notice     // why no call was made
	Answer *Answer    // what was answered; nil: nothing was sent yet, or no call was made
	Left   int        // of an anonymous client: how many calls are left today
}

// The fields of the form. Those of parameters begin with Argument.
const (
	FieldPlace  = "place"  // of an anonymous client: the number of the place
	FieldMember = "member" // the page was made for somebody who was signed in
	Argument    = "arg-"
)

// Answer is what the API answered to the call of a console.
type Answer struct {
	Address string // path and query
	Status  int
	Headers []api.Header
	Bytes   int // of the body
	Text    string
	Whole   bool // the text is the whole body
}

// maxShown is how many bytes of an answer a page shows: the report of a parcel and
// most outlines, not all communes of a région.
const maxShown = 64 << 10

// maxAddress is how many bytes of an address a page shows: more than any call that means something has.
const maxAddress = 2 << 10

// NewAnswer prepares an answer to be shown.
func NewAnswer(address string, a api.Shown) *Answer {
	text, whole := recorded.Lines(a.Body, maxShown)
	address = strings.ReplaceAll(address, "%2C", ",") // as people write lists
	if len(address) > maxAddress {
		address = address[:maxAddress] + "…"
	}
	return &Answer{Address: address, Status: a.Status, Headers: a.Headers, Bytes: len(a.Body), Text: text,
		Whole: whole}
}

func (a *Answer) statusText() string { return strconv.Itoa(a.Status) + " " + http.StatusText(a.Status) }

// chipClass is the class of the status.
func (a *Answer) chipClass() string {
	switch {
	case a.Status < 300:
		return "good"
	case a.Status < 500:
		return "wait"
	}
	return "bad"
}

// sizeText says how long the body is, and how much of it is shown.
func (a *Answer) sizeText(l web.Lang) string {
	text := l.Count(a.Bytes, "octet", "byte")
	if !a.Whole {
		text += l.Pick(", dont les "+l.Number(maxShown>>10)+"\u00a0premiers kio mis en forme sont affichés",
			", of which the first "+l.Number(maxShown>>10)+" KiB are shown, formatted")
	}
	return text
}

// Notice is why no call was made.
type Notice string

// The notices.
const (
	NoTriesLeft  Notice = "tries"       // an anonymous client has used its own
	Busy         Notice = "busy"        // all anonymous clients together have used theirs of this minute
	TooFast      Notice = "fast"        // the network of an anonymous client sends too much
	Ended        Notice = "ended"       // the session of the page has ended
	Stale        Notice = "stale"       // the page is out of date
	RoleForbids  Notice = "role"        // the role of the visitor in the organisation does not allow calls
	FactorNeeded Notice = "factor"      // the organisation requires a second factor, which the session lacks
	Unconfirmed  Notice = "unconfirmed" // the e-mail address of the account is not confirmed
)

// notices say what happened and what to do, in French and in English.
var notices = web.Texts{
	string(NoTriesLeft): {"Les trois essais de ce réseau sont utilisés pour aujourd’hui. Un compte gratuit en donne bien plus, avec les paramètres de votre choix.",
		"This network has used its three tries for today. A free account gives many more, with parameters of your choice."},
	string(Busy): {"Beaucoup de personnes essaient l’API sans compte en ce moment. Réessayez dans une minute\u00a0: cet essai n’a pas été compté.",
		"Many people are trying the API without an account at this moment. Try again in a minute: this try was not counted."},
	string(TooFast): {"Trop de requêtes sans clé viennent de ce réseau. Réessayez dans une minute\u00a0: cet essai n’a pas été compté.",
		"Too many requests without a key come from this network. Try again in a minute: this try was not counted."},
	string(Ended): {"Votre session est terminée\u00a0: aucune requête n’a été faite. Connectez-vous de nouveau.",
		"Your session has ended: no request was made. Sign in again."},
	string(Stale): {"Cette page était ouverte depuis trop longtemps\u00a0: aucune requête n’a été faite. Rechargez-la, puis recommencez.",
		"This page was open for too long: no request was made. Reload it, then try again."},
	string(RoleForbids): {"Votre rôle dans l’organisation choisie ne permet pas d’utiliser la console\u00a0: aucune requête n’a été faite. Choisissez votre compte ou une autre organisation.",
		"Your role in the organisation that is chosen does not allow the console: no request was made. Choose your account or another organisation."},
	string(FactorNeeded): {"L’organisation choisie exige un second facteur\u00a0: aucune requête n’a été faite. Ouvrez votre compte pour en ajouter un.",
		"The organisation that is chosen requires a second factor: no request was made. Open your account to add one."},
	string(Unconfirmed): {"Confirmez d’abord votre adresse e-mail\u00a0: nous vous avons envoyé un lien. Aucune requête n’a été faite.",
		"Confirm your email address first: we sent you a link. No request was made."},
}

// whenText says whether a parameter has to be given.
func (a argument) whenText(l web.Lang) string {
	if a.When == "required" {
		return l.Pick("obligatoire", "required")
	}
	return l.Pick("facultatif", "optional")
}

// triesText says how many tries are left.
func (v view) triesText() string {
	if v.console.Left == 0 {
		return v.Lang.Pick("C’était le dernier essai du jour.", "This was the last try of today.")
	}
	return v.Lang.Pick("Encore "+v.Lang.Count(v.console.Left, "essai", "try")+" aujourd’hui.",
		strconv.Itoa(v.console.Left)+" more today.")
}

// noticeLink is where to go on after a notice, with its words; empty: nowhere.
func (v view) noticeLink() (path, words string) {
	next := "?next=" + url.QueryEscape(v.shown.pagePath())
	switch v.console.Notice {
	case NoTriesLeft:
		return v.Frame.Link("/signup" + next), v.Lang.Pick("Créer un compte", "Create an account")
	case Ended:
		return v.Frame.Link("/signin" + next), v.Lang.Pick("Se connecter", "Sign in")
	case Stale:
		return v.Frame.Link(v.shown.pagePath()), v.Lang.Pick("Recharger la page", "Reload the page")
	}
	return "", ""
}

// argument is a parameter as the form has it.
type argument struct {
	field
	Choices []string // of include
	Value   string
	Listed  bool // what it may hold is listed with the parameters
	Number  bool
}

func (a argument) fieldName() string { return Argument + a.Name }

func (v view) formArguments() (out []argument) {
	for _, f := range v.shown.Parameters {
		a := argument{field: f, Value: v.console.Values.Get(f.Name)}
		i := slices.IndexFunc(v.shown.Params, func(p api.Param) bool { return p.Name == f.Name })
		if i < 0 {
			for _, value := range v.shown.Include {
				a.Choices = append(a.Choices, value.Name)
			}
		} else {
			a.Listed, a.Number = v.shown.Params[i].Values != nil, v.shown.Params[i].Type == "number"
		}
		out = append(out, a)
	}
	return out
}

func (a argument) isChosen(choice string) bool {
	return slices.Contains(strings.Split(a.Value, ","), choice)
}

// Find returns the operation of a page; nil: there is none.
func (p *Pages) Find(name string) *api.Operation {
	if i := p.operationIndex(name); i >= 0 {
		return &p.operations[i].Operation
	}
	return nil
}

// Called returns the page of an operation with the result of a call, or without whole the part that changes.
func (p *Pages) Called(f web.Frame, name string, c Console, whole bool) templ.Component {
	o := &p.operations[p.operationIndex(name)]
	if c.Values == nil {
		c.Values = o.Values(o.Example)
	}
	v := p.newView(f, o)
	v.console = &c
	if whole {
		return operationPage(v)
	}
	return consoleAnswer(v)
}
