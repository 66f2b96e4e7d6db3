/** The query parameters of an API Gateway event, which are already decoded. */
import { invalid } from '../../core/errors';

/** A function that returns a parameter's value. It throws invalid_request when it is repeated. */
export function singleQuery(
  parameters: Readonly<Record<string, string[] | undefined>> | null | undefined,
): (name: string) => string | undefined {
  return (name) => {
    const values = parameters && Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (values && values.length > 1) throw invalid(name, 'must be given once');
    return values?.[0];
  };
}
