/** Ids in a run look real and are the same in every run. */
import { expect, test } from "vitest";
import { SequentialIds } from "./ids.ts";

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("ids have the shape of UUIDv7, with their time in front", () => {
  const id = new SequentialIds().next(0x0123_4567_89ab);

  expect(id).toMatch(uuid7);
  expect(id.replaceAll("-", "").slice(0, 12)).toBe("0123456789ab");
});

test("ids are unique, increase, and are the same in every run", () => {
  const [one, other] = [new SequentialIds(), new SequentialIds()];
  const ids = Array.from({ length: 1_000 }, () => one.next(1_000_000));

  expect(new Set(ids).size).toBe(1_000);
  expect([...ids].sort()).toEqual(ids);
  expect(ids).toEqual(ids.map(() => other.next(1_000_000)));
  expect(ids.every((id) => uuid7.test(id))).toBe(true);
});
