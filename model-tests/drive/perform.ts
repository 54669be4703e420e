/** Performs one action of the machine on the world. Every event is mapped; an unknown one does not compile. */
import { lengthenedTo, type OperationEvent } from "../../machines/index.ts";
import type { ScriptedStream } from "../world/provider.ts";
import type { World } from "../world/world.ts";

/** Perform `event`; `false` when this implementation does not offer it here. */
export function perform(world: World, event: OperationEvent): boolean | Promise<boolean> {
  switch (event.type) {
    case "accept":
      return done(world.accept());
    case "activate":
      return done(world.activate({ wait: true, permit: false }));
    case "activate.nowait":
      return done(world.activate({ wait: false, permit: false }));
    case "permit":
      return done(world.activate({ wait: true, permit: true }));
    case "cancel":
      return done(world.cancel());
    case "cancel.stale":
      return world.serves("Q7") && done(world.cancelAnother());
    case "finalize":
      return world.gate === undefined || world.closing
        ? world.finalizeOffline().then(() => true)
        : done(world.finalize());
    case "close":
      return done(world.close());
    case "snapshot":
      return done(world.snapshot());
    case "crash":
      return done(world.kill());
    case "reopen":
      return world.boot().then(() => true);
    case "tick":
      return world.tick().then(() => true);
    case "land":
      return landNext(world);
    case "reply":
      return replyNext(world);
    case "fail":
      return failNext(world, false);
    case "lose_reply":
      return failNext(world, true);
    case "fault":
      throw new Error("A fault that comes from another lane has no place in a session with one lane");
    case "stream.start":
      return give(world, (stream) => stream.start());
    case "stream.update":
      return give(world, (stream) => stream.update());
    case "stream.covered":
      return give(world, (stream) => stream.covered());
    case "stream.end":
      return give(world, () => world.endStream(event.end));
    case "stream.defect":
      return give(world, () => world.defect(event.defect));
    case "listener.release":
      return world.release("listener");
    case "hook.release":
      return world.release("hook");
    case "tool.return":
      return world.returnTool(event.tool);
    case "late":
      return releaseLeftover(world);
    case "frames.cut":
      return world.tampering.resize((listed) => listed - 1).then(() => true);
    case "frames.remove":
      return world.tampering.resize(() => 0).then(() => true);
    case "frames.damage":
      return world.tampering.damage().then(() => true);
    case "frames.lengthen":
      return world.tampering.resize(() => lengthenedTo).then(() => true);
  }
}

/** A call was issued: what comes of it is observed. */
const done = (_: unknown): true => true;

function give(world: World, act: (stream: ScriptedStream) => void): boolean {
  const stream = world.pulledStream;
  if (stream === undefined || world.gates?.listener !== undefined) return false;
  act(stream);
  return true;
}

function landNext(world: World): boolean | Promise<boolean> {
  const { gate } = world;
  return gate?.arrived === undefined ? false : gate.land().then(() => true);
}

function replyNext(world: World): boolean {
  const { gate } = world;
  if (gate?.parked[0]?.landed !== true) return false;
  gate.reply();
  return true;
}

function failNext(world: World, landed: boolean): boolean {
  const { gate } = world;
  if (gate?.parked[0]?.landed !== landed) return false;
  gate.fail();
  return true;
}

/** Every call that still runs returns; answers whether one did. */
function returnAll(world: World): boolean {
  const running = [...(world.gates?.tools.keys() ?? [])];
  for (const tool of running) world.returnTool(tool);
  return running.length > 0;
}

/** What the stopped drive left waiting is answered after all, and must come to nothing. */
function releaseLeftover(world: World): boolean {
  if (world.release("listener") || world.release("hook") || returnAll(world)) return true;
  const stream = world.pulledStream;
  stream?.update();
  return stream !== undefined;
}
