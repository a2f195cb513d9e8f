// Makes the calls that it reads from its input with the client of TypeScript; prints a line of JSON for each, as run_examples.py does.
import { readFileSync } from "node:fs";

import { Balcao, Fault } from "@balcao/client";

const REASON = "Exemplo da descrição – à parte";
const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

for (const call of JSON.parse(readFileSync(0, "utf-8"))) {
  const balcao = new Balcao(process.argv[2], call.token, { retries: { times: 0 } });
  const service = balcao[camel(call.service)];
  const query = { ...call.query, ...(call.takes_reason ? { accessReason: REASON } : {}), ...(call.is_stream ? { desde: 0 } : {}) };
  const values = [...call.values, ...(call.body === null ? [] : [call.body]), query];
  let outcome = 200;
  try {
    if (call.is_stream) {
      for await (const _ of service[camel(call.key)](...values)) break;
    } else {
      await service[camel(call.key)](...values);
    }
  } catch (fault) {
    outcome = fault instanceof Fault ? fault.status : `${fault.name}: ${fault.message}`;
  }
  console.log(JSON.stringify([`${call.service}.${call.key}`, "typescript", outcome]));
}
