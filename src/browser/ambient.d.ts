/** What the build puts in: the files of the package that the mock reads. */
declare module 'package-files' {
  export const packageFiles: Record<string, string>
}
