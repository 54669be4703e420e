/** The end of an open session (K1). */
import { expect, test } from "vitest";
import { deferred } from "../../testing/jsonl/sessions.ts";
import { describeCall, UnreliableDisk } from "../../testing/jsonl/unreliable-disk.ts";
import { Disk } from "./disk.ts";

test("[K1] after the end no operation begins, and nothing is heard of one that was in flight", async () => {
  const files = new UnreliableDisk();
  files.place("s", Buffer.of());
  const disk = new Disk(files, "s");
  const file = await disk.open();
  const parked = deferred<undefined>();
  files.intercept = ({ operation }) => (operation === "sync" ? parked.promise : undefined);
  const heard: string[] = [];
  const listen = (name: string, operation: Promise<unknown>) =>
    operation.then(
      () => heard.push(name),
      () => heard.push(name),
    );
  void listen("sync", disk.sync(file));
  const ended = disk.end();
  void listen("truncate", disk.truncate(file, 0));
  void listen("remove", disk.remove("s"));
  expect(files.calls.map(describeCall)).toEqual(["open s", "sync s"]);
  parked.reject(new Error("EIO"));
  await ended;
  await new Promise((turn) => setImmediate(turn));
  expect(files.calls.map(describeCall)).toEqual(["open s", "sync s", "close s"]);
  expect(heard).toEqual([]);
});
