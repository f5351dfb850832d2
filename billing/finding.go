package billing

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

// FindingKind is a kind of Finding.
type FindingKind string

// The kinds of findings. Each has a sentence in the mail to the operator; see findingTexts.
const (
	// of a customer of ours, without our metadata: a contract made in the dashboard
	ForeignSubscription FindingKind = "foreign_subscription"
	// a subscription of ours has a price that is not configured
	UnknownPrice FindingKind = "unknown_price"
	// one that looks like ours, of a customer that no account is
	UnknownSubscription FindingKind = "unknown_subscription"
	UnknownCustomer     FindingKind = "unknown_customer"     // Stripe does not know the customer of an account
	TaxFailed           FindingKind = "tax_failed"           // an invoice without a tax computation
	VATUnverified       FindingKind = "vat_unverified"       // a VAT number that its register does not know
	ReserveNotInvoiced  FindingKind = "reserve_not_invoiced" // what an account used of its reserve in a month
	// the key or a price does not work: plans cannot be bought
	SellingOff FindingKind = "selling_off"
)

// findingTexts are the sentences of the mail, in French and in English.
var findingTexts = map[FindingKind][2]string{
	ForeignSubscription: {"un client a un abonnement que ce service n’a pas créé. Il n’est ni compté, ni arrêté, ni remboursé.",
		"a customer has a subscription that this service did not make. It is neither counted, nor ended, nor refunded."},
	UnknownPrice: {"un abonnement a un prix qui n’est pas configuré. Le compte garde sa dernière offre. Ajoutez le prix à ARPENT_STRIPE_PRICE_… s’il est voulu.",
		"a subscription has a price that is not configured. The account keeps its last plan. Add the price to ARPENT_STRIPE_PRICE_… if it is wanted."},
	UnknownSubscription: {"Stripe a un abonnement en cours qu’aucun compte de ce service ne connaît. Il est peut-être débité pour rien.",
		"Stripe has a live subscription that no account of this service knows. It may be charged for nothing."},
	UnknownCustomer: {"Stripe ne connaît pas le client d’un compte. Vérifiez que la clé est celle du bon compte Stripe.",
		"Stripe does not know the customer of an account. Check that the key is of the right Stripe account."},
	TaxFailed: {"la taxe d’une facture n’a pas pu être calculée\u00a0: elle n’est pas encaissée, ou l’est sans TVA.",
		"the tax of an invoice could not be computed: it is not collected, or is collected without VAT."},
	VATUnverified: {"un numéro de TVA est inconnu du registre de son pays. La facture sans TVA n’est peut-être pas justifiée.",
		"a VAT number is unknown to the register of its country. An invoice without VAT may not be justified."},
	ReserveNotInvoiced: {"ce qu’un compte a utilisé de sa réserve n’a pas pu être facturé. Le service réessaie chaque heure.",
		"what an account used of its reserve could not be invoiced. The service tries again every hour."},
	SellingOff: {"les offres payantes ne peuvent plus être achetées\u00a0: Stripe refuse la clé, ou un prix est archivé ou faux.",
		"paid plans cannot be bought any more: Stripe refuses the key, or a price is archived or wrong."},
}

// FindingKinds lists the kinds, sorted.
func FindingKinds() []FindingKind { return slices.Sorted(maps.Keys(findingTexts)) }

// Finding is something at Stripe that the operator has to look at.
// The service itself changes nothing about it.
type Finding struct {
	Kind    FindingKind     `json:"kind"`
	Object  string          `json:"object"`            // id at Stripe
	Account ident.AccountID `json:"account,omitempty"` // 0: no account of this service
	Detail  string          `json:"detail"`
	Since   time.Time       `json:"since"`
}

// readingFindingKinds are found, or found to be gone, by each reading of a customer.
var readingFindingKinds = []FindingKind{ForeignSubscription, UnknownPrice, TaxFailed, UnknownCustomer}

const (
	saveFinding = `
INSERT INTO account.billing_finding (kind, object, about_account, detail, since, seen_at)
SELECT $1, $2, a.id, $4, $5, $5 FROM (VALUES ($3::bigint)) v (account) LEFT JOIN account.account a ON a.id = v.account
ON CONFLICT (kind, object) DO UPDATE SET about_account = excluded.about_account, detail = excluded.detail, seen_at = excluded.seen_at
RETURNING xmax = 0`
	deleteFindings = `
DELETE FROM account.billing_finding WHERE kind = ANY($1) AND NOT object = ANY($2) AND about_account IS NOT DISTINCT FROM nullif($3, 0)`
)

// replaceFindings stores what was found of these kinds about an account (0: about none), and removes what was
// not found again. The operator gets a line in the log and a mail about each new one.
func (s *Service) replaceFindings(ctx context.Context, account ident.AccountID, kinds []FindingKind,
	found ...Finding) error {
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = string(kind)
	}
	return pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		objects := []string{}
		for _, f := range found {
			objects = append(objects, f.Object)
			if err := s.saveFinding(ctx, tx, f); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, deleteFindings, names, objects, account)
		return fault.Wrap(fmt.Sprintf("remove what was found of account %d", account), err)
	})
}

func (s *Service) saveFinding(ctx context.Context, tx pgx.Tx, f Finding) error {
	var fresh bool
	if err := tx.QueryRow(ctx, saveFinding, f.Kind, f.Object, f.Account, f.Detail,
		s.clock.Now()).Scan(&fresh); err != nil {
		return fmt.Errorf("store the finding %s %s: %w", f.Kind, f.Object, err)
	}
	if !fresh {
		return nil
	}
	slog.ErrorContext(ctx, "billing finding for the operator", "kind", f.Kind, "object", f.Object, "account",
		int64(f.Account), "detail", f.Detail)
	if s.operator == "" {
		return nil
	}
	return mail.Send(ctx, tx, mail.Job{Template: mail.BillingFinding, To: s.operator, Language: "fr",
		Values: map[string]string{"what": findingTexts[f.Kind][0], "object": f.Object, "detail": f.Detail}})
}

const listFindings = `
SELECT kind, object, coalesce(about_account, 0), detail, since FROM account.billing_finding ORDER BY since, kind, object LIMIT 1000`

// Findings lists what the operator has to look at, the oldest first.
func (s *Service) Findings(ctx context.Context) ([]Finding, error) {
	all, err := pgdb.Collect(ctx, s.db, pgx.RowToStructByPos[Finding], listFindings)
	return all, fault.Wrap("list the findings about billing", err)
}

const countFindings = `SELECT kind, count(*) FROM account.billing_finding GROUP BY kind`

// CountFindings counts them by kind.
func (s *Service) CountFindings(ctx context.Context) (map[FindingKind]int, error) {
	counts := map[FindingKind]int{}
	rows, err := s.db.Query(ctx, countFindings)
	if err == nil {
		var kind FindingKind
		var n int
		_, err = pgx.ForEachRow(rows, []any{&kind, &n}, func() error {
			counts[kind] = n
			return nil
		})
	}
	return counts, fault.Wrap("count the findings about billing", err)
}
