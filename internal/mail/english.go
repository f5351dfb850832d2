package mail

import "time"

// What to do if the recipient did not do what the message is about.
const (
	enNotMe             = "If this was not you, change your password and close the sessions you do not recognise: {security}"
	enNotMeForgot       = "If this was not you, choose a new password at once, which closes all sessions: {forgot}"
	enNotMeOrganisation = "If this was neither you nor another owner, write to {contact} without delay."
	enNotMeWrite        = "If this was not you, write to {contact} without delay."
	enNotMeOwner        = "{!contact}If this was not you, tell the operator of the service without delay: {home}"
	enGranted           = "The operator grants you the {granted} plan: the limits of your {service} account do not change."
	enReserve           = "Beyond today’s quota, requests are taken from the reserve chosen for this account: {reserve} were left in it this month."
	enNoQuotaMail       = "To stop these notices, or choose when they are sent: {settings}"
)

var enNotMyWebhook = []string{"{!organisation}If this was not you, delete this webhook, then change your password: {security}",
	"If this was not planned in the organisation {organisation}, delete this webhook."}

var english = &locale{
	greeting: "Hello,", when: "When", device: "Device", address: "IP address", colon: ":", thousands: ",", euros: "€%s.%02d",
	organisation: "Organisation", by: "Done by",
	roles: map[string]string{"owner": "owner", "admin": "administrator", "developer": "developer",
		"billing": "billing manager", "reader": "reader"},
	free:      freePlan,
	intervals: map[string]string{"month": "by the month", "year": "by the year"}, eachYear: "each year",
	copyOf:     "Copy of a message to the {service} account {owner}.",
	stopCopies: "You get this copy because you agreed at this address to the emails about the payments of this account. To stop them: {link}",
	copyLink:   "If the button does not work, copy this address into your browser:",
	footer: []string{
		"Automatic message sent to {to} by {home}",
		"Questions? Write to {contact}.",
	},
	date: func(t time.Time) string { return t.Format("2\u00a0January\u00a02006 at 15:04") + " (Paris time)" },
	letters: map[Template]letter{
		Confirm: {
			subject: "Confirm your email address",
			body:    []string{"An account on {service} was just created with this address. Confirm it to be able to create an API key."},
			button:  "Confirm my address",
			after: []string{"The link is valid for 24~hours and works once.",
				"If you did not create an account, do nothing: without this confirmation it gives access to nothing."},
		},
		SignUpExists: {
			subject: "You already have an account with {service}",
			body:    []string{"Somebody tried to create an account with this address, which has one. If it was you, sign in."},
			button:  "Sign in", path: "/signin",
			after: []string{"Forgotten your password? Choose a new one: {forgot}",
				"If it was not you, do nothing: your account has not changed."},
		},
		Reset: {
			subject: "Choose a new password",
			body:    []string{"You asked to choose a new password for your {service} account."},
			button:  "Choose a password",
			after: []string{"The link is valid for one hour and works once. All open sessions will be closed.",
				"If it was not you, do nothing: your password has not changed. If these messages keep coming, turn on two-factor authentication: {security}"},
		},
		Verify: {
			subject: "Confirm that it is you",
			body:    []string{"You asked to confirm by email that your {service} account is yours, before a sensitive operation."},
			button:  "Yes, it is me",
			after: []string{"The link is valid for 15~minutes and works once, in the browser that asked for it.",
				"If it was not you, somebody is signed in to your account: do not open the link above. Close the sessions that you do not recognise instead: {security}"},
		},
		EmailChange: {
			subject: "Confirm your new email address",
			body:    []string{"You asked for this address to become the address of your {service} account. To confirm it, sign in to that account."},
			button:  "Confirm this address",
			after: []string{"The link is valid for 24~hours and works once.",
				"If it was not you, do nothing: no account will take this address."},
		},
		EmailChanged: {
			subject: "The address of your {service} account has changed",
			body:    []string{"The address of your account is now {email}. The old one, {to}, no longer signs you in."},
			after:   []string{enNotMeWrite, enNotMeOwner},
		},
		EmailTaken: {
			subject: "This address already has an account with {service}",
			body: []string{"Somebody asked to use this address for another {service} account. It already has an account of its own: nothing has changed.",
				"To give it to the other account, delete this one first, or change its address."},
			button: "Sign in", path: "/signin",
			after: []string{"If it was not you, do nothing."},
		},
		NewSignIn: {
			subject: "New sign-in to your {service} account",
			body:    []string{"Somebody signed in to your account from a device that we had not seen before."},
			after: []string{"If it was you, there is nothing to do.", enNotMe,
				"If you can no longer sign in: {forgot}"},
		},
		PasswordChanged: {
			subject: "Your password has changed",
			body: []string{"The password of your {service} account has changed. The other sessions have been closed.",
				"Passkeys and management tokens stay as they are: check under Security that all of them are yours."},
			after: []string{enNotMeForgot},
		},
		TwoFactorOn: {
			subject: "Two-factor authentication is on",
			body: []string{"You will be asked for a code each time you sign in. The other sessions have been closed. " +
				"Keep your recovery codes somewhere safe: they take the place of your phone if you lose it."},
			after: []string{enNotMe},
		},
		TwoFactorOff: {
			subject: "Two-factor authentication is off",
			body:    []string{"Signing in to your {service} account no longer asks for a code."},
			after:   []string{enNotMe},
		},
		FactorRecovery: {
			subject: "Turn off two-factor authentication",
			body: []string{"You told the operator of {service} that you have lost both the authenticator and the recovery codes of your account. Confirm that you read the mail of this address.",
				"Two-factor authentication will be turned off three days after you confirm, not before. Signing in with a code until then cancels this."},
			button: "Ask to turn it off",
			after: []string{"The link is valid for 24~hours and works once.",
				"If you did not ask for this, do not open the link above. Choose a new password instead: {forgot}"},
		},
		FactorRecoveryDue: {
			subject: "Two-factor authentication will be turned off",
			body: []string{"Someone who can read this mailbox has confirmed that the second factor of your {service} account is lost. It will be turned off on {until}, and all sessions will be closed then.",
				"After that, your password is enough to sign in. If it is lost too, choose a new one: {forgot}"},
			after: []string{"If this was not you, sign in with a code from your authenticator or a recovery code before then, which keeps your second factor, and choose a new password: {signin}"},
		},
		RecoveryCodeUsed: {
			subject: "A recovery code was used",
			body:    []string{"A recovery code of your {service} account was used in place of the code from your phone. It will not work again.", "Recovery codes left: {left}."},
			button:  "Create new codes", path: "/account/security",
			after: []string{enNotMeForgot},
		},
		RecoveryCodesNew: {
			subject: "Your recovery codes were replaced",
			body:    []string{"New recovery codes were created for your {service} account. The old ones no longer work."},
			after:   []string{enNotMeForgot},
		},
		IdentityLinked: {
			subject: "Signing in with {provider} was added",
			body: []string{"Your {service} account now accepts signing in with {provider} ({email}).",
				"{!email}Your {service} account now accepts signing in with {provider}."},
			after: []string{enNotMe},
		},
		IdentityUnlinked: {
			subject: "Signing in with {provider} was removed",
			body:    []string{"Your {service} account no longer accepts signing in with {provider}."},
			after:   []string{enNotMe},
		},
		PasskeyAdded: {
			subject: "A passkey was added",
			body:    []string{"Your {service} account now also accepts signing in with the passkey “{name}”, without the password."},
			after:   []string{"If this was not you, remove this passkey, change your password and close the sessions you do not recognise: {security}"},
		},
		PasskeyRemoved: {
			subject: "A passkey was removed",
			body:    []string{"Your {service} account no longer accepts signing in with the passkey “{name}”."},
			after:   []string{enNotMe},
		},
		PasskeyCloned: {
			subject: "A passkey was refused: there may be a copy of it",
			body: []string{"Somebody tried to use the passkey “{name}” of your {service} account. Its use counter did not rise, which happens when there is a copy of the passkey. It was not accepted.",
				"Remove this passkey and add a new one, even if it was you."},
			button: "See my passkeys", path: "/account/security",
			after: []string{enNotMe},
		},
		LinkFirst: {
			subject: "Sign in with your password first",
			body: []string{"You tried to sign in with {provider}. This address already has an account with {service}, and {provider} does not vouch that the address is yours.",
				"Sign in as usual, then add {provider} on the Security page. Next time {provider} will be enough."},
			button: "Sign in", path: "/signin",
			after: []string{"Forgotten your password? {forgot}",
				"If it was not you, do nothing: no one was signed in."},
		},
		SessionsEnded: {
			subject: "Sessions have been closed",
			body:    []string{"Sessions of your {service} account were closed at your request. Those devices have to sign in again.", "Sessions closed: {count}."},
			after:   []string{enNotMe},
		},
		KeyCreated: {
			subject: "An API key was created",
			body:    []string{"The key “{name}” was created in your {service} account. We keep only a hash of it: the key itself exists only where you copied it."},
			button:  "See my keys", path: "/account/keys",
			after: []string{"If this was not you, revoke this key, then change your password: {security}"},
		},
		TokenCreated: {
			subject: "A management token was created",
			body: []string{"The token “{name}” was created in your {service} account. A program can use it to read the usage, the keys or the members, as selected, until {expires}. It gives access neither to the data of the API nor to the keys themselves.",
				"We keep only a hash of it: the token itself exists only where it was copied."},
			button: "See the tokens", path: "/account/tokens",
			after: []string{"If this was not you, revoke this token, then change your password: {security}"},
		},
		AssistantAdded: {
			subject: "An assistant was connected",
			body: []string{"The assistant “{name}” can now use your {service} account. Its requests count towards your quota.",
				"To take its access away, disconnect it on the Assistants page."},
			button: "See my assistants", path: "/account/assistants",
			after: []string{"If this was not you, disconnect this assistant, then change your password: {security}"},
		},
		AssistantLeft: {
			subject: "An assistant has disconnected",
			body: []string{"The assistant “{name}” has ended its access to your {service} account by itself: its requests are no longer accepted.",
				"This is what happens when the connector is removed in the assistant. To use it again, connect it again."},
			button: "See my assistants", path: "/account/assistants",
		},
		AssistantReused: {
			subject: "An assistant was disconnected as a precaution",
			body: []string{"The assistant “{name}” presented a single-use token twice. Somebody may have a copy of it, so {service} no longer accepts requests from this assistant.",
				"An assistant that lost an answer can cause this too. To use it again, connect it again."},
			button: "See my assistants", path: "/account/assistants",
		},
		KeyRotated: {
			subject: "An API key was replaced",
			body: []string{"The key “{name}” of your {service} account was replaced.",
				"The old one is accepted until {until}.",
				"{!until}The old one is no longer accepted."},
			button: "See my keys", path: "/account/keys",
			after: []string{"If this was not you, revoke both keys, then change your password: {security}"},
		},
		KeyRevoked: {
			subject: "An API key was revoked",
			body:    []string{"The key “{name}” of your {service} account is no longer accepted. Whatever used it now gets error 401."},
			button:  "See my keys", path: "/account/keys",
			after: []string{enNotMe},
		},
		KeyRevokedByOperator: {
			subject: "The operator revoked an API key of yours",
			body: []string{"The operator of {service} revoked the key “{name}” of your account, usually because others can read it, in a public repository for instance. " +
				"It is no longer accepted: whatever used it now gets error 401.",
				"Create another key for your programs, and keep it out of published code. Your other keys still work."},
			button: "See my keys", path: "/account/keys",
		},
		KeysRevoked: {
			subject: "All your API keys were revoked",
			body: []string{"No key and no assistant of your {service} account is accepted any more. Whatever used them now gets error 401.",
				"Keys revoked: {count}."},
			button: "See my keys", path: "/account/keys",
			after: []string{enNotMe},
		},
		KeyExpiring: {
			subject: "An API key expires soon",
			body: []string{"The key “{name}” of your {service} account is accepted until {expires}.",
				"Extend its expiry, or create another key and give it to your programs before then: otherwise they will get error 401. Replacing this key keeps the same expiry."},
			button: "See my keys", path: "/account/keys",
		},
		TokenExpiring: {
			subject: "A management token expires soon",
			body: []string{"The token “{name}” of your {service} account is accepted until {expires}.",
				"Create another one before then and give it to your programs: otherwise they will get error 401. " +
					"Its expiry cannot be extended."},
			button: "See the tokens", path: "/account/tokens",
		},
		Quota80: {
			subject: "You have reached 80% of today’s quota",
			body: []string{"Your {service} account has used {used} of today’s {limit} requests ({plan} plan).",
				"{!reserve}Once the quota is used up, the API returns 429 (too many requests) until midnight, Paris time.", enReserve},
			button: "See my usage", path: "/account/usage",
			after: []string{enNoQuotaMail},
		},
		QuotaPart: {
			subject: "You have reached {percent}% of today’s quota",
			body: []string{"Your {service} account has used {used} of today’s {limit} requests ({plan} plan).",
				"{!reserve}Once the quota is used up, the API returns 429 (too many requests) until midnight, Paris time.", enReserve},
			button: "See my usage", path: "/account/usage",
			after: []string{enNoQuotaMail},
		},
		Quota100: {
			subject: "You have used up today’s quota",
			body: []string{"Your {service} account has used all of today’s {limit} requests ({plan} plan).",
				"{!reserve}The API now returns 429 (too many requests).", enReserve, "The quota resets at midnight, Paris time."},
			button: "See my usage", path: "/account/usage",
			after: []string{enNoQuotaMail},
		},
		ReserveUsed: {
			subject: "You have reached {percent}% of this month’s reserve",
			body: []string{"Your {service} account has used {used} of the {limit} requests of its reserve this month.",
				"They are invoiced separately after the end of the month. Once the reserve is used up, the API returns 429 (too many requests) beyond the daily quota."},
			button: "See my reserve", path: "/account/plan",
		},
		ReserveEnded: {
			subject: "Your reserve has ended: an invoice is unpaid",
			body: []string{"An invoice for requests that your {service} account took from its reserve is unpaid. The API again returns 429 (too many requests) beyond the daily quota; your plan stays in force.",
				"Pay the invoice on your plan page, then choose a reserve again."},
			button: "See my invoices", path: "/account/plan",
		},
		NoticeConfirm: {
			subject: "Receive quota notices for an account on {service}?",
			body: []string{"The owner of the {service} account {owner} would like this address to get an email when a percentage of the account’s quota for the day is used.",
				"Nothing is sent unless you agree."},
			button: "Agree or refuse",
			after: []string{"The link is valid for 24~hours. You can stop the notices at any time by the link in each of them.",
				"If you do not know this account, do nothing, or refuse: it cannot ask you again for quota notices for 30~days after that."},
		},
		QuotaCopy: {
			subject: "{owner} has reached {percent}% of today’s quota",
			body: []string{"The {service} account {owner} has used {used} of today’s {limit} requests ({plan} plan).",
				"{!reserve}Once the quota is used up, the API returns 429 (too many requests) until midnight, Paris time.", enReserve},
			after: []string{"You get this notice because you agreed to it at this address. To stop these notices: {link}"},
		},
		BillingConfirm: {
			subject: "Receive the billing emails for an account on {service}?",
			body: []string{"The {service} account {owner} would like this address to get copies of its emails about its plan and its payments: payment failed, plan changed or ended, reserve used.",
				"Nothing is sent unless you agree."},
			button: "Agree or refuse",
			after: []string{"The link is valid for 24~hours. You can stop these emails at any time by the link in each of them.",
				"If you do not know this account, do nothing, or refuse: it cannot ask you again for billing emails for 30~days after that."},
		},
		Invitation: {
			subject: "{inviter} invites you to join {organisation}",
			body: []string{"On {service}, you would have the {role} role in this organisation; the invitation page says what it lets you do.",
				"You will have an account and a password of your own."},
			button: "See the invitation",
			after: []string{"The link is valid for 7~days and works once. Nothing is accepted before you confirm it on the page.",
				"If you do not know this person, do nothing."},
		},
		MemberJoined: {
			subject: "{member} has joined {organisation}",
			body:    []string{"They accepted an invitation and have the {role} role."},
			button:  "See the members", path: "/account/organisation",
			after: []string{"If this person should not be a member, remove them on that page."},
		},
		MemberRemoved: {
			subject: "You are no longer a member of {organisation}",
			body: []string{"A member of the organisation {organisation} has removed you from it. The personal keys and the assistants that you had there are no longer accepted.",
				"Your own {service} account does not change."},
		},
		OwnerAdded: {
			subject: "{member} is now an owner of {organisation}",
			body:    []string{"On {service}, they can now do everything in this organisation: appoint and remove owners, and delete it."},
			button:  "See the members", path: "/account/organisation",
			after: []string{"If this was not intended, take the role away on that page.", enNotMeOrganisation},
		},
		OwnerRemoved: {
			subject: "{member} is no longer an owner of {organisation}",
			body:    []string{"On {service}, they can no longer appoint owners or delete this organisation."},
			button:  "See my account", path: "/account",
			after: []string{enNotMeOrganisation},
		},
		FactorNeeded: {
			subject: "{organisation} will require a second factor",
			body: []string{"On {service}, the organisation {organisation} will require a second factor from its " +
				"members starting {starts}. Your account has none: add an authenticator application or a passkey.",
				"Without one, you will not be able to open the pages of the organisation from then on. Its API keys and " +
					"assistants keep working, and your own account does not change."},
			button: "Add a second factor", path: "/account/security",
		},
		DomainLost: {
			subject: "{organisation}: the domain {domain} is no longer verified",
			body: []string{"The record that proves that the domain {domain} belongs to the organisation " +
				"{organisation} has been missing for 7~days. An address of this domain no longer lets people join " +
				"the organisation. Its members stay members.",
				"Put the record back and check it on the Domains page, or remove the domain."},
			button: "See the domains", path: "/account/organisation/domains",
		},
		JoinRequested: {
			subject: "{member} asks to join {organisation}",
			body: []string{"{member}, whose address is on a domain of the organisation {organisation}, asks " +
				"to become a member, with the {role} role. Nothing happens until an owner or an administrator agrees."},
			button: "Answer", path: "/account/organisation",
		},
		JoinedByDomain: {
			subject: "{member} has joined {organisation}",
			body:    []string{"They joined with an address at {domain} and have the {role} role."},
			button:  "See the members", path: "/account/organisation",
			after: []string{"If this person should not be a member, remove them on that page: with that " +
				"account they can then come back by invitation only."},
		},
		JoinApproved: {
			subject: "You are now a member of {organisation}",
			body: []string{"You asked to join the organisation {organisation} on {service}. You have the " +
				"{role} role there. Your own account does not change."},
			button: "See my account", path: "/account",
		},
		ContactChanged: {
			subject: "The emails of {organisation} go to another address",
			body:    []string{"The emails and invoices of the organisation {organisation} on {service} go to {email} from now on, and no longer to this address."},
			after:   []string{enNotMeOrganisation},
		},
		BecameOrganisation: {
			subject: "Your account is now the organisation {organisation}",
			body: []string{"Your {service} account has become the organisation {organisation}, which you own. Its keys, its plan and its invoices stay as they were.",
				"You sign in as before. You now have a personal account of your own too, on the free plan and without keys."},
			button: "See the organisation", path: "/account/organisation",
			after: []string{enNotMe, "No page undoes it: write to {contact} without delay too.", enNotMeOwner},
		},
		OrganisationDeleted: {
			subject: "The organisation {organisation} has been deleted",
			body: []string{"The organisation {organisation} on {service}, its keys and its usage history have been erased. The keys are no longer accepted. Its members keep their own accounts.",
				"The operator of {service} did this. Reason: {reason}",
				"The subscription to the {plan} plan ended with it: nothing more will be charged."},
			after: []string{"{!reason}" + enNotMeOrganisation, "{!reason}" + enNotMeOwner},
		},
		AccountDeleted: {
			subject: "Your {service} account has been deleted",
			body: []string{"Your account, its keys and its usage history have been erased. The keys are no longer accepted.",
				"The operator of {service} did this. Reason: {reason}",
				"The subscription to the {plan} plan ended with it: nothing more will be charged."},
			after: []string{"{!reason}" + enNotMeWrite, "{!reason}" + enNotMeOwner},
		},
		PlanStarted: {
			subject: "Your {plan} plan is active",
			body: []string{"{!granted}The payment has been received: your {service} account is now on the {plan} plan. Its limits apply at once, for all your keys.",
				"The payment for the {plan} plan has been received. " + enGranted,
				"{!yearly}The plan renews each month, with no minimum term: change it or cancel it whenever you like.",
				"The plan renews {yearly}: cancel it whenever you like, with effect at the end of the year that is paid."},
			button: "See my plan", path: "/account/plan",
		},
		PlanChanged: {
			subject: "Your subscription is now {plan}",
			body: []string{"{!granted}Your {service} account has moved from the {was} plan to the {plan} plan. The new limits apply at once, for all your keys.",
				"Your subscription has moved from the {was} plan to the {plan} plan. " + enGranted,
				"{!was}You now pay for {plan}. Your limits stay the same."},
			button: "See my plan", path: "/account/plan",
		},
		PaymentFailed: {
			subject: "The payment for your {plan} plan has failed",
			body: []string{"We could not collect the payment for your {plan} plan. " + enGranted,
				"{!granted}We could not collect the payment for your {plan} plan. Your limits stay as they are until {until}.",
				"{!granted}Update your payment method before then or, if your bank asks you to confirm the payment, do so from the invoice: without payment your account loses the limits of this plan. Your keys stay valid."},
			button: "Update my payment method", path: "/account/plan",
		},
		Recovered: {
			subject: "The payment for your {plan} plan went through",
			body:    []string{"The payment that had failed has been received. Your {service} account has all the limits of the {plan} plan."},
			button:  "See my plan", path: "/account/plan",
		},
		WebhookAdded: {
			subject: "A webhook was added: {name}",
			body:    []string{"The server {name} now receives events of your {service} account: on the quota, the keys, the payment or the sources, as selected. They contain neither a key nor an email address."},
			button:  "Open the webhooks", path: "/account/webhooks",
			after: enNotMyWebhook,
		},
		WebhookChanged: {
			subject: "The address of a webhook was changed: {name}",
			body:    []string{"A webhook of your {service} account has another address: its events are now sent to the server {name}."},
			button:  "Open the webhooks", path: "/account/webhooks",
			after: enNotMyWebhook,
		},
		WebhookSecret: {
			subject: "The secret of a webhook was replaced: {name}",
			body:    []string{"The events that {service} sends to {name} are now signed with another secret. Until your server has it, it will reject them."},
			button:  "Open the webhooks", path: "/account/webhooks",
			after: enNotMyWebhook,
		},
		WebhookOff: {
			subject: "Webhook switched off: {name} no longer accepts events",
			body: []string{"For three days, {name} has accepted none of the events that {service} sends it. The webhook is switched off: nothing more is sent to it.",
				"Its log shows what failed. Once your server works again, switch the webhook on, then send the missed events again from that log."},
			button: "Open the webhooks", path: "/account/webhooks",
			after: []string{"Documentation: {events}"},
		},
		GraceOver: {
			subject: "Your {plan} plan is suspended for lack of payment",
			body: []string{"{!granted}The payment for your {plan} plan has still not gone through, seven days after it failed. Your {service} account is now on the {now} plan.",
				"The payment for your {plan} plan has still not gone through, seven days after it failed. " + enGranted,
				"{!granted}Your keys stay valid. The {plan} plan comes back as soon as the payment is received."},
			button: "Update my payment method", path: "/account/plan",
		},
		SourcesKept: {
			subject: "Sources not updated: {count}",
			body: []string{"On {service}, these sources could not be updated; their previous data is still served: {sources}",
				"On {service}, these sources could not be loaded; nothing from them is served yet: {lacking}",
				"“arpent sources” gives the reason for each of them; “arpent load” with the name of a source accepts a file that holds less than the previous one."},
			button: "See the sources", path: "/sources",
		},
		PlanEnded: {
			subject: "Your {plan} plan has ended",
			body: []string{"{!granted}Your {service} account is no longer on the {plan} plan. It is now on the {now} plan.",
				"Your subscription no longer gives you the {plan} plan. " + enGranted,
				"{!granted}Your keys stay valid, within the limits of that plan. You can take a paid plan again whenever you like."},
			button: "See the plans", path: "/account/plan",
		},
		PlanEnding: {
			subject: "Your {plan} plan is cancelled",
			body: []string{"{!granted}Your {plan} plan stays in force until {until}. After that your {service} account is on the {now} plan, and nothing more is charged.",
				"Your subscription to the {plan} plan ends on {until}. After that nothing more is charged. " + enGranted,
				"{!granted}Your keys stay valid, within the limits of that plan. Until then you can keep the {plan} plan."},
			button: "See my plan", path: "/account/plan",
		},
		PlanChanging: {
			subject: "Your {plan} plan is about to change",
			body: []string{"{!granted}Your {plan} plan stays in force until {until}. After that your {service} account is on the {now} plan, with its limits and its price.",
				"Your subscription goes from the {plan} plan to the {now} plan on {until}. " + enGranted,
				"Your keys stay valid. Until then you can keep the {plan} plan."},
			button: "See my plan", path: "/account/plan",
		},
		PlanRenewing: {
			subject: "Your {plan} subscription renews soon",
			body: []string{"Your subscription to the {plan} plan renews for a year on {until}.",
				"{amount}, taxes included, will be charged then.",
				"The last moment to stop it: {until}. The plan then stays in force until that time, and is not charged again."},
			button: "Stop the renewal", path: "/account/plan/cancel",
			after: []string{"To keep the plan, there is nothing to do."},
		},
		PlanKept: {
			subject: "Your {plan} plan continues",
			body: []string{"{!yearly}The {plan} plan of your {service} account is no longer due to end or change with the paid period: it renews each month, as before.",
				"The {plan} plan of your {service} account is no longer due to end or change with the paid period: it renews {yearly}, as before."},
			button: "See my plan", path: "/account/plan",
		},
		AddressNeeded: {
			subject: "Your billing address is missing",
			body: []string{"The billing address of your {service} account is missing or cannot be found: the VAT on your next invoice cannot be calculated, and the invoice is not collected.",
				"Open your plan, then “Card and invoices at Stripe”, and complete the address. The invoice is then sent automatically. Your {plan} plan stays in force meanwhile."},
			button: "Complete my address", path: "/account/plan",
		},
		BillingFinding: {
			subject: "Billing to check: {object}",
			body: []string{"On {service}, {what}",
				"At Stripe: {object}. Detail: {detail}",
				"The service changes nothing by itself. “arpent billing findings” lists everything; a finding disappears once it is resolved."},
			button: "See the accounts", path: "/admin",
		},
		PlansOnSale: {
			subject: "The {plan} plan is available",
			body: []string{"You asked us to notify you: the {plan} plan of {service} can be bought now.",
				"This message will not be repeated. Nothing is charged until you choose a plan."},
			button: "See the plans", path: "/account/plan",
		},
	},
}
