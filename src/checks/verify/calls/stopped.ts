/**
 * The current work cannot go on. The message tells what could not be checked and why. Without a message, a finding
 * tells it.
 */
export class Stopped extends Error {}
