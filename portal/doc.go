// Package portal is the place of the account pages: sign-up, keys, usage, plans. There is none yet; accounts and keys
// are made with the command line.
package portal
