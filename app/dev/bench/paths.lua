-- Requests the paths of a file one after the other, each thread from another place on. The requests are put together
-- beforehand: what is measured is the server.
local threads = 0

function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

function init(args)
  requests = {}
  for path in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format("GET", path, { ["Host"] = wrk.host, ["X-API-Key"] = os.getenv("BENCH_KEY") })
  end
  at = math.floor(#requests / 2) * number
end

function request()
  at = at % #requests + 1
  return requests[at]
end
