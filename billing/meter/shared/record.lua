-- Adds an admission that an instance decided alone, at its place in the order of time.
-- KEYS: 1 the account's admissions of the last minute (µs), for an enrichment also 2 those of enrichments.
-- ARGV: 1 cost, 2 how long ago it was (µs). Answers 1.
local time = redis.call('TIME')
local at = tonumber(time[1]) * 1000000 + tonumber(time[2]) - tonumber(ARGV[2])
for _, key in ipairs(KEYS) do
  local later = {}
  local last = redis.call('LINDEX', key, -1)
  while last and tonumber(last) > at do
    table.insert(later, redis.call('RPOP', key))
    last = redis.call('LINDEX', key, -1)
  end
  for _ = 1, tonumber(ARGV[1]) do redis.call('RPUSH', key, string.format('%.0f', at)) end
  for i = #later, 1, -1 do redis.call('RPUSH', key, later[i]) end
  redis.call('PEXPIRE', key, 61000)
end
return 1
