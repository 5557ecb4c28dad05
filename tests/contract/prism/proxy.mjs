// Prism as proxies that hold requests and answers to an OpenAPI file and pass both on: node proxy.mjs FILE
//
// Prints where it listens. GET /?upstream=URL starts a proxy before that server and answers with its URL;
// GET /report answers with {requests, violations, failures, intended}. It ends with its standard input.
// An answer with X-Fake-Fault is wrong on purpose: what is wrong with it is counted only, its request is held like any.
import http from "node:http";

import core from "@stoplight/prism-core";
import prism from "@stoplight/prism-http";
import server from "@stoplight/prism-http-server";

const operations = await prism.getHttpOperationsFromSpec(process.argv[2]);
const logger = core.createLogger("proxy", { level: "silent" });
const report = { requests: 0, violations: [], failures: [], intended: 0 };

function note(input, { output, validations }) {
  report.requests++;
  const intended = output.headers?.["x-fake-fault"] !== undefined;
  for (const [side, found] of Object.entries(validations)) {
    if (side === "output" && intended) {
      report.intended += found.length;
      continue;
    }
    for (const { path = [], message } of found) {
      const call = `${input.method} ${input.url.path} ${output.statusCode}`;
      report.violations.push(`${call}: ${side} ${path.join(".")}: ${message}`);
    }
  }
}

// Prism's calls are functions that promise an error on the left, where the server could not be asked, or an answer.
function noting(request) {
  return (input, ...more) => async () => {
    const result = await request(input, ...more)();
    if (result._tag === "Right") note(input, result.right);
    else report.failures.push(`${input.method} ${input.url.path}: ${result.left.message}`);
    return result;
  };
}

function startProxy(upstream) {
  const config = {
    isProxy: true,
    upstream: new URL(upstream),
    checkSecurity: true,
    validateRequest: true,
    validateResponse: true,
    errors: false,
    mock: {},
  };
  const proxy = server.createServer(operations, { components: { logger }, config });
  proxy.prism.request = noting(proxy.prism.request);
  return proxy.listen(0, "127.0.0.1");
}

const control = http.createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  response.end(pathname === "/report" ? JSON.stringify(report) : await startProxy(searchParams.get("upstream")));
});
control.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${control.address().port}`));
process.stdin.on("end", () => process.exit(0)).resume();
