/** What the build puts in: the files of the package that the mock reads. */
declare module 'package-files' {
  export const packageFiles: Record<string, string>
}

/** The names of people that faker has in English. */
declare module 'faker-names' {
  type Names = readonly string[]
  export const names: { first: { female: Names; male: Names; generic: Names }; last: Names }
}
