package auth_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/internal/mail"
)

// person reads the mail of some addresses and acts on all.
type person struct {
	name      string
	addresses []string
	browsers  [2]string // the cookie of the last sign-up in each
	passwords []string
	sessions  []string
}

// ownership plays people against each other, each of whom knows the addresses of all.
type ownership struct {
	*world
	r      *rand.Rand
	people []*person
	setBy  map[string]*person // who chose the password of a hash
	steps  []string
}

func (m *ownership) ownerOf(email string) *person {
	for _, p := range m.people {
		if slices.Contains(p.addresses, email) {
			return p
		}
	}
	return nil
}

func pickRandom[T any](r *rand.Rand, list []T) (one T) {
	if len(list) > 0 {
		one = list[r.IntN(len(list))]
	}
	return one
}

// link is one of the links for some purpose in the mails of a person, mostly a new one; empty: there is none.
func (m *ownership) mailed(p *person, purpose string) string {
	var links []string
	for _, j := range m.mails() {
		if j.Link == nil || j.Link.Purpose != purpose || m.ownerOf(j.To) != p {
			continue
		}
		token, err := m.LinkToken(m.t.Context(), j.Link.Purpose, j.Link.ID)
		if err == nil {
			links = append(links, token)
		} else if !errors.Is(err, mail.ErrNoLink) {
			m.t.Fatal(err)
		}
	}
	if len(links) > 0 && m.r.IntN(3) > 0 {
		return links[len(links)-1]
	}
	return pickRandom(m.r, links)
}

func (m *ownership) password(p *person) string {
	password := fmt.Sprintf("%s choisit le mot numero %d", p.name, len(p.passwords))
	p.passwords = append(p.passwords, password)
	return password
}

// step does one thing as p. Problems are answers like others.
func (m *ownership) step(p *person, email string) (what string, err error) {
	ctx, o, browser := m.t.Context(), originAt(fmt.Sprintf("192.0.2.%d", 1+m.r.IntN(250))), m.r.IntN(2)
	var in auth.SignedIn
	switch what = pickRandom(m.r, []string{"sign up", "sign up", "confirm", "confirm", "confirm", "resend", "forgot", "reset", "sign in", "sign in",
		"identity", "verified identity", "move", "moved", "link", "delete", "scan", "clean"}); what {
	case "sign up":
		p.browsers[browser], err = m.SignUp(ctx, email, m.password(p), o)
	case "confirm":
		var opened *auth.SignedIn
		if opened, err = m.ConfirmEmail(ctx, m.mailed(p, "confirm"), p.browsers[browser], pickRandom(m.r, []string{"", m.password(p)}), o); opened != nil {
			in = *opened
		}
	case "resend":
		err = m.ResendConfirmation(ctx, email, p.browsers[browser], o)
	case "forgot":
		err = m.RequestReset(ctx, email, o)
	case "reset":
		err = m.ResetPassword(ctx, m.mailed(p, "reset"), m.password(p), o)
	case "sign in":
		in, err = m.SignIn(ctx, email, pickRandom(m.r, p.passwords), o)
	case "identity", "verified identity":
		verified := what != "identity" && m.ownerOf(email) == p // a provider vouches for its user's own address only
		in, err = m.SignInWithIdentity(ctx, newClaim("github", p.name+fmt.Sprint(m.r.IntN(3)), email, verified), o)
		if in.Browser != "" {
			p.browsers[browser] = in.Browser
		}
	case "move", "moved", "link", "delete":
		var sess auth.Session
		token := pickRandom(m.r, p.sessions)
		if what == "delete" && len(p.sessions) > 0 { // takes a recent sign-in
			token = p.sessions[len(p.sessions)-1]
		}
		if sess, err = m.Session(ctx, token); err != nil {
			break
		}
		switch what {
		case "move":
			err = m.RequestEmailChange(ctx, sess, email, o)
		case "moved":
			err = m.ConfirmEmailChange(ctx, sess, m.mailed(p, "email"), o)
		case "delete":
			err = m.Delete(ctx, sess, o)
		default:
			err = m.LinkIdentity(ctx, sess, newClaim("gitlab", p.name+fmt.Sprint(m.r.IntN(3)), email, false), o)
		}
	case "scan": // of mails, by a mail scanner
		for _, purpose := range []auth.Purpose{auth.PurposeConfirm, auth.PurposeReset, auth.PurposeEmail} {
			if _, err = m.Look(ctx, purpose, m.mailed(m.ownerOf(email), string(purpose))); err != nil {
				break
			}
		}
	case "clean":
		m.clock.Advance(time.Duration(m.r.Int64N(int64(50 * time.Hour))))
		err = m.Clean(ctx)
	}
	if in.Token != "" {
		p.sessions = append(p.sessions, in.Token)
	}
	return what, err
}

