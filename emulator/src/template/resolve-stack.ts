import { UserError } from '../errors/user-error';
import { isRecord, type Json } from '../values/json';
import type { SynthesizedStack } from './assembly';
import { refuseCycles } from './cycles';
import { type Identity, identify, type Place } from './identities';
import { NO_VALUE, resolve, resolveCondition, type Scope } from './intrinsics';
import type { ResolvedResource, ResolvedStack } from './model';
import { type DeclaredSecret, Secrets } from './secrets';

const DEFAULT_REGION = 'us-east-1';
const DEFAULT_ACCOUNT = '000000000000';

/**
 * Resolves every intrinsic function of a template. Throws UserError with the place of what cannot
 * be resolved. `parameters` are the values of the Parameters without a default.
 */
export function resolveStack(
  stack: SynthesizedStack,
  parameters: Readonly<Record<string, string>> = {},
): ResolvedStack {
  return new Resolution(stack, parameters).run();
}

class Resolution {
  private readonly place: Place;
  private readonly identities = new Map<string, Identity>();
  private readonly conditions = new Map<string, boolean>();
  /** The names being resolved, so that a cycle is an error instead of a stack overflow. */
  private readonly inProgress = new Set<string>();
  /** The logical ids that each resource references. */
  private readonly references = new Map<string, Set<string>>();
  private resolving: Set<string> = new Set();
  private readonly secrets = new Secrets();
  private readonly scope: Scope;

  constructor(
    private readonly stack: SynthesizedStack,
    private readonly parameters: Readonly<Record<string, string>>,
  ) {
    this.place = {
      stackName: stack.stackName,
      region: stack.region ?? DEFAULT_REGION,
      accountId: stack.accountId ?? DEFAULT_ACCOUNT,
    };
    this.scope = {
      ref: (name) => this.ref(name),
      attribute: (logicalId, attribute) => this.attribute(logicalId, attribute),
      condition: (name) => this.condition(name),
      secret: (reference) => this.secrets.resolve(reference, this.declaredSecrets()),
      mappings: this.section('Mappings'),
    };
    if (stack.template.Transform !== undefined) {
      throw new UserError('Transform: template macros are not supported');
    }
  }

  run(): ResolvedStack {
    const resources = new Map<string, ResolvedResource>();
    for (const logicalId of Object.keys(this.section('Resources'))) {
      const resource = this.resource(logicalId);
      if (resource !== undefined) resources.set(logicalId, resource);
    }
    refuseCycles(this.references);
    return { ...this.place, resources, outputs: this.outputs(), assetPath: this.stack.assetPath };
  }

  private section(name: string): Json {
    const section = this.stack.template[name];
    return isRecord(section) ? section : {};
  }

  /** Returns undefined when its condition is false. */
  private resource(logicalId: string): ResolvedResource | undefined {
    const declared = this.declared(logicalId);
    if (typeof declared.Condition === 'string' && !this.condition(declared.Condition))
      return undefined;
    const dependsOn = [declared.DependsOn ?? []].flat().map(String);
    this.resolving = new Set(dependsOn);
    this.references.set(logicalId, this.resolving);
    const properties = resolve(declared.Properties ?? {}, this.scope, logicalId);
    const { physicalId, attributes } = this.identity(logicalId);
    return {
      logicalId,
      type: String(declared.Type),
      properties: isRecord(properties) ? properties : {},
      physicalId,
      arn: attributes.Arn,
      functionUrl: attributes.FunctionUrl,
      dependsOn,
    };
  }

  private declared(logicalId: string): Json {
    const declared = this.section('Resources')[logicalId];
    if (!isRecord(declared)) throw new UserError(`the template has no resource ${logicalId}`);
    return declared;
  }

