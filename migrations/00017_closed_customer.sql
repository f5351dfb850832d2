-- +goose Up
-- A customer at Stripe of a deleted account is remembered for a while after everything it had was ended: what was begun
-- before can still be paid. Nothing but Stripe's own ids is kept.
ALTER TABLE account.orphan_customer ADD closed_at timestamptz; -- when nothing was left last; null: it has still to be ended

-- +goose Down
ALTER TABLE account.orphan_customer DROP closed_at;
