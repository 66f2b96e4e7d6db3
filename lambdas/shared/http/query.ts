/** Query parameters of an API Gateway event, decoded by it. */
import { invalid } from '../../../core/errors';

/** Looks a parameter up; throws invalid_request when it is repeated. */
export function singleQuery(
  parameters: Readonly<Record<string, string[] | undefined>> | null | undefined,
): (name: string) => string | undefined {
  return (name) => {
    const values = parameters && Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (values && values.length > 1) throw invalid(name, 'must be given once');
    return values?.[0];
  };
}
