// A journey with openapi-fetch and the types of openapi-typescript: node journey.js URL KEY.
// Contact, participant, invoice, send, payment, an upload, a list by cursor, and the faults of a 422.
import createClient from "openapi-fetch";
import type { paths } from "./api";

const [url, key] = process.argv.slice(2) as [string, string];
const client = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${key}` } });

function expect(condition: boolean, text: string): asserts condition {
  if (!condition) throw new Error(text);
}

function data<T>(response: { data?: { data: T }; error?: unknown }): T {
  if (!response.data) throw new Error(JSON.stringify(response.error));
  return response.data.data;
}

async function contacts(after: string): Promise<[(string | null)[], string | null]> {
  const page = await client.GET("/api/v1/contacts", {
    params: { query: { after, per_page: 2, search: "Boote", include: ["events", "categories"] } } });
  expect(typeof page.data === "object", JSON.stringify(page.error));          // CSV would be text
  return [page.data.data.map((record) => record.company_name), page.data.meta.next ?? null];
}

async function main(): Promise<void> {
  const event = data(await client.POST("/api/v1/events", {
    body: { title: "Boat Show", date_from: "2027-06-01", date_to: "2027-06-03" } }));
  const contact = data(await client.POST("/api/v1/contacts", {
    body: { company_name: "Boote GmbH", address: "Am Hafen 1", city: "Kiel", email: "office@boote.example" } }));
  const participant = data(await client.POST("/api/v1/participants", {
    body: { event_id: event.id, contact_id: contact.id, is_confirmed: true } }));
  const invoice = data(await client.POST("/api/v1/invoices", {
    body: { participant_id: participant.id, items: [{ description: "Booth A1", quantity: 12, unit_price: 150.5 }] } }));
  expect(invoice.total === 2149.14, `total ${invoice.total}`);
  const sent = data(await client.POST("/api/v1/invoices/{id}/send", {
    params: { path: { id: invoice.id } }, body: { mail: false } }));
  expect(sent.issue_date !== null, "a sent invoice has an issue date");
  const payment = data(await client.POST("/api/v1/payments", {
    params: { header: { "Idempotency-Key": "journey-ts" } },
    body: { invoice_number: sent.invoice_number, amount: 2149.14, status: "completed" } }));
  expect(payment.amount === 2149.14, `amount ${payment.amount}`);
  const pdf = await client.GET("/api/v1/invoices/{id}/pdf", {
    params: { path: { id: sent.id } }, parseAs: "text" });
  expect(pdf.data !== undefined && (pdf.data as unknown as string).startsWith("%PDF-"), "the invoice is a PDF");

  const document = data(await client.POST("/api/v1/documents", {
    body: { entity_type: "contact", entity_id: contact.id, filename: "logo.svg" } }));
  const stored = data(await client.PUT("/api/v1/documents/{id}/content", {
    params: { path: { id: document.id } }, body: "hello", bodySerializer: (body) => body,
    headers: { "Content-Type": "application/octet-stream" } }));
  expect(stored.size === 5, `size ${stored.size}`);

  const found: (string | null)[] = [];
  let after: string | null = "";
  while (after !== null) {
    const [names, following] = await contacts(after);
    found.push(...names);
    after = following;
  }
  expect(found.join() === "Boote GmbH", found.join());

  const refused = await client.POST("/api/v1/payments", { body: { invoice_number: "INV-0", amount: -5 } });
  expect(refused.response.status === 422 && refused.error !== undefined, "an invalid payment is refused");
  const faults = (refused.error.errors ?? []).map((fault) => `${fault.pointer} ${fault.code}`);
  expect(faults.join() === "/amount exclusive_minimum", faults.join());
  console.log("journey done");
}

main().catch((error) => { console.error(error); process.exit(1); });
