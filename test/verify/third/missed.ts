/** The bugs that no client can see, or that verify does not look for, with the reason. */
export const missed: Readonly<Record<string, string>> = {
  'e14-ids-that-begin-alike':
    'It takes two credentials whose ids begin alike. The service numbers them, and a run creates no more than five.',
  'e25-chunks-null':
    'Where a field has no value, it may be null, and the description does not say when a file has chunks.',
  'e25-failed-is-404': 'A file that is named but not listed may have a wrong id, so its 404 is listed as not checked.',
  'e27-checks-none': 'The description does not say what an address is: invites.addresses, any.'
}
