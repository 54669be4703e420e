/** An operation whose response has begun to stream. */
import { beginning, quiet, type World } from "./fakes.ts";

/** Accepts, activates, and streams a beginning. */
export async function streaming(world: World) {
  const { operationId } = await world.lane.accept({ prompt: "Hi" });
  const activation = world.lane.activate();
  activation.catch(() => {});
  await quiet();
  await world.provider.last.push(...beginning("hello"));
  return { operationId, activation };
}
