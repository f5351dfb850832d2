curl -s -H "X-API-Key: $ARPENT_KEY" -H "Content-Type: application/json" \
  -H "Accept: application/json, text/event-stream" \
  -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "{tool}",
        "arguments": {"idu": "93010 A 224", "fields": ["address", "radon", "qpv"]}}}' \
  https://api.example.org/mcp | jq '.result.structuredContent | {idu, enrichments}'
