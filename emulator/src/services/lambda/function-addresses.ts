import { UserError } from '../../errors/user-error';
import type { ResolvedStack } from '../../template/model';
import { resourcesOfType, textProperty } from '../../template/resources';
import type { FunctionConfiguration } from './function-configuration';

export interface FunctionAddress {
  /** `context.invokedFunctionArn`. */
  readonly invokedArn: string;
  /** The same with the function's name in place of its ARN. */
  readonly invokedName: string;
}

/** The only version of a function in the emulator. */
const LATEST = '$LATEST';

/**
 * Returns the addresses of a function: without a qualifier, as `$LATEST`, and each alias of the
 * template. Throws UserError for an alias of another version.
 */
export function addressesOf(
  stack: ResolvedStack,
  { functionArn, functionName }: Pick<FunctionConfiguration, 'functionArn' | 'functionName'>,
): readonly FunctionAddress[] {
  const aliases = resourcesOfType(stack, 'AWS::Lambda::Alias').flatMap((alias) => {
    if (![functionArn, functionName].includes(textProperty(alias, 'FunctionName'))) return [];
    const version = textProperty(alias, 'FunctionVersion');
    if (version !== LATEST) {
      throw new UserError(
        `${alias.logicalId}.FunctionVersion: the emulator has only the version ${LATEST}, got ${version}`,
      );
    }
    return [textProperty(alias, 'Name')];
  });
  return [
    { invokedArn: functionArn, invokedName: functionName },
    ...[LATEST, ...aliases].map((qualifier) => ({
      invokedArn: `${functionArn}:${qualifier}`,
      invokedName: `${functionName}:${qualifier}`,
    })),
  ];
}
