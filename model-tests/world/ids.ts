/** Deterministic ids in the shape of UUIDv7: the time in front, a counter behind, no randomness. */
export class SequentialIds {
  #count = 0;

  next(timestampMs = 0): string {
    const time = timestampMs.toString(16).padStart(12, "0");
    const count = (++this.#count).toString(16).padStart(12, "0");
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${count}`;
  }
}
