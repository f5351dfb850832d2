-- +goose Up
-- Set by the operator: the pages of the account lead to turning on a second factor until there is one. Null: it is the owner's choice.
ALTER TABLE account.account ADD second_factor_required_at timestamptz;

-- +goose Down
ALTER TABLE account.account DROP second_factor_required_at;
