/** A transaction that is too long for a line. */
import { expect, test } from "vitest";
import { value } from "../../addresses/address.ts";
import { StorageRejected } from "../../errors.ts";
import { setValue } from "../contract/writes.ts";
import { MemoryState } from "../memory/state.ts";
import { Admission } from "./admission.ts";

test("[A4] a transaction whose line is too long in bytes is refused and uses no number", () => {
  const admission = new Admission(new MemoryState(), 200);
  const write = (text: string) => [setValue(value("n"), text)];
  const least = admission.admit(write(""), 7).line.length;
  const room = 200 - least;

  expect(() => admission.admit(write("x".repeat(room + 1)), 7)).toThrow(StorageRejected);
  expect(() => admission.admit(write("\u2028".repeat(Math.ceil((room + 1) / 3))), 7)).toThrow(/200 bytes/);
  expect(admission.admit(write("x".repeat(room)), 7).line).toMatch(/^\{"seq":2,/);
});
