/** Query parameters, already decoded. */
import { invalid } from '../../core/errors';

/** A function that returns a parameter's value. It throws invalid_request when it is repeated. */
export function singleQuery(
  parameters: Readonly<Record<string, readonly string[] | undefined>>,
): (name: string) => string | undefined {
  return (name) => {
    const values = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (values && values.length > 1) throw invalid(name, 'must be given once');
    return values?.[0];
  };
}
