// A journey with the client of @hey-api/openapi-ts: node hey_journey.js URL KEY.
// Contacts, a list by cursor, a webhook, and the errors of a 422 and a 404.
import { createContact, createPayment, createWebhook, getContact, listContacts } from "./hey";
import { client } from "./hey/client.gen";

const [url, key] = process.argv.slice(2) as [string, string];

function expect(condition: boolean, text: string): asserts condition {
  if (!condition) throw new Error(text);
}

async function contacts(after: string): Promise<[(string | null)[], string | null]> {
  const page = await listContacts({ query: { after, per_page: 2, search: "Hey", sort: "id", order: "ASC" } });
  expect(typeof page.data === "object", JSON.stringify(page.error));          // CSV would be text
  return [page.data.data.map((record) => record.company_name), page.data.meta.next ?? null];
}

async function main(): Promise<void> {
  client.setConfig({ baseUrl: url, auth: key });
  const contact = await createContact({
    body: { company_name: "Hey KG", city: "Jena", email: "office@garten.example" } });
  expect(contact.data?.data.city === "Jena" && contact.data.data.notes === null, JSON.stringify(contact.error));
  for (const number of [0, 1, 2, 3]) await createContact({ body: { company_name: `Hey ${number}` } });

  const found: (string | null)[] = [];
  let after: string | null = "";
  while (after !== null) {
    const [names, following] = await contacts(after);
    found.push(...names);
    after = following;
  }
  expect(found.join() === "Hey KG,Hey 0,Hey 1,Hey 2,Hey 3", found.join());

  const webhook = await createWebhook({ body: { url: "http://127.0.0.1:9/hook", events: ["contact.created"] } });
  expect(webhook.data !== undefined, JSON.stringify(webhook.error));

  const refused = await createPayment({ body: { invoice_number: "INV-0", amount: -5 } });
  expect(refused.response?.status === 422 && refused.error !== undefined, "an invalid payment is refused");
  const faults = (refused.error.errors ?? []).map((fault) => `${fault.pointer} ${fault.code}`);
  expect(faults.join() === "/amount exclusive_minimum", faults.join());
  const missing = await getContact({ path: { id: 999999 } });
  expect(missing.response?.status === 404 && missing.error?.code === "not_found", JSON.stringify(missing.error));
  console.log("journey done");
}

main().catch((error) => { console.error(error); process.exit(1); });
