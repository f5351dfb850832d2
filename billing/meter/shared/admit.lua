-- Decides on one request for all instances, as package window does for one, and counts it against the day.
-- KEYS: 1 the account's admissions of the last minute (µs), 2 those of enrichments, 3 what it used of the day (an
--       anonymous client and a free request have neither 2 nor 3),
--       4 what its key used of the day, when that key has a cap of its own.
-- ARGV: 1 limit a minute, 2 limit of enrichments (0: not one), 3 limit a day, 4 what the instance knows to be used,
--       5 cost, 6 grace (µs), 7 seconds to keep the day;
--       with KEYS 4: 8 limit a day of the key, 9 what the instance knows the key to have used.
-- Answers: rejection (0 none, 1 minute, 2 day, 3 day of the key), µs to wait, remaining, µs to the reset, used, limit met (0: none),
--          time of the admission (µs), used by the key.
local SPAN = 60000000
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local cost, grace = tonumber(ARGV[5]), tonumber(ARGV[6])

local function text(n) return string.format('%.0f', n) end

-- Drops what has left the window; a clock that was set back makes the past as young as it can be.
local function forget(key)
  local last = tonumber(redis.call('LINDEX', key, -1) or now)
  if last - now > grace then
    local all = redis.call('LRANGE', key, 0, -1)
    redis.call('DEL', key)
    for _, at in ipairs(all) do redis.call('RPUSH', key, text(tonumber(at) - (last - now))) end
  end
  local oldest = tonumber(redis.call('LINDEX', key, 0) or now)
  while oldest <= now - SPAN do
    redis.call('LPOP', key)
    oldest = tonumber(redis.call('LINDEX', key, 0) or now)
  end
  return redis.call('LLEN', key)
end

-- The first time at which the request fits.
local function free(key, count, limit)
  local at = now
  if count > 0 then at = math.max(at, tonumber(redis.call('LINDEX', key, -1))) end
  if cost > limit then return at + SPAN end
  local over = count + cost - limit
  if over > 0 then at = math.max(at, tonumber(redis.call('LINDEX', key, over - 1)) + SPAN) end
  return at
end

local function record(key, at)
  for _ = 1, cost do redis.call('RPUSH', key, text(at)) end
  redis.call('PEXPIRE', key, 61000)
end

local minute, tighter = tonumber(ARGV[1]), tonumber(ARGV[2])
local count, count2 = forget(KEYS[1]), 0
local at, full = free(KEYS[1], count, minute), minute
if tighter > 0 then
  count2 = forget(KEYS[2])
  local at2 = free(KEYS[2], count2, tighter)
  if at2 >= at then at, full = at2, tighter end
end

-- What an instance knows to be used was counted while this store was away, or before it was emptied.
local used, dayLimit = 0, math.huge
if KEYS[3] then
  used, dayLimit = math.max(tonumber(redis.call('GET', KEYS[3]) or 0), tonumber(ARGV[4])), tonumber(ARGV[3])
end

local usedByKey, keyLimit = 0, math.huge
if KEYS[4] then
  keyLimit = tonumber(ARGV[8])
  usedByKey = math.max(tonumber(redis.call('GET', KEYS[4]) or 0), tonumber(ARGV[9]))
end

local rejection, met = 0, 0
if used + cost > dayLimit then
  rejection, met = 2, dayLimit
elseif usedByKey + cost > keyLimit then
  rejection, met = 3, keyLimit
elseif at - now > grace then
  rejection, met = 1, full
else
  record(KEYS[1], at)
  count = count + cost
  if tighter > 0 then
    record(KEYS[2], at)
    count2 = count2 + cost
  end
  used = used + cost
  if KEYS[3] then redis.call('SET', KEYS[3], text(used), 'EX', ARGV[7]) end
  if KEYS[4] then
    usedByKey = usedByKey + cost
    redis.call('SET', KEYS[4], text(usedByKey), 'EX', ARGV[7])
  end
end

local remaining, head = math.max(0, minute - count), KEYS[1]
if tighter > 0 and math.max(0, tighter - count2) <= remaining then
  remaining, head = math.max(0, tighter - count2), KEYS[2]
end
local reset = tonumber(redis.call('LINDEX', head, 0) or now - SPAN) + SPAN - now
return { rejection, at - now, remaining, reset, used, met, at, usedByKey }