// check fails the test when somebody holds what is another's: a session, or any way
// into an account whose address is confirmed.
func (m *ownership) check(acted *person) {
	m.t.Helper()
	for _, p := range m.people {
		for _, token := range p.sessions {
			if sess, err := m.Session(m.t.Context(), token); err == nil && m.ownerOf(sess.Email) != p {
				m.fail("%s is signed in as %s", p.name, sess.Email)
			}
		}
	}
	rows := testkit.Must(m.pool.Query(m.t.Context(), `
		SELECT a.email, a.email_confirmed_at IS NOT NULL, coalesce(a.password_hash, ''),
		    coalesce((SELECT string_agg(subject, ' ') FROM account.identity i WHERE i.account_id = a.id), '')
		FROM account.account a`))(m.t)
	defer rows.Close()
	for rows.Next() {
		var (
			email, hash, subjects string
			confirmed             bool
		)
		m.must(rows.Scan(&email, &confirmed, &hash, &subjects))
		if hash != "" && m.setBy[hash] == nil {
			m.setBy[hash] = acted
		}
		owner := m.ownerOf(email)
		if !confirmed {
			continue
		}
		if hash != "" && m.setBy[hash] != owner {
			m.fail("the password of %s is of %s", email, m.setBy[hash].name)
		}
		for subject := range strings.FieldsSeq(subjects) {
			if !strings.HasPrefix(subject, owner.name) {
				m.fail("%s is opened by the identity %s", email, subject)
			}
		}
	}
	m.must(rows.Err())
}

func (m *ownership) fail(format string, args ...any) {
	m.t.Helper()
	m.t.Fatalf(format+"\nafter:\n%s", append(args, strings.Join(m.steps, "\n"))...)
}

// No person ever holds what is not theirs, in whatever order people sign up, confirm, reset, sign in, move,
// delete and come by a provider with each other's addresses. The seed of a failure goes into the line below.
func TestPersonHoldsOnlyOwnAccount(t *testing.T) {
	w := newWorld(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	m := &ownership{world: w, r: rand.New(rand.NewPCG(seed, 0)), setBy: map[string]*person{}, people: []*person{
		{name: "owner", addresses: []string{"owner@exemple.fr", "nouvelle@exemple.fr"}},
		{name: "mallory", addresses: []string{"mallory@exemple.fr"}},
	}}
	addresses := []string{"owner@exemple.fr", "owner@exemple.fr", "nouvelle@exemple.fr", "mallory@exemple.fr"}
	deleted := 0
	for range testkit.Rounds(60, 5000) {
		m.clock.Advance(time.Duration(m.r.Int64N(int64(4 * time.Minute))))
		p, email := pickRandom(m.r, m.people), pickRandom(m.r, addresses)
		what, err := m.step(p, email)
		var problem *auth.Problem
		if err != nil && !errors.As(err, &problem) && !errors.Is(err, auth.ErrMailSent) && !errors.Is(err, auth.ErrNoSession) {
			m.fail("%s: %v", what, err)
		}
		m.steps = append(m.steps, fmt.Sprintf("%s: %s (%s): %v", p.name, what, email, err))
		if what == "delete" && err == nil {
			deleted++
		}
		m.check(p)
	}
	t.Logf("%d deletions", deleted)
}
