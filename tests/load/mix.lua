-- The mixed load of mix.py, for wrk: 80 % reads and 20 % writes, as staff, a shop and doors do together.
-- The environment has KEY, SENT (numbers of unpaid invoices), LAST (id of the last contact) and PEOPLE (participants).
local key, last, people = os.getenv("KEY"), tonumber(os.getenv("LAST")), tonumber(os.getenv("PEOPLE"))
local sent = {}
for number in string.gmatch(os.getenv("SENT"), "%S+") do sent[#sent + 1] = number end
local head = {["Authorization"] = "Bearer " .. key, ["Content-Type"] = "application/json"}

local reads = {
  function() return "/contacts/" .. math.random(last) end,
  function() return "/participants/" .. math.random(people) end,
  function() return "/invoices/" .. math.random(1, 4000) end,
  function() return "/payments?invoice_number=" .. sent[math.random(#sent)] end,
  function() return "/contacts?sort=company_name&order=ASC" end,
  function() return "/contacts?search=linden" .. math.random(9) end,
  function() return "/participants?event_key=show-2&role=exhibitor&include=contact" end,
  function() return "/notes?entity_type=contact&entity_id=" .. math.random(last) end,
  function() return "/payments" end,
  function() return "/events/2" end,
  function() return "/check-ins/stats?event_key=show-2" end,
  function() return "/audit-log?entity_type=contact&entity_id=" .. math.random(last) end,
}

local function post(path, body) return wrk.format("POST", "/api/v1" .. path, head, body) end

local writes = {
  function() return post("/payments", '{"invoice_number": "' .. sent[math.random(#sent)] .. '", "amount": 1}') end,
  function() return post("/notes", '{"entity_type": "contact", "entity_id": ' .. math.random(last) .. ', "note_text": "Rückruf"}') end,
  function() return post("/contacts", '{"last_name": "Neu", "email": "w' .. math.random(1000000000) .. '@w.example"}') end,
  function()
    return wrk.format("PATCH", "/api/v1/contacts/" .. math.random(501, last), head, '{"city": "Stadt' .. math.random(9) .. '"}')
  end,
}

local count = 0

function init() math.randomseed(os.time()) end

function request()
  count = count + 1
  if count % 5 == 0 then return writes[count / 5 % 4 + 1]() end
  return wrk.format("GET", "/api/v1" .. reads[math.random(#reads)](), head)
end

function done(summary)
  local errors = summary.errors
  io.write(string.format("%d requests, %d microseconds, %d failed\n", summary.requests, summary.duration,
    errors.status + errors.connect + errors.read + errors.write + errors.timeout))
end
