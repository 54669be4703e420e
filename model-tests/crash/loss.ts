/** What a store or a harness must never do over the death of its process. */
export class Loss extends Error {
  override readonly name = "Loss";
}

/** @throws {Loss} when `holds` is false. */
export function ensure(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Loss(what);
}
