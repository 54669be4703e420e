/** A map whose keys are addresses. */

/** What an address names. */
export interface Place {
  readonly namespace: string;
  readonly key: string;
}

/** A map from addresses. Two levels, so that no pair of names can be mistaken for another. */
export class AddressMap<V> {
  readonly #namespaces = new Map<string, Map<string, V>>();

  get(place: Place): V | undefined {
    return this.#namespaces.get(place.namespace)?.get(place.key);
  }

  set(place: Place, held: V): void {
    const keys = this.#namespaces.get(place.namespace);
    if (keys === undefined) this.#namespaces.set(place.namespace, new Map([[place.key, held]]));
    else keys.set(place.key, held);
  }

  delete(place: Place): void {
    const keys = this.#namespaces.get(place.namespace);
    if (keys === undefined) return;
    keys.delete(place.key);
    if (keys.size === 0) this.#namespaces.delete(place.namespace);
  }

  /** Calls `visit` for everything held, in no promised order. */
  forEach(visit: (held: V, namespace: string, key: string) => void): void {
    for (const [namespace, keys] of this.#namespaces) for (const [key, held] of keys) visit(held, namespace, key);
  }

  /** What one namespace holds, in no promised order. */
  keysOf(namespace: string): ReadonlyMap<string, V> {
    return this.#namespaces.get(namespace) ?? new Map();
  }
}
