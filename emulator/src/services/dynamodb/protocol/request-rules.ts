/**
 * Checks of AWS that the engine does not have, found by experiment (README.md), and a check for
 * members that an operation does not have.
 */
import { isRecord, type Json } from '../../../values/json';
import { validationError } from './errors';
import { type Operation, TRANSACT_WRITES, transactEntries } from './operations';

/** Throws ValidationException. */
export function checkRequest(name: string, operation: Operation, request: Json): void {
  checkMembers(request, operation.parameters, '');
  checkReturnOnFailure(request);
  if (name === 'TransactWriteItems') checkTransaction(request);
}

function checkTransaction(request: Json): void {
  const token = request.ClientRequestToken;
  if (token === '') {
    throw validationError(
      "1 validation error detected: Value '' at 'clientRequestToken' failed to satisfy constraint: Member must have length greater than or equal to 1",
    );
  }
  const entries = transactEntries(request, Object.keys(TRANSACT_WRITES));
  if (entries.length > 100) {
    throw validationError(
      `1 validation error detected: Value of ${entries.length} entries at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100`,
    );
  }
  entries.forEach(({ kind, part }, index) => {
    checkMembers(part, TRANSACT_WRITES[kind] ?? [], `TransactItems.${index}.${kind}.`);
    checkReturnOnFailure(part);
  });
}

function checkMembers(value: Json, known: readonly string[], path: string): void {
  for (const member of Object.keys(value)) {
    if (!known.includes(member)) {
      throw validationError(
        `the emulator does not support ${path}${member} (AWS ignores it, or has it as a legacy parameter)`,
      );
    }
  }
}

function checkReturnOnFailure(part: Json): void {
  const value = part.ReturnValuesOnConditionCheckFailure;
  if (value !== undefined && value !== 'ALL_OLD' && value !== 'NONE') {
    throw validationError(
      `1 validation error detected: Value '${isRecord(value) ? 'object' : String(value)}' at 'returnValuesOnConditionCheckFailure' failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, NONE]`,
    );
  }
}
