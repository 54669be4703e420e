/** The list of requirements is whole: ids without a gap, sections, and sentences that pages can print. */
import { describe, expect, test } from "vitest";
import { requirementIds, requirements, sections } from "./requirements.ts";

describe("requirements", () => {
  test("every section has requirements, numbered from one without a gap", () => {
    for (const section of Object.keys(sections)) {
      const own = requirementIds.filter((id) => id.replace(/\d+$/, "") === section);

      expect(own, section).toEqual(own.map((_, at) => `${section}${at + 1}`));
      expect(own.length, section).toBeGreaterThan(0);
    }
  });

  test("every requirement belongs to a section", () => {
    for (const id of requirementIds) {
      expect(id).toMatch(/^[A-Z]\d+$/);
      expect(sections).toHaveProperty(id.charAt(0));
    }
  });

  test("every requirement is a sentence of its own, in plain text", () => {
    const texts = Object.values(requirements);

    expect(new Set(texts).size).toBe(texts.length);
    for (const text of texts) {
      expect(text).toMatch(/^\S.*\.\)?$/);
      expect(text).not.toMatch(/`|\n/);
    }
  });

  test("the sections that name requirements are all here", () => {
    expect(Object.keys(sections).sort().join("")).toBe("ABCDEFGHIJKLMNOPQ");
  });
});
