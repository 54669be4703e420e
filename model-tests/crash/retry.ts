/** The retry rule of every operation of the campaign. */
export const retry = { maxAttempts: 3, baseDelayMs: 1_000 } as const;
