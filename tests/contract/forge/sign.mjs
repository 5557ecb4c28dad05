// GitHub's own examples of webhooks, signed by GitHub's own library: node sign.mjs SECRET EVENT…
//
// Prints one JSON object a line: {event, type, body, signature}; each payload as JSON and as a form.
import { createRequire } from "node:module";

import { sign } from "@octokit/webhooks-methods";

const examples = createRequire(import.meta.url)("@octokit/webhooks-examples");
const [secret, ...events] = process.argv.slice(2);
for (const { name, examples: payloads } of examples.default ?? examples) {
  if (!events.includes(name)) continue;
  for (const payload of payloads) {
    const json = JSON.stringify(payload);
    const forms = {
      "application/json": json,
      "application/x-www-form-urlencoded": new URLSearchParams({ payload: json }).toString(),
    };
    for (const [type, body] of Object.entries(forms)) {
      console.log(JSON.stringify({ event: name, type, body, signature: await sign(secret, body) }));
    }
  }
}
