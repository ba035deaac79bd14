/** Provided by the build: the files of the package that the mock reads, and the name of each status. */
declare module 'package-files' {
  export const packageFiles: Record<string, string>
  export const statusTexts: Record<string, string>
}
