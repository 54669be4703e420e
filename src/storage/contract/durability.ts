/**
 * What a replied commit survives. `process`: the death of this process, since its bytes are with the operating system.
 * `power`: a loss of power too, since they are on the disk.
 */
export type Durability = "process" | "power";
