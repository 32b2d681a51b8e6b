"""The codes of problem documents: their status, title and meaning."""

# code -> (status, title, meaning and remedy). The pages /problems and /docs show the texts.
# A code is never used again with another meaning.
CODES = {
    "malformed_json": (
        400,
        "Malformed JSON",
        "The body is not valid JSON. `detail` says what is wrong and where.",
    ),
    "malformed_request": (
        400,
        "Malformed request",
        "The request is not valid HTTP, or its URL or query is not UTF-8. `detail` says what is wrong.",
    ),
    "missing_credentials": (
        401,
        "Missing credentials",
        "Send your API key in the header `Authorization: Bearer <API_KEY>`.",
    ),
    "invalid_api_key": (
        401,
        "Invalid API key",
        "The API key is unknown, expired or revoked. Ask the administrator of the service for a new key.",
    ),
    "insufficient_scope": (
        403,
        "Insufficient scope",
        "The API key lacks the scope in `scope`. Ask the administrator of the service for a key with this scope.",
    ),
    "feature_disabled": (
        403,
        "Feature disabled",
        "The organiser disabled the feature in `flag`. `eventapi flag enable NAME` enables it.",
    ),
    "plan_required": (
        403,
        "Plan required",
        "The API requires the plan tier Business+. `eventapi tier set Business+` sets it.",
    ),
    "origin_not_allowed": (
        403,
        "Origin not allowed",
        "A browser asks whether a web page may call the API, and the option `cors_origins` does not contain the origin "
        "of this page. `detail` names the origin. The administrator adds it to the option.",
    ),
    "session_ended": (
        403,
        "Session ended",
        "The page needs a session, which a link opens in the browser. The session has ended, or there never was one. "
        "Open the link again, or ask for a new one.",
    ),
    "link_ended": (
        403,
        "Link ended",
        "The link of the device at the door was revoked or has ended. `detail` says what to do with the scans that the "
        "device still has.",
    ),
    "not_found": (
        404,
        "Not found",
        "No record has this id or key, or nothing exists at this URL. The record may have been deleted.",
    ),
    "method_not_allowed": (
        405,
        "Method not allowed",
        "The URL does not support this method. The header `Allow` lists the methods that it supports.",
    ),
    "not_acceptable": (
        406,
        "Not acceptable",
        "The response is not available in any media type of the header `Accept`. `offered` lists those that are.",
    ),
    "length_required": (
        411,
        "Length required",
        "Send a form that contains a file with the header Content-Length, and not in chunks.",
    ),
    "body_too_large": (
        413,
        "Body too large",
        "The body exceeds the limit in `detail`. Send less in one request.",
    ),
    "unsupported_media_type": (
        415,
        "Unsupported media type",
        "Send JSON as `application/json` in UTF-8, and an image as PNG, JPEG, GIF or WebP. Do not compress the body.",
    ),
    "range_not_satisfiable": (
        416,
        "Range not satisfiable",
        "The requested range lies outside the file. `Content-Range` contains the size of the file.",
    ),
    "precondition_failed": (
        412,
        "Precondition failed",
        "The record has changed since you read it. Read it again, then repeat your change.",
    ),
    "validation_failed": (
        422,
        "Validation failed",
        "The input is invalid. `errors` lists all faults. Correct them and send the request again.",
    ),
    "import_rejected": (
        422,
        "Import rejected",
        "At least one record is invalid and `skip_on_error` is false, so no record was imported. `errors` lists the "
        "invalid records by index.",
    ),
    "idempotency_key_reused": (
        422,
        "Idempotency key reused",
        "This `Idempotency-Key` was sent with a different request before. Use a new key for each request.",
    ),
    "rate_limited": (
        429,
        "Too many requests",
        "The rate limit is exceeded. Retry after the number of seconds in `Retry-After`.",
    ),
    "internal_error": (
        500,
        "Internal error",
        "The server failed. Send `meta.request_id` to the administrator, who finds the cause in the log.",
    ),
    "not_installed": (
        501,
        "Not installed",
        "The server lacks a package that this request requires. `detail` names the package.",
    ),
    "no_girocode": (
        409,
        "No GiroCode",
        "The invoice cannot be paid by GiroCode. `reason` is `draft`, `credit_note`, `currency`, `nothing_open`, "
        "`too_large`, `no_iban` or `invalid_iban`; `detail` explains it.",
    ),
    "fonts_missing": (
        409,
        "Fonts missing",
        "The server lacks a font that can be embedded in the PDF of an e-invoice. `detail` names the package to "
        "install.",
    ),
    "database_busy": (
        503,
        "Database busy",
        "Another write takes long. Retry after the number of seconds in `Retry-After`.",
    ),
    "unavailable": (
        503,
        "Unavailable",
        "The service is restarting, or it receives or reads as many uploads, or draws as many files, as it can. Retry "
        "after the number of seconds in `Retry-After`.",
    ),
    "unhealthy": (
        503,
        "Unhealthy",
        "The server cannot read or write its data. The administrator finds the cause in the log.",
    ),
    "insufficient_storage": (
        507,
        "Insufficient storage",
        "The disk of the server is full. Nothing was changed.",
    ),
    "duplicate": (
        409,
        "Duplicate",
        "Another record has this value. `detail` names the value and the record. Send another value, or change that "
        "record.",
    ),
    "duplicate_contact": (
        409,
        "Duplicate contact",
        "Contacts have this e-mail address already; `contact_ids` names them. Send one of them as `contact_id`, or "
        "create the contact with POST /contacts first.",
    ),
    "nothing_to_bill": (
        409,
        "Nothing to bill",
        "`reason` says why: `no_claims`: the participant owes nothing, and nothing was billed. `billed`: sent invoices "
        "bill everything. `drafted`: drafts bill the rest, and `invoice_ids` names them: send, change or delete them. "
        "A draft that cannot be refreshed, because nothing of it would be left, has no `reason`.",
    ),
    "nothing_to_do": (
        409,
        "Nothing to do",
        "Nothing is late or open on the page of the exhibitor, so there is nothing to remind of.",
    ),
    "draft_outdated": (
        409,
        "Draft outdated",
        "A draft bills something that was cancelled, moved, repriced or billed by another invoice since, or credits "
        "something that was reinstated. `lines` names each such line of a draft to be sent, `invoice_ids` the drafts "
        "that prevent billing. Refresh, change or delete the draft, then try again.",
    ),
    "in_use": (
        409,
        "In use",
        "Other records depend on this record. `used_by` lists their kinds, `detail` says what to do instead.",
    ),
    "last_owner": (
        409,
        "Last owner",
        "The person is the only owner of the office who has signed in. Make another person owner first.",
    ),
    "deadline_passed": (
        409,
        "Deadline passed",
        "The deadline for this action has passed. `detail` names the deadline and says what to do instead.",
    ),
    "booth_unavailable": (
        409,
        "Booth unavailable",
        "The booth is reserved or blocked, or a booth that overlaps it is. `blocked_by` names the booth and says until "
        "when. Choose another booth, or send `waitlist` as true.",
    ),
    "participant_cancelled": (
        409,
        "Participant cancelled",
        "The participant has cancelled. Reinstate the participation first with `POST /participants/{id}/reinstate`.",
    ),
    "unknown_badge": (
        404,
        "Unknown badge",
        "No participant has this badge number. `is_mistyped` is true if the check character does not match the "
        "number.",
    ),
    "wrong_event": (
        409,
        "Wrong event",
        "The badge belongs to another event. `event_key` names that event. Scan the badge there.",
    ),
    "badge_replaced": (
        409,
        "Badge replaced",
        "The badge was replaced by another one, for example because it was lost. Scan the new badge. Scans that were "
        "made before `replaced_at` are still accepted.",
    ),
    "already_checked_in": (
        409,
        "Already checked in",
        "The participant is already checked in. `check_in` is the open visit. Send `force` to close it and to open a "
        "new one.",
    ),
    "not_checked_in": (
        409,
        "Not checked in",
        "The participant was not checked in, so no visit can be closed. Send `action` as check_in to open one.",
    ),
    "devices_used_up": (
        409,
        "Devices used up",
        "The link of the door has as many devices as it may have (`devices`). End one of them, or raise `devices`.",
    ),
    "taken_back": (
        409,
        "Scan withdrawn",
        "The scan with this `client_ref` was withdrawn when its check-in was deleted. Send the new scan with another "
        "`client_ref`.",
    ),
    "out_of_stock": (
        409,
        "Out of stock",
        "The quantity exceeds the stock of the service. Order at most the quantity in `available`.",
    ),
    "schedule_conflict": (
        409,
        "Schedule conflict",
        "The location is taken at that time, or a speaker or host is busy. `conflict` contains the other session and "
        "the reason. Choose another time, or send `allow_overlap` as true.",
    ),
    "capacity_reached": (
        409,
        "Capacity reached",
        "The session would have more attendees (`attendees`) than places (`capacity`). Raise `capacity`, or remove "
        "attendees.",
    ),
    "page_incomplete": (
        409,
        "Pages are incomplete",
        "The public pages of an event need data that is missing: `missing` names options of the configuration and "
        "fields of the event. Set them first.",
    ),
    "booth_closed": (
        409,
        "Booths cannot be chosen",
        "The organiser lets exhibitors choose or confirm booths only from `from` to `until`, or does so itself.",
    ),
    "event_over": (
        409,
        "Event is over",
        "The show is over. The page of an exhibitor can be read as long as its link lives, but nothing changes there.",
    ),
    "hold_paused": (
        409,
        "Hold paused",
        "The last hold of a booth ended at `ended_at`. The exhibitor can hold one again after `paused_until`.",
    ),
    "holds_used_up": (
        409,
        "Holds used up",
        "Three holds of the exhibitor have run out, or were given back late. The organiser assigns the booth.",
    ),
    "badges_used_up": (
        409,
        "Badges used up",
        "All badges for the people at the booth are used: those that are `free`, and those that were `ordered`. Order "
        "more, or remove a person whose badge was not downloaded yet.",
    ),
    "badge_fixed": (
        409,
        "Badge fixed",
        "The badge was issued and has got another name since. It can change only once. Ask the organiser.",
    ),
    "link_revoked": (
        409,
        "The link was revoked",
        "The office has revoked the link of this address for this record. Create another one with `POST /links`.",
    ),
    "link_incomplete": (
        409,
        "Link is incomplete",
        "The link lacks what `missing` names, so it cannot be mailed. Show its address, or make another link.",
    ),
    "link_not_mailed": (
        409,
        "Link not mailed",
        "A binding step needs a session that was opened with a link in a mail, because the organiser knows "
        "other links.",
    ),
    "order_locked": (
        409,
        "Order locked",
        "The participant and the items of an order can change only while it is a draft. Cancel an item or the order "
        "instead.",
    ),
    "document_locked": (
        409,
        "Document locked",
        "The document waits for its signature, is signed, belongs to a submission, or is an e-invoice that must be "
        "kept. `detail` says what you can still do.",
    ),
    "no_contract": (
        409,
        "No contract",
        "Only contracts can be signed or terminated. Create the document from a template with `is_contract`.",
    ),
    "no_content": (
        409,
        "No content",
        "The document has no content yet. Upload it with `PUT /documents/{id}/content`.",
    ),
    "anonymized": (
        409,
        "Anonymised",
        "The personal data of this contact was removed permanently. Create a new contact instead.",
    ),
    "open_invoices": (
        409,
        "Open invoices",
        "The contact owes or is owed money, so its data is still needed. `invoices` names each invoice that is not "
        "settled with its `id`, `invoice_number`, `open_amount` (below 0: a credit of the contact) and `claims_open`, "
        "the costs and interest of dunning letters. Settle them, or send `force`.",
    ),
    "ambiguous_contact": (
        409,
        "Ambiguous contact",
        "Several contacts match. Send the id of one of them as `contact_id`.",
    ),
    "invalid_transition": (
        409,
        "Invalid transition",
        "The status of the record does not allow this action. `allowed_from` lists the statuses that do, "
        "`allowed_actions` what is possible now.",
    ),
    "invoice_not_payable": (
        409,
        "Invoice not payable",
        "A draft, a cancelled invoice or a credit note cannot receive payments. Send a draft first; otherwise use "
        "another invoice.",
    ),
    "locked": (
        409,
        "Locked",
        "These fields can change only in the statuses in `allowed_from`. `detail` says how to get there.",
    ),
    "invoice_locked": (
        409,
        "Invoice locked",
        "Once sent, only `notes` and `due_date` of an invoice can change, and a missing `exchange_rate` can be set "
        "once. Correct everything else with a credit note.",
    ),
    "invoice_incomplete": (
        409,
        "Invoice incomplete",
        "The invoice lacks required information. Add what `missing` lists, then send the invoice again. `faults` says "
        "which rules of the e-invoice require it.",
    ),
    "no_e_invoice": (
        409,
        "No e-invoice",
        "The invoice has no e-invoice: it is a draft, comes from another system, was sent by an earlier version, is in "
        "a currency whose amounts have three decimals, or has something else that EN 16931 forbids. `detail` says "
        "which.",
    ),
    "datev_incomplete": (
        409,
        "DATEV export incomplete",
        "Accounts or exchange rates are missing. The administrator sets the options in `missing`. `records` lists the "
        "customers, invoices and options that cannot be exported as they are, each with the reason and the remedy.",
    ),
    "disputed": (
        409,
        "Disputed",
        "The buyer disputes the invoice. Settle the dispute before you send a reminder.",
    ),
    "not_due": (
        409,
        "Not due",
        "An invoice can be reminded of from its `due_date` on. `force` does not change that.",
    ),
    "already_reminded": (
        409,
        "Already reminded",
        "A reminder was recorded today, in the tenant's time zone. Send `force` as true to record another one.",
    ),
    "credit_open": (
        409,
        "Credit open",
        "The contact has credit on other invoices, more than the option `dunning_minimum`; `credit` says how much. "
        "Offset it with POST /invoices/{id}/offset, or send `force` as true to remind the contact all the same.",
    ),
    "has_payments": (
        409,
        "Has payments",
        "An invoice with payments cannot be cancelled. Refund the payments, or credit a part of the invoice.",
    ),
    "has_write_offs": (
        409,
        "Has write-offs",
        "An invoice that was written off cannot be cancelled or credited. Delete the write-offs first.",
    ),
    "exceeds_invoice": (
        409,
        "Exceeds the invoice",
        "The credit note or write-off exceeds what is left of the invoice, or the deposits exceed a final invoice. "
        "`detail` says by how much or how much is left. Send less, or credit a part of a deposit.",
    ),
    "deposit_open": (
        409,
        "Deposit open",
        "A final invoice deducts deposits that were paid, and the deposits in `deposit_ids` were not. Record their "
        "payments, credit what will not be paid, or leave them out.",
    ),
    "exceeds_transfer": (
        409,
        "Exceeds transfer",
        "The amounts are more than what is left of the bank transaction (`left`). Assign less.",
    ),
    "no_vat_id": (
        409,
        "No VAT id",
        "The contact has no VAT id of the EU that could be checked. Set its `tax_id` first.",
    ),
    "no_proposal": (
        409,
        "No proposal",
        "The bank transaction has no proposal that can be accepted, or several (`proposals`). Name the invoices in "
        "`invoices`, or ignore a transfer that pays none, such as a fee.",
    ),
    "nothing_to_refund": (
        409,
        "Nothing to refund",
        "The payments of the invoice have less left to refund than the bank transaction has sent back (`left`). Name "
        "another invoice, or a smaller amount.",
    ),
    "exceeds_payment": (
        409,
        "Exceeds the payment",
        "The refund exceeds what is left of the payment. Refund at most the amount in `left`.",
    ),
    "payment_locked": (
        409,
        "Payment locked",
        "The amount, invoice, currency and gateway of a payment can change only while it is pending or completed.",
    ),
    "set_by_administrator": (
        409,
        "Set by the administrator",
        "The configuration of the server sets the options in `settings`, by its file, a variable or a credential, and "
        "they cannot be changed here. Ask the administrator to remove them there; `eventapi settings import` keeps "
        "their values.",
    ),
    "period_closed": (
        409,
        "Period closed",
        "The month of this date is closed, and what counts in it never changes. `member` names the field with the "
        "date, `month` the month. Book the correction with a date from `first_open_day` on, such as a refund dated "
        "today.",
    ),
    "period_not_over": (
        409,
        "Period not over",
        "A month can be closed once it is over in the tenant's time zone. Close it on the day in `closable_from` or "
        "later.",
    ),
    "period_open": (
        409,
        "Period open",
        "The month is not closed, so no file of it is kept. Close it first: POST /reports/periods/{month}/close.",
    ),
    "period_incomplete": (
        409,
        "Period incomplete",
        "A month can be closed once each of its invoices in another currency has an exchange rate. Set `exchange_rate` "
        "of the invoices in `invoices`, which names at most 100, and close the month again.",
    ),
    "too_many_fields": (
        409,
        "Too many custom fields",
        "A kind of record has at most 200 custom fields. Delete one that is no longer needed.",
    ),
    "webhook_inactive": (
        409,
        "Webhook inactive",
        "An inactive webhook receives nothing. Set `is_active` to true, then try again.",
    ),
    "too_many_webhooks": (
        409,
        "Too many webhooks",
        "At most 50 webhooks can be active. Deactivate or delete one that is no longer needed.",
    ),
    "mail_not_configured": (
        409,
        "Mail not configured",
        "This server is not configured to send mail. `detail` says what to do instead.",
    ),
    "has_unsubscribed": (
        409,
        "Unsubscribed",
        "The subscriber has unsubscribed and can return only by confirming a mail. Send `send_confirmation` as true.",
    ),
}
