-- Registers an instance, and counts those that registered within the last minute.
-- KEYS: 1 the instances by the time (s) of their last registration. ARGV: 1 the name of this one.
local now = tonumber(redis.call('TIME')[1])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 60)
redis.call('EXPIRE', KEYS[1], 120)
return redis.call('ZCARD', KEYS[1])
