/** The result of a kill campaign as data, and as a table for people. */
import { createColors } from "picocolors";
import { type Durability, type FileStoreName, fileStores } from "../../src/index.ts";
import { type Cell, count, duration, table, wrap } from "../draw/layout.ts";

export interface LossReport {
  /** Which kill brought it to light, counted from 1. */
  readonly kill: number;
  readonly what: string;
  /** The folder with the session as the dead process left it. */
  readonly evidence?: string;
}

/** What the kills on one store have shown. */
export interface CampaignFigures {
  readonly store: FileStoreName;
  readonly durability: Durability;
  readonly kills: number;
  /** Transactions of which the process knew that they are durable. */
  readonly acknowledged: number;
  /** Transactions that are durable, and of which the process did not know it. */
  readonly unacknowledged: number;
  /** Torn last lines that a reopen has cut off. */
  readonly tornTails: number;
  /** Deaths that left a response to recover, which was recovered and held against section E. */
  readonly recoveries: number;
  readonly durationMs: number;
  readonly losses: readonly LossReport[];
}

export interface CrashReport {
  readonly version: 1;
  readonly seed: number;
  readonly campaigns: readonly (CampaignFigures & { readonly killsPerSecond: number })[];
  /** Why the campaign fails; empty when it passes. */
  readonly failures: readonly string[];
  readonly passed: boolean;
}

/** From so many kills on, a campaign that has met nothing to recover has missed what it is for. */
const enoughKills = 20;

export function makeCrashReport(seed: number, campaigns: readonly CampaignFigures[]): CrashReport {
  const failures = campaigns.flatMap(({ store, durability, kills, losses, acknowledged, recoveries }) => {
    const where = `${store}, ${durability}`;
    if (losses.length > 0) return [`${where}: ${losses.length === 1 ? "1 loss" : `${losses.length} losses`}`];
    const vacuous = kills >= enoughKills && (acknowledged === 0 || recoveries === 0);
    return vacuous ? [`${where}: no death left anything to check`] : [];
  });
  const perSecond = ({ kills, durationMs }: CampaignFigures) => Math.round((kills / durationMs) * 100_000) / 100;
  return {
    version: 1,
    seed,
    campaigns: campaigns.map((figures) => ({ ...figures, killsPerSecond: perSecond(figures) })),
    failures,
    passed: failures.length === 0,
  };
}

const columns = [
  { title: "store" },
  { title: "durability" },
  { title: "kills", align: "right" },
  { title: "acknowledged", align: "right" },
  { title: "landed unacknowledged", align: "right" },
  { title: "torn tails cut", align: "right" },
  { title: "recoveries", align: "right" },
  { title: "losses", align: "right" },
  { title: "time", align: "right" },
  { title: "kills/s", align: "right" },
] as const;

export interface CrashTextOptions {
  readonly colour: boolean;
  readonly width: number;
}

export function crashText({ campaigns, failures, passed, seed }: CrashReport, options: CrashTextOptions): string {
  const c = createColors(options.colour);
  const rows = campaigns.map((figures): Cell[] => [
    { text: figures.store, paint: c.bold },
    { text: figures.durability },
    { text: count(figures.kills) },
    { text: count(figures.acknowledged) },
    { text: count(figures.unacknowledged) },
    { text: fileStores[figures.store].cutsTornTails ? count(figures.tornTails) : "–" },
    { text: count(figures.recoveries) },
    { text: count(figures.losses.length), paint: figures.losses.length > 0 ? c.red : c.green },
    { text: duration(figures.durationMs) },
    { text: figures.killsPerSecond.toFixed(1) },
  ]);
  const losses = campaigns.flatMap(({ store, durability, losses: all }) =>
    all.flatMap(({ kill, what, evidence }) => [
      c.red(`✗ ${store}, ${durability}, kill ${kill}`),
      ...wrap(what, options.width - 2).map((line) => `  ${line}`),
      ...(evidence === undefined ? [] : [c.dim(`  kept in ${evidence}`)]),
    ]),
  );
  const verdict = passed
    ? c.green("✓ nothing acknowledged was lost, nothing was half there, every recovery held")
    : c.red(`✗ ${failures.join("; ")}`);
  const parts = [table(columns, rows, c.dim), losses, [`${verdict}  ${c.dim(`seed ${seed}`)}`]];
  return `\n${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n\n`;
}
