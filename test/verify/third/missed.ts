/** The bugs that verify does not find. */
export const missed: readonly string[] = []
