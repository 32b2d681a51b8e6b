# What the samples of the guides share. `make run` prints the two variables that it needs.
api=$EVENTAPI_URL/api/v1
auth="Authorization: Bearer $EVENTAPI_KEY"
year=$(date +%Y)

# Send a request with your key: get contacts/1, or post contacts '{"company_name": "Rosen KG"}'
request() { curl -X "$1" -H "Authorization: Bearer $EVENTAPI_KEY" ${3:+--json "$3"} "$api/$2"; }
get() { request GET "$@"; }
post() { request POST "$@"; }
patch() { request PATCH "$@"; }
delete() { request DELETE "$@"; }
