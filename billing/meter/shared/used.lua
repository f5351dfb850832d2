-- Counts how full the windows and the day of an account are, and changes nothing.
-- KEYS: 1 its admissions of the last minute (µs), 2 those of enrichments, 3 what it used of the day.
-- Answers: admissions of the last minute, those of enrichments, used of the day (-1: not known here).
local SPAN = 60000000
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])

-- The admissions stand in the order of time: those that have left the window are counted by halving.
local function count(key)
  local n = redis.call('LLEN', key)
  local low, high = 0, n
  while low < high do
    local middle = math.floor((low + high) / 2)
    if tonumber(redis.call('LINDEX', key, middle)) <= now - SPAN then low = middle + 1 else high = middle end
  end
  return n - low
end

return { count(KEYS[1]), count(KEYS[2]), tonumber(redis.call('GET', KEYS[3]) or -1) }
