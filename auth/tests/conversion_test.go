package auth_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/auth/management"
	"arpent/auth/member"
	"arpent/internal/audit"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
)

// A person whose account becomes an organisation stays signed in, and signs in by everything that they
// signed in by before: password, code, recovery code, passkey, third party and mailed link. A code that was
// used stays used.
func TestSignInGoesOn(t *testing.T) {
	w, ctx := newServingWorld(t), t.Context()
	token := w.enter(jeanne).Token
	sess := w.session(token)
	in, err := w.SignIn(ctx, jeanne, goodPassword, home)
	w.must(err)
	device := in.Device
	key := w.newPasskey()
	r := testkit.Must(w.BeginPasskey(ctx, sess))(t)
	testkit.Must(w.AddPasskey(ctx, sess, r.Sealed, key.Create(r.Options), home))(t)
	github := auth.Claim{Provider: "github", Subject: "4711", Email: jeanne, EmailVerified: true}
	testkit.Must(w.SignInWithIdentity(ctx, github, home))(t)
	e := testkit.Must(w.BeginTOTP(ctx, sess))(t)
	factor := e.Secret
	first := w.nextTOTP(factor)
	recovery := testkit.Must(w.EnableTOTP(ctx, sess, e.Sealed, first, home))(t)
	signIn := func(code string) (string, error) {
		t.Helper()
		in := testkit.Must(w.SignIn(ctx, jeanne, goodPassword, home))(t)
		done, err := w.FinishSignIn(ctx, in.Pending, code, home)
		return done.Token, err
	}
	second := testkit.Must(signIn(w.nextTOTP(factor)))(t)
	testkit.Must(signIn(recovery[0]))(t)
	w.must(w.RequestReset(ctx, jeanne, home))
	reset := w.link(mail.Reset)

	org := sess.Account
	known := home
	known.Device = device
	known.Device, err = w.BecomeOrganisation(ctx, w.session(token), org, " Cadastre  & Fils ", known)
	w.must(err)
	person := w.wantMember(token, org)
	w.wantMember(second, org)
	if !person.HasPassword || !person.HasTOTP || !person.HasPasskey || !person.Confirmed || person.Language != "fr" {
		t.Errorf("%+v", person)
	}
	w.want(testkit.ErrorOf(signIn(first)), auth.CodeCodeWrong)
	w.want(testkit.ErrorOf(signIn(recovery[0])), auth.CodeCodeWrong)
	for _, code := range []string{w.nextTOTP(factor), recovery[1]} {
		got := testkit.Must(signIn(code))(t)
		if w.wantMember(got, org).Account != person.Account {
			t.Error("another person signed in")
		}
	}
	if left, err := w.RecoveryCodesLeft(ctx, person); err != nil || left != len(recovery)-2 {
		t.Errorf("%d recovery codes, %v", left, err)
	}
	challenge := testkit.Must(w.BeginPasskeySignIn(ctx, "browser"))(t)
	in, err = w.SignInWithPasskey(ctx, "browser", challenge.Sealed, key.Sign(challenge.Options), home)
	w.must(err)
	w.wantMember(in.Token, org)
	in = testkit.Must(w.SignInWithIdentity(ctx, github, home))(t)
	if in.Pending == "" {
		t.Fatal("the third party alone signs in")
	}
	in = testkit.Must(w.FinishSignIn(ctx, in.Pending, w.nextTOTP(factor), home))(t)
	w.wantMember(in.Token, org)
	w.must(w.Reauthenticate(ctx, person, goodPassword, w.nextTOTP(factor), home))
	newDevices := func() int {
		t.Helper()
		return w.count(`SELECT count(*) FROM job.river_job WHERE kind = 'mail' AND args->>'template' = 'new_sign_in'`)
	}
	before := newDevices()
	pending := testkit.Must(w.SignIn(ctx, jeanne, goodPassword, known))(t)
	testkit.Must(w.FinishSignIn(ctx, pending.Pending, w.nextTOTP(factor), known))(t)
	if newDevices() != before {
		t.Error("the browser in which it was done counts as a new device")
	}
	const other = "trois poules vertes nagent"
	w.must(w.ResetPassword(ctx, reset, other, home))
	in = testkit.Must(w.SignIn(ctx, jeanne, other, home))(t)
	in = testkit.Must(w.FinishSignIn(ctx, in.Pending, w.nextTOTP(factor), home))(t)
	w.wantMember(in.Token, org) // no session is left that notes it
	testkit.WantCount(t, w.pool, 0, "sessions of an organisation", `SELECT count(*) FROM account.session s JOIN account.account a ON a.id = s.account_id WHERE a.kind <> 'person'`)
}

