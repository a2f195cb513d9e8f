// Runs the portal's example of each operation without its output. Prints a JSON line for each, as run_examples.py does.
import { Fault } from "@balcao/client";
import { readFileSync } from "node:fs";

const print = console.log;
console.log = () => {};
for (const { service, key, token, file } of JSON.parse(readFileSync(0, "utf-8"))) {
  process.env.TOKEN = token;
  let outcome = 200;
  try {
    await import(file);
  } catch (fault) {
    outcome = fault instanceof Fault ? fault.status : `${fault.name}: ${fault.message}`;
  }
  print(JSON.stringify([`${service}.${key}`, "typescript", outcome]));
}
