// Package social signs people in through third parties: Google, GitHub, Microsoft, GitLab and any
// OpenID Connect issuer. It promises that a claim it returns was made by that provider, for this
// client, in answer to a flow that this browser started less than ten minutes ago; and that
// EmailVerified is true only where the provider itself states it.
//
// goth speaks to the providers (its Provider interface: BeginAuth, UnmarshalSession, Authorize, and FetchUser
// for GitHub). What goth v1.82.0 leaves open is closed here:
//
//   - goth takes state, code and redirect_uri from whatever parameters it is given and checks no state: the state is
//     ours, compared in constant time with the one in a sealed cookie, and goth is handed the code alone.
//   - It sends neither nonce nor PKCE for most providers: both are added to the address, the verifier in transport.go.
//   - Its openidConnect reads the ID token without checking the signature (an "alg":"none" token passes), panics when
//     exp is missing or no number, does not compare the nonce, and lets userinfo overwrite the claims of the token
//     one by one, so that an unverified address can meet the email_verified of another: its FetchUser is not called;
//     go-oidc verifies the token and reads userinfo.
//   - Authorize of google and openidConnect panics when id_token is no string; gitlab and azureadv2 drop the ID
//     token: transport.go reads and checks the token answer before goth sees it.
//   - FetchUser of google and gitlab puts the access token into an address, and gitlab's asks an API that is gone
//     (/api/v3): neither is called, their ID tokens say everything we need.
//   - FetchUser of github believes the address of the public profile without knowing whether it is verified, fails
//     when the primary address is not verified, and names a user without an id "0": the address comes from
//     /user/emails, and "0" is refused.
//   - microsoftonline and azureadv2 return an address that any tenant's administrator may have typed, and
//     microsoftonline only knows the tenant "common": azureadv2 is used, and only the ID token is believed.
//   - google asks for offline access, a refresh token that is not needed here: online is asked for.
//   - No request of goth carries a context or a deadline, and oauth2 posts the code a second time when the first
//     answer displeases it: transport.go bounds every request and lets the token endpoint be asked once.
//
// Which provider says what about an e-mail address:
//
//   - google: claims email and email_verified of the ID token ("OpenID Connect", section "An ID token's payload",
//     Google for Developers). "Verify the Google ID token on your server side" adds that for an address of neither
//     gmail.com nor a Workspace domain (claim hd) the check was made when the account was created, and may be old. It
//     counts as verified nonetheless: an address is verified where the provider says that it is, and Google says so.
//   - github: GET /user/emails, the entry that is primary, with its verified flag; needs the scope user:email ("REST
//     API endpoints for emails", GitHub Docs). The address of GET /user is the public one and says nothing.
//   - microsoft: unverified, unless the ID token has xms_edov, which the operator must add as an optional claim of
//     the registration in addition to email, or email_verified ("Migrate away from using email claims for
//     user identification or authorization" and "Optional claims reference", Microsoft identity platform).
//     The address itself may be anything that a tenant's administrator typed.
//   - gitlab: claims email and email_verified of the ID token ("GitLab as OpenID Connect identity provider", GitLab
//     Docs). A server of one's own where confirmation is switched off may call every address verified: its operator
//     is trusted.
//   - oidc: email and email_verified of the ID token, or both of userinfo when the token has no address; never one
//     from each ("OpenID Connect Core 1.0", sections 5.1, 5.3.2 and 5.4). Absent means unverified.
package social
