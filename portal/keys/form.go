package keys

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/auth/apikey"
	"arpent/auth/management"
	"arpent/auth/webhook"
	"arpent/internal/clock"
	"arpent/internal/httpbody"
	"arpent/web"
)

// readForm reads a form about a key. The values are kept as they were typed, to be shown again.
func readForm(c *fiber.Ctx) KeyForm {
	return parseFields(func(name string) string { return httpbody.Field(c, name) })
}

func parseFields(field func(name string) string) KeyForm {
	text := func(name string) string {
		return strings.ToValidUTF8(strings.ReplaceAll(field(name), "\x00", ""), "\ufffd")
	}
	return KeyForm{Name: text("name"), Expires: text("expires"), ExpiresOn: text("expires_on"),
		RefuseInQuery: field("refuse_in_query") != "", PerDay: strings.TrimSpace(text("per_day")),
		Networks: text("networks")}
}

// encodeTyped is a form that came back as one text, to be kept while the language changes.
func (f KeyForm) encodeTyped() string {
	values := url.Values{"name": {f.Name}, "expires": {f.Expires}, "expires_on": {f.ExpiresOn},
		"per_day": {f.PerDay}, "networks": {f.Networks}, "kept": {f.Kept}}
	for _, field := range []string{"name", "expires", "per_day", "networks"} {
		if f.Problems[field] != "" {
			values.Set("kept", field)
		}
	}
	if f.RefuseInQuery {
		values.Set("refuse_in_query", "yes")
	}
	return values.Encode()
}

// parseKept reads it; false: none was kept.
func parseKept(typed string) (f KeyForm, ok bool) {
	values, err := url.ParseQuery(typed)
	if err != nil || !values.Has("kept") {
		return KeyForm{}, false
	}
	f = parseFields(values.Get)
	f.Kept = values.Get("kept")
	return f, true
}

// parseExpiry returns when a key expires: at the end of a day in Paris.
func parseExpiry(f KeyForm, now time.Time) (*time.Time, error) {
	switch f.Expires {
	case "", "never":
		return nil, nil
	case "date":
		day, err := time.Parse(time.DateOnly, f.ExpiresOn)
		end := clock.Day(day).End()
		if err != nil || !end.After(now) {
			return nil, apikey.ErrExpiry
		}
		return &end, nil
	}
	days, err := strconv.Atoi(f.Expires)
	if err != nil || days != 30 && days != 90 && days != 365 {
		return nil, apikey.ErrExpiry
	}
	return new((clock.Day(now) + clock.Date(days)).End()), nil
}

// parseRestriction joins the errors of the cap and of the networks.
func parseRestriction(f KeyForm) (r apikey.Restriction, err error) {
	r.RefuseInQuery = f.RefuseInQuery
	if f.PerDay != "" {
		digits := strings.Map(func(c rune) rune {
			if c == ' ' || c == '\u00a0' || c == '\u202f' {
				return -1 // how French writes thousands
			}
			return c
		}, f.PerDay)
		n, _ := strconv.Atoi(digits) // of what is no number 0, or the largest one: neither is a cap
		r.PerDay = &n
	}
	var networksErr error
	r.Networks, networksErr = apikey.ParseNetworks(f.Networks)
	_, err = r.Check()
	return r, errors.Join(err, networksErr)
}

