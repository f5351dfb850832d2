// Package ident holds the typed identifiers, so that an account is never taken for a key.
package ident

// AccountID names a row of account.account.
type AccountID int64

// KeyID names a row of account.api_key.
type KeyID int64
