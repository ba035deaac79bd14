/** Every check by its name, with its meaning. The name is Schemathesis's if it has one. */
export const checks = {
  request_answered: 'Every request is answered, and no connection ends without an answer',
  not_a_server_error: 'No request is answered with a status of 500 or above',
  status_code_conformance: 'A success has a status that the contract names',
  content_type_conformance: 'A body that the contract describes comes as application/json',
  response_schema_conformance: 'A body has the shape that the contract gives it, also that of a 422 (2.16)',
  positive_data_acceptance: 'A request that the contract allows is not refused',
  negative_data_rejection: 'A request that breaks the contract is answered with 422 (7.1)',
  validation_error_loc: 'The items of a 422 point at what is wrong, and at nothing else (2.16)',
  media_type_rejection: 'A body of another media type, which is no JSON, is refused',
  ignored_auth: 'A request without a valid token is refused (5.1)',
  admin_only: 'An operation for administrators is refused to other users (5.2)',
  unsupported_method: 'A method that a path does not have is refused',
  unknown_id_refused: 'What does not exist is not answered as if it did',
  ensure_resource_availability: 'What was created, or is listed, is found',
  use_after_free: 'What was deleted is gone',
  values_read_back: 'What was sent is what is read afterwards',
  unique_rows: 'A list has each row once',
  paging_consistent: 'The pages of a list hold every row once, and say truly whether there are more',
  filter_respected: 'A filtered list holds only what passes the filter',
  association_idempotence: 'An association is made only if there is none, also by requests at the same time (3.3)',
  file_readable_in_any_status: 'A user file is readable in any status (3.1)',
  file_delete_unlinks: 'Deleting a user file removes its project associations (3.2)',
  bulk_invite_all_or_nothing: 'One address that fails validation, and nobody is invited (7.2)',
  instructions_read_back: 'Instructions of a project are read back as they were stored',
  other_users_rows_hidden: "Another user's rows are neither listed, read, changed nor deleted",
  others_untouched: 'A call that changes something changes what it names, and nothing else',
  secrets_hidden: 'No reply shows a token, a password or what another operation masks',
  redirect_stays: 'No reply leads to another host'
} as const

export type Check = keyof typeof checks
