/** Everything the command line touches outside of itself, so that tests can run it in their own process. */
import pc from "picocolors";

export interface Io {
  stdout(text: string): void;
  stderr(text: string): void;
  /** Colour on stdout. NO_COLOR and redirection turn it off. */
  readonly colour: boolean;
  /** Columns of stdout. */
  readonly width: number;
  /** Whether stderr is a terminal, which alone shows progress. */
  readonly showsProgress: boolean;
  /** How a reader calls this program again: `npx durability`, or the script of a clone. */
  readonly program: string;
}

/** A report that goes to a file or a pipe is laid out for this many columns. */
const plainWidth = 100;

export function processIo(): Io {
  return {
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
    colour: pc.isColorSupported && process.stdout.isTTY === true,
    width: process.stdout.columns ?? plainWidth,
    showsProgress: process.stderr.isTTY === true,
    program: import.meta.url.endsWith(".ts") ? "npm run durability --" : "npx durability",
  };
}
