"""The names of operations and tags are those of version 1: generated clients call methods by these
names.

A name may be added here, never changed or removed within /api/v1.
"""

from eventapi.reference import document as openapi

# tag -> operationIds
NAMES = {
    "events": """
        list_events create_event get_event update_event_put update_event_patch delete_event set_event_image
        delete_event_image copy_event get_event_overview""",
    "me": """
        get_me""",
    "settings": """
        get_settings update_settings_put update_settings_patch
        get_organiser_logo set_organiser_logo delete_organiser_logo""",
    "event-pages": """
        get_event_pages update_event_pages_put update_event_pages_patch set_event_form
        preview_mail""",
    "categories": """
        list_categories create_category get_category update_category_put update_category_patch delete_category""",
    "schedules": """
        list_schedules create_schedule get_schedule update_schedule_put update_schedule_patch delete_schedule""",
    "calendar-feed": """
        get_calendar_feed list_calendar_subscriptions create_calendar_subscription get_calendar_subscription
        update_calendar_subscription_put update_calendar_subscription_patch delete_calendar_subscription
        rotate_calendar_subscription""",
    "feeds": """
        get_calendar_subscription_feed""",
    "contacts": """
        list_contacts create_contact get_contact update_contact_put update_contact_patch delete_contact
        list_contact_duplicates merge_contact export_contact anonymize_contact
        create_contact_vat_check""",
    "applications": """
        list_applications create_application list_events_open_for_applications get_application
        update_application_put update_application_patch delete_application review_application
        approve_application reject_application waitlist_application request_application_information
        answer_application_question withdraw_application batch_applications""",
    "participants": """
        list_participants create_participant get_participant update_participant_put update_participant_patch
        delete_participant confirm_participant unconfirm_participant cancel_participant reinstate_participant
        get_participant_readiness get_participant_badge replace_participant_badge get_participant_badge_sheets
        get_participant_balance create_participant_invoice create_participant_link
        create_participant_contract batch_participants""",
    "profiles": """
        get_participant_profile update_participant_profile_put update_participant_profile_patch set_participant_logo
        delete_participant_logo""",
    "links": """
        list_links create_link get_link update_link_patch delete_link revoke_link mail_link show_link rotate_link
        get_link_reminder remind_link get_link_devices delete_link_device
        batch_links""",
    "shows": """
        get_show get_show_exhibitors get_show_exhibitor get_show_plan get_show_programme""",
    "newsletter": """
        list_newsletter_subscribers create_newsletter_subscriber delete_newsletter_subscriber_by_email
        get_newsletter_subscriber update_newsletter_subscriber_put update_newsletter_subscriber_patch
        delete_newsletter_subscriber""",
    "newsletter-pages": """
        get_newsletter_confirmation confirm_newsletter_subscription get_newsletter_unsubscription
        unsubscribe_from_newsletter""",
    "invoices": """
        list_invoices create_invoice list_invoice_series get_invoice update_invoice_put update_invoice_patch
        delete_invoice send_invoice check_invoice refresh_invoice cancel_invoice credit_invoice remind_invoice
        offset_invoice create_invoice_write_off delete_invoice_write_off
        mail_invoice dispute_invoice settle_invoice get_invoice_pdf get_invoice_xml
        get_invoice_girocode print_invoices post_invoices batch_invoices""",
    "dunning": """
        list_due_dunnings list_dunning_letters send_dunnings withdraw_dunning get_dunning_pdf""",
    "dunning-levels": """
        list_dunning_levels create_dunning_level get_dunning_level update_dunning_level_put
        update_dunning_level_patch delete_dunning_level""",
    "payments": """
        list_payments create_payment get_payment update_payment_put update_payment_patch delete_payment
        complete_payment fail_payment cancel_payment refund_payment delete_payment_refund""",
    "bank-statements": """
        import_payments list_payment_imports list_payment_import_formats list_unmatched_payments
        get_unmatched_payment assign_unmatched_payment ignore_unmatched_payment reopen_unmatched_payment""",
    "bank-rules": """
        list_bank_rules create_bank_rule get_bank_rule update_bank_rule_put update_bank_rule_patch
        delete_bank_rule""",
    "services": """
        list_services create_service get_service update_service_put update_service_patch delete_service""",
    "service-categories": """
        list_service_categories create_service_category get_service_category update_service_category_put
        update_service_category_patch delete_service_category""",
    "service-orders": """
        list_service_orders create_service_order get_service_order update_service_order_put
        update_service_order_patch delete_service_order submit_service_order confirm_service_order
        cancel_service_order start_service_order_item complete_service_order_item cancel_service_order_item
        batch_service_orders""",
    "reports": """
        list_reports get_revenue_report get_participants_report get_applications_report get_payments_report
        get_overview_report get_receivables_report get_tax_report get_booths_report get_services_report
        get_check_ins_report get_readiness_report get_datev_report get_datev_debtors_report
        get_recapitulative_report get_ledger_report get_customer_account list_periods close_period
        keep_period_files get_audit_export""",
    "plans": """
        list_plans create_plan get_plan update_plan_put update_plan_patch delete_plan list_plan_warnings
        get_plan_svg""",
    "booths": """
        list_booths create_booth get_booth update_booth_put update_booth_patch delete_booth batch_booths""",
    "booth-types": """
        list_booth_types create_booth_type get_booth_type update_booth_type_put update_booth_type_patch
        delete_booth_type""",
    "booth-formulas": """
        list_booth_formulas create_booth_formula get_booth_formula update_booth_formula_put
        update_booth_formula_patch delete_booth_formula""",
    "booth-reservations": """
        list_booth_reservations create_booth_reservation get_booth_reservation update_booth_reservation_put
        update_booth_reservation_patch delete_booth_reservation confirm_booth_reservation
        cancel_booth_reservation extend_booth_reservation move_booth_reservation swap_booth_reservation
        batch_booth_reservations""",
    "documents": """
        list_documents create_document get_document update_document_put update_document_patch delete_document
        get_document_content set_document_content request_document_signature mark_document_signed accept_document
        decline_document void_document terminate_document batch_documents""",
    "document-templates": """
        list_document_templates create_document_template list_document_placeholders preview_document_template
        get_document_template update_document_template_put update_document_template_patch delete_document_template""",
    "document-categories": """
        list_document_categories create_document_category get_document_category update_document_category_put
        update_document_category_patch delete_document_category""",
    "submissions": """
        list_submissions create_submission get_submission update_submission_put update_submission_patch
        create_submission_file set_submission_file
        delete_submission submit_submission approve_submission reject_submission request_submission_revision
        list_submission_revisions get_submission_revision get_submission_revision_content batch_submissions""",
    "submission-types": """
        list_submission_types create_submission_type get_submission_type update_submission_type_put
        update_submission_type_patch delete_submission_type""",
    "tasks": """
        list_tasks create_task get_task update_task_put update_task_patch delete_task start_task complete_task
        cancel_task reopen_task""",
    "notes": """
        list_notes create_note get_note update_note_put update_note_patch delete_note pin_note""",
    "custom-fields": """
        list_custom_fields create_custom_field list_custom_field_definitions get_custom_field
        update_custom_field_put update_custom_field_patch delete_custom_field get_custom_field_values
        replace_custom_field_values change_custom_field_values""",
    "check-ins": """
        list_check_ins create_check_in create_check_in_batch get_check_in_stats get_check_in_roster
        list_check_in_refusals get_check_in update_check_in_put update_check_in_patch delete_check_in""",
    "webhooks": """
        list_webhooks create_webhook list_webhook_events get_webhook_feed get_webhook update_webhook_put
        update_webhook_patch delete_webhook test_webhook rotate_webhook_secret list_webhook_deliveries
        redeliver_webhook_delivery""",
    "bulk-import": """
        list_bulk_imports import_contacts import_participants get_bulk_import get_bulk_import_errors""",
    "audit-log": """
        list_audit_entries get_audit_entry""",
    "health": """
        get_health""",
    "metrics": """
        get_metrics""",
    "openapi": """
        get_openapi get_older_openapi get_generator_options""",
    "docs": """
        get_root get_docs get_client list_guides get_guide get_changelog""",
    "problems": """
        list_problems get_problem""",
}


def test_operations_have_the_names_of_version_1():
    document, found = openapi.document(None), {}
    for item in document["paths"].values():
        for operation in item.values():
            (tag,) = operation["tags"]
            found.setdefault(tag, set()).add(operation["operationId"])
    assert found == {tag: set(names.split()) for tag, names in NAMES.items()}


def test_every_event_has_a_name_made_from_its_type():
    for name, item in openapi.document(None)["webhooks"].items():
        assert item["post"]["operationId"] == f"receive_{name.replace('.', '_')}"