// A conversion is done within five minutes of a proof, as the deletion is, and gives no further tries at the
// second factor.
func TestTriesGoOn(t *testing.T) {
	w, ctx := newServingWorld(t), t.Context()
	token := w.enter(jeanne).Token
	org := w.session(token).Account
	e := testkit.Must(w.BeginTOTP(ctx, w.session(token)))(t)
	factor := e.Secret
	testkit.Must(w.EnableTOTP(ctx, w.session(token), e.Sealed, w.nextTOTP(factor), home))(t)
	guess := func() error {
		t.Helper()
		in := testkit.Must(w.SignIn(ctx, jeanne, goodPassword, home))(t)
		_, err := w.FinishSignIn(ctx, in.Pending, "000000", home)
		return err
	}
	for range 5 {
		w.want(guess(), auth.CodeCodeWrong)
	}
	w.want(guess(), auth.CodeWait)
	testkit.Must(w.BecomeOrganisation(ctx, w.session(token), org, "Cadastre & Fils", home))(t)
	w.want(guess(), auth.CodeWait)

	own := w.session(token)
	w.must(w.ChooseOrganisation(ctx, own, own.Account))
	w.clock.Advance(auth.DeletionFreshness)
	_, err := w.BecomeOrganisation(ctx, w.session(token), own.Account, "Alpha", home)
	w.want(err, auth.CodeVerifyFirst)
}

// A session of an organisation itself, as the version before opens it for a sign-in that waited for a
// conversion, is none: it was opened without the second factor.
func TestSessionOfAnOrganisationIsNone(t *testing.T) {
	w := newServingWorld(t)
	token := w.enter(jeanne).Token
	org := w.session(token).Account
	testkit.Must(w.BecomeOrganisation(t.Context(), w.session(token), org, "Cadastre & Fils", home))(t)
	const opened = "abcdefghijklmnopqrstuvwxyz-ABCDEFGHIJKLMNOP"
	testkit.Exec(t, w.pool, `INSERT INTO account.session
		(account_id, token_hash, method, authenticated_at, created_at, last_used_at, expires_at)
		SELECT $1, sha256($2::text::bytea), 'github', $3::timestamptz, $3, $3, $3 + interval '1 day'`, org, opened, w.clock.Now())
	if s, err := w.Service.Session(t.Context(), opened); !errors.Is(err, auth.ErrNoSession) {
		t.Errorf("%+v, %v", s, err)
	}
	if email, err := w.Address(t.Context(), opened); !errors.Is(err, auth.ErrNoSession) {
		t.Errorf("%q, %v", email, err)
	}
	w.wantMember(token, org)
}

