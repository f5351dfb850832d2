base="https://api.example.org/api/v1"
key="X-API-Key: $ARPENT_KEY"

# 1. The address: where it is, and how sure that is.
place=$(curl -sG -H "$key" "$base/adresses" \
  --data-urlencode "q=12 allée des Roses, 93140 Bondy" -d limit=1)
echo "$place" | jq -c '.data[0] | [.kind, .score]'
lat=$(echo "$place" | jq '.data[0].lat')
lon=$(echo "$place" | jq '.data[0].lon')

# 2. The parcel at that point.
idu=$(curl -s -H "$key" "$base/parcelles?lat=$lat&lon=$lon" | jq -r .idu)
echo "$idu"

# 3. Its report: four keys of it, and why two of them have no value.
curl -s -H "$key" "$base/parcelles/$idu/enrichments?fields=radon,qpv,seisme,gpu" |
  jq '{enrichments, states}'