  private identity(logicalId: string): Identity {
    const known = this.identities.get(logicalId);
    if (known !== undefined) return known;
    const identity = this.guarded(`resource ${logicalId}`, () => {
      const declared = this.declared(logicalId);
      const raw = isRecord(declared.Properties) ? declared.Properties : {};
      return identify(String(declared.Type), {
        place: this.place,
        logicalId,
        raw,
        named: (property) => {
          if (raw[property] === undefined) return undefined;
          const value = resolve(raw[property], this.scope, `${logicalId}.${property}`);
          return typeof value === 'string' ? value : undefined;
        },
      });
    });
    this.identities.set(logicalId, identity);
    return identity;
  }

  private ref(name: string): unknown {
    if (name.startsWith('AWS::')) return this.pseudoParameter(name);
    const parameter = this.section('Parameters')[name];
    if (isRecord(parameter)) return this.parameter(name, parameter);
    this.resolving.add(name);
    return this.identity(name).physicalId;
  }

  private attribute(logicalId: string, attribute: string): string {
    this.resolving.add(logicalId);
    const value = this.identity(logicalId).attributes[attribute];
    if (value === undefined) {
      const type = String(this.declared(logicalId).Type);
      throw new UserError(`${logicalId} (${type}): the attribute ${attribute} is not supported`);
    }
    return value;
  }

  private declaredSecrets(): readonly DeclaredSecret[] {
    return Object.entries(this.section('Resources')).flatMap(([logicalId, declared]) => {
      if (!isRecord(declared) || declared.Type !== 'AWS::SecretsManager::Secret') return [];
      const properties = isRecord(declared.Properties) ? declared.Properties : {};
      return [{ logicalId, properties, arn: this.identity(logicalId).physicalId }];
    });
  }

  private pseudoParameter(name: string): unknown {
    const { stackName, region, accountId } = this.place;
    switch (name) {
      case 'AWS::Region':
        return region;
      case 'AWS::AccountId':
        return accountId;
      case 'AWS::Partition':
        return 'aws';
      case 'AWS::URLSuffix':
        return 'amazonaws.com';
      case 'AWS::StackName':
        return stackName;
      case 'AWS::StackId':
        return `arn:aws:cloudformation:${region}:${accountId}:stack/${stackName}/local`;
      case 'AWS::NotificationARNs':
        return [];
      case 'AWS::NoValue':
        return NO_VALUE;
      default:
        throw new UserError(`the emulator does not know ${name}`);
    }
  }

  private parameter(name: string, declared: Json): unknown {
    const given = this.parameters[name];
    if (given !== undefined) return given;
    const { Type: type, Default: initial } = declared;
    if (typeof type === 'string' && type.startsWith('AWS::SSM::')) {
      // The version of CDK's bootstrap stack, which only deployments check.
      if (String(initial).startsWith('/cdk-bootstrap/')) return '30';
      throw new UserError(`Parameters.${name}: the emulator has no SSM parameter ${initial}`);
    }
    if (initial === undefined)
      throw new UserError(`Parameters.${name} has no default and no value`);
    return type === 'CommaDelimitedList' ? String(initial).split(',') : initial;
  }

  private condition(name: string): boolean {
    const known = this.conditions.get(name);
    if (known !== undefined) return known;
    const declared = this.section('Conditions')[name];
    const holds = this.guarded(`condition ${name}`, () =>
      resolveCondition(declared, this.scope, `Conditions.${name}`),
    );
    this.conditions.set(name, holds);
    return holds;
  }

  private guarded<T>(what: string, work: () => T): T {
    if (this.inProgress.has(what)) throw new UserError(`the template's ${what} depends on itself`);
    this.inProgress.add(what);
    try {
      return work();
    } finally {
      this.inProgress.delete(what);
    }
  }

  private outputs(): Readonly<Record<string, string>> {
    const outputs: Record<string, string> = {};
    for (const [name, output] of Object.entries(this.section('Outputs'))) {
      if (!isRecord(output)) continue;
      if (typeof output.Condition === 'string' && !this.condition(output.Condition)) continue;
      outputs[name] = String(resolve(output.Value, this.scope, `Outputs.${name}`));
    }
    return outputs;
  }
}
