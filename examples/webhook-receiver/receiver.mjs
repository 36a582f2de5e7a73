// receiver.mjs
// Verifies deliveries of the hosting service and prints each event once.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const secret = process.env.WEBHOOK_SECRET;
if (!secret) throw new Error("WEBHOOK_SECRET is empty");
const maxBody = 1 << 20;
const handled = new Set(); // Keep the ids in a database: a restart forgets these.

// The event is delivered again unless handle returns within 10 seconds.
function handle(event) {
  const subject = event.instance_id ?? "the account";
  console.log(`${event.at} ${event.type} of ${subject}: ${JSON.stringify(event.data)}`);
}

async function receive(request) {
  if (request.method !== "POST") return 405;
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > maxBody) return 413;
    chunks.push(chunk);
  }
  // The signature is of the raw body. Parse the body only after the check.
  const body = Buffer.concat(chunks);
  const want = Buffer.from("sha256=" + createHmac("sha256", secret).update(body).digest("hex"));
  const got = Buffer.from(request.headers["x-service-signature"] ?? "");
  if (got.length !== want.length || !timingSafeEqual(got, want)) return 401;
  const event = JSON.parse(body);
  if (!handled.has(event.id)) {
    handle(event);
    handled.add(event.id);
  }
  return 204;
}

const server = createServer(async (request, response) => {
  let status = 500; // The service delivers the event again.
  try {
    status = await receive(request);
  } catch (error) {
    console.error(error);
  }
  response.writeHead(status, status === 413 ? { connection: "close" } : {}).end();
});
server.listen(Number(process.env.PORT ?? 9000), () => {
  console.log(`listening on port ${server.address().port}`);
});
