-- Payment gateways of the tenant.

-- name: by_key
SELECT id, gateway_key, name, fee_percent, fee_fixed FROM gateways WHERE gateway_key = :gateway_key;

-- name: list
SELECT id, gateway_key, name, fee_percent, fee_fixed, created_at FROM gateways ORDER BY gateway_key;

-- name: add
INSERT INTO gateways (gateway_key, name, fee_percent, fee_fixed, created_at)
VALUES (:gateway_key, :name, :fee_percent, :fee_fixed, :now);

-- name: remove
DELETE FROM gateways WHERE id = :id;