// What the account had goes on under its number: keys, management tokens, plan and limits. What the person
// is elsewhere goes with the person. The record of the organisation names who made it one, and keeps no
// sign-in that its further members could read.
func TestAccountGoesOn(t *testing.T) {
	w, ctx := newServingWorld(t), t.Context()
	m := w.enter(marc).Token
	elsewhere := testkit.Must(w.CreateOrganisation(ctx, w.session(m), "Ailleurs", home))(t)
	w.must(w.Invite(ctx, w.session(m), jeanne, member.Developer, true, home))
	token := w.enter(jeanne).Token
	own := w.session(token)
	all := testkit.Mails(t, w.pool)
	invited := all[slices.IndexFunc(all, func(j mail.Job) bool { return j.Template == mail.Invitation })]
	link := testkit.Must(w.LinkToken(ctx, invited.Link.Purpose, invited.Link.ID))(t)
	w.must(w.AcceptInvitation(ctx, own, link, home))
	keys, tokens := apikey.NewStore(w.pool, w.clock), management.NewStore(w.pool, w.clock)
	made, _, err := keys.Create(w.by(own), own.Account, apikey.NewKey{Name: "atelier"})
	w.must(err)
	old, _, err := keys.Create(audit.AsOperator(ctx, 0), own.Account, apikey.NewKey{Name: "of before"})
	w.must(err)
	there, _, err := keys.Create(w.by(own), elsewhere, apikey.NewKey{Name: "là-bas"})
	w.must(err)
	w.clock.Advance(time.Hour)
	_, management1, err := tokens.Create(w.by(own), own.Account, management.NewToken{Name: "tableau", Scopes: management.Scopes, Days: 7})
	w.must(err)
	testkit.Exec(t, w.pool, `UPDATE account.account SET plan = 'pro', granted_plan = 'pro', per_minute = 7, quota_percents = '{50}', second_factor_required_at = now()
		WHERE id = $1`, own.Account)

	testkit.Must(w.SignIn(ctx, jeanne, goodPassword, home))(t)
	w.must(w.SetLanguage(ctx, own, "en", home))
	w.must(w.SetLanguage(ctx, own, "fr", home))
	// Of more than a year ago, and blank.
	w.must(audit.Record(ctx, w.pool, w.clock.Now().Add(-auth.KeepPersonal), audit.Event{Account: own.Account, Action: audit.ActionPasskeyCloned}))
	w.must(w.Reauthenticate(ctx, w.session(token), goodPassword, "", home))
	// A flush that writes to the key in the other organisation, and then to those here, is waited for.
	testkit.Exec(t, w.pool, `INSERT INTO account.quota_day (account_id, day, used) VALUES ($1, $2, 1)`, elsewhere, clock.Day(w.clock.Now()).Time())
	flush := testkit.Must(w.pool.Begin(ctx))(t)
	_, err = flush.Exec(ctx, `UPDATE account.quota_day SET used = used + 1 WHERE account_id = $1`, elsewhere)
	w.must(err)
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if _, err = w.BecomeOrganisation(short, w.session(token), own.Account, "Cadastre & Fils", home); err == nil {
		t.Error("a flush that writes to keys of the person is not waited for")
	}
	w.must(flush.Commit(ctx))
	testkit.Must(w.BecomeOrganisation(ctx, w.session(token), own.Account, "Cadastre & Fils", home))(t)
	person := w.wantMember(token, own.Account)
	if person.Plan != "pro" || person.Own.PerMinute == nil || *person.Own.PerMinute != 7 || !slices.Equal(person.QuotaPercents, []int{50}) || !person.MustEnrol {
		t.Errorf("%+v", person)
	}
	w.must(w.ChooseOrganisation(ctx, person, person.Account))
	if alone := w.session(token); alone.Plan != "free" || alone.Own.PerMinute != nil {
		t.Errorf("the personal account: %+v", alone)
	}
	w.must(w.ChooseOrganisation(ctx, person, own.Account))
	for _, k := range []ident.KeyID{made.ID, old.ID} {
		if got, err := keys.Get(ctx, own.Account, k); err != nil || got.CreatedBy == nil || *got.CreatedBy != person.Account || got.Personal || got.RevokedAt != nil {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if got, err := keys.Get(ctx, elsewhere, there.ID); err != nil || *got.CreatedBy != person.Account || !got.Personal {
		t.Errorf("%+v, %v", got, err)
	}
	if found, err := tokens.Find(ctx, management1); err != nil || found == nil || found.Void || found.CreatedBy != person.Account || found.Account != own.Account {
		t.Errorf("%+v, %v", found, err)
	}
	list, err := w.Memberships(ctx, person)
	if err != nil || len(list) != 2 || list[0].ID != elsewhere || list[0].Role != member.Developer || list[1].ID != own.Account {
		t.Errorf("%+v, %v", list, err)
	}
	if org, err := auth.NewAccounts(w.pool, w.clock).ByID(ctx, own.Account); err != nil || org.Email != jeanne || !org.Confirmed() || !org.CreatedAt.Equal(own.CreatedAccount) {
		t.Errorf("%+v, %v", org, err)
	}
	ofOrganisation := testkit.Must(audit.List(ctx, w.pool, own.Account, 0, 100))(t)
	ofPerson := testkit.Must(audit.List(ctx, w.pool, person.Account, 0, 100))(t)
	for _, list := range [][]audit.Entry{ofOrganisation, ofPerson} {
		if e := list[0]; e.Action != audit.ActionBecameOrganisation || e.Detail["by"] != jeanne || e.Detail["name"] != "Cadastre & Fils" || e.Address != home.Address {
			t.Errorf("%+v", e)
		}
	}
	for _, e := range ofOrganisation {
		isPersonal := slices.Contains(audit.SignInActions, e.Action) || e.Action == audit.ActionLanguageChanged
		if isPersonal && (len(e.Detail) > 0 || e.Address.IsValid() || e.Agent != "") {
			t.Errorf("the members of the organisation read %+v", e)
		}
	}
	isSignIn := func(e audit.Entry) bool {
		return e.Action == audit.ActionSignedIn && e.Detail["method"] == "password" && e.Address == home.Address
	}
	isLanguage := func(e audit.Entry) bool {
		return e.Action == audit.ActionLanguageChanged && e.Address == home.Address
	}
	if !slices.ContainsFunc(ofPerson, isSignIn) || !slices.ContainsFunc(ofPerson, isLanguage) {
		t.Errorf("the person has lost their record: %+v", ofPerson)
	}
	if slices.ContainsFunc(ofPerson, func(e audit.Entry) bool { return e.Action == audit.ActionPasskeyCloned }) {
		t.Error("a blank entry was copied")
	}
	sent := testkit.Mails(t, w.pool)
	if last := sent[len(sent)-1]; last.Template != mail.BecameOrganisation || last.To != jeanne || last.Values["organisation"] != "Cadastre & Fils" {
		t.Errorf("%+v", last)
	}
	w.must(w.RemoveMember(ctx, w.session(m), person.Account, home))
	if got, err := keys.Get(ctx, elsewhere, there.ID); err != nil || got.RevokedAt == nil {
		t.Errorf("the personal key outlives the membership: %+v, %v", got, err)
	}
}

// It is rejected with a sentence where it would go wrong, and changes nothing then. Sent twice it is done
// once. The number of another account is not found.
func TestConversionIsRejected(t *testing.T) {
	w, ctx := newServingWorld(t), t.Context()
	m := w.session(w.enter(marc).Token)
	token := w.enter(jeanne).Token
	own := w.session(token)
	become := func(account ident.AccountID, name string) error {
		_, err := w.BecomeOrganisation(ctx, w.session(token), account, name, home)
		return err
	}
	w.want(become(own.Account, "www.exemple.fr"), auth.CodeNameLink)
	w.want(become(own.Account, " "), auth.CodeNameInvalid)
	w.want(become(m.Account, "Alpha"), "missing")
	w.want(become(m.Account+1000, "Alpha"), "missing")
	w.must(w.RequestEmailChange(ctx, own, "jeanne@ailleurs.fr", home))
	w.want(become(own.Account, "Alpha"), auth.CodeAddressPending)
	w.clock.Advance(24 * time.Hour)
	w.want(become(own.Account, "Alpha"), auth.CodeVerifyFirst)
	if n := w.count(`SELECT count(*) FROM account.account WHERE kind = 'organisation'`); n != 0 {
		t.Fatalf("%d organisations", n)
	}
	reauthenticate := func() { t.Helper(); w.must(w.Reauthenticate(ctx, w.session(token), goodPassword, "", home)) }
	reauthenticate()
	w.must(become(own.Account, "Cadastre & Fils"))
	w.must(become(own.Account, " Cadastre  & Fils")) // the form was sent twice
	w.want(become(own.Account, "Alpha"), "missing")  // from another tab, with another name
	w.wantMember(token, own.Account)
	another := testkit.Must(w.CreateOrganisation(ctx, w.session(token), "Ailleurs", home))(t)
	w.want(become(another, "Ailleurs"), "missing") // it was the account of no person
	w.must(w.ChooseOrganisation(ctx, w.session(token), own.Account))
	testkit.WantCount(t, w.pool, 2, "organisations",
		`SELECT count(*) FROM account.account WHERE kind = 'organisation'`)
	w.want(testkit.ErrorOf(w.BecomeOrganisation(ctx, m, own.Account, "Mine", home)), "missing")

	// The personal account can become one too; the limits of organisations hold for the person, whatever
	// the account.
	for made := 2; ; made++ {
		w.clock.Advance(time.Minute)
		reauthenticate()
		err := become(w.session(token).Account, "Beta")
		if err == nil && made < auth.MaxOrganisations {
			continue
		}
		if w.want(err, auth.CodeOrganisationsFull); made > auth.MaxOrganisations {
			t.Errorf("%d organisations in a day", made)
		}
		break
	}
	if n := w.count(`SELECT count(*) FROM account.member WHERE person_id = $1 AND role = 'owner'`, w.session(token).Account); n < 2 || n > auth.MaxOrganisations {
		t.Errorf("owner of %d organisations", n)
	}
}

// Whatever happens at the same moment in other tabs, browsers and organisations is done before or after: an
// account becomes one organisation, no key, token or session belongs to an organisation as if it were a
// person, and nothing that was done is lost.
func TestSimultaneousConversions(t *testing.T) {
	w, ctx := newServingWorld(t), t.Context()
	m := w.enter(marc).Token
	testkit.Must(w.CreateOrganisation(ctx, w.session(m), "Ailleurs", home))(t)
	keys, tokens := apikey.NewStore(w.pool, w.clock), management.NewStore(w.pool, w.clock)
	for round := range 6 {
		email := strings.Repeat("j", round+1) + "@exemple.fr"
		w.must(w.Invite(ctx, w.session(m), email, member.Reader, true, home))
		link := w.link(mail.Invitation)
		token := w.enter(email).Token
		second := testkit.Must(w.SignIn(ctx, email, goodPassword, home))(t)
		github := auth.Claim{Provider: "github", Subject: email, Email: email, EmailVerified: true}
		testkit.Must(w.SignInWithIdentity(ctx, github, home))(t)
		sessions := []auth.Session{w.session(token), w.session(second.Token)}
		own := sessions[0].Account
		if round%2 == 0 { // else at the same moment
			w.must(w.AcceptInvitation(ctx, sessions[1], link, home))
		}
		var made, joined, changed error
		var wait sync.WaitGroup
		become := make([]error, 6)
		for i := range become {
			wait.Go(func() { _, become[i] = w.BecomeOrganisation(ctx, sessions[i%2], own, "Alpha", home) })
		}
		wait.Go(func() { _, _, made = keys.Create(w.by(sessions[0]), own, apikey.NewKey{Name: "clé"}) })
		wait.Go(func() {
			_, _, err := tokens.Create(w.by(sessions[1]), own, management.NewToken{Name: "jeton", Scopes: management.Scopes, Days: 7})
			if err != nil && fault.From(err).Code != fault.NotFound {
				t.Errorf("a token: %v", err)
			}
		})
		wait.Go(func() { _, _ = w.SignIn(ctx, email, goodPassword, home) })
		for range 4 {
			wait.Go(func() {
				if _, err := w.SignInWithIdentity(ctx, github, home); err != nil {
					w.want(err, auth.CodePendingOver)
				}
			})
		}
		wait.Go(func() { changed = w.SetLanguage(ctx, sessions[1], "en", home) })
		if round%2 == 0 {
			wait.Go(func() { joined = w.RemoveMember(ctx, w.session(m), own, home) })
		} else {
			wait.Go(func() { joined = w.AcceptInvitation(ctx, sessions[1], link, home) })
		}
		wait.Wait()
		for _, err := range become {
			w.want(err, "")
		}
		for what, err := range map[string]error{"key": made, "membership": joined, "language": changed} {
			if err != nil && !errors.Is(err, auth.ErrNoSession) && fault.From(err).Code != fault.NotFound {
				t.Errorf("round %d, %s: %v", round, what, err)
			}
		}
		person := w.session(token)
		if person.Account == own || person.Organisation != own && joined != nil || person.Email != email {
			t.Fatalf("round %d: %+v", round, person)
		}
		if n := w.count(`SELECT count(*) FROM account.account WHERE lower(email) = $1 OR contact_email = $1`, email); n != 2 {
			t.Errorf("round %d: %d accounts", round, n)
		}
		for what, sql := range map[string]string{
			"keys made by an organisation":   `SELECT count(*) FROM account.api_key WHERE created_by = $1`,
			"tokens made by an organisation": `SELECT count(*) FROM account.management_token WHERE created_by = $1`,
			"sessions of an organisation":    `SELECT count(*) FROM account.session WHERE account_id = $1`,
			"memberships of an organisation": `SELECT count(*) FROM account.member WHERE person_id = $1`,
			"requests of an organisation":    `SELECT count(*) FROM account.join_request WHERE person_id = $1`,
		} {
			if n := w.count(sql, own); n != 0 {
				t.Errorf("round %d: %d %s", round, n, what)
			}
		}
		if n := w.count(`SELECT count(*) FROM account.api_key WHERE account_id = $1 AND created_by = $2`, own, person.Account); (n == 1) != (made == nil) {
			t.Errorf("round %d: %d keys after %v", round, n, made)
		}
		wantMember := (joined == nil) == (round%2 == 1)
		if n := w.count(`SELECT count(*) FROM account.member WHERE person_id = $1 AND account_id <> $2`, person.Account, own); (n == 1) != wantMember {
			t.Errorf("round %d: member of %d organisations elsewhere after %v", round, n, joined)
		}
		if (person.Language == "en") != (changed == nil) {
			t.Errorf("round %d: language %s after %v", round, person.Language, changed)
		}
		w.clock.Advance(25 * time.Hour) // past the limits of a day
		in := testkit.Must(w.SignIn(ctx, marc, goodPassword, home))(t)
		m = in.Token
	}
}

// Every table that refers to an account, and every column of an account, is known here: whether it stays
// with the keys or goes with the person. A new one is decided on before it is released.
func TestEveryReferenceIsKnown(t *testing.T) {
	w := newServingWorld(t)
	stays, moves := "stays", "moves"
	references := map[string]string{
		"api_key.account_id": stays, "api_key.created_by": moves, "assistant_code.account_id": stays, "assistant_code.person_id": moves,
		"assistant_grant.account_id": stays, "assistant_token.account_id": stays, "audit.account_id": stays, "billing_attempt.account_id": stays,
		"billing_finding.about_account": stays, "billing_recipient.account_id": stays, "domain.account_id": stays, "identity.account_id": moves,
		"invitation.account_id": stays, "invitation.invited_by": moves, "join_request.account_id": stays, "join_request.person_id": moves,
		"link.account_id": moves, "management_token.account_id": stays, "management_token.created_by": moves, "member.account_id": stays,
		"member.person_id": moves, "notice_address.account_id": stays, "passkey.account_id": moves, "passkey_challenge.account_id": moves,
		"plan_wish.account_id": stays, "quota_day.account_id": stays, "quota_notice.account_id": stays, "recent_request.account_id": stays,
		"recovery_code.account_id": moves, "recovery_code.hashed_for": stays, "refusal.account_id": stays, "reserve_day.account_id": stays,
		"reserve_month.account_id": stays, "session.account_id": moves, "session.organisation_id": stays, "stripe_event.account_id": stays,
		"subscription.account_id": stays, "usage.account_id": stays, "usage_hour.account_id": stays, "webhook.account_id": stays,
		"webhook_attempt.account_id": stays, "webhook_delivery.account_id": stays,
	}
	columns := map[string]string{
		"billing_reference": stays, "contact_email": stays, "created_at": "both", "email": moves, "email_confirmed_at": "both",
		"enrichments_per_minute": stays, "factor_recovery_due_at": moves, "granted_plan": stays, "id": stays, "kind": stays,
		"language": "both", "limits_note": stays, "member_factor_from": stays, "name": stays, "password_changed_at": moves,
		"password_hash": moves, "per_day": stays, "per_minute": stays, "plan": stays, "quota_mails": stays, "quota_percents": stays,
		"reserve_day": stays, "reserve_left": stays, "reserve_per_month": stays, "second_factor_required_at": moves,
		"totp_enabled_at": moves, "totp_last_step": moves, "totp_sealed": moves, "updated_at": "both",
	}
	read := func(sql string) []string {
		t.Helper()
		var list []string
		w.must(w.pool.QueryRow(t.Context(), sql).Scan(&list))
		return list
	}
	found := read(`SELECT array_agg(DISTINCT name ORDER BY name) FROM (
		SELECT c.conrelid::regclass::text || '.' || a.attname AS name FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
			WHERE c.contype = 'f' AND c.confrelid = 'account.account'::regclass
		UNION SELECT 'account.' || table_name || '.' || column_name FROM information_schema.columns
			WHERE table_schema = 'account' AND column_name IN ('account_id', 'hashed_for')) x`)
	for i := range found {
		found[i] = strings.TrimPrefix(found[i], "account.")
	}
	if want := slices.Sorted(maps.Keys(references)); !slices.Equal(found, want) {
		t.Errorf("references to accounts are\n%q, known are\n%q", found, want)
	}
	found = read(`SELECT array_agg(column_name::text ORDER BY column_name) FROM information_schema.columns WHERE table_schema = 'account' AND table_name = 'account'`)
	if want := slices.Sorted(maps.Keys(columns)); !slices.Equal(found, want) {
		t.Errorf("columns of accounts are\n%q, known are\n%q", found, want)
	}
}

// wantMember checks that a session shows the organisation, of which its person is the owner.
func (w *world) wantMember(token string, org ident.AccountID) auth.Session {
	w.t.Helper()
	s := w.session(token)
	if s.Organisation != org || s.Account == org || s.Role != member.Owner || s.OrganisationName != "Cadastre & Fils" || s.Email != jeanne {
		w.t.Errorf("%+v", s)
	}
	return s
}
