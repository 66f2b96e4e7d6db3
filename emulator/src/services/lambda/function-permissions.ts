import { matchesWildcards } from '../../iam/wildcards';
import type { ResolvedStack } from '../../template/model';
import { optionalText, resourcesOfType, textProperty } from '../../template/resources';
import type { InvokeSource } from './invoker';

/**
 * The resource policies of the functions, from AWS::Lambda::Permission: which service may invoke
 * which function for which resource.
 * https://docs.aws.amazon.com/lambda/latest/dg/access-control-resource-based.html
 */
export class FunctionPermissions {
  private readonly statements: readonly Statement[];

  constructor(private readonly stack: ResolvedStack) {
    this.statements = resourcesOfType(stack, 'AWS::Lambda::Permission').map((permission) => ({
      action: textProperty(permission, 'Action'),
      functionName: textProperty(permission, 'FunctionName'),
      principal: textProperty(permission, 'Principal'),
      sourceArn: optionalText(permission, 'SourceArn'),
      sourceAccount: optionalText(permission, 'SourceAccount'),
      isForUrl: String(permission.properties.InvokedViaFunctionUrl) === 'true',
    }));
  }

  /** `functionNames`: the ARN and the name of the function; a permission may use either. */
  allow(functionNames: readonly string[], source: InvokeSource): boolean {
    return this.statements.some(
      (statement) =>
        matchesWildcards(statement.action, 'lambda:InvokeFunction') &&
        !statement.isForUrl &&
        functionNames.includes(statement.functionName) &&
        (statement.principal === source.service || statement.principal === '*') &&
        matchesWildcards(statement.sourceArn ?? '*', source.arn) &&
        // Every caller belongs to the account of the stack.
        (statement.sourceAccount ?? this.stack.accountId) === this.stack.accountId,
    );
  }
}

interface Statement {
  readonly action: string;
  readonly functionName: string;
  readonly principal: string;
  readonly sourceArn?: string;
  readonly sourceAccount?: string;
  /** Permits invocations by the function's URL only. */
  readonly isForUrl: boolean;
}
