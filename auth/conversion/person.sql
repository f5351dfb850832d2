-- Moves what belongs to a person, and not to the account with the keys, from the account $1 to $2. $3 are the actions of
-- the audit record that are of the person alone: a row of the record keeps its account, so they are copied, and what
-- identifies a person is blanked in the former record, which further members can read. Rows until $4, which are or soon
-- will be blank, are not copied. A few rows of each table, the record left out; each is found by the index of its account
-- or person.
WITH codes AS (
    UPDATE account.recovery_code SET account_id = $2, hashed_for = coalesce(hashed_for, $1) WHERE account_id = $1
), sessions AS (
    UPDATE account.session SET account_id = $2, organisation_id = coalesce(organisation_id, $1) WHERE account_id = $1
), links AS (
    UPDATE account.link SET account_id = $2 WHERE account_id = $1
), identities AS (
    UPDATE account.identity SET account_id = $2 WHERE account_id = $1
), passkeys AS (
    UPDATE account.passkey SET account_id = $2 WHERE account_id = $1
), challenges AS (
    UPDATE account.passkey_challenge SET account_id = $2 WHERE account_id = $1
), memberships AS (
    UPDATE account.member SET person_id = $2 WHERE person_id = $1
), requests AS (
    UPDATE account.join_request SET person_id = $2 WHERE person_id = $1
), invitations AS (
    UPDATE account.invitation SET invited_by = $2 WHERE invited_by = $1
), tokens AS (
    UPDATE account.management_token SET created_by = $2 WHERE created_by = $1
), consents AS (
    UPDATE account.assistant_code SET person_id = $2 WHERE person_id = $1 OR account_id = $1 AND person_id IS NULL
), keys AS (
    -- The person alone has seen the secrets of the keys of the account. An assistant ends with the membership.
    UPDATE account.api_key SET created_by = $2, personal = personal OR kind = 'assistant'
    WHERE kind <> 'console' AND (created_by = $1 OR account_id = $1 AND created_by IS NULL)
), copied AS (
    INSERT INTO account.audit (account_id, at, actor, action, detail, address, agent)
    SELECT $2, at, actor, action, detail, address, agent FROM account.audit
    WHERE account_id = $1 AND action = ANY ($3) AND at > $4 ORDER BY id
)
UPDATE account.audit SET detail = '{}', address = NULL, agent = NULL
WHERE account_id = $1 AND action = ANY ($3) AND (detail <> '{}' OR address IS NOT NULL OR agent IS NOT NULL)
