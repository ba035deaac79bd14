/** A browser has one process, so it never looks for the owner of a sandbox. */
export function createOwnerRouting(): never {
  throw new Error('There are no other processes.')
}
