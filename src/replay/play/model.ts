/** The models that a fixture names. */
import type { Api, Model } from "@earendil-works/pi-ai";
import type { RecordedModel } from "../fixture/fixture.ts";

/** The model of a recorded request. What the recording does not tell is as large as models are today. */
export function modelOf({ provider, id, api }: RecordedModel): Model<Api> {
  return {
    id,
    name: id,
    api,
    provider,
    baseUrl: "",
    reasoning: true,
    input: ["text", "image"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 1_000_000,
    maxTokens: 128_000,
  };
}
