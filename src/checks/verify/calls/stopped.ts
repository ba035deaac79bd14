/** What is under way cannot go on. A message says what could not be checked and why; without one, a finding says it. */
export class Stopped extends Error {}