// problemTexts are the texts of the errors of the forms, with the field next to which each is shown.
var problemTexts = []struct {
	err                    error
	field, french, english string
}{
	{apikey.ErrUnconfirmed, "", "Confirmez d’abord votre adresse\u00a0: le lien est dans le message que nous vous avons envoyé.", "Confirm your address first: the link is in the message that we sent you."},
	{apikey.ErrNameText, "name", "Un nom est un texte, sans caractère invisible.",
		"A name is text, without invisible characters."},
	{apikey.ErrNameLength, "name", "Donnez un nom de 1 à 60\u00a0caractères.", "Give a name of 1 to 60 characters."},
	{apikey.ErrNameReserved, "name", "Les noms qui commencent par «\u00a0MCP ·\u00a0» sont ceux des assistants. Choisissez-en un autre.", "Names that begin with “MCP ·” are those of assistants. Choose another."},
	{apikey.ErrNameTaken, "name", "Une de vos clés porte déjà ce nom. Si vous venez d’envoyer ce formulaire deux fois, la première clé a été créée et celle-ci ne l’est pas\u00a0: remplacez la première si vous ne l’avez pas copiée.", "One of your keys has this name already. If you have just sent this form twice, the first key was created and this one is not: replace the first if you have not copied it."},
	{apikey.ErrTooMany, "", "Vous avez déjà 20 clés. Révoquez d’abord celle qui ne sert plus.",
		"You have 20 keys already. Revoke one that is no longer used first."},
	{apikey.ErrExpiry, "expires", "Choisissez un jour à venir, ou aujourd’hui.",
		"Choose a day to come, or today."},
	{apikey.ErrPerDay, "per_day", "Un nombre entier de requêtes, de 1 à 1\u202f000\u202f000\u202f000.",
		"A whole number of requests, from 1 to 1,000,000,000."},
	{apikey.ErrOverlap, "", "Choisissez l’une des durées proposées.", "Choose one of the times offered."},
	{apikey.ErrReplaced, "", "Cette clé est déjà remplacée. Si vous venez d’envoyer ce formulaire deux fois, la première nouvelle clé a été créée et il n’y en a pas de seconde.", "This key is replaced already. If you have just sent this form twice, the first new key was created and there is no second one."},
	{apikey.ErrAssistant, "", "La clé d’un assistant ne se renomme ni ne se remplace\u00a0: révoquez-la et reliez l’assistant de nouveau.", "An assistant’s key is neither renamed nor replaced: revoke it and connect the assistant again."},
	{apikey.ErrNetworks, "networks", "", ""}, // see networksText

	{management.ErrUnconfirmed, "", "Confirmez d’abord votre adresse\u00a0: le lien est dans le message " +
		"que nous vous avons envoyé.", "Confirm your address first: the link is in the message that we " +
		"sent you."},
	{management.ErrNameTaken, "name", "Un jeton porte déjà ce nom. Si vous venez d’envoyer ce formulaire " +
		"deux fois, le premier jeton a été créé et celui-ci ne l’est pas\u00a0: révoquez le premier si " +
		"vous ne l’avez pas copié.", "A token has this name already. If you have just sent this form " +
		"twice, the first token was created and this one is not: revoke the first if you have not copied " +
		"it."},
	{management.ErrScopes, "scopes", "Cochez au moins une des lectures proposées.",
		"Tick at least one of the things to read."},
	{management.ErrLifetime, "days", "Choisissez l’une des durées proposées.",
		"Choose one of the times offered."},
	{management.ErrTooMany, "", "Il y a déjà 20 jetons. Révoquez d’abord celui qui ne sert plus.",
		"There are 20 tokens already. Revoke one that is no longer used first."},

	{webhook.ErrUnconfirmed, "", "Confirmez d’abord votre adresse\u00a0: le lien est dans le message que nous vous " +
		"avons envoyé.", "Confirm your address first: the link is in the message that we sent you."},
	{webhook.ErrURL, "url", "Donnez une adresse qui commence par https://, sans identifiant, sans # et sans autre " +
		"port que 443, de 500\u00a0caractères au plus.",
		"Give an address that begins with https://, without a user, a # or another port than 443, of at most " +
			"500 characters."},
	{webhook.ErrHost, "url", "Cette adresse n’est pas celle d’un serveur public d’Internet\u00a0: rien ne peut y " +
		"être envoyé.", "This is not the address of a server of the public Internet: nothing can be sent to it."},
	{webhook.ErrEvents, "events", "Cochez au moins un événement.", "Tick at least one event."},
	{webhook.ErrTaken, "url", "Un webhook a déjà cette adresse. Si vous venez d’envoyer ce formulaire deux fois, le " +
		"premier a été ajouté\u00a0: remplacez son secret si vous ne l’avez pas copié.",
		"A webhook has this address already. If you have just sent this form twice, the first one was added: " +
			"replace its secret if you have not copied it."},
	{webhook.ErrTooMany, "", "Il y a déjà 5 webhooks. Supprimez d’abord celui qui ne sert plus.",
		"There are 5 webhooks already. Delete one that is no longer used first."},
	{webhook.ErrOn, "", "Ce webhook est déjà actif.", "This webhook is on already."},
	{webhook.ErrBusy, "", "Dix envois à la main par minute au plus. Réessayez dans une minute.",
		"At most ten events a minute are sent by hand. Try again in a minute."},
}

// problemsOf returns the texts for an error by field; nil if it is not one of the forms.
func problemsOf(l web.Lang, err error) Problems {
	var all Problems
	for _, t := range problemTexts {
		if errors.Is(err, t.err) {
			if all == nil {
				all = Problems{}
			}
			all[t.field] = l.Pick(t.french, t.english)
		}
	}
	return all
}

// keyProblems is problemsOf for a form about a key.
func keyProblems(l web.Lang, err error, f KeyForm) Problems {
	all := problemsOf(l, err)
	if errors.Is(err, apikey.ErrNetworks) {
		all["networks"] = networksText(l, f.Networks)
	}
	return all
}

// networksText names the first word that is not a network.
func networksText(l web.Lang, typed string) string {
	for _, word := range strings.FieldsFunc(typed,
		func(r rune) bool { return strings.ContainsRune(" \t\r\n,;\u00a0\u202f", r) }) {
		if _, err := apikey.ParseNetworks(word); err == nil {
			continue
		}
		if r := []rune(word); len(r) > 40 {
			word = string(r[:39]) + "…"
		}
		return l.Pick("«\u00a0"+word+"\u00a0» n’est ni une adresse IP ni une plage. Exemples\u00a0: 203.0.113.7, 2001:db8::/32.",
			"“"+word+"” is neither an IP address nor a range. Examples: 203.0.113.7, 2001:db8::/32.")
	}
	return l.Pick("50 réseaux au plus.", "50 networks at most.")
}
