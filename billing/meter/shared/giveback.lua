-- Lowers what is used of a day. KEYS: 1 the day. ARGV: 1 by how much. A day that is not there has nothing to give back.
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
return redis.call('DECRBY', KEYS[1], ARGV[1])
