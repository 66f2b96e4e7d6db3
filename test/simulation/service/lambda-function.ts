/**
 * A function as Lambda runs it: environments that handle one invocation at a time and are used
 * again, cold starts, a limit of concurrency, a timeout that ends the environment. By
 * https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
 */
import type { SeededRandom } from '../machine/random';
import { Environment, type Ports } from './environment';
import type { Simulation } from './simulation';

export type Outcome<R> =
  | { readonly result: R }
  | { readonly failure: 'throttled' | 'timeout' | 'died' | 'error'; readonly error?: unknown };

/** The part of Lambda's context that functions read. */
export interface InvocationContext {
  getRemainingTimeInMillis(): number;
}

export interface FunctionOptions<E, R> {
  readonly name: string;
  readonly timeoutMs: number;
  readonly concurrency: number;
  /** What the function does when an environment starts. */
  readonly start: (ports: Ports) => (event: E, context: InvocationContext) => Promise<R>;
}

interface Instance<E, R> {
  readonly environment: Environment;
  readonly handler: (event: E, context: InvocationContext) => Promise<R>;
}

const COLD_START_MS = [120, 600] as const;

export class LambdaFunction<E, R> {
  private readonly idle: Instance<E, R>[] = [];
  private running = 0;
  private readonly random: SeededRandom;

  constructor(
    private readonly simulation: Simulation,
    private readonly options: FunctionOptions<E, R>,
  ) {
    this.random = simulation.random(`lambda ${options.name}`);
  }

  /** Calls `done` once, with what the function returned or why it did not. */
  invoke(event: E, done: (outcome: Outcome<R>) => void): void {
    const { simulation, random } = this;
    const refused = simulation.faults.draw(['invocation throttled'], random);
    if (refused || !this.mayRun()) {
      simulation.time.after(2, () => done({ failure: 'throttled' }));
      return;
    }
    this.running += 1;
    const warm = this.idle.pop();
    if (warm && simulation.faults.draw(['environment ended'], random)) warm.environment.kill();
    const instance = warm?.environment.isDead === false ? warm : this.start();
    const delay = instance === warm ? 1 : random.between(...COLD_START_MS);
    simulation.time.after(delay, () => this.run(instance, event, done));
  }

  private mayRun(): boolean {
    const { limits } = this.simulation;
    if (!limits) return this.running < this.options.concurrency;
    return limits.admitInvocation(this.options.name, this.idle.length === 0);
  }

  private start(): Instance<E, R> {
    const { simulation, options } = this;
    const environment = new Environment(simulation, simulation.environmentName(options.name));
    const handler = options.start(environment.ports);
    environment.freeze();
    return { environment, handler };
  }

  private run(instance: Instance<E, R>, event: E, done: (outcome: Outcome<R>) => void): void {
    const { time } = this.simulation;
    const { environment, handler } = instance;
    let isOver = false;
    const end = (outcome: Outcome<R>) => {
      if (isOver) return;
      isOver = true;
      this.running -= 1;
      this.simulation.limits?.invocationEnded();
      time.cancel(limit);
      done(outcome);
    };
    const deadline = time.now + this.options.timeoutMs;
    const limit = time.after(this.options.timeoutMs, () => {
      end({ failure: 'timeout' });
      environment.kill();
    });
    environment.onDeath = () => end({ failure: 'died' });
    environment.thaw();
    const context = { getRemainingTimeInMillis: () => deadline - time.now };
    const keep = () => {
      if (isOver) return;
      environment.freeze();
      this.idle.push(instance);
    };
    handler(event, context).then(
      (result) => {
        keep();
        end({ result });
      },
      (error: unknown) => {
        keep();
        end({ failure: 'error', error });
      },
    );
  }
}
