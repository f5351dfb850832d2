-- Requests the paths of a file one after the other, each thread from another place on. The requests are put together
-- beforehand: what is measured is the server. What follows a path, after a tab, is sent to it as a message.
local threads = 0

function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

function init(args)
  requests = {}
  for line in io.lines(args[1]) do
    local path, message = line:match("^([^\t]*)\t?(.*)$")
    local headers = { ["Host"] = wrk.host, ["X-API-Key"] = os.getenv("BENCH_KEY") }
    local method = "GET"
    if message ~= "" then
      method, headers["Content-Type"] = "POST", "application/json"
      headers["Accept"], headers["Mcp-Protocol-Version"] = "application/json, text/event-stream", "2025-11-25"
    end
    requests[#requests + 1] = wrk.format(method, path, headers, message ~= "" and message or nil)
  end
  at = math.floor(#requests / 2) * number
end

function request()
  at = at % #requests + 1
  return requests[at]
end
