/** Provided by the build: the files of the package that the mock reads. */
declare module 'package-files' {
  export const packageFiles: Record<string, string>
}
