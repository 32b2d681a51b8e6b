import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.ContactsApi;
import org.openapitools.client.api.PaymentsApi;
import org.openapitools.client.api.WebhooksApi;
import org.openapitools.client.model.Contact;
import org.openapitools.client.model.ContactCreate;
import org.openapitools.client.model.ContactListItem;
import org.openapitools.client.model.ContactListResponse;
import org.openapitools.client.model.PaymentCreate;
import org.openapitools.client.model.Problem;
import org.openapitools.client.model.SortOrder;
import org.openapitools.client.model.WebhookCreate;
import org.openapitools.client.model.WebhookResponse;

/** A journey with the client of OpenAPI Generator: Journey URL KEY. Contacts, a list by cursor, a webhook, and errors. */
public class Journey {
    private static void expect(boolean condition, Object text) {
        if (!condition) throw new AssertionError(text);
    }

    /** A call that the server must refuse. */
    private interface Call {
        void run() throws ApiException;
    }

    private static Problem refused(ApiClient client, int status, Call call) throws Exception {
        try {
            call.run();
        } catch (ApiException error) {
            expect(error.getCode() == status, error.getMessage());
            return client.getObjectMapper().readValue(error.getResponseBody(), Problem.class);
        }
        throw new AssertionError("the server has accepted what it must refuse");
    }

    public static void main(String[] words) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(words[0]);
        client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + words[1]));
        ContactsApi contacts = new ContactsApi(client);

        Contact contact = contacts.createContact(
            new ContactCreate().companyName("Segel AG").city("Kiel").email("office@segel.example"), null, null).getData();
        expect(contact.getCity().equals("Kiel") && contact.getEmail().equals("office@segel.example"), contact);
        expect(contact.getNotes() == null, contact);
        for (int number = 0; number < 4; number++)
            contacts.createContact(new ContactCreate().companyName("Segel " + number), null, null);

        List<String> found = new ArrayList<>();
        String after = "";
        while (after != null) {
            ContactListResponse page = contacts.listContacts(
                null, 2, SortOrder.ASC, "id", null, null, after, null, "Segel", null, null,
                null, null, null, null, null, null, null, null, null);
            for (ContactListItem item : page.getData()) found.add(item.getCompanyName());
            after = page.getMeta().getNext();
        }
        expect(found.equals(List.of("Segel AG", "Segel 0", "Segel 1", "Segel 2", "Segel 3")), found);

        WebhookResponse webhook = new WebhooksApi(client).createWebhook(
            new WebhookCreate().url("http://127.0.0.1:9/hook").events(List.of("contact.created")), null, null);
        expect(webhook.getData().getId() > 0, webhook);

        Problem invalid = refused(client, 422, () -> new PaymentsApi(client).createPayment(
            new PaymentCreate().invoiceNumber("INV-0").amount(new BigDecimal(-5)), null, null));
        expect(invalid.getErrors().get(0).getPointer().equals("/amount"), invalid);
        expect(invalid.getErrors().get(0).getCode().equals("exclusive_minimum"), invalid);
        Problem missing = refused(client, 404, () -> contacts.getContact(999999, null, null));
        expect(missing.getCode().equals("not_found"), missing);
        System.out.println("journey done");
    }
}
