curl -s -H "Authorization: Bearer $ARPENT_TOKEN" \
  "https://api.example.org/account/v1/usage?from=2026-11-20&to=2026-11-21"
curl -s -H "Authorization: Bearer $ARPENT_TOKEN" "https://api.example.org/account/v1/keys"
curl -s -H "Authorization: Bearer $ARPENT_TOKEN" "https://api.example.org/account/v1/organisation"
