/** What a request says, update by update, and what each update leaves behind when it is committed. */
import type {
  AssistantMessage,
  AssistantMessageEvent,
  AssistantMessageFrame,
  TextContent,
  ThinkingContent,
  ToolCall,
  Usage,
} from "@earendil-works/pi-ai";

/** One block of a message. */
export type Block = TextContent | ThinkingContent | ToolCall;
/** The content of a message. */
export type Blocks = readonly Block[];

type WithoutPartial<E> = E extends { partial: AssistantMessage } ? Omit<E, "partial"> : never;

/** An event between `start` and the end of a stream, without the growing message. */
export type Update = Exclude<WithoutPartial<AssistantMessageEvent>, { type: "start" }>;

/** One update that gives a frame. */
export interface Beat {
  readonly event: Update;
  /** What the live message shows when the event is given: it may be ahead (B6). */
  readonly shows: Blocks;
  /** The frame that the event gives (B2). */
  readonly frame: AssistantMessageFrame;
  /** The content that the frames up to this one carry. */
  readonly carries: Blocks;
  /** An update after this one that gives no frame, since its delta is empty (B2). */
  readonly covered: Update;
}

/** A usage that a provider got wrong. */
export interface UnreadableUsage {
  readonly reported: Usage;
  /** What of it counts: the parts that can be read, and zero for each other. */
  readonly counts: Usage;
}

/** What one request says. A stream may be asked for any number of updates. */
export interface Saying {
  readonly name: string;
  /** The update with this number, counted from 1. */
  beat(number: number): Beat;
  /** The usage that the live message shows from its start on. Default: none. */
  readonly usage?: Usage;
  /** The usage that the live message shows and the end reports, when it cannot be read as it is (Q3). */
  readonly unreadable?: UnreadableUsage;
}

/** What the provider says, request by request. */
export type Sayings = (request: number) => Saying;
