/** Real faults under an SQLite session: helpers for its files and descriptors. */
import { closeSync, copyFileSync, existsSync, fstatSync, openSync, readdirSync, statSync } from "node:fs";
import { value } from "../../addresses/address.ts";
import { setValue, type Write } from "../../storage/contract/writes.ts";
import type { Life } from "./life.ts";

/** What a process tells of one session that it had. */
export interface ToldLife {
  /** How its disk fails, if it is not too late for that. */
  readonly fault: "limit" | "checkpoint" | "ENOSPC" | "sync";
  readonly path: string;
  /** The same session as the death of the process would have left it. */
  readonly dead: string;
  /** The transactions of {@link padding} that were committed and acknowledged before all that is told. */
  readonly paddings: readonly number[];
  readonly life: Life;
}

/** A transaction that makes a session longer by so many pages, and a few more. */
export function padding(pages: number): Write[] {
  return [setValue(value("test.padding", String(pages)), "x".repeat(pages * 4_092))];
}

/** Copies a session as the death of its process would leave it. */
export function copyDead(path: string): string {
  const dead = `${path}-dead`;
  for (const suffix of ["", "-wal", "-journal"]) {
    if (existsSync(path + suffix)) copyFileSync(path + suffix, dead + suffix);
  }
  return dead;
}

/** The descriptors under which this process has the file open. */
export function descriptorsOf(path: string): number[] {
  const { dev, ino } = statSync(path);
  const found = readdirSync("/dev/fd")
    .map(Number)
    .filter((descriptor) => {
      try {
        const held = fstatSync(descriptor);
        return held.dev === dev && held.ino === ino;
      } catch {
        return false;
      }
    });
  if (found.length === 0) throw new Error(`Nothing has ${path} open`);
  return found;
}

/** Lets a descriptor mean another file from now on. Only for a process in which nothing else opens files meanwhile. */
export function redirect(descriptor: number, path: string): void {
  closeSync(descriptor);
  const others: number[] = [];
  for (let opened = openSync(path, "r+"); opened !== descriptor; opened = openSync(path, "r+")) others.push(opened);
  for (const other of others) closeSync(other);
}
