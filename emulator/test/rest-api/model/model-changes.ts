/**
 * Stacks that differ from BASE in one resource, and the message with which the model refuses one.
 */

import { UserError } from '../../../src/errors/user-error';
import { readRestApi } from '../../../src/services/rest-api/model/model';
import { BASE, changed, gatewayResponse, method, type Resources, stackOf } from '../stack';

export const read = (resources: Resources) => readRestApi(stackOf(resources));

export function refusal(resources: Resources): string {
  try {
    read(resources);
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
  return 'accepted';
}

export const integration = (properties: Record<string, unknown>) => ({
  ...BASE,
  OpenAny: method('ANY', 'OpenProxy', {}, properties),
});
export const openMethod = (properties: Record<string, unknown>) => ({
  ...BASE,
  OpenAny: method('ANY', 'OpenProxy', properties),
});
export const response = (properties: Record<string, unknown>) => ({
  ...BASE,
  R: gatewayResponse('UNAUTHORIZED', properties),
});
export const template = (text: string) =>
  response({ ResponseTemplates: { 'application/json': text } });
export const authorizer = (properties: Record<string, unknown>) =>
  changed('Authorizer', properties);
export const without = (name: string) =>
  Object.fromEntries(Object.entries(BASE).filter(([key]) => key !== name));
