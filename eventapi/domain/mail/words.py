"""Texts of mails and of the web pages that their links open, in English and German."""

from eventapi.pictures.words import address, contact, register

# The options of the organiser that the end of a mail shows
IMPRINT = (
    "name",
    "street",
    "postal_code",
    "city",
    "country",
    "contact",
    "phone",
    "email",
    "register_number",
    "register_court",
    "directors",
)

ENGLISH = {
    "hello": "Dear {name},",
    "hello_nobody": "Hello,",
    "regards": "Kind regards",
    "sample_person": "Mia Sommer",
    "sample_application_rejected": "We have received more applications from your field than we have booths for.",
    "sample_application_question": "Do you need electricity at your booth?",
    "sample_contract": "Booth contract",
    "newsletter_confirmation_subject": "Please confirm your subscription to the {sender} newsletter",
    "newsletter_confirmation": "We have received a request to send the {sender} newsletter to {email}. "
    "Please confirm your subscription here:",
    "newsletter_confirmation_button": "Confirm subscription",
    "newsletter_confirmation_ignore": "If you did not request the newsletter, you can ignore this email. "
    "You will not receive the newsletter unless you confirm.",
    "newsletter_confirmation_stop": "If you do not want to receive the newsletter, you can unsubscribe here:",
    "newsletter_confirmation_stop_button": "Unsubscribe",
    "application_confirmation_subject": "Please confirm your application for {title}",
    "application_confirmation": "An application to exhibit was filled in with this e-mail address. "
    "It is sent once you confirm it here:",
    "application_confirmation_button": "Confirm and send the application",
    "application_confirmation_ignore": "The link is valid for a week. If it was not you who applied, ignore this "
    "e-mail: nothing is sent then.",
    "visit_confirmation_subject": "Please confirm your registration for {title}",
    "visit_confirmation": "Somebody registered as a visitor with this e-mail address. "
    "The registration counts once you confirm it here:",
    "visit_confirmation_button": "Confirm the registration",
    "visit_confirmation_ignore": "The link is valid for a week. If it was not you who registered, ignore this "
    "e-mail: nothing happens then.",
    "application_decision_subject": "Your application for {title}",
    "application_approved": "We have accepted your application for {title}, and look forward to seeing you there.",
    "application_rejected": "Thank you for your application for {title}. Unfortunately, we cannot offer you a place "
    "this time.",
    "application_waitlisted": "Thank you for your application for {title}. All places are taken at the moment. You are "
    "on the waiting list, and we will write to you as soon as a place becomes free.",
    "application_question": "We have a question about your application for {title}:",
    "application_page_button": "Open your application",
    "answer_button": "Answer the question",
    "answer_by_mail": "Please send your answer to {email}.",
    "badge_subject": "Your badge for {title}",
    "badge": "You are registered for {title}. Please show your badge at the entrance, printed or on your phone.",
    "badge_button": "Show the badge",
    "participation_cancelled_subject": "Your participation in {title} was cancelled",
    "participation_cancelled": "Your participation in {title} was cancelled.",
    "cancelled_booths_one": "Booth {numbers} is no longer reserved for you.",
    "cancelled_booths": "The booths {numbers} are no longer reserved for you.",
    "cancelled_cancelled_orders_one": "Your order {numbers} was cancelled as well.",
    "cancelled_cancelled_orders": "Your orders {numbers} were cancelled as well.",
    "cancelled_open_orders_one": "Your order {numbers} is confirmed and has not been cancelled. We will contact you "
    "about it.",
    "cancelled_open_orders": "Your orders {numbers} are confirmed and have not been cancelled. We will contact you "
    "about them.",
    "cancelled_credited_one": "You will receive a credit note for invoice {numbers}.",
    "cancelled_credited": "You will receive credit notes for the invoices {numbers}.",
    "cancelled_invoice_open": "Invoice {number} remains valid: {open} is outstanding.",
    "cancelled_invoice_paid": "Invoice {number} remains valid. Nothing is outstanding.",
    "contract_subject": "Your contract for {title}",
    "contract": "Your contract for {title} is ready to be signed: {contract}, {number}.",
    "contract_page": "Please read it on your page, and accept it there:",
    "contract_return": "Please sign it and send it to {email}.",
    "link_subject": "Your page for {title}",
    "link": "With this link you open your page for {event_acc}:",
    "link_button": "Open my page",
    "todos_subject": "What is left to do for {title}",
    "todos": "On your page for {title}, this is left to do:",
    "booth_offer_subject": "A booth is held for you at {title}",
    "booth_offer": "You are on the waiting list for a booth at {title}. One has become free and is held for you:",
    "booth_confirmed_subject": "Your booth {booth}: {title}",
    "booth_confirmed": "Your booth {booth} at {title} is confirmed.",
    "booth_moved": "Your booth at {title} has changed. You now have booth {booth}.",
    "booth_cancelled": "The reservation of booth {booth} at {title} was cancelled. It is no longer reserved for you.",
    "booth_left": "Your place on the waiting list for booth {booth} at {title} was cancelled.",
    "booth_number": "Booth: {number}",
    "booth_size": "Size: {width} × {depth} m",
    "booth_price": "Price: {price} plus {rate} % VAT",
    "booth_price_only": "Price: {price}",
    "booth_plan_button": "Show the plan",
    "booth_page": "You find all details on your page:",
    "link_notice_subject": "New access to your page: {title}",
    "link_changed_subject": "Access changed: {title}",
    "further_link": "On {day}, another person got access to your exhibitor page for {title}: {address}.",
    "further_link_shown": "On {day}, another access to your exhibitor page for {title} was set up.",
    "further_link_rights": "This access covers: {rights}.",
    "further_device": "On {day}, your link to the exhibitor page for {title} was opened on a further device.",
    "address_changed": "On {day}, the e-mail address of your application for {title} was changed. The new one is "
    "{address}. Links that were mailed to your address no longer open.",
    "address_removed": "On {day}, the e-mail address of your application for {title} was removed. Links that were "
    "mailed to your address no longer open.",
    "merged": "On {day}, two participations in {title} were merged into one, of which yours is one.",
    "merged_ended": "The links of these addresses no longer open: {addresses}. {contact} sends the new ones.",
    "notice_wrong": "Is this not right? Then please write to {contact} at once.",
    "right_profile": "entry in the list of exhibitors",
    "right_submissions": "submissions",
    "right_booth": "booth",
    "right_orders": "orders",
    "right_contract": "contract",
    "right_invoices": "invoices",
    "right_badges": "badges",
    "link_ignore": "The link is valid for 14 days, and is meant for you alone: please do not forward it. "
    "On your page you can ask for a new one at any time.",
    "invitation_subject": "{inviter} invites you to the office of {organiser}",
    "invitation_nobody_subject": "Invitation to the office of {organiser}",
    "invitation": "{inviter} has invited you to the office of {organiser}. With this link you sign in:",
    "invitation_nobody": "You are invited to the office of {organiser}. With this link you sign in:",
    "invitation_button": "Accept the invitation",
    "invitation_ignore": "The link is valid for seven days, and works once. It is meant for you alone: please do not "
    "forward it. If you do not know what this is about, ignore this e-mail: nothing happens then.",
    "sign_in_subject": "Your link to the office of {organiser}",
    "sign_in": "With this link you sign in at the office of {organiser}:",
    "sign_in_button": "Sign in",
    "sign_in_ignore": "The link is valid for 30 minutes, and works once. If it was not you who asked for it, ignore "
    "this e-mail: nothing happens then. Please never forward it.",
    "new_device_subject": "Sign-in on a new device: {organiser}",
    "new_device": "On {at}, somebody signed in with your account at the office of {organiser} on a device that we do "
    "not know yet.",
    "device": "Device: {name}",
    "unknown_device": "unknown",
    "network_address": "Network address: {address}",
    "password_changed_subject": "Your password was changed: {organiser}",
    "password_changed": "On {at}, the password of your account at the office of {organiser} was changed by {by}.",
    "password_removed": "On {at}, the password of your account at the office of {organiser} was removed by {by}.",
    "factor_added_subject": "Second factor added: {organiser}",
    "factor_added": "On {at}, a second factor was added to your account at the office of {organiser} by {by}.",
    "factor_removed_subject": "Second factor removed: {organiser}",
    "factor_removed": "On {at}, the second factor of your account at the office of {organiser} was removed by {by}.",
    "recovery_code_used_subject": "Recovery code used: {organiser}",
    "recovery_code_used": "On {at}, somebody used a recovery code of your account to sign in at the office of "
    "{organiser}.",
    "codes_left": "Codes that are left: {left}",
    "code_guessing_subject": "Wrong codes for your account: {organiser}",
    "code_guessing": "By {at}, ten wrong codes were entered for your account at the office of {organiser}. Whoever "
    "does this knows your password, or can read your mails.",
    "email_changed_subject": "Your e-mail address was changed: {organiser}",
    "email_changed": "On {at}, the e-mail address of your account at the office of {organiser} was changed by {by}. "
    "From now on, links and notices go to the new address.",
    "rights_changed_subject": "Rights changed: {organiser}",
    "rights_changed": "On {at}, the rights of {person} at the office of {organiser} were changed by {by}.",
    "person_disabled": "On {at}, {person} was deactivated at the office of {organiser} by {by}.",
    "person_enabled": "On {at}, {person} was activated again at the office of {organiser} by {by}.",
    "rights_before": "Before: {role}",
    "rights_now": "Now: {role}",
    "person_invited_subject": "New person at the office: {organiser}",
    "person_invited": "On {at}, {person} was invited to the office of {organiser} by {by}.",
    "rights_of_person": "Rights: {role}",
    "role_owner": "Owner",
    "role_office": "Office",
    "role_finance": "Finance",
    "role_door": "Entrance",
    "role_reader": "View only",
    "role_custom": "Single rights",
    "role_none": "no account",
    "bank_changed_subject": "Bank details changed: {organiser}",
    "bank_changed": "On {at}, the bank details of {organiser} were changed by {by}. Future invoices show the new ones.",
    "organiser_iban_changed": "IBAN, last four characters: before {old}, now {new}",
    "bank_accounts_changed": "Further accounts, last four characters: before {old}, now {new}",
    "organiser_bic_changed": "BIC: changed",
    "organiser_name_changed": "Name of the organiser: changed",
    "none": "none",
    "nameless": "[name left out]",
    "by_command_line": "the administrator of the server",
    "by_api_key": "{name} (API key)",
    "not_you": "Was it not you? Then change your password at once, and sign out all other devices:",
    "not_you_code_guessing": "Was it not you? Then change your password at once, also that of your mailbox:",
    "not_you_email_changed": "Was it not you? Then ask at once: {contact}. Your account is here:",
    "not_you_owner": "Was it not you, and do you know nothing of it? Then ask at once, and check your own account as "
    "well:",
    "account_button": "My account",
    "mail_test_subject": "Test mail of {organiser}",
    "mail_test": "This is a test mail from the office of {organiser}. If you can read it, mails are set up correctly.",
    "invoice_subject": "Invoice {number}",
    "credit_note_subject": "Credit note {number}",
    "deposit_subject": "Deposit invoice {number}",
    "quoted_number": "invoice number {reference}",
    "quoted_reference": "reference {reference}",
    "invoice_reminder_subject": "Payment reminder: invoice {number}",
    "invoice": "Please find attached invoice {number} for {total}.",
    "credit_note": "Please find attached credit note {number} for {total}.",
    "deposit": "Please find attached deposit invoice {number} for {total}.",
    "pay_by": "Please pay {open} by {due_date}, quoting {quoted}.",
    "credit_counted": "We have offset {amount} of your credit.",
    "credit_left": "{amount} of invoice {number} remains to be paid.",
    "credit_settles": "Nothing remains to be paid of invoice {number}.",
    "credit_offset": "We have offset {amount} against invoice {number}, of which {left} remains to be paid.",
    "credit_pays": "We have offset {amount} against invoice {number}, which is now paid.",
    "credit_owed": "Your credit is {amount}. We will pay it out or offset it against your next invoice.",
    "invoice_reminder": "Our invoice {number} dated {issue_date} was due on {due_date}. "
    "According to our records, {open} is still outstanding. "
    "Please pay this amount, quoting {quoted}. A copy of the invoice is attached.",
    "invoice_reminder_early": "We would like to remind you of our invoice {number} dated {issue_date}. "
    "According to our records, {open} is outstanding. "
    "A copy of the invoice is attached.",
    "invoice_reminder_paid": "If you have already paid, please disregard this email.",
    "newsletter_title": "Newsletter",
    "confirm_question": "Do you want to receive the {sender} newsletter at {email}?",
    "confirm_button": "Yes, subscribe",
    "confirm_done": "Thank you. Your subscription is confirmed: {email} will receive the {sender} newsletter.",
    "unsubscribe_question": "Do you want to unsubscribe {email} from the {sender} newsletter?",
    "unsubscribe_button": "Unsubscribe",
    "unsubscribe_done": "You have unsubscribed: {email} will no longer receive the {sender} newsletter.",
    "unknown": "This link is not valid. It may be incomplete, or a newer link may have replaced it.",
}
GERMAN = {
    "hello": "Guten Tag {name},",
    "hello_nobody": "Guten Tag,",
    "regards": "Mit freundlichen Grüßen",
    "sample_person": "Mia Sommer",
    "sample_application_rejected": "Aus Ihrem Bereich haben wir mehr Anmeldungen erhalten, als Stände frei sind.",
    "sample_application_question": "Brauchen Sie Strom am Stand?",
    "sample_contract": "Standvertrag",
    "newsletter_confirmation_subject": "Bitte bestätigen Sie Ihre Anmeldung zum Newsletter von {sender}",
    "newsletter_confirmation": "für die E-Mail-Adresse {email} wurde der Newsletter von {sender} angefordert. "
    "Bitte bestätigen Sie die Anmeldung hier:",
    "newsletter_confirmation_button": "Anmeldung bestätigen",
    "newsletter_confirmation_ignore": "Wenn Sie den Newsletter nicht angefordert haben, ignorieren Sie bitte diese "
    "E-Mail. Ohne Ihre Bestätigung erhalten Sie keinen Newsletter.",
    "newsletter_confirmation_stop": "Wenn Sie den Newsletter nicht erhalten möchten, können Sie sich hier abmelden:",
    "newsletter_confirmation_stop_button": "Abmelden",
    "application_confirmation_subject": "Bitte bestätigen Sie Ihre Anmeldung: {title}",
    "application_confirmation": "mit dieser E-Mail-Adresse wurde eine Anmeldung als Aussteller ausgefüllt. "
    "Sie wird abgeschickt, sobald Sie sie hier bestätigen:",
    "application_confirmation_button": "Anmeldung bestätigen und abschicken",
    "application_confirmation_ignore": "Der Link gilt eine Woche. Wenn Sie sich nicht angemeldet haben, ignorieren "
    "Sie bitte diese E-Mail: Dann wird nichts abgeschickt.",
    "visit_confirmation_subject": "Bitte bestätigen Sie Ihre Registrierung: {title}",
    "visit_confirmation": "mit dieser E-Mail-Adresse hat sich jemand als Besucher registriert. "
    "Die Registrierung gilt, sobald Sie sie hier bestätigen:",
    "visit_confirmation_button": "Registrierung bestätigen",
    "visit_confirmation_ignore": "Der Link gilt eine Woche. Wenn Sie sich nicht registriert haben, ignorieren Sie "
    "bitte diese E-Mail: Dann geschieht nichts.",
    "application_decision_subject": "Ihre Anmeldung: {title}",
    "application_approved": "wir haben Ihre Anmeldung zu „{title}“ angenommen und freuen uns auf Sie.",
    "application_rejected": "vielen Dank für Ihre Anmeldung zu „{title}“. Leider können wir Ihnen diesmal keinen Platz "
    "anbieten.",
    "application_waitlisted": "vielen Dank für Ihre Anmeldung zu „{title}“. Zurzeit sind alle Plätze vergeben. Sie "
    "stehen auf der Warteliste, und wir melden uns, sobald ein Platz frei wird.",
    "application_question": "zu Ihrer Anmeldung für „{title}“ haben wir eine Frage:",
    "application_page_button": "Ihre Anmeldung ansehen",
    "answer_button": "Frage beantworten",
    "answer_by_mail": "Bitte antworten Sie an {email}.",
    "badge_subject": "Ihr Ausweis: {title}",
    "badge": "Sie sind für „{title}“ registriert. Bitte zeigen Sie am Eingang Ihren Ausweis, gedruckt oder auf dem "
    "Telefon.",
    "badge_button": "Ausweis anzeigen",
    "participation_cancelled_subject": "Absage Ihrer Teilnahme: {title}",
    "participation_cancelled": "Ihre Teilnahme an „{title}“ ist abgesagt.",
    "cancelled_booths_one": "Der Stand {numbers} ist nicht mehr für Sie reserviert.",
    "cancelled_booths": "Die Stände {numbers} sind nicht mehr für Sie reserviert.",
    "cancelled_cancelled_orders_one": "Ihre Bestellung {numbers} ist damit ebenfalls storniert.",
    "cancelled_cancelled_orders": "Ihre Bestellungen {numbers} sind damit ebenfalls storniert.",
    "cancelled_open_orders_one": "Ihre Bestellung {numbers} ist bestätigt und noch nicht storniert. Dazu melden wir "
    "uns bei Ihnen.",
    "cancelled_open_orders": "Ihre Bestellungen {numbers} sind bestätigt und noch nicht storniert. Dazu melden wir uns "
    "bei Ihnen.",
    "cancelled_credited_one": "Zur Rechnung {numbers} erhalten Sie eine Rechnungskorrektur.",
    "cancelled_credited": "Zu den Rechnungen {numbers} erhalten Sie Rechnungskorrekturen.",
    "cancelled_invoice_open": "Die Rechnung {number} bleibt bestehen. Davon sind noch {open} zu zahlen.",
    "cancelled_invoice_paid": "Die Rechnung {number} bleibt bestehen. Es ist nichts mehr zu zahlen.",
    "contract_subject": "Ihr Vertrag: {title}",
    "contract": "Ihr Vertrag zu „{title}“ wartet auf Ihre Unterschrift: {contract}, {number}.",
    "contract_page": "Bitte lesen Sie ihn auf Ihrer Seite, und nehmen Sie ihn dort an:",
    "contract_return": "Bitte unterschreiben Sie ihn, und senden Sie ihn an {email}.",
    "link_subject": "Ihre Seite: {title}",
    "link": "mit diesem Link öffnen Sie Ihre Seite {event_zum}:",
    "link_button": "Meine Seite öffnen",
    "todos_subject": "Noch zu tun: {title}",
    "todos": "Auf Ihrer Seite zu „{title}“ ist noch zu tun:",
    "booth_offer_subject": "Ein Stand ist für Sie reserviert: {title}",
    "booth_offer": "Sie stehen auf der Warteliste für einen Stand bei „{title}“. Einer ist frei geworden und für Sie "
    "reserviert:",
    "booth_confirmed_subject": "Ihr Stand {booth}: {title}",
    "booth_confirmed": "Ihr Stand {booth} bei „{title}“ ist bestätigt.",
    "booth_moved": "Ihr Stand bei „{title}“ hat sich geändert. Sie haben jetzt den Stand {booth}.",
    "booth_cancelled": "die Reservierung des Standes {booth} bei „{title}“ wurde storniert. Er ist nicht mehr für Sie "
    "reserviert.",
    "booth_left": "Ihr Platz auf der Warteliste für den Stand {booth} bei „{title}“ wurde gestrichen.",
    "booth_number": "Stand: {number}",
    "booth_size": "Größe: {width} × {depth} m",
    "booth_price": "Preis: {price} zzgl. {rate} % USt",
    "booth_price_only": "Preis: {price}",
    "booth_plan_button": "Hallenplan ansehen",
    "booth_page": "Alles Weitere finden Sie auf Ihrer Seite:",
    "link_notice_subject": "Neuer Zugang zu Ihrer Seite: {title}",
    "link_changed_subject": "Zugang geändert: {title}",
    "further_link": "am {day} hat eine weitere Person Zugang zu Ihrer Ausstellerseite für „{title}“ bekommen: "
    "{address}.",
    "further_link_shown": "am {day} wurde ein weiterer Zugang zu Ihrer Ausstellerseite für „{title}“ eingerichtet.",
    "further_link_rights": "Dieser Zugang umfasst: {rights}.",
    "further_device": "am {day} wurde Ihr Link zur Ausstellerseite für „{title}“ auf einem weiteren Gerät geöffnet.",
    "address_changed": "am {day} wurde die E-Mail-Adresse Ihrer Anmeldung zu „{title}“ geändert. Die neue ist "
    "{address}. Links, die Sie an Ihre Adresse bekommen haben, gelten nicht mehr.",
    "address_removed": "am {day} wurde die E-Mail-Adresse Ihrer Anmeldung zu „{title}“ entfernt. Links, die Sie an "
    "Ihre Adresse bekommen haben, gelten nicht mehr.",
    "merged": "am {day} wurden zwei Teilnahmen an „{title}“ zu einer zusammengeführt; eine davon ist Ihre.",
    "merged_ended": "Die Links dieser Adressen gelten nicht mehr: {addresses}. Die neuen schickt {contact}.",
    "notice_wrong": "Ist das nicht richtig? Dann wenden Sie sich bitte sofort an {contact}.",
    "right_profile": "Eintrag im Ausstellerverzeichnis",
    "right_submissions": "Unterlagen",
    "right_booth": "Stand",
    "right_orders": "Bestellungen",
    "right_contract": "Vertrag",
    "right_invoices": "Rechnungen",
    "right_badges": "Ausweise",
    "link_ignore": "Der Link gilt 14 Tage und ist nur für Sie: Bitte leiten Sie ihn nicht weiter. "
    "Einen neuen können Sie jederzeit auf der Seite anfordern.",
    "invitation_subject": "{inviter} lädt Sie ins Büro von {organiser} ein",
    "invitation_nobody_subject": "Einladung ins Büro von {organiser}",
    "invitation": "{inviter} hat Sie ins Büro von {organiser} eingeladen. Mit diesem Link melden Sie sich an:",
    "invitation_nobody": "Sie sind ins Büro von {organiser} eingeladen. Mit diesem Link melden Sie sich an:",
    "invitation_button": "Einladung annehmen",
    "invitation_ignore": "Der Link gilt sieben Tage und nur einmal. Er ist nur für Sie: Bitte leiten Sie ihn nicht "
    "weiter. Wenn Sie nicht wissen, worum es geht, ignorieren Sie bitte diese E-Mail: Dann geschieht nichts.",
    "sign_in_subject": "Ihr Link ins Büro von {organiser}",
    "sign_in": "mit diesem Link melden Sie sich im Büro von {organiser} an:",
    "sign_in_button": "Anmelden",
    "sign_in_ignore": "Der Link gilt 30 Minuten und nur einmal. Wenn Sie ihn nicht angefordert haben, ignorieren Sie "
    "bitte diese E-Mail: Dann geschieht nichts. Bitte leiten Sie ihn nie weiter.",
    "new_device_subject": "Anmeldung auf einem neuen Gerät: {organiser}",
    "new_device": "am {at} hat sich jemand mit Ihrem Zugang im Büro von {organiser} angemeldet, auf einem Gerät, das "
    "wir noch nicht kennen.",
    "device": "Gerät: {name}",
    "unknown_device": "unbekannt",
    "network_address": "Netzadresse: {address}",
    "password_changed_subject": "Ihr Passwort wurde geändert: {organiser}",
    "password_changed": "am {at} wurde das Passwort Ihres Zugangs zum Büro von {organiser} geändert, von {by}.",
    "password_removed": "am {at} wurde das Passwort Ihres Zugangs zum Büro von {organiser} entfernt, von {by}.",
    "factor_added_subject": "Zweiter Faktor eingerichtet: {organiser}",
    "factor_added": "am {at} wurde für Ihren Zugang zum Büro von {organiser} ein zweiter Faktor eingerichtet, "
    "von {by}.",
    "factor_removed_subject": "Zweiter Faktor entfernt: {organiser}",
    "factor_removed": "am {at} wurde der zweite Faktor Ihres Zugangs zum Büro von {organiser} entfernt, von {by}.",
    "recovery_code_used_subject": "Wiederherstellungscode verwendet: {organiser}",
    "recovery_code_used": "am {at} hat sich jemand mit einem Wiederherstellungscode Ihres Zugangs im Büro von "
    "{organiser} angemeldet.",
    "codes_left": "Codes, die noch gelten: {left}",
    "code_guessing_subject": "Falsche Codes für Ihren Zugang: {organiser}",
    "code_guessing": "bis zum {at} wurden für Ihren Zugang zum Büro von {organiser} zehn falsche Codes eingegeben. Wer "
    "das tut, kennt Ihr Passwort oder kann Ihre E-Mails lesen.",
    "email_changed_subject": "Ihre E-Mail-Adresse wurde geändert: {organiser}",
    "email_changed": "am {at} wurde die E-Mail-Adresse Ihres Zugangs zum Büro von {organiser} geändert, von {by}. "
    "Links und Hinweise gehen ab jetzt an die neue Adresse.",
    "rights_changed_subject": "Rechte geändert: {organiser}",
    "rights_changed": "am {at} wurden die Rechte von {person} im Büro von {organiser} geändert, von {by}.",
    "person_disabled": "am {at} wurde der Zugang von {person} zum Büro von {organiser} deaktiviert, von {by}.",
    "person_enabled": "am {at} wurde der Zugang von {person} zum Büro von {organiser} wieder aktiviert, von {by}.",
    "rights_before": "Bisher: {role}",
    "rights_now": "Jetzt: {role}",
    "person_invited_subject": "Neue Person im Büro: {organiser}",
    "person_invited": "am {at} wurde {person} ins Büro von {organiser} eingeladen, von {by}.",
    "rights_of_person": "Rechte: {role}",
    "role_owner": "Leitung",
    "role_office": "Büro",
    "role_finance": "Finanzen",
    "role_door": "Einlass",
    "role_reader": "Nur ansehen",
    "role_custom": "Einzeln",
    "role_none": "kein Zugang",
    "bank_changed_subject": "Bankdaten geändert: {organiser}",
    "bank_changed": "am {at} wurden die Bankdaten von {organiser} geändert, von {by}. Künftige Rechnungen nennen die "
    "neuen.",
    "organiser_iban_changed": "IBAN, letzte vier Stellen: bisher {old}, jetzt {new}",
    "bank_accounts_changed": "Weitere Konten, letzte vier Stellen: bisher {old}, jetzt {new}",
    "organiser_bic_changed": "BIC: geändert",
    "organiser_name_changed": "Name des Veranstalters: geändert",
    "none": "keine",
    "nameless": "[Name ausgelassen]",
    "by_command_line": "der Administration des Servers",
    "by_api_key": "{name} (API-Schlüssel)",
    "not_you": "Waren Sie das nicht? Dann ändern Sie sofort Ihr Passwort, und melden Sie alle anderen Geräte ab:",
    "not_you_code_guessing": "Waren Sie das nicht? Dann ändern Sie sofort Ihr Passwort, auch das Ihres Postfachs:",
    "not_you_email_changed": "Waren Sie das nicht? Dann fragen Sie sofort nach: {contact}. Ihren Zugang finden Sie "
    "hier:",
    "not_you_owner": "Waren Sie das nicht, und wissen Sie nichts davon? Dann fragen Sie sofort nach, und prüfen Sie "
    "auch Ihren eigenen Zugang:",
    "account_button": "Mein Zugang",
    "mail_test_subject": "Probe-Mail von {organiser}",
    "mail_test": "dies ist eine Probe-Mail aus dem Büro von {organiser}. Wenn Sie sie lesen, sind E-Mails richtig "
    "eingerichtet.",
    "invoice_subject": "Rechnung {number}",
    "credit_note_subject": "Rechnungskorrektur {number}",
    "deposit_subject": "Abschlagsrechnung {number}",
    "quoted_number": "Rechnungsnummer {reference}",
    "quoted_reference": "Referenz {reference}",
    "invoice_reminder_subject": "Zahlungserinnerung: Rechnung {number}",
    "invoice": "anbei erhalten Sie unsere Rechnung {number} über {total}.",
    "credit_note": "anbei erhalten Sie unsere Rechnungskorrektur {number} über {total}.",
    "deposit": "anbei erhalten Sie unsere Abschlagsrechnung {number} über {total}.",
    "pay_by": "Bitte zahlen Sie {open} bis zum {due_date} unter Angabe der {quoted}.",
    "credit_counted": "Ihr Guthaben haben wir in Höhe von {amount} verrechnet.",
    "credit_left": "Von der Rechnung {number} bleiben {amount} zu zahlen.",
    "credit_settles": "Von der Rechnung {number} ist nichts mehr zu zahlen.",
    "credit_offset": "Wir haben {amount} mit der Rechnung {number} verrechnet, dort bleiben {left} zu zahlen.",
    "credit_pays": "Wir haben {amount} mit der Rechnung {number} verrechnet, die damit bezahlt ist.",
    "credit_owed": "Ihr Guthaben beträgt {amount}. Wir zahlen es aus oder verrechnen es mit Ihrer nächsten Rechnung.",
    "invoice_reminder": "unsere Rechnung {number} vom {issue_date} war am {due_date} fällig. "
    "Nach unseren Unterlagen sind noch {open} offen. "
    "Bitte begleichen Sie diesen Betrag unter Angabe der {quoted}. "
    "Eine Kopie der Rechnung finden Sie im Anhang.",
    "invoice_reminder_early": "wir möchten Sie an unsere Rechnung {number} vom {issue_date} erinnern. "
    "Nach unseren Unterlagen sind noch {open} offen. "
    "Eine Kopie der Rechnung finden Sie im Anhang.",
    "invoice_reminder_paid": "Sollten Sie bereits gezahlt haben, betrachten Sie diese E-Mail bitte als gegenstandslos.",
    "newsletter_title": "Newsletter",
    "confirm_question": "Möchten Sie den Newsletter von {sender} an die Adresse {email} erhalten?",
    "confirm_button": "Ja, Newsletter bestellen",
    "confirm_done": "Vielen Dank. Ihre Anmeldung ist bestätigt: {email} erhält künftig den Newsletter von {sender}.",
    "unsubscribe_question": "Möchten Sie die Adresse {email} vom Newsletter von {sender} abmelden?",
    "unsubscribe_button": "Abmelden",
    "unsubscribe_done": "Sie sind abgemeldet: {email} erhält den Newsletter von {sender} nicht mehr.",
    "unknown": "Dieser Link ist ungültig. Möglicherweise ist er unvollständig oder wurde durch einen neueren ersetzt.",
}
WORDS = {"en": ENGLISH, "de": GERMAN}


def sender(config):
    """Return the organiser's name, or the sender's address if no name is configured."""
    return config.organiser_name or config.smtp_sender


def closing(config, language):
    """Return the paragraphs at the end of a mail: the greeting with the signature, and who the
    sender is in law.

    The second one is left out while the configuration names neither a register, directors nor a
    telephone number.
    """
    organiser = {name: getattr(config, f"organiser_{name}") for name in IMPRINT}
    signature = "\n".join(config.mail_signature) or sender(config)
    facts, regards = register(organiser, language), WORDS[language]["regards"]
    if config.organiser_country in ("CH", "LI"):
        regards = regards.replace("ß", "ss")
    if not facts and not organiser["phone"]:
        return [regards, signature]
    lines = (
        ", ".join(address(organiser, language, organiser["country"])),
        *contact(organiser, language),
        *facts,
    )
    return [regards, signature, "\n".join(filter(None, lines))]
